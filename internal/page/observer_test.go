package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

var observing = policy.Policy{AllowDomains: []string{"127.0.0.1", "localhost"}, Mutations: true, Eval: true, Observers: true}

// observe opens the first of the pages, /p0, of a site that answers in many ways, in a
// session that records.
func observe(t *testing.T, p policy.Policy, pages ...string) (o open, base string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, pages) }))
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	s := page.NewSession(page.Config{ID: t.Name(), Title: t.Name(), Policy: p, Tasks: task.Open(t.TempDir(), "test", 0),
		Backend: func(context.Context) (browser.Backend, error) { return shared.backend, nil }})
	o = open{t, s}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if id := s.Current(); id != "" {
			_, _ = page.TabClose(ctx, s, page.TabCloseArgs{TabID: id})
		}
		s.Close(ctx)
	})
	o.navigate(server.URL + "/p0")
	return o, server.URL
}

// recorded reads until what the page did is in the log, and returns what was read then.
func (o open) recorded(read func() *page.Result, wants ...string) *page.Result {
	o.Helper()
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		r := read()
		if !slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(r.Page, want) }) {
			return r
		}
		if time.Now().After(limit) {
			says(o.T, r.Page, wants...)
			return r
		}
	}
}

func answer(w http.ResponseWriter, r *http.Request, pages []string) {
	switch r.URL.Path {
	case "/json":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "trk=SETCOOKIE-345; Path=/")
		_, _ = fmt.Fprint(w, `{"ok":true,"api_key":"BODYTOKEN-664","text":"plain words"}`)
	case "/redir":
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	case "/favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	case "/missing":
		http.NotFound(w, r)
	case "/bin":
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write([]byte{0, 1, 2, 3})
	case "/style.css":
		w.Header().Set("Content-Type", "text/css")
	case "/socket":
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			kind, data, err := c.Read(r.Context())
			if err != nil || c.Write(r.Context(), kind, data) != nil {
				return
			}
		}
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, port, _ := net.SplitHostPort(r.Host)
		for i, markup := range pages {
			if r.URL.Path == fmt.Sprint("/p", i) {
				_, _ = fmt.Fprint(w, "<!doctype html><meta charset=utf-8>"+strings.ReplaceAll(markup, "{alt}", "http://localhost:"+port))
				return
			}
		}
		http.NotFound(w, r)
	}
}

func (o open) console(a page.ConsoleLogsArgs) *page.Result {
	o.Helper()
	if a.Level == "" {
		a.Level = "debug"
	}
	r, err := page.ConsoleLogs(o.ctx(), o.s, a)
	if err != nil {
		o.Fatalf("console_logs: %v", err)
	}
	return r
}

func (o open) network(a page.NetworkLogArgs) *page.Result {
	o.Helper()
	if a.Limit == 0 {
		a.Limit = 50
	}
	r, err := page.NetworkLog(o.ctx(), o.s, a)
	if err != nil {
		o.Fatalf("network_log: %v", err)
	}
	return r
}

