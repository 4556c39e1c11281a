package bridge

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

func TestTheSameBrowserReplacesItself(t *testing.T) {
	f := start(t, nil)
	old := f.connect(nil)
	e := f.connect(nil)
	if code := old.closed(); code != wire.CloseReplaced {
		t.Errorf("closed with %d", code)
	}
	e.serve(func(wire.Command) any { return nil })
	if err := f.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	s := f.Status()
	if len(s.Browsers) != 1 || !slices.ContainsFunc(s.Events, func(ev browser.StatusEvent) bool { return strings.Contains(ev.What, "connected again") }) {
		t.Errorf("%+v", s)
	}
}

func TestSeveralBrowsers(t *testing.T) {
	f := start(t, nil)
	tabs := func(title string) func(wire.Command) any {
		return func(c wire.Command) any {
			if c.Method == wire.TabNew {
				return wire.Tab{ID: 9, Title: title, Owner: c.Session}
			}
			return wire.TabsResult{Tabs: []wire.Tab{{ID: 5, Title: title, Opener: 4}}}
		}
	}
	f.connect(nil).serve(tabs("first"))
	other := f.connect(func(i *wire.ExtInfo) { i.Instance, i.Run, i.ProfileName = "two", "run2", "Work" })
	other.serve(tabs("second"))
	third := f.connect(func(i *wire.ExtInfo) { i.Instance, i.Run = "three", "run3" })
	third.serve(tabs("third"))

	list, err := f.Tabs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []browser.TabInfo{
		{ID: "ext:8f1c:5", Title: "first", Opener: "ext:8f1c:4", Browser: "Chrome"},
		{ID: "ext:dbd6:5", Title: "second", Opener: "ext:dbd6:4", Browser: "Work"},
		{ID: "ext:2e56:5", Title: "third", Opener: "ext:2e56:4", Browser: "Chrome 2"},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}

	open := func(session, name string) string {
		t.Helper()
		ctx := browser.WithCaller(t.Context(), browser.Caller{Session: session})
		tab, err := f.Open(ctx, browser.OpenOptions{Browser: name})
		if err != nil {
			return err.Error()
		}
		return tab.Browser + " " + string(tab.ID) + " " + tab.Owner
	}
	for _, c := range [][3]string{
		{"A", "", "Chrome ext:8f1c:9 A"}, {"B", "Work", "Work ext:dbd6:9 B"}, {"B", "", "Work ext:dbd6:9 B"}, {"A", "", "Chrome ext:8f1c:9 A"},
		{"A", "Home", `BAD_ARGS: no browser "Home" is connected; connected are ["Chrome" "Work" "Chrome 2"]`},
	} {
		if got := open(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %q: %s, want %s", c[0], c[1], got, c[2])
		}
	}
	third.ws.CloseNow()
	until(t, "two browsers", func() bool { return len(f.Status().Browsers) == 2 })
}

func TestTabIDsOutliveTheSocketButNotTheBrowser(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	tab := f.tab(7)
	e.ws.CloseNow()
	e = f.connect(nil)
	e.serve(func(wire.Command) any { return nil })
	if err := tab.Call(t.Context(), "", "Page.getNavigationHistory", nil, nil); err != nil {
		t.Error(err)
	}
	f.connect(func(i *wire.ExtInfo) { i.Run = "after a restart" })
	if err := tab.Call(t.Context(), "", "Page.getNavigationHistory", nil, nil); browser.CodeOf(err) != browser.StaleTab {
		t.Error(err)
	}
	for id, want := range map[browser.TabID]browser.Code{
		firstRun + "7": browser.StaleTab, "ext:9:7": browser.StaleTab, "cdp:1:7": browser.StaleTab,
		"ext:7b78:7": "", "": browser.TabNotFound, "7": browser.TabNotFound, "ext::7": browser.TabNotFound, "ext:7b78:0": browser.TabNotFound, "ext:7b78:-7": browser.TabNotFound, "ext:7b78:7:1": browser.TabNotFound, "ext:x:y": browser.TabNotFound,
	} {
		if _, err := f.Tab(id); browser.CodeOf(err) != want {
			t.Errorf("%q: %v, want %s", id, err, want)
		}
	}
}

