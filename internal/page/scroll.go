package page

import (
	"context"
	"fmt"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// scrolled is scroll's structured content.
type scrolled struct {
	OK bool `json:"ok"`
	pagefn.Scrolled
	effects
}

// scroller is what is scrolled: a frame and an element in it, or the frame's page.
type scroller struct {
	frame  browser.Frame
	target *pagefn.Locator
	name   string
}

// Scroll is scroll. Distances go by wheel, as a person's would, since feeds load more
// only then; positions are set.
func Scroll(ctx context.Context, t *Tab, a ScrollArgs) (*Result, error) {
	from := t.state.now()
	absolute, relative := a.X != nil || a.Y != nil, a.DeltaX != 0 || a.DeltaY != 0
	switch {
	case absolute && relative:
		return nil, browser.Errorf(browser.BadArgs, "give a position (x, y) or a distance (deltaX, deltaY), not both")
	case !absolute && !relative && !a.Target.given():
		return nil, browser.Errorf(browser.BadArgs, "say where to: deltaY (positive is down), or x and y, or a target to bring into view")
	case !absolute && !relative:
		return t.intoView(ctx, a, from)
	}
	s, err := t.scroller(ctx, a)
	if err != nil {
		return nil, err
	}
	var at pagefn.Scrolled
	if absolute {
		at, err = t.scrollTo(ctx, s, pagefn.ScrollArgs{Target: s.target, X: a.X, Y: a.Y})
	} else {
		at, err = t.wheel(ctx, s, a.DeltaX, a.DeltaY)
	}
	if err != nil && !t.openedDialog(err, from) {
		return nil, err
	}
	data := scrolled{OK: true, Scrolled: at, effects: t.observe(ctx, from)}
	return t.finish(ctx, s.words(at), data.effects, a.After, data)
}

func (s scroller) words(at pagefn.Scrolled) string {
	end := ""
	if at.MaxY > 0 && at.Y >= at.MaxY-1 {
		end = ", the end for now"
	}
	return fmt.Sprintf("%s is at %.0f,%.0f of %.0f,%.0f%s", s.name, at.X, at.Y, at.MaxX, at.MaxY, end)
}

// scroller finds what to scroll.
func (t *Tab) scroller(ctx context.Context, a ScrollArgs) (scroller, error) {
	if !a.Target.given() {
		f, err := t.frame(ctx, a.FrameID)
		if err != nil {
			return scroller{}, err
		}
		return scroller{frame: f, name: "the page"}, nil
	}
	p, h, err := t.prepare(ctx, a.Target, "scroll", false)
	if err != nil {
		return scroller{}, err
	}
	return scroller{frame: h.frame, name: label(p), target: &pagefn.Locator{Node: p.Node, Document: h.answer.Document}}, nil
}

func (t *Tab) scrollTo(ctx context.Context, s scroller, a pagefn.ScrollArgs) (pagefn.Scrolled, error) {
	at, _, err := run[pagefn.Scrolled](ctx, t, browser.RunRequest{Frame: s.frame.ID, Fn: "scroll", Args: a})
	return at, err
}

// position reads where the scroller is; it scrolls by nothing.
func (t *Tab) position(ctx context.Context, s scroller) (pagefn.Scrolled, error) {
	return t.scrollTo(ctx, s, pagefn.ScrollArgs{Target: s.target})
}

// wheel turns the wheel over the scroller, where nothing in it or over it takes the wheel.
// Where there is no such place, or that moves nothing although there is room, the
// scroller is moved.
func (t *Tab) wheel(ctx context.Context, s scroller, dx, dy float64) (pagefn.Scrolled, error) {
	before, err := t.scrollTo(ctx, s, pagefn.ScrollArgs{Target: s.target, Wheel: axes(dx, dy)})
	if err != nil {
		return before, err
	}
	if before.Wheel == nil {
		return t.scrollTo(ctx, s, pagefn.ScrollArgs{Target: s.target, DeltaX: dx, DeltaY: dy})
	}
	x, y, err := t.toMain(ctx, s.frame, before.Wheel.X, before.Wheel.Y)
	if err != nil {
		return before, err
	}
	turn := mouse{Type: "mouseWheel", X: x, Y: y, DeltaX: dx, DeltaY: dy}
	if _, err := t.batch(ctx, []browser.Command{mouseEvent(mouse{Type: "mouseMoved", X: x, Y: y}), mouseEvent(turn)}); err != nil {
		return before, err
	}
	at, err := t.atRest(ctx, s, before)
	if err != nil || at.X != before.X || at.Y != before.Y || !room(before, dx, dy) {
		return at, err
	}
	return t.scrollTo(ctx, s, pagefn.ScrollArgs{Target: s.target, DeltaX: dx, DeltaY: dy})
}

// axes names the ways that a distance goes.
func axes(dx, dy float64) string {
	switch {
	case dx == 0:
		return "y"
	case dy == 0:
		return "x"
	}
	return "xy"
}

// room says whether there was anywhere to go.
func room(at pagefn.Scrolled, dx, dy float64) bool {
	return dy > 0 && at.Y < at.MaxY-1 || dy < 0 && at.Y > 0 || dx > 0 && at.X < at.MaxX-1 || dx < 0 && at.X > 0
}

// Scrolling by wheel is animated: it starts a few frames later and takes some more.
const (
	restStep  = 25 * time.Millisecond
	restStart = 8  // steps within which the movement begins
	restMax   = 60 // steps at most
)

// atRest waits until the scroller has moved and stopped.
func (t *Tab) atRest(ctx context.Context, s scroller, before pagefn.Scrolled) (pagefn.Scrolled, error) {
	last := before
	still := 0
	for i := range restMax {
		t.pause(ctx, restStep)
		at, err := t.position(ctx, s)
		if err != nil {
			return last, err
		}
		moved := at.X != before.X || at.Y != before.Y
		if at.X == last.X && at.Y == last.Y {
			still++
		} else {
			still = 0
		}
		last = at
		if moved && still >= 2 || !moved && i >= restStart {
			break
		}
	}
	return last, nil
}

// intoView brings a target into view.
func (t *Tab) intoView(ctx context.Context, a ScrollArgs, from int) (*Result, error) {
	p, h, err := t.prepare(ctx, a.Target, "scroll", false)
	if err != nil {
		return nil, err
	}
	if _, _, err := t.toMain(ctx, h.frame, p.X, p.Y); err != nil {
		return nil, err
	}
	at, err := t.position(ctx, scroller{frame: h.frame})
	if err != nil {
		return nil, err
	}
	data := scrolled{OK: true, Scrolled: at, effects: t.observe(ctx, from)}
	return t.finish(ctx, label(p)+" is in view", data.effects, a.After, data)
}