// fields is the structured content of a result.
func fields(t *testing.T, r *page.Result) map[string]any {
	t.Helper()
	raw, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// request is the last request whose address contains part.
func (o open) request(part string) map[string]any {
	o.Helper()
	list, _ := fields(o.T, o.network(page.NetworkLogArgs{URLContains: part, IncludeResources: true}))["requests"].([]any)
	if len(list) == 0 {
		o.Fatalf("no request to %s", part)
	}
	return list[len(list)-1].(map[string]any)
}

func TestConsoleShowsWhatThePageLogged(t *testing.T) {
	o, _ := observe(t, observing, `<script>
		console.log('plain', 1, true, null, undefined, 12n, -0);
		console.log('%s has %d of %o, %cstyled', 'Ann', 3, {a: 1}, 'color:red');
		console.info({name: 'x', list: [1, 2], f() {}, 'odd key': {deep: 1}}, [1, 'two', {three: 3}]);
		console.warn(new Map([['k', {v: 1}]]), new Set([1]), /re/g, document.createElement('p'));
		console.error(new TypeError('bad thing'));
		console.debug('fine print');
		console.assert(1 === 2, 'sums');
		for (let i = 0; i < 5; i++) console.log('again');
		console.log('token=' + 'SECRET' + '-1234');
		setTimeout(function later() { undefinedFunction() }, 0);
		Promise.reject(new Error('unhandled one'));
	</script><img src=/missing>`)
	r := o.recorded(func() *page.Result { return o.console(page.ConsoleLogsArgs{}) }, "at later", "unhandled one", "(network)")
	says(t, r.Page, "log plain 1 true null undefined 12n -0", "Ann has 3 of {a: 1}, styled",
		`info {name: "x", list: Array(2), f: ƒ, "odd key": Object} [1, "two", Object]`,
		`warning Map(1) {"k" → {v: 1}} Set(1) {1} /re/g <p>`,
		"error TypeError: bad thing\n        at ", "debug fine print", "error Assertion failed: sums", "log ×5 again",
		"error (exception) Uncaught ReferenceError: undefinedFunction is not defined", "at later", "(in promise) Error: unhandled one",
		"error (network) Failed to load resource", "/missing", "token=[masked]")
	if !strings.Contains(r.Page, ":1:") && !strings.Contains(r.Page, ":2:") {
		t.Errorf("no line says where:\n%s", r.Page)
	}
	if r := o.console(page.ConsoleLogsArgs{Level: "warning"}); strings.Contains(r.Page, "plain") || !strings.Contains(r.Page, "bad thing") {
		t.Errorf("warnings and worse are\n%s", r.Page)
	}
	last := int(fields(t, r)["lastSeq"].(float64))
	o.eval("console.log('news')")
	if r := o.console(page.ConsoleLogsArgs{SinceSeq: &last}); !strings.Contains(r.Page, "log news") || strings.Contains(r.Page, "plain") {
		t.Errorf("since %d there is\n%s", last, r.Page)
	}
	o.console(page.ConsoleLogsArgs{Clear: true})
	if r := o.console(page.ConsoleLogsArgs{}); r.Page != "" || !strings.Contains(r.Text, "nothing was logged") {
		t.Errorf("after clear there is %q %q", r.Page, r.Text)
	}
}

func TestConsoleIsBounded(t *testing.T) {
	o, _ := observe(t, observing, `<script>for (let i = 0; i < 10000; i++) console.log('line', i)</script>`)
	r := o.console(page.ConsoleLogsArgs{Limit: 100})
	says(t, r.Page, "log line 9999", "log line 9900")
	says(t, r.Text, "9000 older entries were dropped", "900 earlier ones are not shown")
	o.eval("console.log('x'.repeat(5e6))")
	if r := o.console(page.ConsoleLogsArgs{Limit: 1}); len(r.Page) > 10_000 || !strings.Contains(r.Page, "(5000000 bytes)") {
		t.Errorf("a huge line takes %d bytes", len(r.Page))
	}
}

func TestConsoleSurvivesNavigationAndFrames(t *testing.T) {
	o, base := observe(t, observing, `<script>console.log('first page')</script>`,
		`<script>console.log('second page')</script><iframe src="{alt}/p2"></iframe>`,
		`<script>console.log('in the frame')</script>`)
	o.navigate(base + "/p1")
	says(t, o.console(page.ConsoleLogsArgs{}).Page, "first page", "second page", "in the frame")
}

func TestConsoleOfDeniedPages(t *testing.T) {
	p := observing
	p.AllowDomains = []string{"127.0.0.1"}
	o, _ := observe(t, p, `<iframe src="{alt}/p1"></iframe><script>console.log('shown words')</script>`,
		`<script>console.log('hidden words'); fetch('/json?hidden')</script>`)
	r := o.console(page.ConsoleLogsArgs{})
	if strings.Contains(r.Page, "hidden words") || !strings.Contains(r.Page, "shown words") {
		t.Errorf("shown is\n%s", r.Page)
	}
	if r := o.network(page.NetworkLogArgs{IncludeResources: true}); strings.Contains(r.Page, "hidden") || strings.Contains(r.Page, "localhost") {
		t.Errorf("shown is\n%s", r.Page)
	}
}

// What a page logged before it hung is what one wants to know then.
func TestConsoleOfAPageThatHangs(t *testing.T) {
	o, _ := observe(t, observing, `<script>function hang() { console.log('before'); for (;;) {} }</script>`)
	says(t, o.console(page.ConsoleLogsArgs{}).Text, "nothing was logged")
	o.eval("void setTimeout(hang)")
	o.recorded(func() *page.Result { return o.console(page.ConsoleLogsArgs{}) }, "log before")
	begin := time.Now()
	says(t, o.console(page.ConsoleLogsArgs{}).Page, "log before")
	says(t, o.network(page.NetworkLogArgs{}).Page, "/p0 (document)")
	if d := time.Since(begin); d > 3*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestObserversAreOff(t *testing.T) {
	o := visit(t, html("<script>console.log('x')</script>"))
	_, err := page.ConsoleLogs(o.ctx(), o.s, page.ConsoleLogsArgs{})
	refused(t, err, browser.PolicyDenied, "--enable-observers")
	_, err = page.NetworkLog(o.ctx(), o.s, page.NetworkLogArgs{})
	refused(t, err, browser.PolicyDenied, "--enable-observers")
}

func TestNetworkListsAndMasks(t *testing.T) {
	o, base := observe(t, observing, `<link rel=stylesheet href=/style.css><script>
		(async () => {
			const get = (...a) => fetch(...a).then(r => r.text());
			await get('/json?token=URLTOKEN-991', {headers: {Authorization: 'Bearer HEADTOKEN-882'}});
			await get('/redir?to=' + encodeURIComponent('/json?hop=2'));
			await get('/bin');
			await fetch('/missing');
			try { await fetch('http://127.0.0.1:9/closed') } catch {}
			await get('/json', {method: 'POST', body: JSON.stringify({password: 'POSTED-77', n: 1}), headers: {'Content-Type': 'application/json'}});
			navigator.sendBeacon('/json?beacon', 'left');
			const x = new XMLHttpRequest(); x.open('GET', '/json?xhr'); x.onload = () => document.title = 'done'; x.send();
		})()
	</script>`, "second")
	o.eval("new Promise(r => { const t = setInterval(() => document.title === 'done' && (clearInterval(t), r()), 10) })")
	r := o.network(page.NetworkLogArgs{})
	says(t, r.Page, "GET 200 "+base+"/p0 (document)", "/json?token=[masked] (fetch) application/json", "GET 302 "+base+"/redir?to=", "→ "+base+"/json?hop=2",
		"/bin (fetch) application/octet-stream", "GET 404", "GET failed http://127.0.0.1:9/closed (fetch) net::ERR_", "POST 200", "/json?xhr (xhr)", "/json?beacon (ping)")
	if strings.Contains(r.Page, "style.css") || !strings.Contains(r.Text, "includeResources") {
		t.Errorf("resources are not left out: %s\n%s", r.Text, r.Page)
	}
	says(t, o.network(page.NetworkLogArgs{IncludeResources: true}).Page, "style.css (stylesheet) text/css")
	if r := o.network(page.NetworkLogArgs{FailedOnly: true}); strings.Contains(r.Page, "/bin") || !strings.Contains(r.Page, "closed") || !strings.Contains(r.Page, "404") {
		t.Errorf("failed are\n%s", r.Page)
	}
	o.navigate(base + "/p1")
	all := o.network(page.NetworkLogArgs{}).Page
	for _, part := range []string{"token=", "xhr", "/json"} {
		one := o.network(page.NetworkLogArgs{ID: int(o.request(part)["id"].(float64))})
		all += one.Page
		says(t, one.Page, "request headers:", "response headers:", "content-type: application/json", `"api_key":"[masked]"`, "plain words", "set-cookie: trk=[masked]; Path=/")
	}
	says(t, all, "authorization: Bearer [masked]", "cookie: trk=[masked]")
	if hop := o.network(page.NetworkLogArgs{ID: int(o.request("/json?hop=2")["id"].(float64))}); strings.Contains(hop.Page, "location:") {
		t.Errorf("the answer to a redirect is that of what it led to: %s", hop.Page)
	}
	for _, secret := range []string{"HEADTOKEN-882", "URLTOKEN-991", "SETCOOKIE-345", "BODYTOKEN-664", "POSTED-77"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is shown", secret)
		}
	}
	bin := o.network(page.NetworkLogArgs{ID: int(o.request("/bin")["id"].(float64))})
	if !strings.Contains(bin.Page, "it is gone: the page") && !strings.Contains(bin.Page, "4 bytes that are no text") || strings.Contains(bin.Page, "-32000") {
		t.Errorf("a body after the page was left: %s", bin.Page)
	}
	_, err := page.NetworkLog(o.ctx(), o.s, page.NetworkLogArgs{ID: 999})
	refused(t, err, browser.BadArgs, "there is no request 999")
}

func TestNetworkCountsSockets(t *testing.T) {
	o, _ := observe(t, observing, `<script>
		const s = new WebSocket('ws://' + location.host + '/socket?access_token=SOCKET-12');
		let n = 0;
		s.onopen = () => { s.send('a'); s.send('b') };
		s.onmessage = () => { if (++n === 2) { s.close(); document.title = 'done' } };
	</script>`)
	o.recorded(func() *page.Result { return o.network(page.NetworkLogArgs{}) }, "GET 101 ws://", "/socket?access_token=[masked] (websocket) 2 sent, 2 received")
}

func TestNetworkOfFrames(t *testing.T) {
	o, _ := observe(t, observing, `<iframe src="{alt}/p1"></iframe>`,
		`<script>fetch('/json?early'); setTimeout(() => fetch('/json?inner').then(() => fetch('/json?inner2')), 300)</script>`)
	o.recorded(func() *page.Result { return o.network(page.NetworkLogArgs{}) }, "/json?early (fetch)", "/json?inner (fetch)", "/json?inner2 (fetch)")
}

func TestHAR(t *testing.T) {
	o, _ := observe(t, observing, `<script>fetch('/json?token=URLTOKEN-991').then(() => document.title = 'done')</script>`)
	o.recorded(func() *page.Result { return o.network(page.NetworkLogArgs{}) }, "/json?token=[masked] (fetch) application/json")
	r := o.network(page.NetworkLogArgs{HAR: true})
	file, _ := fields(t, r)["file"].(string)
	fi, err := os.Stat(file)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", fi, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "URLTOKEN") || strings.Contains(string(raw), "BODYTOKEN") || strings.Contains(string(raw), "SETCOOKIE") {
		t.Error("a secret is in the file")
	}
	var har map[string]any
	if err := json.Unmarshal(raw, &har); err != nil {
		t.Fatal(err)
	}
	checkHAR(t, har)
}