func TestEventsComeInOrderAndBeforeTheAnswer(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	var mu sync.Mutex
	var got []string
	cancel := f.tab(7).Subscribe(func(ev browser.Event) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, string(ev.Frame)+" "+ev.Method+" "+string(ev.Params))
	})
	defer f.tab(7).Subscribe(func(browser.Event) { panic("a subscriber's fault") })()
	done := async(func() (struct{}, error) {
		return struct{}{}, f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", nil, nil)
	})
	c := e.command()
	e.raw(`{"v":1,"type":"event","event":"cdp","tabId":7,"data":{"method":"Page.loadEventFired","params":{"timestamp":1}}}`)
	e.raw(`{"v":1,"type":"event","event":"cdp","tabId":8,"data":{"method":"Page.loadEventFired"}}`)
	e.raw(`{"v":1,"type":"event","event":"cdp","tabId":7,"data":{"frame":"F","method":"Page.frameNavigated"}}`)
	e.raw(`{"v":1,"type":"event","event":"tab.created","tabId":7,"data":{"tabId":9,"url":"https://example.com/","opener":7}}`)
	e.raw(`{"v":1,"type":"event","event":"tab.removed","tabId":7,"data":{}}`)
	e.result(c.ID, nil)
	if _, err := wait(t, done); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	want := []string{
		` Page.loadEventFired {"timestamp":1}`, `F Page.frameNavigated `,
		` tab.created {"opener":"ext:8f1c:7","tabId":"ext:8f1c:9","url":"https://example.com/"}`, ` tab.removed {}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	mu.Unlock()
	e.ws.CloseNow()
	e = f.connect(nil)
	until(t, "the marker", func() bool { mu.Lock(); defer mu.Unlock(); return slices.Equal(got, []string{" events.lost "}) })
	cancel()
	e.raw(`{"v":1,"type":"event","event":"tab.removed","tabId":7}`)
	e.serve(func(wire.Command) any { return nil })
	if err := f.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if len(got) != 1 {
		t.Error("an event after cancel")
	}
}

func TestHeartbeat(t *testing.T) {
	f := start(t, func(b *Bridge) { b.times.heartbeat = 40 * time.Millisecond })
	e := f.connect(nil)
	e.write(wire.Ping{Header: header(wire.TypePing), TS: 42})
	pongs := 0
	for pings := 0; pings < 6; {
		var p wire.Ping
		e.read(&p)
		switch p.Type {
		case wire.TypePing:
			pings++
			e.write(wire.Pong{Header: header(wire.TypePong), TS: p.TS})
		case wire.TypePong:
			if p.TS != 42 {
				t.Error(p)
			}
			pongs++
		}
	}
	if pongs != 1 || len(f.Status().Browsers) != 1 {
		t.Error(pongs, f.Status())
	}
	if f.Status().Browsers[0].PingMS <= 0 {
		t.Error("no ping time")
	}
	begin := time.Now()
	e.closed() // it answers no more
	if d := time.Since(begin); d > 2*time.Second {
		t.Error(d)
	}
	s := f.Status()
	if last := s.Events[len(s.Events)-1].What; !strings.Contains(last, "two heartbeats") {
		t.Error(last)
	}
}

func TestNoBackendSaysTheNextStep(t *testing.T) {
	call := func(f *fixture) string {
		t.Helper()
		_, err := f.Tabs(t.Context())
		if browser.CodeOf(err) != browser.NoBackend {
			t.Fatal(err)
		}
		return err.Error()
	}
	f := start(t, nil)
	if got := call(f); !strings.Contains(got, "no Chrome has paired yet") || !strings.Contains(got, "chrome-mcp install") {
		t.Error(got)
	}
	f.store.SetLastSeen(state.LastSeen{Time: time.Now()})
	if got := call(f); !strings.Contains(got, "has not paired") {
		t.Error(got)
	}
	dir := t.TempDir()
	if err := state.Open(dir).SetPaired(state.PairedBrowser{Instance: "one"}); err != nil {
		t.Fatal(err)
	}
	f = startIn(t, dir, func(b *Bridge) { b.config.Wait = 100 * time.Millisecond })
	begin := time.Now()
	if got := call(f); !strings.Contains(got, "has paired before but does not connect") || time.Since(begin) < 100*time.Millisecond {
		t.Error(got, time.Since(begin))
	}
	e := f.connect(nil)
	e.ws.Close(wire.CloseStopped, "stopped")
	until(t, "the browser's leave", func() bool { return !f.Status().Ready })
	begin = time.Now()
	f.config.Wait = time.Minute
	if got := call(f); !strings.Contains(got, "Resume") {
		t.Error(got)
	}
	if err := f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", nil, nil); browser.CodeOf(err) != browser.ExtensionDisconnected || !strings.Contains(err.Error(), "Resume") {
		t.Error(err)
	}
	if time.Since(begin) > 10*time.Second {
		t.Error("waited for a browser that was stopped")
	}
}

func TestACallWaitsForTheDialOfAPairedBrowser(t *testing.T) {
	dir := t.TempDir()
	if err := state.Open(dir).SetPaired(state.PairedBrowser{Instance: "one"}); err != nil {
		t.Fatal(err)
	}
	f := startIn(t, dir, nil)
	done := async(func() ([]browser.TabInfo, error) { return f.Tabs(t.Context()) })
	f.connect(nil).serve(func(wire.Command) any { return wire.TabsResult{Tabs: []wire.Tab{{ID: 1}}} })
	if tabs, err := wait(t, done); err != nil || len(tabs) != 1 {
		t.Error(tabs, err)
	}
	until(t, "the pairing's record", func() bool { p, _ := f.store.Paired(); return len(p) == 1 && p[0].Chrome == "156" })
}

// The vectors of in-nm-second-instance that concern servers.

func TestTwoServersAtOnce(t *testing.T) {
	dir := t.TempDir()
	a, b := startIn(t, dir, nil), startIn(t, dir, nil)
	live, errs := a.store.Live()
	if len(live) != 2 || errs != nil || live[0].Port == live[1].Port || live[0].Token == live[1].Token {
		t.Fatalf("%d servers, %v", len(live), errs)
	}
	for i, f := range []*fixture{a, b} {
		f.connect(nil).serve(func(wire.Command) any { return wire.TabsResult{Tabs: []wire.Tab{{ID: i + 1}}} })
	}
	for i, f := range []*fixture{a, b} {
		if tabs, err := f.Tabs(t.Context()); err != nil || tabs[0].ID != browser.TabID([]string{firstRun + "1", firstRun + "2"}[i]) {
			t.Error(tabs, err)
		}
	}
	if err := a.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Tabs(t.Context()); err != nil {
		t.Error("the other server's end disturbed this one:", err)
	}
	if live, _ := b.store.Live(); len(live) != 1 {
		t.Error(live)
	}
}

func TestABusyPortIsLeftAlone(t *testing.T) {
	foreign, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	port := foreign.Addr().(*net.TCPAddr).Port
	busy := startIn(t, t.TempDir(), func(b *Bridge) { b.config.Port = port })
	if busy.Addr() == foreign.Addr().String() {
		t.Error(busy.Addr())
	}
	foreign.Close()
	free := startIn(t, t.TempDir(), func(b *Bridge) { b.config.Port = port })
	if free.Addr() != foreign.Addr().String() {
		t.Errorf("%s, want the free port %d", free.Addr(), port)
	}
	t.Setenv(PortEnv, "0")
	if f := startIn(t, t.TempDir(), func(b *Bridge) { b.config.Port = 0 }); strings.HasSuffix(f.Addr(), ":38017") {
		t.Error(f.Addr())
	}
}

func TestStartAndShutdown(t *testing.T) {
	dir := t.TempDir()
	f := startIn(t, dir, nil)
	addr := f.Addr()
	if err := f.Start(t.Context(), "again"); err != nil || f.Addr() != addr {
		t.Error(err, f.Addr())
	}
	e := f.connect(nil)
	done := async(func() (struct{}, error) {
		return struct{}{}, f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", nil, nil)
	})
	e.command()
	closed := make(chan struct{})
	go func() { e.closed(); close(closed) }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := f.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	<-closed
	if _, err := wait(t, done); err == nil || err.Code != browser.ExtensionDisconnected {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "handshake*")); left != nil {
		t.Error(left)
	}
	if err := f.Start(t.Context(), "late"); err == nil {
		t.Error("started after its end")
	}
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Error("still listening")
	}
}

func TestAPlaceThatCannotBePrivateStopsTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := New(Config{DataDir: filepath.Join(file, "sub"), Port: -1})
	if err := b.Start(t.Context(), ""); err == nil {
		t.Error("started")
	}
	if b.Status().Ready {
		t.Error("ready")
	}
}

func TestRelease(t *testing.T) {
	f := start(t, nil)
	if err := f.Release(t.Context(), "S"); err != nil {
		t.Error("nobody to tell:", err)
	}
	e := f.connect(nil)
	done := async(func() (struct{}, error) { return struct{}{}, f.Release(t.Context(), "S") })
	c := e.command()
	if c.Method != wire.Release || c.Session != "S" {
		t.Errorf("%+v", c)
	}
	e.result(c.ID, nil)
	if _, err := wait(t, done); err != nil {
		t.Error(err)
	}
}

func TestNothingLeaks(t *testing.T) {
	f := start(t, nil)
	before := runtime.NumGoroutine()
	for range 50 {
		e := f.connect(nil)
		tab := f.tab(7)
		cancel := tab.Subscribe(func(browser.Event) {})
		e.serve(func(wire.Command) any { return nil })
		if err := f.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		cancel()
		e.ws.CloseNow()
	}
	until(t, "as few goroutines as before", func() bool { return runtime.NumGoroutine() <= before+2 })
	if len(f.events.subs) != 0 || len(f.browsers) != 1 {
		t.Error(len(f.events.subs), len(f.browsers))
	}
}

func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		`{"v":1,"type":"result","id":"x","data":{}}`, `{"v":1,"type":"error","id":"x","error":{"code":"TIMEOUT","message":"m"}}`,
		`{"v":1,"type":"event","event":"tab.created","tabId":7,"data":{"tabId":9}}`, `{"v":1,"type":"event","event":"cdp","tabId":7,"data":{"method":"m"}}`,
		`{"v":1,"type":"ping","ts":1}`, `{"v":1,"type":"pong","ts":1}`, `{"v":1,"type":"hello","token":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	b := New(Config{DataDir: f.TempDir()})
	p := &peer{code: "8f1c"}
	c := b.newConn(nil)
	c.peer = p
	b.events.add(tabKey{p, 7}, func(ev browser.Event) {
		if len(ev.Params) > 0 && !json.Valid(ev.Params) {
			panic("invalid params")
		}
	})
	f.Fuzz(func(t *testing.T, text []byte) {
		frame, err := wire.Decode(text)
		if err != nil {
			return
		}
		c.take(frame)
	})
}
