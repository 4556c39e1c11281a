package cdpfallback

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
)

func standby(t *testing.T, cfg Config) *Standby {
	t.Helper()
	cfg.Headless, cfg.Bundle, cfg.World = true, tinyBundle, "test"
	s := NewStandby(cfg)
	t.Cleanup(func() { _ = s.Shutdown(context.Background()) })
	return s
}

func TestStandbyStartsOnceAndAgain(t *testing.T) {
	s := standby(t, Config{ProfileDir: t.TempDir()})
	if st := s.Status(); st.Ready || st.Detail == "" {
		t.Errorf("before the first call: %+v", st)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := s.Tabs(testContext(t)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	first := s.runs()
	if len(first) != 1 {
		t.Fatalf("%d browsers", len(first))
	}
	ctx, tab := openIn(t, s, "s")
	list, err := s.Tabs(ctx)
	if err != nil || len(list) != 2 {
		t.Errorf("tabs: %+v, %v", list, err)
	}
	killGroup(first[0].process.cmd)
	<-first[0].conn.done
	if _, err := s.Tab(tab.ID()); browser.CodeOf(err) != browser.StaleTab {
		t.Errorf("a tab of the browser that ended: %v", err)
	}
	if s.Status().Ready {
		t.Error("ready without a browser")
	}
	openIn(t, s, "s")
	again := s.runs()
	if len(again) != 1 || again[0] == first[0] || again[0].cfg.ProfileDir != first[0].cfg.ProfileDir {
		t.Errorf("after the end: %v", again)
	}
	if e := s.Status().Events; len(e) != 1 || !strings.Contains(e[0].What, "ended") {
		t.Errorf("events %+v", e)
	}
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.Tabs(ctx); browser.CodeOf(err) != browser.NoBackend {
		t.Errorf("after the end: %v", err)
	}
}

// TestStandbyGivesUp holds that a browser which ends again and again is left alone for a
// while.
func TestStandbyGivesUp(t *testing.T) {
	p := &place{life: t.Context()}
	for range maxEnds {
		p.run = &Backend{since: time.Now(), process: &process{said: &tail{}}}
		p.bury(t.Context(), func() *Backend { p.run.end.Do(func() {}); return p.run }())
	}
	err := p.mayOpen()
	if browser.CodeOf(err) != browser.LaunchFailed || !strings.Contains(err.Error(), "tried again after") {
		t.Errorf("after %d ends: %v", maxEnds, err)
	}
	p.starts[0] = p.starts[0].Add(-2 * time.Minute)
	if err := p.mayOpen(); err != nil {
		t.Errorf("later: %v", err)
	}
}

func TestStandbyTellsWhyNot(t *testing.T) {
	s := standby(t, Config{Path: "/no/such/chrome"})
	for range 2 {
		if _, err := s.Tabs(testContext(t)); browser.CodeOf(err) != browser.LaunchFailed || !strings.Contains(err.Error(), "/no/such/chrome") {
			t.Errorf("got %v", err)
		}
	}
}

// TestStandbyEndpoints deals two browsers and a dead endpoint to sessions.
func TestStandbyEndpoints(t *testing.T) {
	other := startFor(t, Config{ExtraArgs: []string{"--remote-debugging-port=0"}})
	s := standby(t, Config{Endpoint: shared.b.cfg.ProfileDir + ", http://127.0.0.1:1 ," + other.cfg.ProfileDir})
	where := map[*Backend]int{}
	for _, session := range []string{"a", "b", "c", "d", "e", "f"} {
		_, tab := openIn(t, s, session)
		b, err := s.byTab(tab.ID())
		if err != nil {
			t.Fatal(err)
		}
		where[b]++
		ctx := browser.WithCaller(testContext(t), browser.Caller{Session: session})
		if again, err := s.get(ctx); err != nil || again != b {
			t.Errorf("session %s has moved, %v", session, err)
		}
	}
	if len(where) != 2 {
		t.Errorf("%d browsers are used", len(where))
	}
	dead := standby(t, Config{Endpoint: "http://127.0.0.1:1,http://127.0.0.1:2"})
	if _, err := dead.Tabs(testContext(t)); browser.CodeOf(err) != browser.NoBackend || !strings.Contains(err.Error(), "none of the 2") {
		t.Errorf("two dead endpoints: %v", err)
	}
}

func TestTabsPerSession(t *testing.T) {
	b := startFor(t, Config{MaxTabs: 3})
	ctx := browser.WithCaller(testContext(t), browser.Caller{Session: "s"})
	var last browser.TabInfo
	for range 3 {
		var err error
		if last, err = b.Open(ctx, browser.OpenOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Open(ctx, browser.OpenOptions{}); browser.CodeOf(err) != browser.Backpressure || !strings.Contains(err.Error(), "tab_close") {
		t.Errorf("one too many: %v", err)
	}
	if _, err := b.Open(browser.WithCaller(ctx, browser.Caller{Session: "t"}), browser.OpenOptions{}); err != nil {
		t.Errorf("another session: %v", err)
	}
	if err := b.Close(ctx, last.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(ctx, browser.OpenOptions{}); err != nil {
		t.Errorf("after one was closed: %v", err)
	}
}

// TestRetriesLeaveNoTabs opens tabs with no time for it.
func TestRetriesLeaveNoTabs(t *testing.T) {
	b := startFor(t, Config{})
	ctx := testContext(t)
	before, err := b.Tabs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		short, cancel := context.WithTimeout(ctx, time.Duration(i)*300*time.Microsecond)
		if info, err := b.Open(short, browser.OpenOptions{URL: page("x")}); err == nil {
			_ = b.Close(ctx, info.ID)
		}
		cancel()
	}
	for ctx.Err() == nil {
		if now, err := b.Tabs(ctx); err == nil && len(now) == len(before) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	now, _ := b.Tabs(context.Background())
	t.Errorf("%d tabs before, now %+v", len(before), now)
}
