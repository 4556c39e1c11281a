package cdpfallback

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// awakeTime is how long a tab is kept drawing after it was last needed.
const awakeTime = 5 * time.Second

// recording is the least that Chrome can be asked to record.
var recording = map[string]any{"format": "jpeg", "quality": 1, "maxWidth": 1, "maxHeight": 1}

// recorder has a tab draw while it is worked in. In the background a tab draws once a
// second, and the mouse moves with the frames; while somebody records it, it draws as if
// it were in front. It is not recorded while it loads, which would take longer then, nor
// when nobody needs it (Chromium 156).
type recorder struct {
	conn    *conn
	session string      // of the tab's main target
	moved   atomic.Bool // to another document since the recording began

	mu    sync.Mutex
	users int
	sleep *time.Timer // nil: it is not recorded
}

// use keeps the tab drawing until done is called, and for a while after that. It waits
// for nothing: commands of a session are taken in order.
func (r *recorder) use() (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users++
	r.wake(r.moved.Load())
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.users--
		if r.sleep != nil {
			r.sleep.Reset(awakeTime)
		}
	}
}

// again begins the recording anew: after a navigation it does not always go on by itself.
func (r *recorder) again() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake(true)
}

// wake is called with r.mu held.
func (r *recorder) wake(anew bool) {
	if r.sleep != nil && anew {
		r.stop()
	}
	if r.sleep == nil {
		r.start()
	}
	r.sleep.Reset(awakeTime)
}

// start is called with r.mu held.
func (r *recorder) start() {
	r.sleep = time.AfterFunc(awakeTime, r.idle)
	r.moved.Store(false)
	p, err := r.conn.start(r.session, "Page.startScreencast", recording)
	if err != nil {
		return // what the tab is needed for fails with the same
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), setupTime)
		defer cancel()
		if r.conn.wait(ctx, p, nil) != nil { // a page that is not there yet
			r.left() // the next use tries again
		}
	}()
}

// stop is called with r.mu held.
func (r *recorder) stop() {
	if r.sleep == nil {
		return
	}
	r.sleep.Stop()
	r.sleep = nil
	_, _ = r.conn.start(r.session, "Page.stopScreencast", nil) // drawing is a help, not a need
}

func (r *recorder) idle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.sleep == nil:
	case r.users > 0:
		r.sleep.Reset(awakeTime)
	default:
		r.stop()
	}
}

// rest lets the tab draw as Chrome likes.
func (r *recorder) rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
}

// left notes that the tab came to another document, or lost the one it had. It is called
// by the reader of events, which must never wait.
func (r *recorder) left() { r.moved.Store(true) }
