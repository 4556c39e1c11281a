package mcpserver

import (
	"context"
	"sync"
)

// turns keeps the order in which calls arrived up to the moment when each has its
// place in the queue of its tab. A model often sends "type, type, click" as three
// calls at once and means them in that order.
type turns struct {
	mu      sync.Mutex
	issued  uint64
	passed  uint64          // all turns up to this one have passed
	early   map[uint64]bool // passed before those in front of them
	waiting map[uint64]chan struct{}
}

func newTurns() *turns {
	return &turns{early: map[uint64]bool{}, waiting: map[uint64]chan struct{}{}}
}

// issue gives out the next turn. Each must be passed, or all behind it wait for ever.
func (t *turns) issue() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.issued++
	return t.issued
}

// wait returns when all turns before n have passed. Turn 0 is nobody's and never waits.
func (t *turns) wait(ctx context.Context, n uint64) error {
	t.mu.Lock()
	if n == 0 || t.passed >= n-1 {
		t.mu.Unlock()
		return nil
	}
	ch := make(chan struct{})
	t.waiting[n] = ch
	t.mu.Unlock()
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pass lets the next turn go. Passing twice is harmless.
func (t *turns) pass(n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n <= t.passed {
		return
	}
	t.early[n] = true
	for t.early[t.passed+1] {
		t.passed++
		delete(t.early, t.passed)
		if ch := t.waiting[t.passed+1]; ch != nil {
			close(ch)
			delete(t.waiting, t.passed+1)
		}
	}
}
