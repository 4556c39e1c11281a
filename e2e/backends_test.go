package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chrome-mcp/cdpfallback"
)

// own are the flags with which a server may start a browser without a window.
func own(flags ...string) []string { return append(allowAll(), append(flags, "--headless")...) }

// serveIn starts a server with a data folder, and waits at the end for its browser, which
// may still write to its profile when the server has gone.
func serveIn(t *testing.T, data string, flags ...string) *server {
	t.Helper()
	t.Cleanup(func() { noBrowser(t, data) })
	s, err := startServer(t.Context(), data, t.Name(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// ownBrowsers are the browsers that run with a profile in the data folder.
func ownBrowsers(t *testing.T, data string) []int {
	t.Helper()
	return processes(t, func(argv []string) bool {
		for _, a := range argv[1:] {
			if strings.HasPrefix(a, "--type=") {
				return false
			}
		}
		for _, a := range argv[1:] {
			if strings.HasPrefix(a, "--user-data-dir="+filepath.Join(data, "profile")) {
				return true
			}
		}
		return false
	})
}

// TestBeforePairing works in a browser of its own until the user's Chrome is paired, and
// in that one from then on.
func TestBeforePairing(t *testing.T) {
	t.Parallel() // it mostly waits for a browser that has ended
	c := newChrome(t, chromeOptions{})
	s := c.serve(t, own()...)
	if r := s.call(t, "chrome_status", nil); !strings.Contains(r.text, "not connected") || !strings.Contains(r.text, "Pair") {
		t.Errorf("the status before the first call:\n%s", r.text)
	}
	if n := len(ownBrowsers(t, c.data)); n != 0 {
		t.Errorf("%d browsers before one was needed", n)
	}
	r := s.call(t, "navigate", args{"url": rig.site.page("<title>Own</title>")})
	for _, word := range []string{"cdp:", "not the user's own Chrome", "Pair"} {
		if !strings.Contains(r.text, word) {
			t.Errorf("the first result does not say %q:\n%s", word, r.text)
		}
	}
	first := str(r.data["tabId"])
	if r := s.call(t, "get_text", nil); strings.Contains(r.text, "Note:") {
		t.Errorf("it is said again:\n%s", r.text)
	}
	if r := s.call(t, "chrome_status", nil); !strings.Contains(r.text, "a Chrome of its own") || !strings.Contains(r.text, "Pair") {
		t.Errorf("the status:\n%s", r.text)
	}
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	r = s.call(t, "tab_new", args{"url": rig.site.page("<title>Users</title>")})
	if !strings.Contains(r.text, "ext:") || !strings.Contains(r.text, "connected now") {
		t.Errorf("the first new tab after pairing:\n%s", r.text)
	}
	if r := s.call(t, "eval", args{"tabId": first, "expression": "document.title"}); !strings.Contains(r.text, "Own") {
		t.Errorf("the tab of before: %s", r.text)
	}
	if ids := s.ownTabs(t); len(ids) != 2 {
		t.Errorf("tabs %v", ids)
	}
	// From now on nothing takes the place of the user's Chrome.
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	later := c.serve(t, own()...)
	later.refuse(t, "tab_new", nil, "NO_BACKEND", "start Chrome", "--backend cdp")
	if ids := s.ownTabs(t); len(ids) != 1 || ids[0] != first {
		t.Errorf("tabs that are left: %v", ids)
	}
}

// TestOwnBrowserEnds kills the browser under the server: the next call starts another.
func TestOwnBrowserEnds(t *testing.T) {
	data := t.TempDir()
	s := serveIn(t, data, own("--backend", "cdp")...)
	tab := s.open(t, "<title>Before</title><script>document.cookie = 'stays=1; max-age=1000'</script>")
	pids := ownBrowsers(t, data)
	if len(pids) != 1 {
		t.Fatalf("browsers %v", pids)
	}
	kill(-pids[0])
	noBrowser(t, data)
	s.do(t.Context(), "get_text", nil) // may be on its way when the end is noticed
	s.refuse(t, "get_text", args{"tabId": tab}, "STALE_TAB", "tabs_list")
	r := s.call(t, "navigate", args{"url": rig.site.page("<title>After</title>")})
	if !strings.Contains(r.text, "a new one") {
		t.Errorf("the first result of the new browser:\n%s", r.text)
	}
	s.wantValue(t, "document.title", "After")
	if pids := ownBrowsers(t, data); len(pids) != 1 {
		t.Errorf("browsers %v", pids)
	}
	begin := time.Now()
	s.stop()
	if took := time.Since(begin); took > time.Second {
		t.Errorf("the server took %v to end", took)
	}
	noBrowser(t, data)
}

// noBrowser waits until the data folder's browsers have ended.
func noBrowser(t *testing.T, data string) {
	t.Helper()
	for limit := time.Now().Add(8 * time.Second); len(ownBrowsers(t, data)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("browsers that outlive their server: %v", ownBrowsers(t, data))
		}
	}
}

// TestOwnBrowsersSideBySide has two servers with a browser each, kills one of them, and
// gives its profile to the next.
func TestOwnBrowsersSideBySide(t *testing.T) {
	data := t.TempDir()
	flags := own("--backend", "cdp")
	a, b := serveIn(t, data, flags...), serveIn(t, data, flags...)
	a.open(t, "<title>A</title>")
	b.open(t, "<title>B</title>")
	a.wantValue(t, "document.title", "A")
	b.wantValue(t, "document.title", "B")
	if pids := ownBrowsers(t, data); len(pids) != 2 {
		t.Errorf("browsers %v", pids)
	}
	for _, name := range []string{"profile", "profile-2"} {
		if _, err := os.Stat(filepath.Join(data, name)); err != nil {
			t.Error(err)
		}
	}
	a.kill()
	c := serveIn(t, data, flags...)
	c.open(t, "<title>C</title>")
	if r := c.call(t, "chrome_status", nil); !strings.Contains(r.text, filepath.Join(data, "profile")+",") {
		t.Errorf("the third has another profile than the first:\n%s", r.text)
	}
	b.stop()
	c.stop()
	noBrowser(t, data)
}

// TestProfileInUse has a person's browser on the profile: it is left alone.
func TestProfileInUse(t *testing.T) {
	data := t.TempDir()
	s := serveIn(t, data, own("--backend", "cdp")...)
	s.open(t, "x")
	s.stop()
	noBrowser(t, data)
	path, err := cdpfallback.Find()
	if err != nil {
		t.Fatal(err)
	}
	person, err := os.StartProcess(path, []string{path, "--user-data-dir=" + filepath.Join(data, "profile"), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "about:blank"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = person.Signal(syscall.SIGTERM); _, _ = person.Wait() }()
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Readlink(filepath.Join(data, "profile", "SingletonLock")); err == nil || time.Now().After(limit) {
			break
		}
	}
	s = serveIn(t, data, own("--backend", "cdp")...)
	s.refuse(t, "tab_new", nil, "LAUNCH_FAILED", "in use by pid", "close that browser")
	_ = person.Signal(syscall.SIGTERM)
	_, _ = person.Wait()
	s.open(t, "<title>Free</title>")
}

// TestAttachedBrowser works in a browser that somebody else started, and leaves it.
func TestAttachedBrowser(t *testing.T) {
	b, err := cdpfallback.Start(t.Context(), cdpfallback.Config{Headless: true, ExtraArgs: []string{"--remote-debugging-port=0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Shutdown(context.Background())
	profile := b.Status().Browsers[0].Profile
	s := serveIn(t, t.TempDir(), append(allowAll(), "--cdp-endpoint", profile)...)
	r := s.call(t, "navigate", args{"url": rig.site.page("<title>Guest</title>")})
	if !strings.Contains(r.text, "the browser at "+profile) {
		t.Errorf("the first result:\n%s", r.text)
	}
	s.wantValue(t, "document.title", "Guest")
	if r := s.call(t, "chrome_status", nil); !strings.Contains(r.text, "told to attach to") {
		t.Errorf("the status:\n%s", r.text)
	}
	s.stop()
	list, err := b.Tabs(t.Context())
	if err != nil || len(list) != 1 {
		t.Errorf("tabs of the browser that was left: %+v, %v", list, err)
	}
}

// TestBackendFlags refuses flags that contradict each other, and says why there is no
// browser in words that help.
func TestBackendFlags(t *testing.T) {
	for _, test := range []struct {
		flags []string
		words []string
	}{
		{[]string{"--backend", "cdp", "--chrome", "/no/such/chrome"}, []string{"LAUNCH_FAILED", "/no/such/chrome", "--chrome"}},
		{[]string{"--chrome", "/no/such/chrome", "--headless"}, []string{"NO_BACKEND", "/no/such/chrome", "Pair"}},
		{[]string{"--cdp-endpoint", "http://127.0.0.1:1"}, []string{"NO_BACKEND", "nothing listens", "--remote-debugging-port"}},
	} {
		s := serveIn(t, t.TempDir(), append(allowAll(), test.flags...)...)
		s.refuse(t, "tabs_list", nil, test.words...)
		s.stop()
	}
}

// TestNoRequestLeavesOwnBrowser is TestNoRequestLeaves for a browser of our own.
func TestNoRequestLeavesOwnBrowser(t *testing.T) {
	w := newWorld(t)
	flags := append(capabilities(), "--allow-domain", w.host("good"), "--backend", "cdp", "--headless")
	s := serveIn(t, t.TempDir(), flags...)
	w.noRequestLeaves(t, s)
	s.call(t, "navigate", args{"url": w.on("good", "")})
	s.call(t, "download_file", args{"url": w.at("good", "/report")})
	s.refuse(t, "download_file", args{"url": w.at("evil", "/report")}, "POLICY_DENIED")
	if n := w.asked("evil"); n > 0 {
		t.Errorf("the denied site heard %d requests", n)
	}
}

// TestOwnBrowserHeaded works in a browser with a window, which is the default, and closes
// its last tab: the browser stays.
func TestOwnBrowserHeaded(t *testing.T) {
	if err := display(); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	s := serveIn(t, data, append(allowAll(), "--backend", "cdp")...)
	s.open(t, `<title>Window</title><button style="position:fixed;inset:0" onclick="document.title = 'pressed'">x</button>`)
	s.call(t, "click", args{"selector": "button"})
	s.wantValue(t, "document.title + navigator.webdriver", "pressedfalse")
	if size := s.picture(t, nil); size.X < 300 || size.Y < 200 {
		t.Errorf("the picture is %v", size)
	}
	before := ownBrowsers(t, data)
	for _, tab := range s.tabs(t) {
		s.call(t, "tab_close", args{"tabId": tab["tabId"]})
	}
	s.open(t, "<title>Still there</title>")
	if after := ownBrowsers(t, data); len(after) != 1 || after[0] != before[0] {
		t.Errorf("browsers %v, before %v", after, before)
	}
}
