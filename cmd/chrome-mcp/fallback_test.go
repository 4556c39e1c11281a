package main

import (
	"context"
	"errors"
	"sync"
	"testing"

	"chrome-mcp/internal/browser"
)

// counted is a backend that only knows how often it was shut down.
type counted struct {
	browser.Backend
	shutdowns int
}

func (c *counted) Tabs(context.Context) ([]browser.TabInfo, error) { return nil, nil }
func (c *counted) Shutdown(context.Context) error                  { c.shutdowns++; return nil }

func TestLateBackend(t *testing.T) {
	launches := 0
	inner := &counted{}
	l := &lateBackend{kind: browser.CDP, detail: "later", launch: func(context.Context) (browser.Backend, error) {
		if launches++; launches == 1 {
			return nil, errors.New("no browser here")
		}
		return inner, nil
	}}
	ctx := t.Context()
	if s := l.Status(); s.Ready || s.Detail != "later" || launches != 0 {
		t.Errorf("Status() = %+v after %d launches", s, launches)
	}
	if _, err := l.Tab("cdp:1:2"); browser.CodeOf(err) != browser.StaleTab {
		t.Errorf("Tab before the launch: %v", err)
	}
	if _, err := l.Tabs(ctx); browser.CodeOf(err) != browser.LaunchFailed {
		t.Errorf("a failed launch answers %v", err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := l.Tabs(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if launches != 2 {
		t.Errorf("%d launches; want one after the failed one", launches)
	}
	l.Shutdown(ctx)
	if inner.shutdowns != 1 {
		t.Errorf("%d shutdowns", inner.shutdowns)
	}

	never := &lateBackend{launch: func(context.Context) (browser.Backend, error) {
		t.Error("launched after the end")
		return nil, nil
	}}
	never.Shutdown(ctx)
	if _, err := never.Tabs(ctx); browser.CodeOf(err) != browser.NoBackend {
		t.Errorf("after the end: %v", err)
	}
}
