package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// Whoever must not get in does not, is logged once, and the service goes on.
func TestHTTPRefuses(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	tests := []struct {
		name, method, body string
		change             func(*http.Request)
		status             int
		says, logs         string
	}{
		{"another host", "POST", "{}", func(r *http.Request) { r.Host = "evil.example:80" }, 403, "--http-host", "DNS rebinding"},
		{"a host that begins like loopback", "POST", "{}", func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 403, "--http-host", "DNS rebinding"},
		{"an address that is not ours", "POST", "{}", func(r *http.Request) { r.Host = "192.0.2.1" }, 403, "--http-host", "DNS rebinding"},
		{"a web page", "POST", "{}", header("Origin", "https://evil.example"), 403, "--http-origin", "a web page"},
		{"a page without an origin", "POST", "{}", header("Origin", "null"), 403, "--http-origin", "a web page"},
		{"a page of another port", "POST", "{}", header("Origin", "http://127.0.0.1:8080"), 403, "--http-origin", "a web page"},
		{"an origin that begins like an allowed one", "POST", "{}", header("Origin", "https://app.example.evil.example"), 403, "--http-origin", "a web page"},
		{"a page that asks first", "OPTIONS", "", header("Origin", "https://evil.example"), 403, "--http-origin", "a web page"},
		{"no token", "POST", "{}", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "chrome-mcp token", "without a token"},
		{"a wrong token", "POST", "{}", header("Authorization", "Bearer wrong-token"), 401, "token is wrong", "a wrong token"},
		{"another scheme", "POST", "{}", header("Authorization", "Basic "+rightToken), 401, "chrome-mcp token", "without a token"},
		{"the token in the address", "POST", "{}", func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + rightToken }, 401, "chrome-mcp token", "without a token"},
		{"a body that is too large", "POST", strings.Repeat(" ", maxBody+1), nil, 413, "larger than 4 MB", "too large"},
		{"JSON only", "POST", "{}", header("Accept", "application/json"), 406, "text/event-stream", ""},
		{"events only", "POST", "{}", header("Accept", "text/event-stream"), 406, "application/json", ""},
		{"no JSON", "POST", "{}", header("Accept", "application/json;q=0, text/event-stream; Q=1"), 406, "application/json", ""},
		{"no Accept", "POST", "{}", func(r *http.Request) { r.Header.Del("Accept") }, 406, "Accept", ""},
		{"not JSON", "POST", shake, header("Content-Type", "text/plain"), 415, "", ""},
		{"no message", "POST", "hello", nil, 400, "parse error", ""},
		{"two messages", "POST", shake + "\n" + shake, nil, 400, "parse error", ""},
		{"an id that is no integer", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "must be a string or an integer", ""},
		{"an id that would come back as another", "POST", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, nil, 400, `"id":9007199254740993,"error"`, ""},
		{"a method that is no text", "POST", `{"jsonrpc":"2.0","id":7,"method":7}`, nil, 400, `"id":7,"error"`, ""},
		{"another path", "POST", "{}", func(r *http.Request) { r.URL.Path = "/" }, 404, "/mcp", ""},
		{"another method", "PUT", "{}", nil, 405, "POST", ""},
		{"a call without a session", "POST", callOf("say", "{}"), nil, 400, "Mcp-Session-Id", ""},
		{"a session that is none", "POST", callOf("say", "{}"), inSession("none"), 404, "initialize", ""},
		{"a session of the client's own making", "POST", shake, inSession("mine"), 404, "initialize", ""},
		{"a stream without a session", "GET", "", nil, 400, "Mcp-Session-Id", ""},
		{"a stream of a session that is none", "GET", "", inSession("none"), 404, "initialize", ""},
		{"a stream as JSON", "GET", "", header("Accept", "application/json"), 406, "text/event-stream", ""},
		{"a stream without a handshake", "GET", "", header("Mcp-Protocol-Version", "2026-07-28"), 405, "POST", ""},
		{"the end of a session that is none", "DELETE", "", inSession("none"), 404, "initialize", ""},
		{"the end of no session", "DELETE", "", nil, 400, "Mcp-Session-Id", ""},
		{"a revision that is none", "POST", callOf("say", "{}"), header("Mcp-Protocol-Version", "2031-01-01"), 400, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := serveHTTP(t, testConfig(), HTTPConfig{Origins: []string{"https://app.example"}}, true, row("say", says(page.Result{Text: "x"})))
			for range 3 {
				if a := w.do(w.request(tt.method, tt.body, tt.change)); a.status != tt.status || !strings.Contains(a.raw, tt.says) {
					t.Errorf("%d %s", a.status, a.raw)
				}
			}
			if n := strings.Count(w.log.String(), "refused "); tt.logs == "" && n != 0 || tt.logs != "" && n != 1 || !strings.Contains(w.log.String(), tt.logs) {
				t.Errorf("logged %d times:\n%s", n, w.log)
			}
			if keys := slices.Collect(maps.Keys(w.h.sessions.byKey)); slices.ContainsFunc(keys, func(k httpKey) bool { return !k.stateless }) {
				t.Errorf("it has left the sessions %v", keys)
			}
			if got := w.call(w.initialize(), "say", "{}"); got != "x" {
				t.Errorf("after that, a call answers %q", got)
			}
			if log := w.log.String(); strings.Contains(log, "token=") || strings.Contains(log, "right-token") || strings.Contains(log, "wrong-token") {
				t.Errorf("the log holds what was presented:\n%s", log)
			}
		})
	}
}

