package mcpserver

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// pace has few calls at a time work in browsers, in the order in which they came. A
// browser that is asked for everything at once does everything late, and what takes many
// steps, as a click does, the latest.
type pace struct{ places chan struct{} }

// How long a call keeps its place. One that takes longer waits for the page, which keeps
// the browser from nothing.
const (
	placeTime   = 150 * time.Millisecond
	waitersTime = 40 * time.Millisecond // of a tool that is meant for waiting
)

// newPace has a place for each processor, and one for what waits for the next frame.
func newPace() pace { return pace{make(chan struct{}, runtime.GOMAXPROCS(0)+1)} }

// take waits for a place, to be kept no longer than keep. done gives it back.
func (p pace) take(ctx context.Context, keep time.Duration) (done func(), err error) {
	select {
	case p.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var once sync.Once
	free := func() { once.Do(func() { <-p.places }) }
	late := time.AfterFunc(keep, free)
	return func() {
		late.Stop()
		free()
	}, nil
}
