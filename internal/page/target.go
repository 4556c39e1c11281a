package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// How long a target may take to appear and become ready.
const (
	actBudget  = 5 * time.Second
	readBudget = 1500 * time.Millisecond
	// slice is how long to wait before all frames are looked at again.
	slice = 100 * time.Millisecond
)

// given says whether a target is named at all.
func (g Target) given() bool {
	return g.Selector != "" || g.Ref != "" || g.Role != "" || g.Name != "" || g.Nth != nil
}

// check holds that exactly one form is used, with words that tell how to mend it.
func (g Target) check() error {
	forms := 0
	for _, set := range []bool{g.Selector != "", g.Ref != "", g.Role != ""} {
		if set {
			forms++
		}
	}
	switch {
	case forms > 1:
		return browser.Errorf(browser.BadArgs, "give exactly one of selector, ref, or role with name, not several; a ref alone is the surest")
	case forms == 0 && g.Name != "":
		return browser.Errorf(browser.BadArgs, "name needs role, as role %q with name %q; or give a selector or a ref", "button", g.Name)
	case forms == 0:
		return browser.Errorf(browser.BadArgs, "no target: give selector, or ref (from snapshot or find), or role with name")
	case g.Name != "" && g.Role == "":
		return browser.Errorf(browser.BadArgs, "name goes with role; leave it out beside selector or ref")
	case g.Nth != nil && g.Ref != "":
		return browser.Errorf(browser.BadArgs, "a ref names one element; leave nth out")
	case g.Nth != nil && *g.Nth < 0:
		return browser.Errorf(browser.BadArgs, "nth counts from 0; give 0 for the first match")
	case g.FrameID != "" && g.AllFrames:
		return browser.Errorf(browser.BadArgs, "give frameId or allFrames, not both")
	case g.Ref != "" && (g.FrameID != "" || g.AllFrames):
		return browser.Errorf(browser.BadArgs, "a ref knows its frame; leave frameId and allFrames out")
	}
	return nil
}

func (g Target) String() string {
	switch {
	case g.Ref != "":
		return "ref " + g.Ref
	case g.Selector != "":
		return "selector " + quote(g.Selector, 120)
	case g.Name != "":
		return g.Role + " " + quote(g.Name, 120)
	default:
		return g.Role
	}
}

func (g Target) locator() pagefn.Locator {
	return pagefn.Locator{Selector: g.Selector, Role: g.Role, Name: g.Name, Nth: g.Nth}
}

// ask is one question to a page function about a target.
type ask[T any] struct {
	tab    *Tab
	target Target
	fn     string
	budget time.Duration
	args   func(l pagefn.Locator, timeoutMS int) any
}

// hit is the frame in which a target was found.
type hit struct {
	frame  browser.Frame
	answer browser.Answer
}

// find runs a page function on a target, in the frame where the target is: the named
// one, else the main frame, else the only other frame that has it. It goes on looking
// until the budget is over, also in frames that come later.
func find[T any](ctx context.Context, q ask[T]) (T, hit, error) {
	var none T
	if err := q.target.check(); err != nil {
		return none, hit{}, err
	}
	if q.target.Ref != "" {
		return q.byRef(ctx)
	}
	end := time.Now().Add(q.budget)
	for {
		v, h, err := q.round(ctx, end)
		if !missed(err) || time.Now().After(end) || ctx.Err() != nil {
			return v, h, err
		}
		q.tab.wake(ctx, q.target.FrameID)
		q.tab.pause(ctx, min(slice, time.Until(end)))
	}
}

// missed says whether looking again can help.
func missed(err error) bool {
	return browser.CodeOf(err) == browser.SelectorNotFound || navigated(err)
}

// pause waits for a moment, or until the frames change.
func (t *Tab) pause(ctx context.Context, d time.Duration) {
	before := t.state.frameChanges()
	t.state.wait(ctx, d, func(s *state) bool { return s.frames != before || s.announced() != nil })
}

func (q ask[T]) byRef(ctx context.Context) (T, hit, error) {
	var none T
	item, err := q.tab.s.refs.lookup(q.target.Ref)
	if err != nil {
		return none, hit{}, err
	}
	if item.tab != q.tab.ID() {
		return none, hit{}, browser.Errorf(browser.BadArgs, "ref %s belongs to tab %s, not to %s; name that tab with tabId", q.target.Ref, item.tab, q.tab.ID())
	}
	frame, err := q.tab.frame(ctx, item.frame)
	if browser.CodeOf(err) == browser.BadArgs {
		err = expired(q.target.Ref)
	}
	if err != nil {
		return none, hit{}, err
	}
	v, h, err := q.in(ctx, frame, item.locator(), q.budget)
	if navigated(err) || browser.CodeOf(err) == browser.TargetGone && reason(err) == "" {
		err = expired(q.target.Ref)
	}
	return v, h, err
}

