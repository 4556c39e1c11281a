package page

import (
	"context"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// activeElement is the part of a probe that says what has the focus.
type activeElement struct {
	Active string `json:"active"`
}

func probeActive() browser.RunRequest {
	return browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}}
}

// focusedIn is the focused element of a document, unless that is a frame.
const focusedIn = ":focus:not(iframe):not(frame)"

// focused finds what has the focus, in whichever frame that may be acted on.
func (t *Tab) focused(ctx context.Context) (pagefn.Editable, hit, error) {
	return t.field(ctx, Target{Selector: focusedIn})
}

// judgeFocus refuses keys that may go to a frame which may not be acted on. It costs
// nothing where all frames may.
func (t *Tab) judgeFocus(ctx context.Context) error {
	frames, err := t.frames(ctx)
	if err != nil {
		return err
	}
	var denied error
	for _, f := range frames[1:] {
		if e := t.judgeFrame(f, policy.Act); e != nil {
			denied = e
		}
	}
	if denied == nil {
		return nil
	}
	if _, _, err := t.focused(ctx); err == nil {
		return nil
	}
	p, _, err := run[activeElement](ctx, t, probeActive())
	if err == nil && p.Active == "" {
		return nil
	}
	return browser.Errorf(browser.PolicyDenied, "the focus may be in a frame that is not allowed (%s); click a field of the page first", denied.(*browser.Error).Message)
}
