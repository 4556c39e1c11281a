package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
)

// chrome is a Chromium with our extension, installed by the program itself. The
// fallback's session on it is the tests' own hand: it presses Pair and looks into pages.
type chrome struct {
	*cdpfallback.Backend
	profile string
	data    string
}

// chromeOptions says how to start one. The zero value is a headless browser with a
// data folder of its own.
type chromeOptions struct {
	headed  bool
	data    string // share this data folder
	profile string // start with this profile again
	args    []string
	// extensions are the folders of others to load beside ours.
	extensions []string
}

// startChrome installs for a profile and starts a browser with it. Whoever calls it
// ends it.
func startChrome(ctx context.Context, o chromeOptions) (*chrome, error) {
	var err error
	if o.headed {
		if err := display(); err != nil {
			return nil, err
		}
	}
	if o.data == "" {
		if o.data, err = os.MkdirTemp(rig.dir, "data-"); err != nil {
			return nil, err
		}
	}
	if o.profile == "" {
		if o.profile, err = os.MkdirTemp(rig.dir, "profile-"); err != nil {
			return nil, err
		}
	}
	install := exec.CommandContext(ctx, rig.bin, "install", "--user-data-dir", o.profile, "--yes")
	install.Env = environment(o.data)
	out, err := install.CombinedOutput()
	rig.log.add("install", string(out))
	if err != nil {
		return nil, fmt.Errorf("install: %w\n%s", err, out)
	}
	path, err := cdpfallback.FindChromium()
	if err != nil {
		return nil, err
	}
	if err := ownDownloads(o.profile); err != nil {
		return nil, err
	}
	load := append([]string{filepath.Join(o.data, "extension")}, o.extensions...)
	flags := []string{"--load-extension=" + strings.Join(load, ",")}
	if o.headed {
		flags = append(flags, "--window-size=1280,900")
	}
	b, err := cdpfallback.Start(ctx, cdpfallback.Config{
		Path:       path,
		ProfileDir: o.profile,
		Headless:   !o.headed,
		Log:        rig.log.writer("chromium"),
		ExtraArgs:  append(flags, o.args...),

		LeaveDownloads: true,
	})
	if err != nil {
		return nil, err
	}
	return &chrome{Backend: b, profile: o.profile, data: o.data}, nil
}

// ownDownloads gives a profile a downloads folder of its own, as a user may choose one.
func ownDownloads(profile string) error {
	prefs := filepath.Join(profile, "Default", "Preferences")
	if _, err := os.Stat(prefs); err == nil {
		return nil // it was used before
	}
	if err := os.MkdirAll(filepath.Dir(prefs), 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(args{"download": args{"default_directory": filepath.Join(profile, "Downloads")}})
	if err != nil {
		return err
	}
	return os.WriteFile(prefs, text, 0o600)
}

// newChrome is a browser for one test.
func newChrome(t testing.TB, o chromeOptions) *chrome {
	t.Helper()
	c, err := startChrome(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Shutdown(context.Background()) })
	return c
}

// shared are the browsers that tests without a need of their own use, paired.
var shared = map[bool]func() (*chrome, error){
	false: sync.OnceValues(func() (*chrome, error) { return pairedChrome(false) }),
	true:  sync.OnceValues(func() (*chrome, error) { return pairedChrome(true) }),
}

var started []*chrome // by shared

func pairedChrome(headed bool) (*chrome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := startChrome(ctx, chromeOptions{headed: headed})
	if err != nil {
		return nil, err
	}
	started = append(started, c)
	s, err := startServer(ctx, c.data, "pairing", allowAll()...)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	_, err = c.pair(ctx)
	return c, err
}

// endShared ends what the package started.
func endShared() {
	for _, c := range started {
		_ = c.Shutdown(context.Background())
	}
	if xvfb != nil {
		_ = xvfb.Process.Kill()
		_ = xvfb.Wait()
	}
}

// paired is the shared headless browser, or the headed one.
func paired(t testing.TB, headed bool) *chrome {
	t.Helper()
	c, err := shared[headed]()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var xvfb *exec.Cmd

// display starts an X server for the headed browser, once.
var display = sync.OnceValue(func() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "2400x3600x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		return fmt.Errorf("start Xvfb for the headed tests: %w; make test installs it", err)
	}
	xvfb = cmd
	var number int
	if _, err := fmt.Fscan(r, &number); err != nil {
		return fmt.Errorf("Xvfb named no display: %w", err)
	}
	return os.Setenv("DISPLAY", fmt.Sprintf(":%d", number))
})

const options = "chrome-extension://" + extension.ID + "/options.html"

// pair presses Pair on the options page with a trusted click and returns how long it
// took until the page said connected. The page is closed again.
func (c *chrome) pair(ctx context.Context) (time.Duration, error) {
	tab, err := c.open(ctx, options)
	if err != nil {
		return 0, err
	}
	defer c.Close(context.WithoutCancel(ctx), tab.ID())
	if err := c.pressOn(ctx, tab, "#pair"); err != nil {
		return 0, err
	}
	return c.connected(ctx, tab)
}

// connected waits until the options page says so and returns the time since its last
// trusted click, measured in the page.
func (c *chrome) connected(ctx context.Context, tab browser.Tab) (time.Duration, error) {
	var ms float64
	err := c.eval(ctx, tab, `new Promise((done, fail) => {
		const status = document.querySelector('#status');
		const look = () => /\bconnected\b/.test(status.textContent) && done(performance.now() - (window.pressedAt ?? performance.now()));
		new MutationObserver(look).observe(status, {childList: true, subtree: true, characterData: true});
		look();
		setTimeout(() => fail(new Error('not connected: ' + document.body.innerText)), 8000);
	})`, &ms)
	return time.Duration(ms * float64(time.Millisecond)), err
}

