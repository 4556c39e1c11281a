package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// race runs one command, and gives up on it when a dialog opens: Chrome answers nothing
// about a page that shows one. The command itself is left alone; it ends with the dialog.
func race[T any](ctx context.Context, t *Tab, do func(context.Context) (T, error)) (T, error) {
	var none T
	open, opened := t.state.dialogOpen()
	if open != nil {
		return none, t.dialogError(open)
	}
	type answer struct {
		v   T
		err error
	}
	ctx, cancel := context.WithCancel(t.s.caller(ctx))
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		t.observer.start(ctx)
		v, err := do(ctx)
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.v, t.explain(ctx, a.err)
	case <-opened:
		if d, _ := t.state.dialogOpen(); d != nil {
			return none, t.dialogError(d)
		}
		a := <-done
		return a.v, t.explain(ctx, a.err)
	case <-ctx.Done():
		return none, ended(ctx, "waiting for the page to answer")
	}
}

// call sends one DevTools command.
func (t *Tab) call(ctx context.Context, frame browser.FrameID, method string, params, result any) error {
	_, err := race(ctx, t, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, t.bt.Call(ctx, frame, method, params, result)
	})
	return err
}

// batch sends commands in order in one round trip.
func (t *Tab) batch(ctx context.Context, calls []browser.Command) ([]json.RawMessage, error) {
	return race(ctx, t, func(ctx context.Context) ([]json.RawMessage, error) {
		return t.bt.Batch(ctx, calls)
	})
}

// run calls a page function and judges the document that answered before anything of
// its answer is used. It is the only way to page functions.
func run[T any](ctx context.Context, t *Tab, r browser.RunRequest) (T, browser.Answer, error) {
	type reply struct {
		v T
		a browser.Answer
	}
	access := pagefn.Functions[r.Fn]
	got, err := race(ctx, t, func(ctx context.Context) (reply, error) {
		var out reply
		var err error
		out.a, err = t.bt.Run(ctx, r, &out.v)
		return out, err
	})
	if got.a.URL != "" || err == nil {
		if denied := t.s.Judge(got.a.URL, t.maker(r.Frame, got.a), access); denied != nil {
			var none T
			if strings.HasPrefix(got.a.URL, "chrome-error:") && t.isChild(r.Frame) {
				denied = fmt.Errorf("%w (%w)", denied, errNotLoaded)
			}
			return none, browser.Answer{}, denied
		}
	}
	return got.v, got.a, err
}

// errNotLoaded says of a frame that Chrome shows its own page there, as what was to be
// there could not be reached.
var errNotLoaded = errors.New("the frame did not load")

func (t *Tab) isChild(id browser.FrameID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return id != "" && len(t.known) > 0 && t.known[0].ID != id
}

// maker is the origin that judges a document which answered. A blank or srcdoc document
// may have an opaque origin; what is in it the page around it has made.
func (t *Tab) maker(id browser.FrameID, a browser.Answer) string {
	if a.Origin != "null" || !strings.HasPrefix(a.URL, "about:") {
		return a.Origin
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.known {
		if f.URL == a.URL && (f.ID == id || id == "" && i == 0) {
			return f.Origin
		}
	}
	return a.Origin
}

// judgeFrame asks the gate about a frame's own document.
func (t *Tab) judgeFrame(f browser.Frame, a policy.Access) error {
	return t.s.Judge(f.URL, f.Origin, a)
}

// explain adds the next step to errors of the waist that do not say it.
func (t *Tab) explain(ctx context.Context, err error) error {
	var e *browser.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		switch {
		case e.Code == browser.TargetGone && reason(e) == "crashed":
			return &browser.Error{Code: e.Code, Data: e.Data, Unknown: e.Unknown,
				Message: "the page in tab " + string(t.ID()) + " crashed; load it again with reload or navigate"}
		case e.Code == browser.TabNotFound, e.Code == browser.TabOwned:
			// Naming it made it the current tab; it must not stay that.
			t.s.drop(t.ID())
		}
		return e
	case ctx.Err() != nil:
		return ended(ctx, "waiting for the page to answer")
	default:
		return browser.Errorf(browser.CDPError, "%v", err)
	}
}

// reason is data.reason of an error: "navigated" or "crashed".
func reason(err error) string {
	var e *browser.Error
	if !errors.As(err, &e) || e.Data == nil {
		return ""
	}
	var d struct {
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(e.Data, &d)
	return d.Reason
}

// navigated says whether err means that the document went away under a command.
func navigated(err error) bool {
	return browser.CodeOf(err) == browser.TargetGone && reason(err) == "navigated"
}

// ended is the error for a context that is over.
func ended(ctx context.Context, doing string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return browser.Errorf(browser.Timeout, "time ran out while %s; the page may be busy: look with chrome_status, or load it again with reload", doing)
	}
	return browser.Errorf(browser.Timeout, "the call was cancelled while %s; look at the page before you go on", doing)
}
