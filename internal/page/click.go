package page

import (
	"context"
	"fmt"
	"slices"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// clicked is click's structured content.
type clicked struct {
	OK      bool   `json:"ok"`
	Role    string `json:"role,omitempty"`
	Name    string `json:"name,omitempty"`
	Checked *bool  `json:"checked,omitempty"` // of a checkbox, radio or switch, afterwards
	effects
}

// Click is click.
func Click(ctx context.Context, t *Tab, a ClickArgs) (*Result, error) {
	if a.X != nil || a.Y != nil {
		return t.clickAt(ctx, a)
	}
	from := t.state.now()
	for tries := 1; ; tries++ {
		r, missed, err := t.clickOnce(ctx, a, from)
		if !missed || tries == clickTries {
			return r, err
		}
	}
}

// clickTries is how often a press is made that the target did not get because the page
// moved or drew it anew in that moment. The page has seen no click of those before.
const clickTries = 3

func (t *Tab) clickOnce(ctx context.Context, a ClickArgs, from int) (r *Result, missed bool, err error) {
	p, h, err := t.prepare(ctx, a.Target, "click", true)
	if err != nil {
		return nil, false, err
	}
	if p.Option {
		return nil, false, browser.Errorf(browser.NotActionable, "%s is an option of a closed list, which no click can reach; use select_option on the list with this label", label(p))
	}
	x, y, err := t.toMain(ctx, h.frame, p.X, p.Y)
	if err != nil {
		return nil, false, err
	}
	over, err := t.act(ctx, h.frame.ID, press(x, y, a))
	defer over()
	return t.clickOutcome(ctx, a, from, h, p, err)
}

// prepare waits until the target can be acted on and returns a point of it.
func (t *Tab) prepare(ctx context.Context, g Target, purpose string, watch bool) (pagefn.Prepared, hit, error) {
	return find(ctx, ask[pagefn.Prepared]{tab: t, target: g, fn: "prepare", budget: actBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.PrepareArgs{Target: l, For: purpose, TimeoutMS: ms, Watch: watch}
	}})
}

// label names an element in our sentences.
func label(p pagefn.Prepared) string {
	switch {
	case p.Role == "" && p.Name == "" && p.Tag != "":
		return "<" + p.Tag + ">"
	case p.Name == "":
		return p.Role
	}
	return p.Role + " " + quote(p.Name, 80)
}

// clickOutcome says what the page saw of the press, and what came of it. missed means
// that it saw no click, and that another press may reach the target.
func (t *Tab) clickOutcome(ctx context.Context, a ClickArgs, from int, h hit, p pagefn.Prepared, err error) (r *Result, missed bool, failed error) {
	verb := map[int]string{2: "double-clicked ", 3: "triple-clicked "}[a.ClickCount]
	if verb == "" {
		verb = "clicked "
	}
	data := clicked{OK: true, Role: p.Role, Name: p.Name}
	said := verb + label(p)
	switch {
	case t.openedDialog(err, from):
	case t.closed(err):
		return &Result{Text: said + "\nthe tab closed itself" + t.nowCurrent(), Data: data}, false, nil
	case err != nil && !navigated(err):
		return nil, false, err
	case err == nil:
		o, answer, err := run[pagefn.Outcome](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "outcome", Args: pagefn.OutcomeArgs{Node: p.Node}})
		if err == nil && answer.Document == h.answer.Document && (!o.Landed || o.Slipped && a.left()) {
			return nil, o.Instead != "" || o.Slipped, notLanded(p, o)
		}
		if err == nil && o.Checked != nil {
			data.Checked = o.Checked
			said += map[bool]string{true: ", now checked", false: ", now not checked"}[*o.Checked]
		}
		if t.closed(err) {
			return &Result{Text: said + "\nthe tab closed itself" + t.nowCurrent(), Data: data}, false, nil
		}
		if err != nil && !gone(err) && browser.CodeOf(err) != browser.PolicyDenied && !t.openedDialog(err, from) {
			return nil, false, err
		}
	}
	data.effects = t.observe(ctx, from)
	r, err = t.finish(ctx, said, data.effects, a.After, data)
	return r, false, err
}

// left says whether it is the button that makes a click.
func (a ClickArgs) left() bool { return a.Button == "" || a.Button == "left" }

// closed says whether err means that the page closed its own tab.
func (t *Tab) closed(err error) bool {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	return browser.CodeOf(err) == browser.TabNotFound || err != nil && t.state.gone != ""
}

// nowCurrent names the tab that the session goes on with.
func (t *Tab) nowCurrent() string {
	t.s.drop(t.ID())
	if id := t.s.Current(); id != "" {
		return fmt.Sprintf("; current is now %s", id)
	}
	return ""
}

