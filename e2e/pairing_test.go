package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Limits of what a user waits for.
const (
	pairTime  = time.Second
	firstTime = 500 * time.Millisecond
)

// TestPair pairs a fresh profile by one click. It tries three browsers: a limit that
// holds now and then is none.
func TestPair(t *testing.T) {
	for range 3 {
		c := newChrome(t, chromeOptions{})
		s := c.serve(t)
		took, err := c.pair(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("click → connected: %v", took)
		if took > pairTime {
			t.Errorf("pairing took %v, at most %v", took, pairTime)
		}
		s.call(t, "tabs_list", nil)
		_ = c.Shutdown(context.Background())
	}
}

// TestLaterStarts starts servers for a browser that has paired: nobody clicks.
func TestLaterStarts(t *testing.T) {
	c := paired(t, false)
	for range 5 {
		begin := time.Now()
		s := c.serve(t)
		s.call(t, "tabs_list", nil)
		took := time.Since(begin)
		t.Logf("start → first answer: %v", took)
		if took > firstTime {
			t.Errorf("start to first answer took %v, at most %v", took, firstTime)
		}
		s.stop()
	}
}

// TestLaterStartAfterIdle is the same after two minutes in which nothing ran and nobody
// looked at the extension.
func TestLaterStartAfterIdle(t *testing.T) {
	if !*long {
		t.Log("waits two minutes: run with -long")
		return
	}
	c := newChrome(t, chromeOptions{})
	first := c.serve(t)
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.call(t, "tabs_list", nil)
	first.stop()
	wait(t.Context(), 2*time.Minute)
	begin := time.Now()
	c.serve(t).call(t, "tabs_list", nil)
	if took := time.Since(begin); took > firstTime {
		t.Errorf("start to first answer took %v after an idle of 2 minutes, at most %v", took, firstTime)
	} else {
		t.Logf("start → first answer after 2 minutes: %v", took)
	}
}

// TestServerIdle lets one server idle for longer than a service worker lives.
func TestServerIdle(t *testing.T) {
	if !*long {
		t.Log("waits two minutes: run with -long")
		return
	}
	s := paired(t, false).serve(t)
	s.open(t, "<title>Idle</title>")
	wait(t.Context(), 2*time.Minute)
	begin := time.Now()
	s.wantValue(t, "document.title", "Idle")
	if took := time.Since(begin); took > firstTime {
		t.Errorf("the first call after an idle of 2 minutes took %v, at most %v", took, firstTime)
	}
}

// TestRestartedBrowser starts the browser again with the same profile: it dials by itself.
func TestRestartedBrowser(t *testing.T) {
	c := newChrome(t, chromeOptions{})
	s := c.serve(t)
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	tab := s.open(t, "<title>Before</title>")
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := s.do(t.Context(), "eval", args{"expression": "1"})
	if !r.failed || r.took > 8*time.Second {
		t.Errorf("without a browser: failed %v after %v: %s", r.failed, r.took, r.text)
	}
	newChrome(t, chromeOptions{data: c.data, profile: c.profile})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for r = s.do(ctx, "tabs_list", nil); r.failed && ctx.Err() == nil; r = s.do(ctx, "tabs_list", nil) {
		wait(ctx, 100*time.Millisecond)
	}
	if r.failed {
		t.Fatalf("the browser did not come back: %s", r.text)
	}
	s.refuse(t, "get_text", args{"tabId": tab}, "tabs_list")
}

// TestUnpaired says what to do before a browser ever paired.
func TestUnpaired(t *testing.T) {
	data := t.TempDir()
	s, err := startServer(t.Context(), data, t.Name(), append(allowAll(), "--no-cdp-fallback")...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	r := s.refuse(t, "tabs_list", nil, "NO_BACKEND", "Pair")
	if r.took > time.Second {
		t.Errorf("the refusal took %v", r.took)
	}
}

// TestCleanEnd leaves no handshake file behind.
func TestCleanEnd(t *testing.T) {
	c := paired(t, false)
	s := c.serve(t)
	s.call(t, "tabs_list", nil)
	s.stop()
	left, err := filepath.Glob(filepath.Join(c.data, "handshake*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if raw, err := os.ReadFile(path); err == nil && strings.Contains(string(raw), t.Name()) {
			t.Errorf("%s is still there", path)
		}
	}
}
