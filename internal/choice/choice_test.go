package choice

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chrome-mcp/internal/browser"
)

// fake is a backend that answers as it is told.
type fake struct {
	browser.Backend // what is not faked panics
	kind            browser.Kind
	ready           bool
	hangs           bool // takes no command
	down            error
	owner           string
	since           time.Time
	pings, opens    int
	closed          bool
}

func (f *fake) Kind() browser.Kind { return f.kind }

func (f *fake) Status() browser.Status {
	s := browser.Status{Kind: f.kind, Ready: f.ready, Events: []browser.StatusEvent{{What: string(f.kind)}}}
	if f.ready {
		s.Browsers = []browser.BrowserStatus{{Name: string(f.kind), Since: f.since}}
	} else {
		s.Detail = "press Pair (" + string(f.kind) + ")"
	}
	return s
}

func (f *fake) Ping(ctx context.Context) error {
	f.pings++
	if f.hangs {
		<-ctx.Done()
		return browser.Errorf(browser.Timeout, "no answer")
	}
	return f.down
}

func (f *fake) Open(context.Context, browser.OpenOptions) (browser.TabInfo, error) {
	if f.down != nil {
		return browser.TabInfo{}, f.down
	}
	f.opens++
	f.ready = true
	return browser.TabInfo{ID: browser.TabID(string(f.kind) + ":1:1")}, nil
}

func (f *fake) Tabs(context.Context) ([]browser.TabInfo, error) {
	if f.down != nil {
		return nil, f.down
	}
	id := browser.TabID(string(f.kind) + ":1:")
	return []browser.TabInfo{{ID: id + "1", Owner: f.owner, Active: true}, {ID: id + "2"}}, nil
}

func (f *fake) Tab(id browser.TabID) (browser.Tab, error) {
	return nil, browser.Errorf(browser.TabNotFound, "asked %s for %s", f.kind, id)
}

func (f *fake) Close(_ context.Context, id browser.TabID) error { _, err := f.Tab(id); return err }

func (f *fake) Release(context.Context, string) error { return nil }

func (f *fake) Shutdown(context.Context) error { f.closed = true; return nil }

var noChrome = browser.Errorf(browser.LaunchFailed, "no Chrome found")

func me(t *testing.T) context.Context {
	return browser.WithCaller(t.Context(), browser.Caller{Session: "me"})
}

func TestPick(t *testing.T) {
	for name, test := range map[string]struct {
		ext, cdp fake
		cfg      Config
		paired   bool
		want     browser.Kind // "": an error with words
		words    string
	}{
		"the extension answers":         {ext: fake{ready: true}, want: browser.Extension},
		"never paired":                  {want: browser.CDP},
		"paired, and away":              {ext: fake{down: browser.Errorf(browser.NoBackend, "start Chrome")}, paired: true, words: "--backend cdp"},
		"paired, and named":             {paired: true, cfg: Config{StandIn: true}, want: browser.CDP},
		"hangs, and named":              {ext: fake{ready: true, hangs: true}, paired: true, cfg: Config{StandIn: true}, want: browser.CDP},
		"hangs":                         {ext: fake{ready: true, hangs: true}, want: browser.Extension},
		"fallback preferred":            {ext: fake{ready: true}, cfg: Config{PreferFallback: true}, want: browser.CDP},
		"fallback preferred, not there": {ext: fake{ready: true}, cdp: fake{down: noChrome}, cfg: Config{PreferFallback: true}, want: browser.Extension},
		"nothing there":                 {cdp: fake{down: noChrome}, words: "press Pair (ext)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.ext.kind, test.cdp.kind = browser.Extension, browser.CDP
				test.cfg.Extension, test.cfg.Fallback = &test.ext, &test.cdp
				test.cfg.Paired = func() bool { return test.paired }
				c := New(test.cfg)
				begin := time.Now()
				info, err := c.Open(me(t), browser.OpenOptions{})
				if took := time.Since(begin); took > probe {
					t.Errorf("it took %v", took)
				}
				if test.want == "" {
					if browser.CodeOf(err) != browser.NoBackend || !strings.Contains(err.Error(), test.words) {
						t.Errorf("got %v, want %q", err, test.words)
					}
					return
				}
				if err != nil || !strings.HasPrefix(string(info.ID), string(test.want)) {
					t.Errorf("opened %s, %v, want %s", info.ID, err, test.want)
				}
			})
		})
	}
}

// TestOneOfTwo holds that a choice of one is that one.
func TestOneOfTwo(t *testing.T) {
	for _, f := range []*fake{{kind: browser.Extension, ready: true}, {kind: browser.CDP}} {
		c := New(Config{Extension: f})
		if f.kind == browser.CDP {
			c = New(Config{Fallback: f})
		}
		if _, err := c.Open(me(t), browser.OpenOptions{}); err != nil || f.opens != 1 || f.pings != 0 {
			t.Errorf("%s: %v, %d opens, %d pings", f.kind, err, f.opens, f.pings)
		}
		if c.Kind() != f.kind || c.Notice("me") != "" {
			t.Errorf("%s: kind %s", f.kind, c.Kind())
		}
		other := map[browser.Kind]browser.TabID{browser.Extension: "cdp:1:1", browser.CDP: "ext:1:1"}[f.kind]
		if _, err := c.Tab(other); browser.CodeOf(err) != browser.StaleTab {
			t.Errorf("%s: %s is %v", f.kind, other, err)
		}
	}
}