// notLanded is the error for a press that the target did not get.
func notLanded(p pagefn.Prepared, o pagefn.Outcome) error {
	if o.Slipped {
		return browser.Errorf(browser.NotActionable, "%s moved away under the press and got no click; look with snapshot, then click it again", label(p))
	}
	if o.Instead == "" {
		return browser.Errorf(browser.NotActionable, "no press on %s reached the page; look with snapshot before you try again", label(p))
	}
	return browser.Errorf(browser.NotActionable, "the click on %s would have hit %s instead, which came in between; nothing was clicked: look again with snapshot", label(p), o.Instead)
}

// clickAt clicks a point of the viewport, given in pixels of the last screenshot.
func (t *Tab) clickAt(ctx context.Context, a ClickArgs) (*Result, error) {
	if a.X == nil || a.Y == nil || a.Target.given() {
		return nil, browser.Errorf(browser.BadArgs, "a point needs both x and y and no target beside them")
	}
	t.mu.Lock()
	scale := t.scale
	t.mu.Unlock()
	x, y := *a.X/scale, *a.Y/scale
	v, _, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}})
	if err != nil {
		return nil, err
	}
	if x < 0 || y < 0 || x >= v.Width || y >= v.Height {
		return nil, browser.Errorf(browser.BadArgs, "the point %.0f,%.0f lies outside the viewport of %.0f×%.0f; scroll first, and take the point from a viewport screenshot", *a.X, *a.Y, v.Width*scale, v.Height*scale)
	}
	if err := t.judgePoint(ctx, x, y); err != nil {
		return nil, err
	}
	from := t.state.now()
	over, err := t.act(ctx, "", press(x, y, a))
	defer over()
	if err != nil && !t.openedDialog(err, from) && !navigated(err) {
		return nil, err
	}
	data := clicked{OK: true, effects: t.observe(ctx, from)}
	return t.finish(ctx, fmt.Sprintf("clicked at %.0f,%.0f", *a.X, *a.Y), data.effects, a.After, data)
}

// judgePoint refuses a point that lies in a frame which may not be acted on.
func (t *Tab) judgePoint(ctx context.Context, x, y float64) error {
	frames, err := t.frames(ctx)
	if err != nil {
		return err
	}
	for _, f := range frames[1:] {
		denied := t.judgeFrame(f, policy.Act)
		if denied == nil {
			continue
		}
		box, err := t.frameBox(ctx, f)
		if err != nil {
			return err
		}
		if x >= box.X && y >= box.Y && x < box.X+box.Width && y < box.Y+box.Height {
			return denied
		}
	}
	return nil
}

// Bits of the "buttons" and "modifiers" of input events.
var (
	buttonBits   = map[string]int{"left": 1, "right": 2, "middle": 4}
	modifierBits = map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
)

func modifiers(names []string) int {
	bits := 0
	for _, n := range names {
		if n == "ControlOrMeta" {
			n = mainModifier()
		}
		bits |= modifierBits[n]
	}
	return bits
}

// mouse is the parameters of one mouse event.
type mouse struct {
	Type       string  `json:"type"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Button     string  `json:"button,omitempty"`
	Buttons    int     `json:"buttons"`
	Modifiers  int     `json:"modifiers"`
	ClickCount int     `json:"clickCount,omitempty"`
	DeltaX     float64 `json:"deltaX"`
	DeltaY     float64 `json:"deltaY"`
}

func mouseEvent(m mouse) browser.Command {
	return browser.Command{Method: "Input.dispatchMouseEvent", Params: m}
}

// press is a whole click as one batch. The move first is needed: without it a
// background tab loses the press.
func press(x, y float64, a ClickArgs) []browser.Command {
	button := a.Button
	if button == "" {
		button = "left"
	}
	m := mouse{X: x, Y: y, Modifiers: modifiers(a.Modifiers)}
	move, down, up := m, m, m
	move.Type = "mouseMoved"
	down.Type, down.Button, down.Buttons = "mousePressed", button, buttonBits[button]
	up.Type, up.Button = "mouseReleased", button
	calls := []browser.Command{mouseEvent(move)}
	for n := 1; n <= max(1, a.ClickCount); n++ {
		down.ClickCount, up.ClickCount = n, n
		release := mouseEvent(up)
		release.Delay = time.Duration(a.HoldMS) * time.Millisecond
		calls = append(calls, mouseEvent(down), release)
	}
	return slices.Clip(calls)
}

// Hover is hover.
func Hover(ctx context.Context, t *Tab, a HoverArgs) (*Result, error) {
	from := t.state.now()
	p, h, err := t.prepare(ctx, a.Target, "hover", false)
	if err != nil {
		return nil, err
	}
	x, y, err := t.toMain(ctx, h.frame, p.X, p.Y)
	if err != nil {
		return nil, err
	}
	_, err = t.batch(ctx, []browser.Command{mouseEvent(mouse{Type: "mouseMoved", X: x, Y: y})})
	if err != nil && !t.openedDialog(err, from) {
		return nil, err
	}
	data := clicked{OK: true, Role: p.Role, Name: p.Name, effects: t.observe(ctx, from)}
	return t.finish(ctx, "pointer is over "+label(p), data.effects, a.After, data)
}
