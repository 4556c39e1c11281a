package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// line is one line of a snapshot before its ref is minted: refs are given only to
// lines that are shown.
type line struct {
	depth int
	role  string
	head  string // role and name
	tail  string // states, value, address
	elem  element
	shown string // how the element is told apart later
}

// shown is the last snapshot of a tab, for diffs.
type shown struct {
	lines       []line
	document    string // of the main frame
	interactive bool
}

// Sizes of a snapshot, in bytes. About four bytes are a token.
const (
	wholeCap       = 30_000
	interactiveCap = 24_000
	diffCap        = 16_000
	askedCap       = 256_000 // with max
	maxName        = 300
	maxText        = 600
)

// Snapshot is snapshot.
func Snapshot(ctx context.Context, t *Tab, a SnapshotArgs) (*Result, error) {
	view, err := t.look(ctx, a)
	if err != nil {
		return nil, err
	}
	before := t.remember(a, view)
	r := &Result{Text: view.url, URL: view.url, Origin: view.origin}
	if a.Diff {
		return t.diffResult(r, before, view), nil
	}
	r.Page = t.render(view.lines, capOf(a), a.Max)
	if view.truncated > 0 {
		r.Text += fmt.Sprintf("\n%d deeper or later elements were left out; ask for a part with ref, or raise depth or max", view.truncated)
	}
	return r, nil
}

func capOf(a SnapshotArgs) int {
	switch {
	case a.Max > 0:
		return askedCap
	case a.InteractiveOnly:
		return interactiveCap
	}
	return wholeCap
}

// view is a snapshot of the page with its frames, whole.
type view struct {
	lines     []line
	url       string
	origin    string
	document  string
	truncated int
}

// look takes the snapshot of the page, or of a part of it.
func (t *Tab) look(ctx context.Context, a SnapshotArgs) (view, error) {
	args := pagefn.SnapshotArgs{InteractiveOnly: a.InteractiveOnly, Depth: a.Depth}
	if !a.Target.given() {
		f, err := t.frame(ctx, a.FrameID)
		if err != nil {
			return view{}, err
		}
		return t.lookAt(ctx, f, args)
	}
	s, h, err := find(ctx, ask[pagefn.Snapshot]{tab: t, target: a.Target, fn: "snapshot", budget: readBudget, args: func(l pagefn.Locator, _ int) any {
		args.Root = &l
		return args
	}})
	if err != nil {
		return view{}, err
	}
	args.Root = nil
	return t.assemble(ctx, h.frame, h.answer, s, args)
}

// lookAt takes the snapshot of one frame and of those in it. A document that is just
// being replaced is looked at again.
func (t *Tab) lookAt(ctx context.Context, f browser.Frame, args pagefn.SnapshotArgs) (view, error) {
	for try := 0; ; try++ {
		s, answer, err := run[pagefn.Snapshot](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "snapshot", Args: args})
		if err == nil {
			return t.assemble(ctx, f, answer, s, args)
		}
		if !navigated(err) || try == 3 {
			return view{}, err
		}
		t.pause(ctx, slice)
	}
}

// assemble makes lines of a frame's nodes and puts child frames where they are shown.
func (t *Tab) assemble(ctx context.Context, f browser.Frame, answer browser.Answer, s pagefn.Snapshot, args pagefn.SnapshotArgs) (view, error) {
	v := view{url: answer.URL, origin: answer.Origin, document: answer.Document, truncated: s.Truncated}
	var inner map[int]inlined
	for _, n := range s.Nodes {
		if n.Frame > 0 {
			inner = t.children(ctx, f, args)
			break
		}
	}
	for _, n := range s.Nodes {
		l := t.line(n, f.ID, answer.Document)
		child, ok := inner[n.Frame]
		if n.Frame > 0 && ok && child.note != "" {
			l.tail += " (" + child.note + ")"
		}
		v.lines = append(v.lines, l)
		for _, c := range child.view.lines {
			c.depth += n.Depth + 1
			v.lines = append(v.lines, c)
		}
		v.truncated += child.view.truncated
	}
	return v, nil
}

// inlined is a child frame's snapshot, or why there is none.
type inlined struct {
	view view
	note string
}

// children looks at the frames in f at the same time, keyed by the number that the
// snapshot of f gives them.
func (t *Tab) children(ctx context.Context, f browser.Frame, args pagefn.SnapshotArgs) map[int]inlined {
	frames, err := t.frames(ctx)
	if err != nil {
		return nil
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	out := map[int]inlined{}
	slots := make(chan struct{}, 6)
	for _, c := range frames {
		if c.Parent != f.ID {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			index, in := t.child(ctx, c, args)
			<-slots
			mu.Lock()
			defer mu.Unlock()
			if index > 0 {
				out[index] = in
			}
		})
	}
	wg.Wait()
	return out
}