// unnamedBudget is how long a frame may be without an address: for a moment it has none
// when its document moves to another process.
const unnamedBudget = 2 * time.Second

// frame returns a frame by its id.
func (t *Tab) frame(ctx context.Context, id browser.FrameID) (browser.Frame, error) {
	for end := time.Now().Add(unnamedBudget); ; {
		before := t.state.frameChanges()
		f, err := t.frameNow(ctx, id)
		if err != nil || f.URL != "" || !t.state.wait(ctx, time.Until(end), func(s *state) bool { return s.frames != before }) {
			return f, err
		}
	}
}

func (t *Tab) frameNow(ctx context.Context, id browser.FrameID) (browser.Frame, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return browser.Frame{}, err
	}
	if id == "" {
		return frames[0], nil
	}
	for _, f := range frames {
		if f.ID == id {
			return f, nil
		}
	}
	return browser.Frame{}, browser.Errorf(browser.BadArgs, "frame %s is not in tab %s (any more); frames_list shows those that are", id, t.ID())
}

// in asks one frame.
func (q ask[T]) in(ctx context.Context, f browser.Frame, l pagefn.Locator, budget time.Duration) (T, hit, error) {
	var none T
	if err := q.tab.judgeFrame(f, pagefn.Functions[q.fn]); err != nil {
		return none, hit{}, err
	}
	v, a, err := run[T](ctx, q.tab, browser.RunRequest{Frame: f.ID, Fn: q.fn, Args: q.args(l, int(max(budget, 0)/time.Millisecond))})
	return v, hit{f, a}, err
}

// round looks once through the frames that come into question.
func (q ask[T]) round(ctx context.Context, end time.Time) (T, hit, error) {
	var none T
	frames, err := q.tab.frames(ctx)
	if err != nil {
		return none, hit{}, err
	}
	loc := q.target.locator()
	loc.Now = true
	if q.target.FrameID != "" {
		f, err := q.tab.frame(ctx, q.target.FrameID)
		if err != nil {
			return none, hit{}, err
		}
		if f.URL == "" {
			return none, hit{}, browser.Errorf(browser.SelectorNotFound, "frame %s shows no page yet, so %s is not there; look again with frames_list", f.ID, q.target)
		}
		return q.in(ctx, f, loc, time.Until(end))
	}
	if !q.target.AllFrames {
		v, h, err := q.in(ctx, frames[0], loc, time.Until(end))
		if !missed(err) {
			return v, h, err
		}
		if len(frames) == 1 {
			return v, h, err
		}
		return q.among(ctx, frames[1:], loc, end, err)
	}
	return q.among(ctx, frames, loc, end, nil)
}

// among asks several frames; the target must be in one of them only.
func (q ask[T]) among(ctx context.Context, frames []browser.Frame, l pagefn.Locator, end time.Time, miss error) (T, hit, error) {
	var none, value T
	var found []hit
	var failed error
	var left unseen
	for _, f := range frames {
		if q.tab.judgeFrame(f, policy.Read) != nil {
			left.add(f)
			continue
		}
		v, h, err := q.in(ctx, f, l, time.Until(end))
		switch {
		case err == nil:
			value, found = v, append(found, h)
		case missed(err) || gone(err):
			if miss == nil {
				miss = err
			}
		default:
			h.frame = f
			failed, found = err, append(found, h)
		}
	}
	switch {
	case len(found) == 1 && failed != nil:
		return none, hit{}, failed
	case len(found) == 1:
		return value, found[0], nil
	case len(found) > 1:
		return none, hit{}, severalFrames(q.target.String(), found)
	}
	return none, hit{}, notFound(q.target, miss, len(frames), left)
}

// gone says that a frame went away while it was asked, or never came.
func gone(err error) bool {
	return browser.CodeOf(err) == browser.TargetGone || errors.Is(err, errNotLoaded)
}

func severalFrames(what string, found []hit) error {
	var b strings.Builder
	for _, h := range found {
		fmt.Fprintf(&b, "\n  frameId %s  %s", h.frame.ID, h.frame.URL)
	}
	return browser.Errorf(browser.Ambiguous, "%s is in %d frames; name one with frameId:%s", what, len(found), b.String())
}

func notFound(g Target, miss error, frames int, left unseen) error {
	text := fmt.Sprintf("nothing matches %s", g)
	if e, ok := miss.(*browser.Error); ok && e.Code == browser.SelectorNotFound {
		text = e.Message
	}
	if seen := frames - left.denied - left.waiting; seen > 0 {
		text += fmt.Sprintf(" (frames looked at, too: %d)", seen)
	}
	for _, note := range left.notes() {
		text += " (" + note + ")"
	}
	return browser.Errorf(browser.SelectorNotFound, "%s", text)
}
