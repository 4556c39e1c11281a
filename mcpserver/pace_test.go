package mcpserver

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Calls get places in the order in which they asked, and one that is slow keeps nobody
// waiting for longer than its time.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace{make(chan struct{}, 2)}
		begin := time.Now()
		var mu sync.Mutex // for the race detector, which does not see that they take turns
		var began []int
		var when []time.Duration
		for i, takes := range []time.Duration{time.Minute, 100 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond, time.Minute, time.Millisecond} {
			go func() {
				done, err := p.take(t.Context(), placeTime)
				if err != nil {
					t.Errorf("call %d: %v", i, err)
					return
				}
				defer done()
				mu.Lock()
				began, when = append(began, i), append(when, time.Since(begin))
				mu.Unlock()
				time.Sleep(takes)
			}()
			synctest.Wait()
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4, 5}; !slices.Equal(began, want) {
			t.Errorf("they began as %v", began)
		}
		ms := time.Millisecond
		if want := []time.Duration{0, 0, 100 * ms, 110 * ms, 120 * ms, placeTime}; !slices.Equal(when, want) {
			t.Errorf("they began after %v, want %v", when, want)
		}
		if len(p.places) != 0 {
			t.Errorf("%d places are still taken", len(p.places))
		}
	})
}

func TestPaceEndsWithItsCall(t *testing.T) {
	p := pace{make(chan struct{}, 1)}
	done, err := p.take(t.Context(), placeTime)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.take(ctx, placeTime); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	done()
	done()
	if len(p.places) != 0 {
		t.Error("the place is still taken")
	}
}