// What is let in beside the usual.
func TestHTTPAdmits(t *testing.T) {
	tests := []struct {
		name   string
		change func(*http.Request)
	}{
		{"loopback", nil},
		{"by name", func(r *http.Request) { r.Host = "localhost:9" }},
		{"IPv6", func(r *http.Request) { r.Host = "[::1]:9" }},
		{"a name that the user gave", func(r *http.Request) { r.Host = "Host.docker.internal:9" }},
		{"its own origin", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1") }},
		{"an origin that the user gave", func(r *http.Request) { r.Header.Set("Origin", "https://app.example") }},
		{"any media type", func(r *http.Request) { r.Header.Set("Accept", "*/*") }},
	}
	w := serveHTTP(t, testConfig(), HTTPConfig{Hosts: []string{"host.docker.internal"}, Origins: []string{"https://app.example"}}, true)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := w.do(w.request("POST", "\ufeff"+shake+"\r\n", tt.change))
			if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/event-stream" || a.last()["result"] == nil {
				t.Errorf("%d %v %s", a.status, a.header, a.raw)
			}
		})
	}
	ask := w.request("OPTIONS", "", func(r *http.Request) { r.Header = http.Header{"Origin": {"https://app.example"}} })
	if a := w.do(ask); a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("a page asks first: %d %v", a.status, a.header)
	}
}

// bearing presents the token on every request.
type bearing struct{ http.RoundTripper }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+rightToken)
	return b.RoundTripper.RoundTrip(r)
}

// connect is the SDK's client of a revision.
func (w *web) connect(name, version string, opts *mcp.ClientOptions) *mcp.ClientSession {
	w.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, opts)
	s, err := c.Connect(w.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://127.0.0.1" + HTTPPath, HTTPClient: &http.Client{Transport: bearing{w.client.Transport}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return s
}

// Both revisions at once on one path, through the SDK's client: each in a session of its
// own, told of changes to the list of tools, its calls cancelled when it says so.
func TestHTTPRevisions(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			cfg := testConfig()
			cfg.Policy = policy.Policy{AllowDomains: []string{"example.com"}}
			g := &fakeGrants{policy: cfg.Policy}
			cfg.Grants = g
			cancelled, running := make(chan struct{}), make(chan struct{}, 1)
			hang := row("hang", func(ctx context.Context, _ *session) (*page.Result, error) {
				running <- struct{}{}
				<-ctx.Done()
				close(cancelled)
				return nil, ctx.Err()
			})
			w := serveHTTP(t, cfg, HTTPConfig{}, true, append(table(), hang)...)
			changed, told := make(chan struct{}, 16), make(chan float64, 16)
			c := w.connect("client", version, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Progress },
				ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			if got := c.InitializeResult(); got.ProtocolVersion != version || got.Instructions != Instructions {
				t.Errorf("negotiated %s", got.ProtocolVersion)
			}
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "chrome_status"})
			if err != nil || res.IsError {
				t.Fatalf("%v %v", res, err)
			}
			batch := &mcp.CallToolParams{Name: "batch", Arguments: map[string]any{"ops": []any{map[string]any{"tool": "guide"}}}}
			batch.SetProgressToken("p")
			if res, err := c.CallTool(t.Context(), batch); err != nil || res.IsError {
				t.Fatalf("%v %v", res, err)
			}
			select {
			case n := <-told:
				if n != 1 {
					t.Errorf("progress %v", n)
				}
			case <-time.After(5 * slow * time.Second):
				t.Error("no word of the progress")
			}
			before, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			g.set(policy.Grant{Site: "https://example.com", Level: policy.Full})
			select {
			case <-changed:
			case <-time.After(5 * slow * time.Second):
				t.Error("no word of the new tools")
			}
			after, err := c.ListTools(t.Context(), nil)
			if err != nil || len(after.Tools) <= len(before.Tools) {
				t.Errorf("%d tools, then %d, %v", len(before.Tools), len(after.Tools), err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-running; cancel() }()
			if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "hang"}); err == nil {
				t.Error("a cancelled call has a result")
			}
			select {
			case <-cancelled:
			case <-time.After(5 * slow * time.Second):
				t.Error("the work went on")
			}
		})
	}
}

