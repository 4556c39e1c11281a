package page

import (
	"context"
	"fmt"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// Find is find.
func Find(ctx context.Context, t *Tab, a FindArgs) (*Result, error) {
	if a.Text == "" && a.Pattern == "" && a.Role == "" {
		return nil, browser.Errorf(browser.BadArgs, "say what to find: text, pattern or role")
	}
	if a.Text != "" && a.Pattern != "" {
		return nil, browser.Errorf(browser.BadArgs, "give text or pattern, not both")
	}
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	if a.FrameID != "" {
		f, err := t.frame(ctx, a.FrameID)
		if err != nil {
			return nil, err
		}
		frames = []browser.Frame{f}
	}
	return t.findIn(ctx, frames, a)
}

// findMax is how many matches are shown.
const findMax = 50

func (t *Tab) findIn(ctx context.Context, frames []browser.Frame, a FindArgs) (*Result, error) {
	r := &Result{}
	var b strings.Builder
	found, more := 0, 0
	var left unseen
	for i, f := range frames {
		if t.judgeFrame(f, policy.Read) != nil {
			left.add(f)
			continue
		}
		own, cancel := forFrame(ctx, i)
		s, answer, err := run[pagefn.Snapshot](own, t, browser.RunRequest{Frame: f.ID, Fn: "find",
			Args: pagefn.FindArgs{Text: a.Text, Pattern: a.Pattern, Role: a.Role, Max: findMax - found + 1}})
		cancel()
		if err != nil && i > 0 && late(ctx, own) {
			left.busy++
			continue
		}
		if err != nil && (i == 0 || !gone(err)) {
			return nil, err
		}
		if r.URL == "" {
			r.URL, r.Origin = answer.URL, answer.Origin
		}
		more += s.Truncated
		for _, n := range s.Nodes {
			if found >= findMax {
				more++
				continue
			}
			found++
			n.Depth = 0
			b.WriteString(t.line(n, f.ID, answer.Document).String(&t.s.refs) + "\n")
		}
	}
	r.Page = strings.TrimSuffix(b.String(), "\n")
	r.Text = fmt.Sprintf("%d found", found)
	if found == 0 {
		r.Text = "nothing found; try fewer words, another role, or snapshot"
	}
	if more > 0 {
		r.Text += fmt.Sprintf(", %d more not shown; narrow it with role or more text", more)
	}
	for _, note := range left.notes() {
		r.Text += " (" + note + ")"
	}
	r.Data = map[string]any{"found": found, "more": more}
	return r, nil
}
