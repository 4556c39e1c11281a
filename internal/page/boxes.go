package page

import (
	"context"
	"fmt"
	"time"
	"unicode"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// handOn is how long a one-character box has to hand the focus on to the next.
const handOn = 400 * time.Millisecond

// writeBoxes types a code into one-character boxes, a key at a time, and reads them
// back. Where the focus does not move on by itself, Tab moves it.
func (t *Tab) writeBoxes(ctx context.Context, en entry, f pagefn.Editable, h hit) (entered, error) {
	var keys []key
	for _, g := range graphemes(en.text) {
		if k, ok := printable(g); ok && !unicode.IsSpace([]rune(g)[0]) {
			keys = append(keys, k)
		}
	}
	if len(keys) > f.Boxes {
		return entered{}, browser.Errorf(browser.NotActionable, "%d characters do not fit into the %d boxes from %s on; begin at the first box, or type fewer", len(keys), f.Boxes, fieldLabel(f))
	}
	boxes := []int{f.Node}
	for i, k := range keys {
		if _, err := t.batch(ctx, k.stroke(0, nil)); err != nil {
			return entered{Role: f.Role, Name: f.Name}, err
		}
		if i+1 < len(keys) {
			next, err := t.nextBox(ctx, boxes[i])
			if err != nil {
				return entered{}, err
			}
			boxes = append(boxes, next)
		}
	}
	for i, node := range boxes[:len(keys)] {
		got, err := t.box(ctx, h, node)
		if err == nil && got.Length != 1 {
			return entered{}, browser.Errorf(browser.NotActionable, "box %d of %d from %s on holds %s; the page did not take the code", i+1, f.Boxes, fieldLabel(f), held(got))
		}
	}
	note := fmt.Sprintf("%d characters in as many boxes", len(keys))
	e := entered{OK: true, Role: f.Role, Name: f.Name, Value: en.text, Note: note}
	if f.Password {
		e.Value, e.Length = "", len(keys)
	}
	return e, nil
}

// nextBox waits until another box has the focus, and says which.
func (t *Tab) nextBox(ctx context.Context, node int) (int, error) {
	tabbed := false
	for end := time.Now().Add(handOn); ; {
		now, _, err := t.focused(ctx)
		if err == nil && now.Node != node {
			return now.Node, nil
		}
		if err != nil && browser.CodeOf(err) != browser.SelectorNotFound {
			return 0, err
		}
		switch {
		case time.Now().Before(end):
			t.pause(ctx, 5*time.Millisecond)
		case tabbed || ctx.Err() != nil:
			return 0, browser.Errorf(browser.NotActionable, "the focus does not move on to the next box of the code; type the characters one by one")
		default:
			tabbed, end = true, time.Now().Add(handOn)
			if _, err := t.batch(ctx, keyTable["Tab"].stroke(0, nil)); err != nil {
				return 0, err
			}
		}
	}
}

func (t *Tab) box(ctx context.Context, h hit, node int) (pagefn.Editable, error) {
	v, _, err := run[pagefn.Editable](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "value",
		Args: pagefn.ValueArgs{Target: pagefn.Locator{Node: node, Document: h.answer.Document}}})
	return v, err
}
