package page

import (
	"context"
	"fmt"
	"sync"
	"time"

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

// unloaded says that nothing has come for a frame yet: its server has not answered, or
// its page loads it only when it is scrolled to. It has no address, and nothing in it.
func unloaded(f browser.Frame) bool { return f.URL == "" }

// childTime is how long one frame may keep a page's other frames waiting. Its own script
// can keep it from answering for ever.
const childTime = 4 * time.Second

// forFrame is the time for the frame of that place in a list of a tab's frames: the main one
// has that of the call.
func forFrame(ctx context.Context, i int) (context.Context, context.CancelFunc) {
	if i == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, childTime)
}

// late says whether a frame's own time ended, and not that of the call.
func late(ctx, own context.Context) bool {
	return own.Err() == context.DeadlineExceeded && ctx.Err() == nil
}

// unseen counts the frames that were not looked at.
type unseen struct{ denied, waiting, busy int }

func (u *unseen) add(f browser.Frame) {
	if unloaded(f) {
		u.waiting++
	} else {
		u.denied++
	}
}

func (u unseen) notes() []string {
	var notes []string
	if u.denied > 0 {
		notes = append(notes, fmt.Sprintf("frames not looked at, since their sites are not allowed: %d", u.denied))
	}
	if u.waiting > 0 {
		notes = append(notes, fmt.Sprintf("frames not loaded yet: %d; scroll to them or wait, or name one with frameId from frames_list", u.waiting))
	}
	if u.busy > 0 {
		notes = append(notes, fmt.Sprintf("frames whose own scripts keep them from answering: %d", u.busy))
	}
	return notes
}
