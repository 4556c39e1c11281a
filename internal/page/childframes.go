package page

import (
	"context"
	"sync"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// frameReads is how many frames are read at the same time.
const frameReads = 6

// eachChild calls read for the frames in f, several at the same time, with the number that
// page functions give to their places. What read returns is called one at a time.
func (t *Tab) eachChild(ctx context.Context, f browser.Frame, read func(c browser.Frame, index int, denied bool) func()) {
	frames, err := t.frames(ctx)
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, frameReads)
	for _, c := range frames {
		if c.Parent != f.ID {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, p, err := t.owner(ctx, c, pagefn.FrameOwnerArgs{})
			if err != nil {
				return
			}
			done := read(c, p.Index, t.judgeFrame(c, policy.Read) != nil)
			mu.Lock()
			defer mu.Unlock()
			if done != nil {
				done()
			}
		})
	}
	wg.Wait()
}