// open opens a page in a tab of the tests' own and waits until it has loaded.
func (c *chrome) open(ctx context.Context, url string) (browser.Tab, error) {
	info, err := c.Open(ctx, browser.OpenOptions{Active: true})
	if err != nil {
		return nil, err
	}
	tab, err := c.Tab(info.ID)
	if err != nil {
		return nil, err
	}
	loaded := make(chan struct{}, 16)
	defer tab.Subscribe(func(e browser.Event) {
		if e.Method == "Page.domContentEventFired" {
			loaded <- struct{}{}
		}
	})()
	if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": url}, nil); err != nil {
		return nil, err
	}
	for {
		var at string
		if err := c.eval(ctx, tab, `document.readyState === 'loading' ? '' : location.href`, &at); err == nil && at != "" && at != "about:blank" {
			return tab, nil
		}
		select {
		case <-loaded:
		case <-ctx.Done():
			return nil, fmt.Errorf("%s did not load: %w", url, ctx.Err())
		}
	}
}

// pressOn presses the left button on the middle of an element, as a user would, once
// the element is enabled and has stopped moving.
func (c *chrome) pressOn(ctx context.Context, tab browser.Tab, selector string) error {
	var at struct{ X, Y float64 }
	err := c.eval(ctx, tab, fmt.Sprintf(`new Promise(done => {
		let last = '';
		const look = () => {
			const e = document.querySelector(%q);
			e?.scrollIntoView({block: 'nearest', behavior: 'instant'});
			const r = e?.getBoundingClientRect();
			const at = JSON.stringify(r), still = at === last;
			last = at;
			if (!e || e.disabled || !r.width || !still) return setTimeout(look, 50);
			e.addEventListener('click', () => { window.pressedAt = performance.now() }, {capture: true, once: true});
			done({x: r.x + r.width / 2, y: r.y + r.height / 2});
		};
		look();
	})`, selector), &at)
	if err != nil {
		return fmt.Errorf("find %s: %w", selector, err)
	}
	mouse := func(kind, button string, count int) browser.Command {
		return browser.Command{Method: "Input.dispatchMouseEvent", Params: map[string]any{
			"type": kind, "x": at.X, "y": at.Y, "button": button, "clickCount": count,
		}}
	}
	_, err = tab.Batch(ctx, []browser.Command{
		mouse("mouseMoved", "none", 0), mouse("mousePressed", "left", 1), mouse("mouseReleased", "left", 1),
	})
	return err
}

// eval evaluates an expression in the main world of a tab and waits for a promise.
func (c *chrome) eval(ctx context.Context, tab browser.Tab, expression string, into any) error {
	return evaluate(ctx, func(ctx context.Context, params, result any) error {
		return tab.Call(ctx, "", "Runtime.evaluate", params, result)
	}, expression, into)
}

func evaluate(ctx context.Context, send func(ctx context.Context, params, result any) error, expression string, into any) error {
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := send(ctx, args{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &answer)
	if err != nil {
		return err
	}
	if x := answer.Exception; x != nil {
		return fmt.Errorf("%s %s", x.Text, x.Exception.Description)
	}
	if into == nil || answer.Result.Value == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, into)
}

// worker evaluates an expression in the extension's service worker.
func (c *chrome) worker(ctx context.Context, expression string, into any) error {
	return c.workerOf(ctx, extension.ID, expression, into)
}

// workerOf is worker for any extension.
func (c *chrome) workerOf(ctx context.Context, extension, expression string, into any) error {
	id, err := c.workerTarget(ctx, extension)
	if err != nil {
		return err
	}
	var s struct{ SessionID string }
	if err := c.Command(ctx, "", "Target.attachToTarget", map[string]any{"targetId": id, "flatten": true}, &s); err != nil {
		return err
	}
	// The attachment would keep the worker alive.
	defer c.Command(ctx, "", "Target.detachFromTarget", map[string]string{"sessionId": s.SessionID}, nil)
	return evaluate(ctx, func(ctx context.Context, params, result any) error {
		return c.Command(ctx, s.SessionID, "Runtime.evaluate", params, result)
	}, expression, into)
}

// workerTarget is the target id of an extension's running service worker.
func (c *chrome) workerTarget(ctx context.Context, extension string) (string, error) {
	var list struct {
		Infos []struct{ TargetID, Type, URL string } `json:"targetInfos"`
	}
	if err := c.Command(ctx, "", "Target.getTargets", nil, &list); err != nil {
		return "", err
	}
	for _, i := range list.Infos {
		if i.Type == "service_worker" && strings.HasPrefix(i.URL, "chrome-extension://"+extension+"/") {
			return i.TargetID, nil
		}
	}
	return "", fmt.Errorf("the service worker of extension %s does not run", extension)
}

// stopWorker stops the extension's service worker, as Chrome does when it has been idle.
func (c *chrome) stopWorker(ctx context.Context) error { return c.stopWorkerOf(ctx, extension.ID) }

// stopWorkerOf is stopWorker for any extension.
func (c *chrome) stopWorkerOf(ctx context.Context, extension string) error {
	id, err := c.workerTarget(ctx, extension)
	if err != nil {
		return err
	}
	return c.Command(ctx, "", "Target.closeTarget", map[string]string{"targetId": id}, nil)
}
