package bundle_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"chrome-mcp/internal/page/bundle"
)

// chrome is one headless Chromium over the debugging pipe, with one page.
type chrome struct {
	in      io.WriteCloser
	mu      sync.Mutex
	last    int
	pending map[int]chan reply
	session string
	server  *httptest.Server
	pages   map[string]string // path → HTML
	loaded  chan struct{}     // the page's load event
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// shared is the browser of all tests: starting one takes longer than most of them.
var shared *chrome

func TestMain(m *testing.M) {
	os.Exit(func() int {
		c, stop, err := start()
		if err != nil {
			fmt.Fprintln(os.Stderr, "bundle tests need a Chromium:", err)
			return 1
		}
		defer stop()
		shared = c
		return m.Run()
	}())
}

func findChromium() (string, error) {
	if p := os.Getenv("CHROME_PATH"); p != "" {
		return p, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", errors.New("install chromium, or name it in CHROME_PATH")
}

func start() (*chrome, func(), error) {
	path, err := findChromium()
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "bundle-chrome-")
	if err != nil {
		return nil, nil, err
	}
	toChrome, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out, fromChrome, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,720",
		"--remote-debugging-pipe", "--user-data-dir="+dir, "about:blank")
	cmd.ExtraFiles = []*os.File{toChrome, fromChrome}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	toChrome.Close()
	fromChrome.Close()
	c := &chrome{in: in, pending: map[int]chan reply{}, pages: map[string]string{}, loaded: make(chan struct{}, 1)}
	go c.read(out)
	c.server = httptest.NewServer(http.HandlerFunc(c.serve))
	stop := func() {
		in.Close() // the browser ends with its pipe
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			cmd.Process.Kill()
			<-done
		}
		c.server.Close()
		os.RemoveAll(dir)
	}
	if err := c.attach(); err != nil {
		stop()
		return nil, nil, err
	}
	return c, stop, nil
}

func (c *chrome) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	html, ok := c.pages[r.URL.Path]
	c.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	kind := "text/html; charset=utf-8"
	if strings.HasSuffix(r.URL.Path, ".xhtml") {
		kind = "application/xhtml+xml"
	} else if strings.HasSuffix(r.URL.Path, ".svg") {
		kind = "image/svg+xml"
	}
	w.Header().Set("Content-Type", kind)
	io.WriteString(w, html)
}

func (c *chrome) read(r io.Reader) {
	br := bufio.NewReaderSize(r, 1<<20)
	for {
		msg, err := br.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			reply
		}
		if json.Unmarshal(msg[:len(msg)-1], &m) != nil {
			continue
		}
		if m.Method == "Page.loadEventFired" {
			select {
			case c.loaded <- struct{}{}:
			default:
			}
		}
		c.mu.Lock()
		ch := c.pending[m.ID]
		delete(c.pending, m.ID)
		c.mu.Unlock()
		if ch != nil {
			ch <- m.reply
		}
	}
}

// cdp sends one command to the page and decodes its result.
func (c *chrome) cdp(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	ch := make(chan reply, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.pending[id] = ch
	msg, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params, "sessionId": c.session})
	if c.session == "" {
		msg, err = json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	}
	if err == nil {
		_, err = c.in.Write(append(msg, 0))
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case r := <-ch:
		if r.Error != nil {
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: no answer", method)
	}
}

type object = map[string]any

