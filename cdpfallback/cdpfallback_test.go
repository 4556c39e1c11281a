package cdpfallback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
)

// tinyBundle keeps the page bundle's side of the runner's contract.
const tinyBundle = `(() => {
  const roots = new Map(), looked = new Set();
  const fresh = () => [document, ...roots.values()].flatMap(r => [...r.querySelectorAll('[data-host]')]).filter(e => !looked.has(e));
  const functions = {
    title: () => document.title,
    tag: (a, x) => x.map(e => e.tagName),
    closed: () => [...roots.values()].map(r => r.textContent).join(),
    slow: a => new Promise(r => setTimeout(() => r('late'), a.ms)),
    refuse: () => { throw {code: 'SELECTOR_NOT_FOUND', message: 'nothing like it'} },
    loop: () => { for (;;); },
  };
  globalThis.__chromeMcp = {
    candidates() { const f = fresh(); f.forEach(e => looked.add(e)); return f },
    adopt(h, r) { roots.set(h, r) },
    async run(n, a, x) {
      const e = {url: document.URL, origin: self.origin, document: 'd'};
      if (fresh().length) return {...e, hosts: fresh().length};
      try { e.value = await functions[n](a, x) } catch (error) { e.error = error }
      return e;
    },
  };
})()`

var shared struct {
	b    *Backend
	base string // http://127.0.0.1:port
	alt  string // the same server as another site
}