// TestAnswersAreRemembered holds that calls in a row cost one probe.
func TestAnswersAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ext := &fake{kind: browser.Extension, ready: true}
		c := New(Config{Extension: ext, Fallback: &fake{kind: browser.CDP}})
		for range 10 {
			_, _ = c.Tabs(me(t))
		}
		if ext.pings != 1 {
			t.Errorf("%d probes for 10 calls", ext.pings)
		}
		time.Sleep(remember)
		_, _ = c.Tabs(me(t))
		ext.hangs = true
		time.Sleep(remember)
		begin := time.Now()
		for range 3 {
			_, _ = c.Tabs(me(t))
		}
		if took := time.Since(begin); ext.pings != 3 || took != probe {
			t.Errorf("%d probes, %v for three calls while it hangs", ext.pings, took)
		}
	})
}

// TestTakeOver follows a session from a browser of its own to the user's Chrome.
func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ext := &fake{kind: browser.Extension}
		cdp := &fake{kind: browser.CDP, since: time.Now(), owner: "me"}
		c := New(Config{Extension: ext, Fallback: cdp, Paired: func() bool { return false }})
		ctx := me(t)
		open := func(want browser.Kind, words ...string) {
			t.Helper()
			info, err := c.Open(ctx, browser.OpenOptions{})
			if err != nil || !strings.HasPrefix(string(info.ID), string(want)) {
				t.Fatalf("opened %s, %v, want %s", info.ID, err, want)
			}
			said := c.Notice("me")
			for _, w := range words {
				if !strings.Contains(said, w) {
					t.Errorf("said %q, without %q", said, w)
				}
			}
			if words == nil && said != "" {
				t.Errorf("said %q", said)
			}
		}
		if s := c.Status(); s.Ready || !strings.Contains(s.Detail, "press Pair (ext)") || !strings.Contains(s.Detail, "(cdp)") {
			t.Errorf("before: %+v", s)
		}
		open(browser.CDP, "not the user's own", "press Pair (ext)")
		open(browser.CDP)
		if s := c.Status(); !s.Ready || s.Kind != browser.CDP || len(s.Events) != 2 || !strings.Contains(s.Detail, "press Pair (ext)") {
			t.Errorf("in a browser of its own: %+v", s)
		}
		cdp.since = cdp.since.Add(time.Second)
		open(browser.CDP, "a new one")
		ext.ready = true
		open(browser.Extension, "connected now", "cdp:")
		open(browser.Extension)
		if s := c.Status(); s.Kind != browser.Extension || len(s.Browsers) != 2 {
			t.Errorf("with both: %+v", s)
		}
		list, err := c.Tabs(ctx)
		if err != nil || len(list) != 3 || list[2].ID != "cdp:1:1" || list[2].Active {
			t.Errorf("tabs of both: %+v, %v", list, err)
		}
		for _, id := range []browser.TabID{"cdp:1:1", "ext:1:1"} {
			if _, err := c.Tab(id); err == nil || !strings.Contains(err.Error(), "asked "+string(id[:3])) {
				t.Errorf("%s: %v", id, err)
			}
			if err := c.Close(ctx, id); err == nil || !strings.Contains(err.Error(), "asked "+string(id[:3])) {
				t.Errorf("close %s: %v", id, err)
			}
		}
		// It was there once, so nothing takes its place; what is open stays usable.
		ext.ready, ext.down = false, browser.Errorf(browser.NoBackend, "start Chrome")
		if _, err := c.Open(ctx, browser.OpenOptions{}); browser.CodeOf(err) != browser.NoBackend || !strings.Contains(err.Error(), "not signed in") {
			t.Errorf("the extension has gone: %v", err)
		}
		if list, err := c.Tabs(ctx); err != nil || len(list) != 1 || list[0].ID != "cdp:1:1" {
			t.Errorf("tabs then: %+v, %v", list, err)
		}
		if err := c.Shutdown(ctx); err != nil || !ext.closed || !cdp.closed {
			t.Errorf("shutdown: %v", err)
		}
	})
}

func TestNone(t *testing.T) {
	n := None{browser.Extension, browser.Errorf(browser.NoBackend, "no home")}
	if _, err := n.Tabs(t.Context()); err != n.Why {
		t.Error(err)
	}
	c := New(Config{Extension: n, Fallback: &fake{kind: browser.CDP}})
	if info, err := c.Open(me(t), browser.OpenOptions{}); err != nil || info.ID != "cdp:1:1" {
		t.Errorf("%s, %v", info.ID, err)
	}
	if said := c.Notice("me"); !strings.Contains(said, "no home") {
		t.Errorf("said %q", said)
	}
}