// sessionOf is the session that chrome_status names.
func sessionOf(text string) string {
	_, rest, _ := strings.Cut(text, "session ")
	id, _, _ := strings.Cut(rest, "\n")
	return id
}

// Each client has a session of its own, without a handshake too.
func TestHTTPSessionsAreApart(t *testing.T) {
	w := serveHTTP(t, testConfig(), HTTPConfig{}, true)
	named := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(clientHeader, name) }
	}
	status := func(client string, change func(*http.Request)) string {
		got, _ := text(w.stateless(client, "chrome_status", change).last())
		return sessionOf(got)
	}
	a, b := w.initialize(), w.initialize()
	sessions := []string{
		sessionOf(w.call(a, "chrome_status", "{}")), sessionOf(w.call(b, "chrome_status", "{}")),
		status("one", nil), status("two", nil), status("one", named("x")), status("one", named("y")),
	}
	for i, s := range sessions {
		if s == "" || slices.Contains(sessions[:i], s) {
			t.Errorf("session %d of %q is not its own", i, sessions)
		}
	}
	again := []string{
		sessionOf(w.call(a, "chrome_status", "{}")), sessionOf(w.call(b, "chrome_status", "{}")),
		status("one", nil), status("two", nil), status("one", named("x")), status("one", named("y")),
	}
	if !slices.Equal(sessions, again) {
		t.Errorf("%q, and then %q", sessions, again)
	}
}

// Calls that arrive while others run keep their order on a tab, and one that the SDK
// refuses holds up nobody.
func TestHTTPOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s steps
		w := serveHTTP(t, testConfig(), HTTPConfig{}, false, s.tool())
		id := w.initialize()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				body := strings.Replace(callOf("step", fmt.Sprintf(`{"tabId":"ext:1:1","n":%d}`, i)), `"id":7`, fmt.Sprintf(`"id":%d`, i), 1)
				if i == 3 {
					body = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":7}`
				}
				spoofed := func(r *http.Request) { inSession(id)(r); r.Header.Set(turnHeader, "99") }
				if a := w.do(w.request("POST", body, spoofed)); a.status != http.StatusOK && i != 3 {
					t.Errorf("call %d: %d %s", i, a.status, a.raw)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if len(s.ran) != 19 || !slices.IsSortedFunc(s.ran, func(a, b string) int {
			var x, y int
			fmt.Sscanf(a, "ext:1:1/%d", &x)
			fmt.Sscanf(b, "ext:1:1/%d", &y)
			return x - y
		}) || s.most != 1 {
			t.Errorf("%d at once: %v", s.most, s.ran)
		}
		w.end()
	})
}

// A panic is an answer, and markup is not escaped for HTML.
func TestHTTPAnswers(t *testing.T) {
	w := serveHTTP(t, testConfig(), HTTPConfig{}, true,
		row("panic", func(context.Context, *session) (*page.Result, error) { panic("x") }),
		row("say", says(page.Result{Text: "<b> & \\u003c"})))
	id := w.initialize()
	if got := w.call(id, "panic", "{}"); !strings.Contains(got, "bug of ours") {
		t.Errorf("got %s", got)
	}
	a := w.do(w.request("POST", callOf("say", "{}"), inSession(id)))
	if got, _ := text(a.last()); got != "<b> & \\u003c" || strings.Contains(a.raw, `b\u003e`) {
		t.Errorf("got %s from %s", got, a.raw)
	}
	// What the SDK refuses in plain words is an error of the protocol.
	for _, tt := range []struct {
		body   string
		status int
		says   string
	}{
		{`{"jsonrpc":"2.0","id":"u","method":"vendor/own"}`, 200, `{"jsonrpc":"2.0","id":"u","error":{"code":-32601,"message":"method not found: \"vendor/own\" unsupported"}}`},
		{`{"jsonrpc":"2.0","method":"vendor/told"}`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`, 400, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
	} {
		if a := w.do(w.request("POST", tt.body, inSession(id))); a.status != tt.status || !strings.HasPrefix(a.raw, tt.says) {
			t.Errorf("%s: %d %s", tt.body, a.status, a.raw)
		}
	}
}
