// Package pages tests the extension's own pages in a real browser, in every state
// that the worker can tell them. Only the port to the worker is stood in for: most of
// these states are faults, and the tests of the whole reach them one by one.
//
// To look at the pages: go test ./e2e/pages -shots DIR
package pages

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
)

var shots = flag.String("shots", "", "folder to save pictures of all states in, light and dark")

//go:embed testdata/port.js
var port string

func TestPages(t *testing.T) {
	for _, s := range shows {
		t.Run(s.name, func(t *testing.T) {
			p := open(t, s)
			if got := p.text("document.querySelector('#status').textContent"); got != s.status {
				t.Errorf("#status says %q, want %q", got, s.status)
			}
			p.check()
			p.picture(s.name)
			if s.page == "options.html" {
				p.resize(400)
				p.check()
				p.picture(s.name + "-narrow")
			}
		})
	}
}

// faults lists what no state may show: something interactive without a name, a page
// that is wider than its window, an id twice, words that nobody filled in, an error of
// a script, something that the content security policy had to stop.
const faults = `(() => {
  const found = [...wrong];
  for (const el of document.querySelectorAll('button, input, summary, a, [tabindex]')) {
    const name = el.getAttribute('aria-label') || el.labels?.[0]?.textContent || el.textContent;
    if (!name.trim()) found.push('no name: ' + el.outerHTML);
  }
  const wide = document.scrollingElement;
  if (wide.scrollWidth > wide.clientWidth) found.push('wider than the window: ' + wide.scrollWidth);
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  if (new Set(ids).size < ids.length) found.push('an id is there twice');
  if (/undefined|NaN|\[object/.test(document.body.innerText)) found.push(document.body.innerText);
  if (!document.querySelector('[role=status]')) found.push('no live region');
  return found;
})()`

// TestNothingJumps holds the buttons where they are while states change: a press that
// is on its way must not meet another button.
func TestNothingJumps(t *testing.T) {
	places := map[string]string{}
	for _, s := range shows {
		if s.page != "options.html" {
			continue
		}
		p := open(t, s)
		got := p.text(`JSON.stringify(['#pair', '#stop', '.steps'].map(q => {
			const r = document.querySelector(q).getBoundingClientRect(); return [r.x, r.y, r.width] }))`)
		if places[s.page] == "" {
			places[s.page] = got
		}
		if got != places[s.page] {
			t.Errorf("%s: buttons are at %s, were at %s", s.name, got, places[s.page])
		}
	}
}

