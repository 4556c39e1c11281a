package page

import (
	"context"
	"fmt"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// textCap is how much text a read returns unless asked otherwise. Clients put longer
// results aside.
const textCap = 50_000

func limitOf(asked int) int {
	if asked > 0 {
		return asked
	}
	return textCap
}

// GetText is get_text.
func GetText(ctx context.Context, t *Tab, a TextArgs) (*Result, error) {
	limit := limitOf(a.MaxBytes)
	reach := t.reach(limit)
	if !a.Target.given() {
		v, answer, err := t.pageText(ctx, a.FrameID, reach)
		if err != nil {
			return nil, err
		}
		return t.textResult(v, answer, limit), nil
	}
	v, h, err := find(ctx, ask[pagefn.Text]{tab: t, target: a.Target, fn: "text", budget: readBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.TextArgs{Target: &l, MaxBytes: reach, TimeoutMS: ms}
	}})
	if err != nil {
		return nil, err
	}
	return t.textResult(v, h.answer, limit), nil
}

// pageText is the text of the page and of the frames in it, each frame marked.
func (t *Tab) pageText(ctx context.Context, id browser.FrameID, limit int) (v pagefn.Text, answer browser.Answer, err error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return v, answer, err
	}
	if id != "" {
		f, err := t.frame(ctx, id)
		if err != nil {
			return v, answer, err
		}
		frames = []browser.Frame{f}
	}
	v, answer, err = t.frameText(ctx, frames[0], limit)
	if err != nil {
		return v, answer, err
	}
	hidden := map[browser.FrameID]bool{}
	for _, f := range frames[1:] {
		if hidden[f.ID] = hidden[f.Parent] || t.hiddenFrame(ctx, f); hidden[f.ID] || t.judgeFrame(f, policy.Read) != nil {
			continue
		}
		own, cancel := context.WithTimeout(ctx, childTime)
		in, a, err := t.frameText(own, f, max(0, limit-len(v.Text)))
		cancel()
		if err != nil || strings.TrimSpace(in.Text) == "" {
			continue // hidden, empty, or just gone
		}
		head := fmt.Sprintf("\n\n[frame %s]\n", Cut(a.URL, 200))
		v.Total += in.Total
		v.Cut = v.Cut || in.Cut || len(v.Text)+len(head)+len(in.Text) > limit
		v.Text = Cut(v.Text+head+in.Text, limit)
	}
	return v, answer, nil
}

// hiddenFrame says whether nobody sees the frame. Of one whose parent does not say it is
// taken to be seen.
func (t *Tab) hiddenFrame(ctx context.Context, f browser.Frame) bool {
	_, p, err := t.owner(ctx, f, pagefn.FrameOwnerArgs{})
	return err == nil && p.Hidden
}

// frameText reads a frame; a document that is just being replaced is read again.
func (t *Tab) frameText(ctx context.Context, f browser.Frame, limit int) (pagefn.Text, browser.Answer, error) {
	for try := 0; ; try++ {
		v, a, err := run[pagefn.Text](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "text", Args: pagefn.TextArgs{MaxBytes: max(1, limit)}})
		if err == nil || !navigated(err) || try == 5 {
			return v, a, err
		}
		t.pause(ctx, slice)
	}
}

// textResult has what fits into an answer, and the rest of what was read for a file.
func (t *Tab) textResult(v pagefn.Text, a browser.Answer, limit int) *Result {
	r := &Result{Page: Cut(v.Text, limit), Origin: a.Origin, URL: a.URL}
	if len(r.Page) < len(v.Text) && t.s.cfg.Tasks != nil {
		r.Whole, r.Part = v.Text, v.Cut
	}
	switch {
	case v.Cut || len(r.Page) < len(v.Text):
		r.Text = fmt.Sprintf("truncated: %d of %d bytes; ask for a part with a target, or raise maxBytes", len(r.Page), v.Total)
	case strings.TrimSpace(r.Page) == "":
		r.Text = "no visible text"
	}
	return r
}

// GetHTML is get_html.
func GetHTML(ctx context.Context, t *Tab, a HTMLArgs) (*Result, error) {
	limit := limitOf(a.MaxBytes)
	reach := t.reach(limit)
	var v pagefn.Text
	var answer browser.Answer
	var err error
	if a.Target.given() {
		var h hit
		v, h, err = find(ctx, ask[pagefn.Text]{tab: t, target: a.Target, fn: "html", budget: readBudget, args: func(l pagefn.Locator, ms int) any {
			return pagefn.HTMLArgs{Target: &l, Outer: a.Outer, MaxBytes: reach, TimeoutMS: ms}
		}})
		answer = h.answer
	} else {
		var f browser.Frame
		if f, err = t.frame(ctx, a.FrameID); err != nil {
			return nil, err
		}
		if err = t.judgeFrame(f, policy.Read); err != nil {
			return nil, err
		}
		v, answer, err = run[pagefn.Text](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "html", Args: pagefn.HTMLArgs{Outer: a.Outer, MaxBytes: reach}})
	}
	if err != nil {
		return nil, err
	}
	return t.textResult(v, answer, limit), nil
}

// listedFrame is a frame as frames_list shows it.
type listedFrame struct {
	FrameID  browser.FrameID `json:"frameId"`
	ParentID browser.FrameID `json:"parentId,omitempty"`
	URL      string          `json:"url"`
	Origin   string          `json:"origin,omitempty"`
	Name     string          `json:"name,omitempty"`
	Selector string          `json:"selector,omitempty"` // of the element that shows it
	Denied   bool            `json:"denied,omitempty"`   // its site is not allowed: origin only
}

// FramesList is frames_list.
func FramesList(ctx context.Context, t *Tab, _ FramesListArgs) (*Result, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	list := []listedFrame{}
	depth := map[browser.FrameID]int{}
	var b strings.Builder
	for _, f := range frames {
		l := listedFrame{FrameID: f.ID, ParentID: f.Parent, URL: f.URL, Origin: f.Origin, Name: f.Name}
		if t.judgeFrame(f, policy.Read) != nil {
			l.URL, l.Name, l.Denied = "", "", true
		}
		if f.Parent != "" {
			depth[f.ID] = depth[f.Parent] + 1
			if _, p, err := t.owner(ctx, f, pagefn.FrameOwnerArgs{}); err == nil {
				l.Selector = p.Selector
			}
		}
		shown := l.URL
		switch {
		case unloaded(f):
			l.Denied, shown = false, "(not loaded yet; it may load when it is scrolled to)"
		case l.Denied:
			shown = originOf(f) + " (not allowed)"
		}
		list = append(list, l)
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", depth[f.ID]), f.ID, Cut(shown, 300))
		if l.Name != "" {
			fmt.Fprintf(&b, " name=%s", quote(l.Name, 80))
		}
		if l.Selector != "" {
			fmt.Fprintf(&b, " selector=%s", quote(l.Selector, 120))
		}
		b.WriteByte('\n')
	}
	return &Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: map[string]any{"frames": list}, URL: frames[0].URL}, nil
}