func TestMain(m *testing.M) {
	if otherMain() {
		return
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	server := httptest.NewUnstartedServer(http.HandlerFunc(fixture))
	server.Start()
	defer server.Close()
	shared.base = server.URL
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	shared.alt = "http://localhost:" + port
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	b, err := Start(ctx, Config{Headless: true, Bundle: tinyBundle, World: "test", ExtraArgs: []string{"--site-per-process", "--remote-debugging-port=0"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = b.Shutdown(context.Background()) }()
	shared.b = b
	return m.Run()
}

func fixture(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if page := r.URL.Query().Get("page"); page != "" {
		page = strings.NewReplacer("{alt}", "http://localhost:"+port(r.Host), "{base}", "http://127.0.0.1:"+port(r.Host)).Replace(page)
		_, _ = fmt.Fprint(w, page)
	}
}

func port(host string) string {
	_, p, _ := net.SplitHostPort(host)
	return p
}

func page(html string) string {
	return shared.base + "/?page=" + url.QueryEscape(html)
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	t.Cleanup(cancel)
	return browser.WithCaller(ctx, browser.Caller{Session: "s1"})
}

// open opens a page in a new tab and waits until it has loaded.
func open(t *testing.T, html string) (context.Context, browser.Tab) {
	t.Helper()
	ctx := testContext(t)
	info, err := shared.b.Open(ctx, browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tab, err := shared.b.Tab(info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.b.Close(context.WithoutCancel(ctx), info.ID) })
	load(t, ctx, tab, page(html))
	return ctx, tab
}

// load navigates and waits for the load event of that very document.
func load(t *testing.T, ctx context.Context, tab browser.Tab, to string) {
	t.Helper()
	loaders := make(chan string, 64)
	defer tab.Subscribe(func(e browser.Event) {
		var p struct{ Name, LoaderID string }
		if e.Method == "Page.lifecycleEvent" && e.Frame == "" && json.Unmarshal(e.Params, &p) == nil && p.Name == "load" {
			loaders <- p.LoaderID
		}
	})()
	var answer struct{ LoaderID string }
	if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": to}, &answer); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case id := <-loaders:
			if id == answer.LoaderID {
				return
			}
		case <-ctx.Done():
			t.Fatalf("%s did not load", to)
		}
	}
}

// expect returns a function that waits for an event from now on.
func expect(t *testing.T, tab browser.Tab, method string) func(context.Context) browser.Event {
	t.Helper()
	events := make(chan browser.Event, 16)
	t.Cleanup(tab.Subscribe(func(e browser.Event) {
		if e.Method == method && e.Frame == "" {
			select {
			case events <- e:
			default:
			}
		}
	}))
	return func(ctx context.Context) browser.Event {
		t.Helper()
		select {
		case e := <-events:
			return e
		case <-ctx.Done():
			t.Fatalf("%s did not come", method)
			return browser.Event{}
		}
	}
}

func TestRun(t *testing.T) {
	ctx, tab := open(t, `<title>Hello</title><div data-host id=h></div><script>
		const r = h.attachShadow({mode: 'closed'})
		r.innerHTML = '<b>in</b><div data-host></div>'
		r.lastChild.attachShadow({mode: 'closed'}).textContent = 'side'</script>`)
	var got string
	answer, err := tab.Run(ctx, browser.RunRequest{Fn: "title"}, &got)
	if err != nil || got != "Hello" {
		t.Fatalf("title: %q, %v", got, err)
	}
	if !strings.HasPrefix(answer.URL, shared.base) || answer.Origin != shared.base {
		t.Errorf("answer of %+v", answer)
	}
	if _, err := tab.Run(ctx, browser.RunRequest{Fn: "closed"}, &got); err != nil || got != "in,side" {
		t.Errorf("a closed shadow root in another: %q, %v", got, err)
	}
	var doc struct {
		Root struct {
			BackendNodeID int64 `json:"backendNodeId"`
		} `json:"root"`
	}
	if err := tab.Call(ctx, "", "DOM.getDocument", nil, &doc); err != nil {
		t.Fatal(err)
	}
	_, err = tab.Run(ctx, browser.RunRequest{Fn: "refuse"}, nil)
	if browser.CodeOf(err) != browser.SelectorNotFound {
		t.Errorf("a page function's refusal: %v", err)
	}
	var tags []any
	if _, err := tab.Run(ctx, browser.RunRequest{Fn: "tag", Nodes: []int64{doc.Root.BackendNodeID}}, &tags); err != nil || len(tags) != 1 {
		t.Errorf("nodes as arguments: %v, %v", tags, err)
	}
}

func TestFrames(t *testing.T) {
	ctx, tab := open(t, `<title>Top</title><iframe name=a srcdoc="<title>A</title>x"></iframe>
		<iframe name=b src="{alt}/?page=<title>B</title><iframe name=c src='{base}/?page=<title>C</title>'></iframe>"></iframe>`)
	frames, err := tab.Frames(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, f := range frames {
		var title string
		answer, err := tab.Run(ctx, browser.RunRequest{Frame: f.ID, Fn: "title"}, &title)
		if err != nil {
			t.Fatalf("frame %d %+v: %v", i, f, err)
		}
		names = append(names, fmt.Sprintf("%s/%s/%v/%s", f.Name, title, f.Process, answer.Origin))
	}
	want := []string{
		"/Top/false/" + shared.base, "a/A/false/" + shared.base,
		"b/B/true/" + shared.alt, "c/C/true/" + shared.base,
	}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("frames:\n%v\nwant:\n%v", names, want)
	}
	if frames[2].Parent != frames[0].ID || frames[3].Parent != frames[2].ID {
		t.Errorf("parents: %+v", frames)
	}
}

func TestDialogDoesNotBlock(t *testing.T) {
	ctx, tab := open(t, `<button onclick="this.textContent = confirm('sure?')">x</button>`)
	opened := expect(t, tab, "Page.javascriptDialogOpening")
	done := make(chan error, 1)
	go func() {
		done <- tab.Call(ctx, "", "Runtime.evaluate", map[string]any{"expression": "document.querySelector('button').click()"}, nil)
	}()
	opened(ctx)
	if err := tab.Call(ctx, "", "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLostDocument(t *testing.T) {
	ctx, tab := open(t, `first`)
	done := make(chan error, 1)
	go func() {
		_, err := tab.Run(ctx, browser.RunRequest{Fn: "slow", Args: map[string]int{"ms": 60_000}}, nil)
		done <- err
	}()
	// The navigation is sent after the call: one connection keeps their order once the
	// call is under way.
	waitPending(t, shared.b.conn, "Runtime.callFunctionOn")
	if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": page("second")}, nil); err != nil {
		t.Fatal(err)
	}
	wantGone(t, <-done, navigated)
}

func TestCrash(t *testing.T) {
	ctx, tab := open(t, `to crash`)
	done := make(chan error, 1)
	go func() {
		_, err := tab.Run(ctx, browser.RunRequest{Fn: "slow", Args: map[string]int{"ms": 60_000}}, nil)
		done <- err
	}()
	waitPending(t, shared.b.conn, "Runtime.callFunctionOn")
	go func() { _ = tab.Call(ctx, "", "Page.crash", nil, nil) }()
	wantGone(t, <-done, crashed)
	_, err := tab.Run(ctx, browser.RunRequest{Fn: "title"}, nil)
	wantGone(t, err, crashed)
	loaded := expect(t, tab, "Page.loadEventFired")
	if err := tab.Call(ctx, "", "Page.reload", nil, nil); err != nil {
		t.Fatal(err)
	}
	loaded(ctx)
	if _, err := tab.Run(ctx, browser.RunRequest{Fn: "title"}, nil); err != nil {
		t.Errorf("after a reload: %v", err)
	}
}

func TestClosedDuringCall(t *testing.T) {
	ctx, tab := open(t, `to close`)
	done := make(chan error, 1)
	go func() {
		_, err := tab.Run(ctx, browser.RunRequest{Fn: "slow", Args: map[string]int{"ms": 60_000}}, nil)
		done <- err
	}()
	waitPending(t, shared.b.conn, "Runtime.callFunctionOn")
	if err := shared.b.Close(ctx, tab.ID()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; browser.CodeOf(err) != browser.TabNotFound {
		t.Errorf("call of a closed tab: %v", err)
	}
	if _, err := shared.b.Tab(tab.ID()); browser.CodeOf(err) != browser.TabNotFound {
		t.Errorf("a closed tab: %v", err)
	}
	if _, err := shared.b.Tab("cdp:0:1"); browser.CodeOf(err) != browser.StaleTab {
		t.Errorf("a tab of another run: %v", err)
	}
}

func TestOwnersAndPopups(t *testing.T) {
	ctx, tab := open(t, `<button onclick="window.open('about:blank')">x</button>`)
	created := expect(t, tab, "tab.created")
	press := map[string]any{"expression": "document.querySelector('button').click()", "userGesture": true}
	if err := tab.Call(ctx, "", "Runtime.evaluate", press, nil); err != nil {
		t.Fatal(err)
	}
	var popup struct {
		TabID  browser.TabID `json:"tabId"`
		Opener browser.TabID `json:"opener"`
	}
	if err := json.Unmarshal(created(ctx).Params, &popup); err != nil {
		t.Fatal(err)
	}
	other, err := shared.b.Tab(popup.TabID)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := other.Info(ctx)
	if info.Owner != "s1" || info.Opener != tab.ID() {
		t.Errorf("popup: %+v", info)
	}
	stranger := browser.WithCaller(ctx, browser.Caller{Session: "s2"})
	if err := other.Call(stranger, "", "Page.reload", nil, nil); browser.CodeOf(err) != browser.TabOwned {
		t.Errorf("another session's call: %v", err)
	}
	if err := shared.b.Release(ctx, "s1"); err != nil {
		t.Fatal(err)
	}
	if err := shared.b.Close(stranger, popup.TabID); err != nil {
		t.Errorf("close of a tab whose session ended: %v", err)
	}
}

func TestCapture(t *testing.T) {
	const bars = 30 // scroll bars, at two pixels a CSS pixel
	ctx, tab := open(t, `<body style="margin:0;background:#fff"><div style="width:3000px;height:3000px"></div>`)
	metrics := map[string]any{"width": 400, "height": 300, "deviceScaleFactor": 2, "mobile": false}
	if err := tab.Call(ctx, "", "Emulation.setDeviceMetricsOverride", metrics, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		o    browser.CaptureOptions
		w, h int
	}{
		{"viewport", browser.CaptureOptions{Format: "jpeg", Quality: 70}, 400, 300},
		{"at screen pixels", browser.CaptureOptions{Format: "png", Scale: 2}, 800, 600},
		{"clip below the viewport", browser.CaptureOptions{Format: "png", Beyond: true, Clip: &browser.Rect{X: 10, Y: 2000, Width: 50, Height: 40}}, 50, 40},
	} {
		img, err := tab.Capture(ctx, test.o)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		size, kind, err := image.DecodeConfig(bytes.NewReader(img.Data))
		if err != nil || img.MIME != "image/"+kind || size.Width > test.w || size.Width < test.w-bars || size.Height < test.h-bars || size.Height > test.h {
			t.Errorf("%s: %dx%d %s %v, want %dx%d", test.name, size.Width, size.Height, img.MIME, err, test.w, test.h)
		}
	}
}

func TestBatchStopsAtFirstError(t *testing.T) {
	ctx, tab := open(t, `x`)
	results, err := tab.Batch(ctx, []browser.Command{
		{Method: "Page.getLayoutMetrics"},
		{Method: "Page.noSuchThing", Delay: time.Millisecond},
		{Method: "Page.getLayoutMetrics"},
	})
	if len(results) != 1 || browser.CodeOf(err) != browser.CDPError {
		t.Errorf("%d results, %v", len(results), err)
	}
}

func TestInputBeforeFirstPaint(t *testing.T) {
	ctx, tab := open(t, `<title>no</title><button style="width:200px;height:200px" onclick="document.title='yes'">x</button>`)
	if _, err := tab.Batch(ctx, press(90, 90)); err != nil {
		t.Fatal(err)
	}
	var title string
	if _, err := tab.Run(ctx, browser.RunRequest{Fn: "title"}, &title); err != nil || title != "yes" {
		t.Errorf("the click came to nothing: title %q, %v", title, err)
	}
}

// press is a left click at a point.
func press(x, y int) []browser.Command {
	mouse := func(kind, button string, count int) browser.Command {
		return browser.Command{Method: "Input.dispatchMouseEvent", Params: map[string]any{
			"type": kind, "x": x, "y": y, "button": button, "clickCount": count,
		}}
	}
	return []browser.Command{mouse("mouseMoved", "none", 0), mouse("mousePressed", "left", 1), mouse("mouseReleased", "left", 1)}
}

func TestTimeoutOfInputIsUnknown(t *testing.T) {
	ctx, tab := open(t, `<button style="width:200px;height:200px" onclick="for(;;);">x</button>`)
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, err := tab.Batch(short, append(press(90, 90), press(90, 90)...))
	var e *browser.Error
	if !errors.As(err, &e) || e.Code != browser.Timeout || !e.Unknown {
		t.Errorf("input without an answer: %+v", err)
	}
}

func TestSocket(t *testing.T) {
	ctx := testContext(t)
	raw, err := os.ReadFile(filepath.Join(shared.b.cfg.ProfileDir, "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
	s, err := dial(ctx, "ws://127.0.0.1:"+port+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(s, func(string, string, json.RawMessage) {})
	go c.read()
	var version struct{ Product string }
	if err := c.call(ctx, "", "Browser.getVersion", nil, &version); err != nil || version.Product == "" {
		t.Errorf("version %q, %v", version.Product, err)
	}
	_ = s.close()
	<-c.done
	if err := c.call(ctx, "", "Browser.getVersion", nil, nil); browser.CodeOf(err) != browser.NoBackend {
		t.Errorf("call over a closed connection: %v", err)
	}
}

func TestBrowserEnds(t *testing.T) {
	ctx := testContext(t)
	b, err := Start(ctx, Config{Headless: true, Bundle: tinyBundle, World: "test"})
	if err != nil {
		t.Fatal(err)
	}
	killGroup(b.process.cmd)
	<-b.conn.done
	if _, err := b.Tabs(ctx); browser.CodeOf(err) != browser.NoBackend {
		t.Errorf("call to a browser that ended: %v", err)
	}
	if b.Status().Ready {
		t.Error("ready without a browser")
	}
	if err := b.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(b.cfg.ProfileDir); !os.IsNotExist(err) {
		t.Errorf("the temporary profile is still there: %v", err)
	}
}

func waitPending(t *testing.T, c *conn, method string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		c.mu.Lock()
		for _, p := range c.pending {
			if p.method == method {
				c.mu.Unlock()
				return
			}
		}
		c.mu.Unlock()
	}
	t.Fatalf("%s was not sent", method)
}

func wantGone(t *testing.T, err error, reason string) {
	t.Helper()
	var e *browser.Error
	if !errors.As(err, &e) || e.Code != browser.TargetGone || !strings.Contains(string(e.Data), reason) {
		t.Errorf("got %v, want %s because %s", err, browser.TargetGone, reason)
	}
}
