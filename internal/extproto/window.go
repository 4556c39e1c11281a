package extproto

import (
	"sync"
	"time"
)

// Window counts what happened within a time that slides. The zero value is not usable.
type Window struct {
	limit  int
	within time.Duration

	mu   sync.Mutex
	when []time.Time // oldest first, at most limit
}

// NewWindow allows limit events within any stretch of that length.
func NewWindow(limit int, within time.Duration) *Window {
	return &Window{limit: limit, within: within}
}

// Take counts an event, or says how long it is until there is room for one.
func (w *Window) Take() (wait time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.slide(now)
	if len(w.when) >= w.limit {
		return w.when[0].Add(w.within).Sub(now), false
	}
	w.when = append(w.when, now)
	return 0, true
}

// Idle says whether nothing is counted any more.
func (w *Window) Idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slide(time.Now())
	return len(w.when) == 0
}

func (w *Window) slide(now time.Time) {
	for len(w.when) > 0 && now.Sub(w.when[0]) >= w.within {
		w.when = w.when[1:]
	}
}
