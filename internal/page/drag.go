package page

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// dragged is drag's structured content.
type dragged struct {
	OK   bool   `json:"ok"`
	Kind string `json:"kind"` // "pointer", or "html5" for the browser's own drag and drop
	effects
}

// point is in the main frame's viewport.
type point struct{ x, y float64 }

// Drag is drag. It moves like a hand: a moment of rest and small steps first, which start
// the drags that wait for a delay or a threshold, and more than one move over the place of the drop.
func Drag(ctx context.Context, t *Tab, a DragArgs) (*Result, error) {
	for name, g := range map[string]Target{"from": a.From, "to": a.To} {
		if err := g.check(); err != nil {
			return nil, browser.Errorf(browser.BadArgs, "%s: %s", name, err.(*browser.Error).Message)
		}
	}
	from := t.state.now()
	// The place of the drop first: bringing it into view must not move the grip away
	// once its point is known.
	if err := t.findPlace(ctx, a.To); err != nil {
		return nil, err
	}
	grip, h, err := t.prepare(ctx, a.From, "drag", false)
	if err != nil {
		return nil, err
	}
	var start point
	if start.x, start.y, err = t.toMain(ctx, h.frame, grip.X, grip.Y); err != nil {
		return nil, err
	}
	kind, place, err := t.carry(ctx, start, a.To)
	if err != nil && !t.openedDialog(err, from) && !navigated(err) {
		return nil, err
	}
	data := dragged{OK: true, Kind: kind, effects: t.observe(ctx, from)}
	return t.finish(ctx, fmt.Sprintf("dragged %s to %s", label(grip), place), data.effects, a.After, data)
}

// findPlace brings the place of the drop into view. One that does not show yet is looked
// for again once the drag has begun, since many pages show it only then.
func (t *Tab) findPlace(ctx context.Context, to Target) error {
	_, _, err := find(ctx, ask[pagefn.Prepared]{tab: t, target: to, fn: "prepare", budget: readySoon, args: func(l pagefn.Locator, ms int) any {
		return pagefn.PrepareArgs{Target: l, For: "drop", TimeoutMS: ms}
	}})
	if browser.CodeOf(err) == browser.SelectorNotFound {
		_, _, err = t.prepare(ctx, to, "drop", false)
	}
	if browser.CodeOf(err) == browser.NotActionable {
		return nil
	}
	return err
}

// carry presses at start, moves to the target and lets go there. Whatever fails, the
// button does not stay pressed.
func (t *Tab) carry(ctx context.Context, start point, to Target) (kind, place string, err error) {
	if err := t.call(ctx, "", "Input.setInterceptDrags", map[string]any{"enabled": true}, nil); err != nil {
		return "", "", err
	}
	at := start
	defer func() {
		calls := []browser.Command{{Method: "Input.setInterceptDrags", Params: map[string]any{"enabled": false}}}
		if err != nil {
			calls = append([]browser.Command{release(at)}, calls...)
		}
		_, _ = t.batch(ctx, calls)
	}()
	t.state.clearDrag()
	begin := []browser.Command{mouseEvent(mouse{Type: "mouseMoved", X: start.x, Y: start.y}),
		mouseEvent(mouse{Type: "mousePressed", X: start.x, Y: start.y, Button: "left", Buttons: 1, ClickCount: 1})}
	for i, d := range []float64{2, 5, 9, 14} {
		move := held1(point{start.x + d, start.y + d/2})
		if i == 0 {
			move.Delay = dragHold
		}
		begin = append(begin, move)
	}
	if _, err := t.batch(ctx, begin); err != nil {
		return "", "", err
	}
	// Now, with the grip in hand, where is the target? It may have to be scrolled to.
	p, h, err := t.prepare(ctx, to, "drop", false)
	if err != nil {
		return "", "", err
	}
	var end point
	if end.x, end.y, err = t.toMain(ctx, h.frame, p.X, p.Y); err != nil {
		return "", "", err
	}
	if data := t.intercepted(ctx); data != nil {
		at = end
		return "html5", label(p), t.drop(ctx, end, data)
	}
	_, err = t.batch(ctx, append(path(start, end), release(end)))
	at = end
	return "pointer", label(p), err
}

// held1 is a move with the left button held.
func held1(p point) browser.Command {
	c := mouseEvent(mouse{Type: "mouseMoved", X: p.x, Y: p.y, Button: "left", Buttons: 1})
	c.Delay = dragPace
	return c
}

func release(p point) browser.Command {
	return mouseEvent(mouse{Type: "mouseReleased", X: p.x, Y: p.y, Button: "left", ClickCount: 1})
}

const (
	// dragHold is how long the grip is held before it moves: lists that are sorted by a
	// long press take a move before that for a scroll.
	dragHold  = 350 * time.Millisecond
	dragPace  = 4 * time.Millisecond
	dragSteps = 12
)

// path is the way of the pointer, ending with two moves over the target.
func path(a, b point) []browser.Command {
	var calls []browser.Command
	for i := 1; i <= dragSteps; i++ {
		f := float64(i) / dragSteps
		calls = append(calls, held1(point{a.x + (b.x-a.x)*f, a.y + (b.y-a.y)*f}))
	}
	return append(calls, held1(point{b.x + 1, b.y + 1}), held1(b))
}

func (s *state) clearDrag() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drag = nil
}

// intercepted returns the data of the browser's own drag, if the moves have begun one.
func (t *Tab) intercepted(ctx context.Context) json.RawMessage {
	var data json.RawMessage
	t.state.wait(ctx, 60*time.Millisecond, func(s *state) bool {
		data = s.drag
		return data != nil
	})
	return data
}

// drop carries the browser's own drag to its end.
func (t *Tab) drop(ctx context.Context, p point, data json.RawMessage) error {
	var calls []browser.Command
	for _, kind := range []string{"dragEnter", "dragOver", "dragOver", "drop"} {
		calls = append(calls, browser.Command{Method: "Input.dispatchDragEvent", Delay: dragPace,
			Params: map[string]any{"type": kind, "x": p.x, "y": p.y, "data": data}})
	}
	_, err := t.batch(ctx, append(calls, release(p)))
	return err
}
