package page

import (
	"context"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// toMain maps a point of a frame's viewport to the main frame's, level by level: each
// parent scrolls its frame into view and says whether the pointer would reach it.
func (t *Tab) toMain(ctx context.Context, f browser.Frame, x, y float64) (float64, float64, error) {
	own, moved := f, false
	for f.Parent != "" {
		parent, p, err := t.owner(ctx, f, pagefn.FrameOwnerArgs{X: x, Y: y, Into: true})
		if err != nil {
			return 0, 0, err
		}
		if p.Covered != "" {
			return 0, 0, browser.Errorf(browser.NotActionable, "the frame that holds the target is covered by %s; close or move that first", p.Covered)
		}
		x, y, f = p.X, p.Y, parent
		moved = moved || p.Moved
	}
	if moved && own.Process {
		// Chrome draws no frame of another process that is out of view, and gives it no
		// press before it is drawn.
		if _, _, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Frame: own.ID, Fn: "probe", Args: pagefn.ProbeArgs{Drawn: true}}); err != nil {
			return 0, 0, err
		}
	}
	return x, y, nil
}

// wake scrolls a frame into view that its page loads only there. What it is to hold
// does not come otherwise.
func (t *Tab) wake(ctx context.Context, id browser.FrameID) {
	if id == "" {
		return
	}
	if f, err := t.frame(ctx, id); err == nil && f.Parent != "" && (f.URL == "" || f.URL == "about:blank") {
		_, _, _ = t.owner(ctx, f, pagefn.FrameOwnerArgs{Wake: true})
	}
}

// owner asks the parent of a frame about the element that shows the frame.
func (t *Tab) owner(ctx context.Context, f browser.Frame, args pagefn.FrameOwnerArgs) (browser.Frame, pagefn.FramePoint, error) {
	parent, err := t.frame(ctx, f.Parent)
	if err != nil {
		return parent, pagefn.FramePoint{}, err
	}
	var o struct {
		BackendNodeID int64 `json:"backendNodeId"`
	}
	if err := t.call(ctx, parent.ID, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &o); err != nil {
		return parent, pagefn.FramePoint{}, err
	}
	p, _, err := run[pagefn.FramePoint](ctx, t, browser.RunRequest{Frame: parent.ID, Fn: "frameOwner", Args: args, Nodes: []int64{o.BackendNodeID}})
	return parent, p, err
}
