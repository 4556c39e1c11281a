package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
)

// deadline is longer than any call of these tests may take.
const deadline = 35 * time.Second

// slowPage counts its clicks; a click keeps the page busy long enough to pull something
// away under it.
const slowPage = `<title>Slow</title><button onclick="window.n = (window.n ?? 0) + 1">Add</button><script>
function slow() { fetch('/hit'); return new Promise(done => setTimeout(() => done('late'), 3000)) }</script>`

// during runs do while an eval of slow() is under way and returns the eval's result.
func during(t *testing.T, s *server, do func()) result {
	t.Helper()
	before := rig.site.hits.Load()
	answer := make(chan result, 1)
	go func() { answer <- s.do(context.Background(), "eval", args{"expression": "slow()"}) }()
	for limit := time.Now().Add(10 * time.Second); rig.site.hits.Load() == before; {
		if time.Now().After(limit) {
			t.Fatalf("the call did not reach the page: %s", (<-answer).text)
		}
		time.Sleep(2 * time.Millisecond)
	}
	do()
	select {
	case r := <-answer:
		t.Logf("during the call: failed %v after %v: %s", r.failed, r.took.Round(time.Millisecond), clip(r.text))
		return r
	case <-time.After(deadline):
		t.Fatal("the call hangs")
		return result{}
	}
}

// worksAgain wants the next call to work, within some tries while things come back, or to
// say exactly what the user has to do.
func worksAgain(t *testing.T, s *server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	begin := time.Now()
	for {
		r := s.do(ctx, "navigate", args{"url": rig.site.page("<title>Again</title>")})
		if !r.failed {
			t.Logf("works again after %v", time.Since(begin).Round(time.Millisecond))
			s.wantValue(t, "document.title", "Again")
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("it does not work again: %s", r.text)
		}
		wait(ctx, 50*time.Millisecond)
	}
}

// faulty is a browser and a server that a test may break.
func faulty(t *testing.T) (*chrome, *server) {
	t.Helper()
	c := newChrome(t, chromeOptions{})
	s := c.serve(t)
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.open(t, slowPage)
	return c, s
}