func (c *chrome) attach() error {
	var made struct{ TargetID, SessionID string }
	if err := c.cdp("Target.createTarget", object{"url": "about:blank"}, &made); err != nil {
		return err
	}
	if err := c.cdp("Target.attachToTarget", object{"targetId": made.TargetID, "flatten": true}, &made); err != nil {
		return err
	}
	c.session = made.SessionID
	for _, cmd := range []struct {
		method string
		params object
	}{
		{"Page.enable", object{}},
		{"Emulation.setFocusEmulationEnabled", object{"enabled": true}},
		{"Page.addScriptToEvaluateOnNewDocument", object{"source": bundle.Source, "worldName": bundle.World, "runImmediately": true}},
	} {
		if err := c.cdp(cmd.method, cmd.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// doc is a loaded page in a test.
type doc struct {
	t     *testing.T
	c     *chrome
	frame string
	world int
}

// load navigates to a page with this HTML.
func load(t *testing.T, html string) *doc { return loadAs(t, "html", html) }

func loadAs(t *testing.T, ext, html string) *doc {
	t.Helper()
	c := shared
	c.mu.Lock()
	path := fmt.Sprintf("/%d.%s", len(c.pages), ext)
	c.pages[path] = html
	c.mu.Unlock()
	select {
	case <-c.loaded:
	default:
	}
	d := &doc{t: t, c: c}
	var nav struct{ FrameID, ErrorText string }
	d.must(c.cdp("Page.navigate", object{"url": c.server.URL + path}, &nav))
	if nav.ErrorText != "" {
		t.Fatal(nav.ErrorText)
	}
	select {
	case <-c.loaded:
	case <-time.After(10 * time.Second):
		t.Fatal("page did not load")
	}
	d.enter(nav.FrameID)
	return d
}

func (d *doc) enter(frame string) {
	d.t.Helper()
	var world struct{ ExecutionContextID int }
	d.must(d.c.cdp("Page.createIsolatedWorld", object{"frameId": frame, "worldName": bundle.World}, &world))
	d.frame, d.world = frame, world.ExecutionContextID
}

func (d *doc) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

type envelope struct {
	URL, Origin, Document string
	Value                 json.RawMessage
	JSON                  string
	Error                 *failure
	Hosts                 int
}

type failure struct {
	Code, Message string
	Data          json.RawMessage
}

func (f *failure) String() string {
	if f == nil {
		return "no error"
	}
	return f.Code + ": " + f.Message
}

// call runs a page function as a runner does, closed shadow roots included.
func (d *doc) call(fn string, args any, nodes ...object) envelope {
	d.t.Helper()
	env := d.once(fn, args, nodes...)
	for tries := 0; env.Hosts > 0; tries++ {
		if tries == 5 {
			d.t.Fatalf("%s asks for closed roots again and again", fn)
		}
		d.adopt()
		env = d.once(fn, args, nodes...)
	}
	return env
}

func (d *doc) once(fn string, args any, nodes ...object) envelope {
	d.t.Helper()
	list := append([]object{{"value": fn}, {"value": args}}, nodes...)
	var r struct {
		Result           struct{ Value envelope }
		ExceptionDetails json.RawMessage
	}
	d.must(d.c.cdp("Runtime.callFunctionOn", object{
		"functionDeclaration": "function(n,a,...x){return globalThis.__chromeMcp.run(n,a,x)}",
		"executionContextId":  d.world, "arguments": list, "awaitPromise": true, "returnByValue": true,
	}, &r))
	if r.ExceptionDetails != nil {
		d.t.Fatalf("%s threw: %s", fn, r.ExceptionDetails)
	}
	if env := r.Result.Value; env.JSON != "" {
		env.Value = json.RawMessage(env.JSON)
		return env
	}
	return r.Result.Value
}

// adopt looks for closed roots in the candidates and hands them in.
func (d *doc) adopt() {
	d.t.Helper()
	list := d.object("globalThis.__chromeMcp.candidates()")
	var props struct {
		Result []struct {
			Name  string
			Value struct{ ObjectID string }
		}
	}
	d.must(d.c.cdp("Runtime.getProperties", object{"objectId": list, "ownProperties": true}, &props))
	for _, p := range props.Result {
		if p.Value.ObjectID == "" || p.Name == "length" {
			continue
		}
		var desc struct {
			Node struct {
				ShadowRoots []struct {
					BackendNodeID  int
					ShadowRootType string
				}
			}
		}
		if d.c.cdp("DOM.describeNode", object{"objectId": p.Value.ObjectID, "pierce": true}, &desc) != nil {
			continue
		}
		for _, root := range desc.Node.ShadowRoots {
			if root.ShadowRootType != "closed" {
				continue
			}
			var node struct{ Object struct{ ObjectID string } }
			d.must(d.c.cdp("DOM.resolveNode", object{"backendNodeId": root.BackendNodeID, "executionContextId": d.world}, &node))
			d.must(d.c.cdp("Runtime.callFunctionOn", object{
				"functionDeclaration": "function(h,r){globalThis.__chromeMcp.adopt(h,r)}", "executionContextId": d.world,
				"arguments": []object{{"objectId": p.Value.ObjectID}, {"objectId": node.Object.ObjectID}},
			}, nil))
		}
	}
}

// object evaluates in the bundle's world and returns a handle.
func (d *doc) object(expression string) string {
	d.t.Helper()
	var r struct{ Result struct{ ObjectID string } }
	d.must(d.c.cdp("Runtime.evaluate", object{"expression": expression, "contextId": d.world}, &r))
	return r.Result.ObjectID
}

// run calls a page function that has to succeed.
func (d *doc) run(fn string, args, result any) {
	d.t.Helper()
	env := d.call(fn, args)
	if env.Error != nil {
		d.t.Fatalf("%s: %s", fn, env.Error)
	}
	if result != nil {
		d.must(json.Unmarshal(env.Value, result))
	}
}

// fails calls a page function that has to fail, with this code and these words.
func (d *doc) fails(fn string, args any, code string, words ...string) {
	d.t.Helper()
	env := d.call(fn, args)
	if env.Error == nil {
		d.t.Fatalf("%s succeeded: %s; want %s", fn, env.Value, code)
	}
	if env.Error.Code != code {
		d.t.Errorf("%s: %s; want code %s", fn, env.Error, code)
	}
	for _, w := range words {
		if !strings.Contains(env.Error.Message, w) {
			d.t.Errorf("%s: %s; want %q in it", fn, env.Error, w)
		}
	}
}

// js evaluates in the page's own world and decodes the value.
func (d *doc) js(expression string) any {
	d.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	d.must(d.c.cdp("Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r))
	if r.ExceptionDetails != nil {
		d.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	return r.Result.Value
}

// mouse sends one trusted press and release.
func (d *doc) mouse(x, y float64, count int) {
	d.t.Helper()
	d.must(d.c.cdp("Input.dispatchMouseEvent", object{"type": "mouseMoved", "x": x, "y": y}, nil))
	for n := 1; n <= count; n++ {
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			d.must(d.c.cdp("Input.dispatchMouseEvent", object{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": n}, nil))
		}
	}
}
