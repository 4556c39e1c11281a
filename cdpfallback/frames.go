package cdpfallback

import (
	"cmp"
	"context"

	"chrome-mcp/internal/browser"
)

// frameTree is Page.getFrameTree's answer: the frames of one target only.
type frameTree struct {
	Frame struct {
		ID     browser.FrameID `json:"id"`
		Parent browser.FrameID `json:"parentId"`
		Name   string          `json:"name"`
		URL    string          `json:"url"`
		Hash   string          `json:"urlFragment"`
		Failed string          `json:"unreachableUrl"` // an error page stands in its place
		Origin string          `json:"securityOrigin"`
	} `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// Frames lists the frame tree, parents before children, frames of other processes
// included.
func (t *Tab) Frames(ctx context.Context) ([]browser.Frame, error) {
	main, err := t.host(ctx, "", "")
	if err != nil {
		return nil, err
	}
	children := map[browser.FrameID][]browser.Frame{}
	root, err := t.listTarget(ctx, main, children)
	if err != nil {
		return nil, err
	}
	seen := map[*session]bool{main: true}
	for s := t.unseen(seen); s != nil; s = t.unseen(seen) {
		seen[s] = true
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, browser.Errorf(browser.Timeout, "the frames of tab %s were not listed in time; the page may be busy: try again, or reload it", t.id)
		}
		// A frame that went away meanwhile is not in the list.
		_, _ = t.listTarget(ctx, s, children)
	}
	return flatten(root, children, nil), nil
}

// unseen returns a session of the tab that is not in seen.
func (t *Tab) unseen(seen map[*session]bool) *session {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, s := range t.b.sessions {
		if s.tab == t && !seen[s] {
			return s
		}
	}
	return nil
}

// listTarget adds the frames of one target under their parents and returns its root.
func (t *Tab) listTarget(ctx context.Context, s *session, children map[browser.FrameID][]browser.Frame) (browser.Frame, error) {
	var answer struct {
		FrameTree frameTree `json:"frameTree"`
	}
	if err := t.b.conn.call(ctx, s.id, "Page.getFrameTree", nil, &answer); err != nil {
		return browser.Frame{}, err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if answer.FrameTree.Frame.Parent == "" {
		answer.FrameTree.Frame.Parent = s.up
	}
	var add func(tree frameTree, process bool) browser.Frame
	add = func(tree frameTree, process bool) browser.Frame {
		f := browser.Frame{
			ID: tree.Frame.ID, Parent: tree.Frame.Parent, URL: cmp.Or(tree.Frame.Failed, tree.Frame.URL) + tree.Frame.Hash,
			Origin: tree.Frame.Origin, Name: tree.Frame.Name, Process: process,
		}
		if f.Parent != "" {
			children[f.Parent] = append(children[f.Parent], f)
		}
		t.frames[f.ID] = s
		for _, c := range tree.Children {
			add(c, false)
		}
		return f
	}
	return add(answer.FrameTree, s.root != ""), nil
}

func flatten(f browser.Frame, children map[browser.FrameID][]browser.Frame, list []browser.Frame) []browser.Frame {
	list = append(list, f)
	for _, c := range children[f.ID] {
		list = flatten(c, children, list)
	}
	return list
}