func (t *Tab) child(ctx context.Context, c browser.Frame, args pagefn.SnapshotArgs) (int, inlined) {
	_, p, err := t.owner(ctx, c, pagefn.FrameOwnerArgs{})
	if err != nil {
		return 0, inlined{}
	}
	if unloaded(c) {
		return p.Index, inlined{note: notYet}
	}
	if err := t.judgeFrame(c, policy.Read); err != nil {
		return p.Index, inlined{note: "not read: " + originOf(c) + " is not allowed"}
	}
	own, cancel := context.WithTimeout(ctx, childTime)
	defer cancel()
	v, err := t.lookAt(own, c, args)
	if err != nil {
		return p.Index, inlined{note: unread(err, late(ctx, own))}
	}
	return p.Index, inlined{view: v}
}

// originOf names the site of a frame that is not read. Of documents that are not from the
// network the origin is that of who made them, which may be allowed.
func originOf(f browser.Frame) string {
	switch scheme, _, _ := strings.Cut(f.URL, ":"); scheme {
	case "", "http", "https", "about", "blob":
		if f.Origin != "" && f.Origin != "null" {
			return Cut(f.Origin, 200)
		}
		return "its site"
	default:
		return "a " + Cut(scheme, 40) + ": address"
	}
}

const notYet = "not read: it is not loaded yet; scroll to it, or wait"

// unread says why a frame was not read; slow, that its own time had ended.
func unread(err error, slow bool) string {
	switch {
	case slow:
		return "not read: its own script keeps it from answering"
	case errors.Is(err, errNotLoaded):
		return "not read: it did not load"
	case browser.CodeOf(err) == browser.PolicyDenied:
		return "not read: its site is not allowed"
	}
	return "not read: it was loading or gone"
}

// line makes a line of a node.
func (t *Tab) line(n pagefn.Node, f browser.FrameID, document string) line {
	l := line{depth: n.Depth, role: n.Role, head: n.Role, shown: shownAs(n.Role, n.Name)}
	limit := maxName
	if n.Role == "text" {
		limit = maxText
	}
	if n.Name != "" {
		l.head += " " + quote(n.Name, limit)
	}
	if n.Node != 0 {
		l.elem = element{t.ID(), f, document, n.Node}
	}
	for _, s := range n.States {
		l.tail += " " + s
	}
	if n.Value != "" {
		l.tail += " value=" + quote(n.Value, maxName)
	}
	if n.URL != "" {
		l.tail += " → " + Cut(n.URL, 200)
	}
	return l
}

// String is the line with its ref, without indent.
func (l line) String(r *refs) string {
	if l.elem.node == 0 {
		return l.head + l.tail
	}
	return l.head + " [" + r.mint(l.elem, l.shown) + "]" + l.tail
}

// remember keeps the snapshot for the next diff and returns the one before. A part of
// the page is nothing to compare with.
func (t *Tab) remember(a SnapshotArgs, v view) *shown {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.shown
	if !a.Target.given() && a.FrameID == "" && a.Depth == 0 {
		t.shown = &shown{v.lines, v.document, a.InteractiveOnly}
	}
	return before
}

// addChanges adds to a result what changed since the last snapshot.
func (t *Tab) addChanges(ctx context.Context, r *Result) error {
	t.mu.Lock()
	interactive := t.shown != nil && t.shown.interactive
	t.mu.Unlock()
	a := SnapshotArgs{InteractiveOnly: interactive}
	v, err := t.look(ctx, a)
	if err != nil {
		return err
	}
	before := t.remember(a, v)
	r.Origin, r.URL = v.origin, v.url
	t.diffResult(r, before, v)
	return nil
}

// diffResult puts the changes into r, or the whole page when there is nothing to
// compare with.
func (t *Tab) diffResult(r *Result, before *shown, v view) *Result {
	switch {
	case before == nil:
		r.Text = join(r.Text, "no earlier snapshot of this tab to compare with; this is the whole page")
	case before.document != v.document:
		r.Text = join(r.Text, "another document since the last snapshot; this is the whole page")
	default:
		r.Page = t.diff(before.lines, v.lines)
		if r.Page == "" {
			r.Text = join(r.Text, "nothing changed since the last snapshot")
		} else {
			r.Text = join(r.Text, "changes since the last snapshot: + new, ~ changed, - gone, > moved, @ inside")
		}
		return r
	}
	r.Page = t.render(v.lines, wholeCap, 0)
	return r
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
