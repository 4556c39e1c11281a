package e2e

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
)

// other is an extension beside ours, and the tests' hand in it: its page.
type other struct {
	c    *chrome
	id   string
	page browser.Tab
}

// example is the folder of an example extension, and its id.
func example(t testing.TB, name string) (dir, id string) {
	return unpacked(t, filepath.Join("..", "extension", "examples", name, "dist"))
}

// unpacked is a folder of an extension, and its id.
func unpacked(t testing.TB, folder string) (dir, id string) {
	t.Helper()
	dir, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Key string }
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return dir, extensionID(t, m.Key)
}

// extensionID is the id that Chrome gives to an extension with a key.
func extensionID(t testing.TB, key string) string {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	return strings.Map(func(r rune) rune {
		return 'a' + rune(strings.IndexRune("0123456789abcdef", r))
	}, fmt.Sprintf("%x", sum[:16]))
}

// inPages is a script in web pages that asks for us whom the page names in its title.
const inPages = `new MutationObserver(async (_, seen) => {
	if (!/^[a-p]{32}$/.test(document.title)) return;
	seen.disconnect();
	const probe = chrome.runtime.sendMessage(document.title, {channel: 'lumo:probe', version: 1, id: 'p'});
	const port = chrome.runtime.connect(document.title, {name: 'mcp'});
	const gone = new Promise(done => port.onDisconnect.addListener(() => done('closed')));
	document.title = JSON.stringify([await probe, await Promise.race([gone, new Promise(done => setTimeout(done, 3000, 'open'))])]);
}).observe(document, {childList: true, subtree: true, characterData: true})`

// writeExtension writes an extension that consists of an empty page, a worker, and a
// script in pages.
func writeExtension(t testing.TB, name, worker string) (dir, id string) {
	t.Helper()
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&pair.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	key := base64.StdEncoding.EncodeToString(der)
	manifest, err := json.Marshal(args{
		"manifest_version": 3, "name": name, "version": "1.0", "key": key,
		"background":      args{"service_worker": "worker.js"},
		"content_scripts": []any{args{"matches": []string{"http://127.0.0.1/*"}, "js": []string{"script.js"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for file, text := range map[string]string{"manifest.json": string(manifest), "page.html": "<!doctype html><title>" + name + "</title>", "worker.js": worker, "script.js": inPages} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, extensionID(t, key)
}

// beside opens the page of another extension.
func (c *chrome) beside(t testing.TB, id string) *other {
	t.Helper()
	page, err := c.open(t.Context(), "chrome-extension://"+id+"/page.html")
	if err != nil {
		t.Fatal(err)
	}
	return &other{c, id, page}
}

// run evaluates an expression in the page, as the extension.
func (o *other) run(t testing.TB, expression string, into any) {
	t.Helper()
	if err := o.c.eval(t.Context(), o.page, expression, into); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
}

// hostAnswer is what the example host says of a request.
type hostAnswer struct {
	Error  string          `json:"error"`
	Result json.RawMessage `json:"result"`
}

// ask sends a request to the example host's worker.
func (o *other) ask(t testing.TB, request args) hostAnswer {
	t.Helper()
	request["id"] = extension.ID
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var a hostAnswer
	o.run(t, fmt.Sprintf("chrome.runtime.sendMessage(%s)", text), &a)
	return a
}

// probe is the state that the host gives us, in its words.
func (o *other) probe(t testing.TB) string {
	t.Helper()
	a := o.ask(t, args{"type": "probe"})
	var s struct{ State, Text string }
	if err := json.Unmarshal(a.Result, &s); err != nil {
		t.Fatalf("probe: %+v", a)
	}
	return s.Text
}

// use calls one of our tools through the host and returns its text.
func (o *other) use(t testing.TB, tool string, arguments args) string {
	t.Helper()
	a := o.ask(t, args{"type": "call", "tool": tool, "args": arguments})
	if a.Error != "" {
		return "error: " + a.Error
	}
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(a.Result, &r); err != nil {
		t.Fatalf("%s: %s", tool, a.Result)
	}
	var text []string
	for _, c := range r.Content {
		text = append(text, c.Text)
	}
	return strings.Join(text, "\n")
}

// desk is our options page.
type desk struct {
	t   testing.TB
	c   *chrome
	tab browser.Tab
}

func (c *chrome) desk(t testing.TB) *desk {
	t.Helper()
	tab, err := c.open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t, c, tab}
}

// press presses with the mouse, once the page has stood still for a while: before that
// its buttons take no word of the user.
func (d *desk) press(selector string) {
	d.t.Helper()
	d.await(fmt.Sprintf(`document.querySelector(%q) && document.body.dataset.still !== undefined`, selector))
	ctx, cancel := context.WithTimeout(d.t.Context(), 10*time.Second)
	defer cancel()
	if err := d.c.pressOn(ctx, d.tab, selector); err != nil {
		d.t.Fatal(err)
	}
}

// await waits until an expression is true on the page.
func (d *desk) await(expression string) {
	d.t.Helper()
	err := d.c.eval(d.t.Context(), d.tab, fmt.Sprintf(`new Promise((done, fail) => {
		const end = Date.now() + 8000;
		const look = () => (%s) ? done() : Date.now() > end ? fail(new Error('not so: ' + document.body.innerText)) : setTimeout(look, 20);
		look();
	})`, expression), nil)
	if err != nil {
		d.t.Fatalf("%s: %v", expression, err)
	}
}

// serve sets the switches.
func (d *desk) serve(enabled, writes, review bool) {
	d.t.Helper()
	d.await(`document.querySelector('#status').textContent !== 'Looking…'`)
	for _, s := range []struct {
		name string
		on   bool
	}{{"enabled", enabled}, {"writes", writes}, {"review", review}} {
		selector := "#serve-" + s.name
		var checked bool
		if err := d.c.eval(d.t.Context(), d.tab, fmt.Sprintf("document.querySelector(%q).checked", selector), &checked); err != nil {
			d.t.Fatal(err)
		}
		if checked != s.on {
			d.press(selector)
			d.await(fmt.Sprintf("document.querySelector(%q).checked === %v", selector, s.on))
		}
	}
}

// say presses a button in the row of a caller.
func (d *desk) say(id, word string) {
	d.t.Helper()
	d.press(fmt.Sprintf("[data-caller=%q] [data-field=%s]", id, word))
}

// calling is a browser of one test with ours, the example host and what else, paired.
func calling(t testing.TB, dirs ...string) (*chrome, *other, *desk) {
	t.Helper()
	dir, id := example(t, "host")
	c := newChrome(t, chromeOptions{extensions: append([]string{dir}, dirs...)})
	s, err := startServer(t.Context(), c.data, "pairing", allowAll()...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := c.pair(ctx); err != nil {
		t.Fatal(err)
	}
	s.stop()
	return c, c.beside(t, id), c.desk(t)
}

// withNotes is calling with the example provider beside it, which takes our calls and lets
// them change the notes.
func withNotes(t *testing.T) (c *chrome, notes *other, desk *desk) {
	t.Helper()
	dir, id := example(t, "provider")
	c, _, desk = calling(t, dir)
	notes = c.beside(t, id)
	notes.allow(t, "allowed")
	notes.policy(t, "writes: true")
	return c, notes, desk
}