func TestRequests(t *testing.T) {
	tests := []struct {
		name   string
		show   show
		script string
		want   string // the last request
	}{
		{"pair", find("options-fresh"), `document.querySelector('#pair').click()`, `{"type":"pair"}`},
		{"pair again", find("options-connected"), `document.querySelector('#pair').click()`, `{"type":"pair"}`},
		{"stop", find("options-connected"), `document.querySelector('#stop').click()`, `{"type":"stop"}`},
		{"resume", find("options-stopped"), `document.querySelector('#stop').click()`, `{"type":"resume"}`},
		{"stop from the popup", find("popup-connected"), `document.querySelector('#stop').click()`, `{"type":"stop"}`},
		{"pair before the page is whole", pressed("#pair", find("options-fresh")), ``, `{"type":"pair"}`},
		{"site", find("popup-connected"), ``, `{"type":"site","url":"https://github.com/a/b","tab":1}`},
		{"take a tab back", find("popup-asked"), `document.querySelector('#free').click()`, `{"type":"free","tab":1}`},
		{"take a grant back", find("popup-asked"), `document.querySelector('[data-grant=g1] [data-field=revoke]').click()`, `{"type":"revoke","id":"g1"}`},
		{"remove a grant", find("options-grants"), `document.querySelector('#grants button').click()`, `{"type":"revoke","id":"g1"}`},
		{"a script allows nothing", find("popup-asked"), `(async () => {
			while (document.body.dataset.still === undefined) await new Promise(requestAnimationFrame);
			document.querySelectorAll('.verdicts button').forEach(b => b.click());
		})()`, `{"type":"site","url":"https://github.com/a/b","tab":1}`},
		{"let extensions ask", find("options-connected"), `document.querySelector('#serve-enabled').click()`, `{"type":"serve","enabled":true}`},
		{"no writes", find("options-others"), `document.querySelector('#serve-writes').click()`, `{"type":"serve","writes":false}`},
		{"no review", find("options-others"), `document.querySelector('#serve-review').click()`, `{"type":"serve","review":false}`},
		{"a script allows no extension", find("options-others"), `(async () => {
			document.querySelector('#serve-review').click();
			while (document.body.dataset.still === undefined) await new Promise(requestAnimationFrame);
			document.querySelectorAll('.caller-say button').forEach(b => b.click());
		})()`, `{"type":"serve","review":false}`},
		{"file", find("options-fresh"), `(async () => {
			const input = document.querySelector('#manual'), files = new DataTransfer();
			files.items.add(new File(['{"v":1}'], 'handshake.json'));
			input.files = files.files;
			input.dispatchEvent(new Event('change'));
			while (!asked.length) await new Promise(requestAnimationFrame);
		})()`, `{"type":"manual","text":"{\"v\":1}"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := open(t, test.show)
			if got := p.text("(async () => { await " + orNothing(test.script) + "; return JSON.stringify(asked.at(-1)) })()"); got != test.want {
				t.Errorf("the page asks for %s, want %s", got, test.want)
			}
		})
	}
}

// pressed is s with something pressed as soon as it is there.
func pressed(selector string, s show) show {
	s.Press = selector
	return s
}

func orNothing(script string) string {
	if script == "" {
		return "undefined"
	}
	return script
}

// TestSmallPrint checks what the rows say.
func TestSmallPrint(t *testing.T) {
	p := open(t, find("options-refused"))
	got := p.text(`[...document.querySelectorAll('[data-server]')].map(e => e.dataset.server + ' ' + e.dataset.state).join()`)
	if want := "01A connected,01B refused"; got != want {
		t.Errorf("servers %q, want %q", got, want)
	}
	if got := p.text(`document.querySelector('[data-server="01B"] code').textContent`); got != "chrome-mcp install" {
		t.Errorf("the command is %q", got)
	}
	p = open(t, find("popup-connected"))
	if got, want := p.text(`document.querySelector('#flags code').textContent`), "--allow-domain github.com --enable-mutations"; got != want {
		t.Errorf("the flags are %q, want %q", got, want)
	}
	if got := p.text(`[...document.querySelectorAll('.right')].map(e => e.getAttribute('aria-label')).join()`); got != "Read: allowed,Act: not allowed,Read: not allowed,Act: not allowed" {
		t.Errorf("permissions are read out as %q", got)
	}
}

// TestWhatIsOffered checks what the popup lets the user say.
func TestWhatIsOffered(t *testing.T) {
	p := open(t, find("popup-asked"))
	for expression, want := range map[string]string{
		// Open where it was asked for; acting is chosen where that was wanted.
		`[...document.querySelectorAll('#access details')].map(d => d.hidden ? 'none' : d.open).join()`:                   "true,none,false",
		`[...document.querySelectorAll('#access details:not([hidden]) :checked')].map(i => i.value).join()`:               "full,read",
		`[...document.querySelectorAll('#access input:disabled')].map(i => i.value).join()`:                               "read",
		`[...document.querySelectorAll('#asks li')].map(e => e.dataset.site.slice(0, 8) + ' ' + e.dataset.client).join()`: "the-name claude-code 2.1.4,mail.exa Cursor 1.9",
		`document.querySelector('#here').innerText`:                                                                       "claude-code 2.1.4 works in this tab. It opens only sites that you allowed.\n\nTake this tab back",
		`document.querySelector('#asks button').getAttribute('aria-label').replace(/:.* to/, ': … to')`:                   "Allow, Once: … to claude-code 2.1.4",
	} {
		if got := p.text(expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	// A host is shown whole: what it ends with says whose it is.
	if got := p.text(`[...document.querySelectorAll('.asked-site')].filter(e => e.scrollWidth > e.clientWidth).length + ''`); got != "0" {
		t.Errorf("%s hosts are cut", got)
	}
	p = open(t, find("popup-tools"))
	for expression, want := range map[string]string{
		`[...document.querySelectorAll('#asks [data-field=why]')].map(e => e.innerText).join('|')`: "claude-code 2.1.4 wants to use a tool of this page, “x nothing at all”|claude-code 2.1.4 wants to use a tool of this page, “add_to_cart”",
		`[...document.querySelectorAll('#asks fieldset')].map(e => e.hidden).join()`:               "true,true",
		`document.querySelector('#asks li:last-child .deny').getAttribute('aria-label')`:           "Deny: add_to_cart of https://shop.example.com to claude-code 2.1.4",
	} {
		if got := p.text(expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	p = open(t, find("popup-alone"))
	if got := p.text(`document.querySelector('#access details').open + ''`); got != "true" {
		t.Error("the only client's choice is folded away")
	}
	p = open(t, find("popup-connected")) // servers without site grants
	if got := p.text(`[...document.querySelectorAll('.choice')].filter(e => e.checkVisibility()).length + ''`); got != "0" {
		t.Errorf("%s choices are offered that no server takes", got)
	}
}

// TestOthers checks what the pages say of other extensions.
func TestOthers(t *testing.T) {
	p := open(t, find("options-others"))
	for expression, want := range map[string]string{
		`[...document.querySelectorAll('#callers li')].map(e => e.dataset.state + ' ' + [...e.querySelectorAll('button:not([hidden])')].map(b => b.textContent).join('+')).join()`: "pending Allow+Deny,pending Allow+Deny,allowed Remove,denied Allow+Remove",
		`document.querySelector('#callers [data-field=name]').textContent`:                                                "“Lumo”",
		`document.querySelector('#callers button').getAttribute('aria-label')`:                                            "Allow “Lumo” " + strings.Repeat("abcdefgh", 4),
		`document.querySelector('#reviews [data-field=what]').textContent`:                                                "“Example host” wants to use type on github.com",
		`[...document.querySelectorAll('[role=switch][id^=serve]')].map(e => e.checked + (e.disabled ? '-' : '')).join()`: "true,true,true",
	} {
		if got := p.text(expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	p = open(t, find("options-connected"))
	if got := p.text(`[...document.querySelectorAll('.switches [role=switch]')].map(e => e.checked + (e.disabled ? '-' : '')).join()`); got != "false,false-,true-" {
		t.Errorf("the switches are %q while extensions may not ask", got)
	}
	p = open(t, find("popup-others"))
	if got := p.text(`document.querySelectorAll('#callers li').length + ' ' + document.querySelectorAll('#reviews li').length`); got != "2 1" {
		t.Errorf("the popup shows %s callers and reviews, want those that wait", got)
	}
}

func find(name string) show {
	for _, s := range shows {
		if s.name == name {
			return s
		}
	}
	panic("no state " + name)
}

// tab is an open page of the extension.
type tab struct {
	t   *testing.T
	ctx context.Context
	browser.Tab
}

// shared is the browser of all tests, with the extension in it.
var shared *cdpfallback.Backend

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := withBrowser(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withBrowser(run func() int) (int, error) {
	dir, err := os.MkdirTemp("", "chrome-mcp-pages-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if err := extension.Unpack(dir); err != nil {
		return 1, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	shared, err = cdpfallback.Start(ctx, cdpfallback.Config{Headless: true, ExtraArgs: []string{"--load-extension=" + dir}})
	if err != nil {
		return 1, err
	}
	defer shared.Shutdown(context.Background())
	return run(), nil
}

// open opens the page of s and returns when it shows the state.
func open(t *testing.T, s show) *tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	info, err := shared.Open(ctx, browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bt, err := shared.Tab(info.ID)
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{t, ctx, bt}
	t.Cleanup(func() { shared.Close(context.Background(), info.ID) })
	width := 980
	if s.page == "popup.html" {
		width = 340
	}
	p.resize(width)
	p.call("Page.addScriptToEvaluateOnNewDocument", object{"source": strings.Replace(port, "STATE", s.json(), 1)})
	p.call("Page.navigate", object{"url": extension.Origin + s.page})
	p.text(`(async () => {
		const shown = () => document.querySelector('#status')?.textContent ?? 'Looking…';
		while (shown() === 'Looking…') await new Promise(requestAnimationFrame);
		return '';
	})()`)
	return p
}

// check reports the faults of the page as it is now.
func (p *tab) check() {
	p.t.Helper()
	for _, fault := range p.list(faults) {
		p.t.Error(fault)
	}
}

func (p *tab) resize(width int) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": 900, "deviceScaleFactor": 1.5, "mobile": false})
}

func (p *tab) call(method string, params any) {
	p.t.Helper()
	if err := p.Call(p.ctx, "", method, params, nil); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

func evaluate[T any](p *tab, script string) T {
	p.t.Helper()
	var r struct {
		Result    struct{ Value T }
		Exception *struct{ Text string } `json:"exceptionDetails"`
	}
	params := object{"expression": script, "awaitPromise": true, "returnByValue": true}
	if err := p.Call(p.ctx, "", "Runtime.evaluate", params, &r); err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
	if r.Exception != nil {
		p.t.Fatalf("%s: %s", script, r.Exception.Text)
	}
	return r.Result.Value
}

func (p *tab) text(script string) string   { p.t.Helper(); return evaluate[string](p, script) }
func (p *tab) list(script string) []string { p.t.Helper(); return evaluate[[]string](p, script) }

// picture saves the page in both schemes, if asked.
func (p *tab) picture(name string) {
	if *shots == "" {
		return
	}
	size := evaluate[browser.Rect](p, `({width: innerWidth, height: Math.ceil(document.body.getBoundingClientRect().height)})`)
	// What lies below the window would not be in the picture.
	p.call("Emulation.setDeviceMetricsOverride", object{"width": int(size.Width), "height": int(size.Height), "deviceScaleFactor": 1.5, "mobile": false})
	for _, scheme := range []string{"light", "dark"} {
		p.call("Emulation.setEmulatedMedia", object{"features": []any{object{"name": "prefers-color-scheme", "value": scheme}}})
		// Not Page.captureScreenshot: these tabs are hidden.
		image, err := p.Capture(p.ctx, browser.CaptureOptions{Format: "png", Clip: &size, Scale: 2})
		if err == nil {
			err = os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%s.png", name, scheme)), image.Data, 0o644)
		}
		if err != nil {
			p.t.Error(err)
		}
	}
}
