package page

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	if !a.Target.given() {
		return t.pageText(ctx, a.FrameID, limit)
	}
	v, h, err := find(ctx, ask[pagefn.Text]{tab: t, target: a.Target, fn: "text", budget: readBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.TextArgs{Target: &l, MaxBytes: limit, TimeoutMS: ms}
	}})
	if err != nil {
		return nil, err
	}
	return textResult(v, h.answer, limit), nil
}

// pageText is the text of the page and of the frames in it, each frame marked.
func (t *Tab) pageText(ctx context.Context, id browser.FrameID, limit int) (*Result, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	if id != "" {
		f, err := t.frame(ctx, id)
		if err != nil {
			return nil, err
		}
		frames = []browser.Frame{f}
	}
	v, answer, err := t.frameText(ctx, frames[0], limit)
	if err != nil {
		return nil, err
	}
	for _, f := range frames[1:] {
		if t.judgeFrame(f, policy.Read) != nil {
			continue
		}
		in, a, err := t.frameText(ctx, f, max(0, limit-len(v.Text)))
		if err != nil || strings.TrimSpace(in.Text) == "" {
			continue // hidden, empty, or just gone
		}
		head := fmt.Sprintf("\n\n[frame %s]\n", Cut(a.URL, 200))
		v.Total += in.Total
		v.Cut = v.Cut || in.Cut || len(v.Text)+len(head)+len(in.Text) > limit
		v.Text = Cut(v.Text+head+in.Text, limit)
	}
	return textResult(v, answer, limit), nil
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

func textResult(v pagefn.Text, a browser.Answer, limit int) *Result {
	r := &Result{Page: Cut(v.Text, limit), Origin: a.Origin, URL: a.URL}
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
	var v pagefn.Text
	var answer browser.Answer
	var err error
	if a.Target.given() {
		var h hit
		v, h, err = find(ctx, ask[pagefn.Text]{tab: t, target: a.Target, fn: "html", budget: readBudget, args: func(l pagefn.Locator, ms int) any {
			return pagefn.HTMLArgs{Target: &l, Outer: a.Outer, MaxBytes: limit, TimeoutMS: ms}
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
		v, answer, err = run[pagefn.Text](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "html", Args: pagefn.HTMLArgs{Outer: a.Outer, MaxBytes: limit}})
	}
	if err != nil {
		return nil, err
	}
	return textResult(v, answer, limit), nil
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
		list = append(list, l)
		shown := l.URL
		if l.Denied {
			shown = l.Origin + " (not allowed)"
		}
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

// waited is wait_for's structured content.
type waited struct {
	Matched  bool   `json:"matched"`
	Ref      string `json:"ref,omitempty"`
	WaitedMS int64  `json:"waitedMs"`
	URL      string `json:"url,omitempty"`
}

// Bounds of wait_for.
const (
	waitDefault = 10 * time.Second
	waitMax     = 60 * time.Second
	waitStep    = 1000 // ms that one document is watched before frames are looked at again
)

// WaitFor is wait_for. The page may go through any number of documents meanwhile.
func WaitFor(ctx context.Context, t *Tab, a WaitForArgs) (*Result, error) {
	conditions := 0
	for _, c := range []string{a.Selector, a.TextContains, a.URL} {
		if c != "" {
			conditions++
		}
	}
	if conditions != 1 {
		return nil, browser.Errorf(browser.BadArgs, "give exactly one of selector, textContains and url to wait for")
	}
	budget := waitDefault
	if a.TimeoutMS > 0 {
		budget = min(time.Duration(a.TimeoutMS)*time.Millisecond, waitMax)
	}
	start := time.Now()
	end := start.Add(budget)
	if dl, ok := ctx.Deadline(); ok && dl.Add(-500*time.Millisecond).Before(end) {
		end = dl.Add(-500 * time.Millisecond)
	}
	for {
		w, err := t.waitOnce(ctx, a, end)
		w.WaitedMS = time.Since(start).Milliseconds()
		switch {
		case err == nil && w.Matched:
			return w.result(a), nil
		case err != nil && !navigated(err) && !gone(err):
			return nil, err
		case ctx.Err() != nil:
			return nil, ended(ctx, "waiting for "+a.what())
		case !time.Now().Before(end):
			return nil, browser.Errorf(browser.Timeout, "%s within %d ms; look at the page with snapshot, or wait longer with timeoutMs", a.missed(), w.WaitedMS)
		}
		t.pause(ctx, min(slice, time.Until(end)))
	}
}

func (a WaitForArgs) what() string {
	switch {
	case a.Selector != "":
		return "selector " + quote(a.Selector, 120)
	case a.URL != "":
		return "the address " + quote(a.URL, 120)
	default:
		return "text " + quote(a.TextContains, 120)
	}
}

func (a WaitForArgs) missed() string {
	if a.Gone {
		return a.what() + " did not go away"
	}
	return a.what() + " did not appear"
}

func (w waited) result(a WaitForArgs) *Result {
	said := a.what() + " is there"
	if a.Gone {
		said = a.what() + " is gone"
	}
	if w.Ref != "" {
		said += " [" + w.Ref + "]"
	}
	return &Result{Text: fmt.Sprintf("%s after %d ms", said, w.WaitedMS), Data: w, URL: w.URL}
}

// waitOnce looks once, or watches for a while where there is one document only.
func (t *Tab) waitOnce(ctx context.Context, a WaitForArgs, end time.Time) (waited, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return waited{}, err
	}
	if a.URL != "" {
		if err := t.judgeFrame(frames[0], policy.Read); err != nil {
			return waited{}, err
		}
		return waited{Matched: urlMatches(frames[0].URL, a.URL) != a.Gone, URL: frames[0].URL}, nil
	}
	if a.FrameID != "" {
		f, err := t.frame(ctx, a.FrameID)
		if err != nil {
			return waited{Matched: a.Gone}, nil
		}
		frames = []browser.Frame{f}
	}
	return t.waitIn(ctx, frames, a, end)
}

// waitIn asks the frames in turn. Something is there when it is in one of them, and
// gone when it is in none.
func (t *Tab) waitIn(ctx context.Context, frames []browser.Frame, a WaitForArgs, end time.Time) (waited, error) {
	step := 0
	if len(frames) == 1 {
		step = min(waitStep, int(max(0, time.Until(end)).Milliseconds()))
	}
	args := pagefn.WaitArgs{TextContains: a.TextContains, Gone: a.Gone, TimeoutMS: step}
	if a.Selector != "" {
		args.Target = &pagefn.Locator{Selector: a.Selector, Now: true}
	}
	for i, f := range frames {
		if err := t.judgeFrame(f, policy.Read); err != nil {
			if i == 0 {
				return waited{}, err
			}
			continue
		}
		w, answer, err := run[pagefn.Wait](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "waitFor", Args: args})
		if err != nil && i > 0 && gone(err) {
			continue
		}
		if err != nil {
			return waited{}, err
		}
		if w.Matched != a.Gone {
			out := waited{Matched: w.Matched, URL: answer.URL}
			if w.Node != 0 {
				out.Ref = t.s.refs.mint(element{t.ID(), f.ID, answer.Document, w.Node}, "")
			}
			return out, nil
		}
	}
	return waited{Matched: a.Gone, URL: frames[0].URL}, nil
}

// urlMatches compares an address with a part of it, or with a pattern with stars.
func urlMatches(url, pattern string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.Contains(url, pattern)
	}
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(url, parts[0]) {
		return false
	}
	rest := url[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