func TestFaultWorkerStoppedIdle(t *testing.T) {
	c, s := faulty(t)
	if err := c.stopWorker(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantValue(t, "document.title", "Slow")
	s.call(t, "click", args{"selector": "button"})
	s.wantValue(t, "window.n", 1.0)
}

func TestFaultWorkerStoppedDuringCall(t *testing.T) {
	c, s := faulty(t)
	r := during(t, s, func() {
		if err := c.stopWorker(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if r.failed && !strings.Contains(r.text, "EXTENSION_DISCONNECTED") {
		t.Errorf("the call failed with %s", r.text)
	}
	worksAgain(t, s)
}

// TestFaultNoActionTwice stops the worker while clicks are under way: each happens once
// or not at all, and one of unknown outcome says so.
func TestFaultNoActionTwice(t *testing.T) {
	t.Parallel() // it mostly waits for the alarm
	c, s := faulty(t)
	told := 0
	for i := range 20 {
		if i%5 == 2 && i < 15 {
			go c.stopWorker(context.Background())
		}
		r := s.do(t.Context(), "click", args{"selector": "button"})
		switch {
		case !r.failed:
			told++
		case r.took > deadline:
			t.Errorf("click %d took %v", i, r.took)
		default:
			t.Logf("click %d: %s", i, clip(r.text))
		}
	}
	// Nothing but its alarm wakes a worker that was stopped when nothing was going on.
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	r := s.do(ctx, "eval", args{"expression": "window.n"})
	for r.failed && ctx.Err() == nil {
		wait(ctx, 200*time.Millisecond)
		r = s.do(ctx, "eval", args{"expression": "window.n"})
	}
	if n, _ := r.data["value"].(float64); n < float64(told) || n > 20 {
		t.Errorf("%v clicks arrived of 20, %d were told: %s", r.data["value"], told, r.text)
	}
}

func TestFaultBrowserKilledDuringCall(t *testing.T) {
	t.Parallel() // it mostly waits for a browser that does not come back
	c, s := faulty(t)
	r := during(t, s, func() { kill(-c.PID()) })
	if !r.failed || !strings.Contains(r.text, "EXTENSION_DISCONNECTED") {
		t.Errorf("the call ended with %s", r.text)
	}
	r = s.do(t.Context(), "tabs_list", nil)
	if !r.failed || r.took > 8*time.Second || !strings.Contains(r.text, "Chrome") {
		t.Errorf("without a browser: %v after %v: %s", r.failed, r.took, r.text)
	}
}

func TestFaultServerKilled(t *testing.T) {
	c, s := faulty(t)
	s.kill()
	begin := time.Now()
	again := c.serve(t)
	again.call(t, "tabs_list", nil)
	if took := time.Since(begin); took > firstTime {
		t.Errorf("the new server was dialled after %v", took)
	}
	worksAgain(t, again)
}

func TestFaultHostKilled(t *testing.T) {
	c, s := faulty(t)
	pids := hostProcesses(t, c)
	if len(pids) == 0 {
		t.Fatal("no native messaging host runs")
	}
	for _, pid := range pids {
		kill(pid)
	}
	s.wantValue(t, "document.title", "Slow")
	begin := time.Now()
	again := c.serve(t)
	worksAgain(t, again)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("after the host was killed a new server worked after %v", took)
	}
}

// hostProcesses are the native messaging hosts of this browser's data folder.
func hostProcesses(t *testing.T, c *chrome) []int {
	return processes(t, func(argv []string) bool {
		return len(argv) > 1 && strings.HasPrefix(argv[0], c.data) && argv[1] == extension.Origin
	})
}

// processes are the ids of those with a command line that match picks.
func processes(t *testing.T, match func(argv []string) bool) (pids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		raw, _ := os.ReadFile(path)
		if match(strings.Split(string(raw), "\x00")) {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestFaultSocketCut cuts every connection of the browser under a call: it kills the
// browser's network process, which the browser starts again.
func TestFaultSocketCut(t *testing.T) {
	c, s := faulty(t)
	during(t, s, func() {
		pids := processes(t, func(argv []string) bool {
			line := strings.Join(argv, " ")
			return strings.Contains(line, "network.mojom.NetworkService") && strings.Contains(line, c.profile)
		})
		if len(pids) == 0 {
			t.Error("the browser has no network process")
		}
		for _, pid := range pids {
			kill(pid)
		}
	})
	worksAgain(t, s)
}

// TestFaultInfobarCancelled is the user's Cancel in Chrome's debugging bar.
func TestFaultInfobarCancelled(t *testing.T) {
	c, s := faulty(t)
	r := during(t, s, func() {
		// What Chrome does on Cancel: it detaches from every tab and tells the reason. The
		// bar itself cannot be reached from outside of the browser.
		err := c.worker(t.Context(), `chrome.debugger.getTargets().then(async list => {
			for (const t of list.filter(t => t.attached && t.tabId)) {
				await chrome.debugger.detach({tabId: t.tabId}).catch(() => {});
				chrome.debugger.onDetach.dispatch({tabId: t.tabId}, 'canceled_by_user');
			}
		})`, nil)
		if err != nil {
			t.Errorf("cancel: %v", err)
		}
	})
	if !r.failed || !strings.Contains(r.text, "DETACHED") {
		t.Errorf("the call ended with %s", r.text)
	}
	s.refuse(t, "eval", args{"expression": "1"}, "Resume")
	if err := c.resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	worksAgain(t, s)
}

// resume presses Resume on the options page.
func (c *chrome) resume(ctx context.Context) error {
	tab, err := c.open(ctx, options)
	if err != nil {
		return err
	}
	defer c.Close(ctx, tab.ID())
	if err := c.pressOn(ctx, tab, "#stop"); err != nil {
		return err
	}
	_, err = c.connected(ctx, tab)
	return err
}

// TestStop is the Stop button: everything is let go, until Resume.
func TestStop(t *testing.T) {
	c, s := faulty(t)
	tab, err := c.open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.pressOn(t.Context(), tab, "#stop"); err != nil {
		t.Fatal(err)
	}
	s.refuse(t, "eval", args{"expression": "1"}, "Resume")
	_ = c.Close(t.Context(), tab.ID())
	if err := c.resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	worksAgain(t, s)
}

func TestFaultTabClosedDuringCall(t *testing.T) {
	s := paired(t, false).serve(t)
	tab := s.open(t, slowPage)
	r := during(t, s, func() { s.call(t, "tab_close", args{"tabId": tab}) })
	if !r.failed || !strings.Contains(r.text, "TAB_NOT_FOUND") || r.took > 5*time.Second {
		t.Errorf("the call ended with %s after %v", r.text, r.took)
	}
	worksAgain(t, s)
}

// A page that asks whether it may be left keeps its tab until it is answered.
func TestCloseAsks(t *testing.T) {
	s := paired(t, false).serve(t)
	tab := s.open(t, `<input id=i><script>addEventListener("beforeunload", e => e.preventDefault())</script>`)
	s.call(t, "type", args{"selector": "#i", "text": "unsaved"})
	for _, action := range []string{"dismiss", "accept"} {
		r := s.do(t.Context(), "tab_close", args{"tabId": tab})
		if !r.failed || !strings.Contains(r.text, "DIALOG_OPEN") || r.took > 5*time.Second {
			t.Fatalf("tab_close ended with %s after %v", r.text, r.took)
		}
		s.call(t, "dialogs", args{"action": action})
		if action == "dismiss" {
			s.call(t, "get_text", nil)
		}
	}
	if list := s.call(t, "tabs_list", nil); strings.Contains(list.text, tab) {
		t.Errorf("the tab is still there: %s", list.text)
	}
	worksAgain(t, s)
}

func TestFaultTabCrashedDuringCall(t *testing.T) {
	c := paired(t, false)
	s := c.serve(t)
	before, err := c.Tabs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.open(t, slowPage)
	hand := c.newest(t, before)
	r := during(t, s, func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = hand.Call(ctx, "", "Page.crash", nil, nil)
	})
	if !r.failed || !strings.Contains(r.text, "TARGET_GONE") || r.took > 5*time.Second {
		t.Errorf("the call ended with %s after %v", r.text, r.took)
	}
	s.refuse(t, "get_text", nil, "crash")
	worksAgain(t, s)
}

// newest is the tests' hand on the tab that was not there before.
func (c *chrome) newest(t *testing.T, before []browser.TabInfo) browser.Tab {
	t.Helper()
	known := map[browser.TabID]bool{}
	for _, tab := range before {
		known[tab.ID] = true
	}
	after, err := c.Tabs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range after {
		if !known[info.ID] {
			tab, err := c.Tab(info.ID)
			if err != nil {
				t.Fatal(err)
			}
			return tab
		}
	}
	t.Fatal("no new tab")
	return nil
}