// checkHAR holds a file against the members that HAR 1.2 requires.
func checkHAR(t *testing.T, har map[string]any) {
	t.Helper()
	need := func(where string, v any, names ...string) map[string]any {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%s is %v", where, v)
		}
		for _, name := range names {
			if _, ok := m[name]; !ok {
				t.Errorf("%s has no %s", where, name)
			}
		}
		return m
	}
	log := need("log", har["log"], "version", "creator", "entries")
	need("creator", log["creator"], "name", "version")
	pages, _ := log["pages"].([]any)
	if len(pages) != 1 {
		t.Errorf("%d pages", len(pages))
	}
	for _, p := range pages {
		need("page", p, "startedDateTime", "id", "title", "pageTimings")
	}
	entries, _ := log["entries"].([]any)
	if len(entries) < 2 {
		t.Errorf("%d entries", len(entries))
	}
	for _, e := range entries {
		entry := need("entry", e, "startedDateTime", "time", "request", "response", "cache", "timings")
		if _, err := time.Parse(time.RFC3339, entry["startedDateTime"].(string)); err != nil {
			t.Error(err)
		}
		need("request", entry["request"], "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize")
		response := need("response", entry["response"], "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize")
		need("content", response["content"], "size", "mimeType")
		need("timings", entry["timings"], "send", "wait", "receive")
	}
}
