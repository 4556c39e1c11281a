package cdpfallback

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"chrome-mcp/internal/browser"
)

// debugPort is the shared browser's, and the path of its socket.
func debugPort(t *testing.T) (port, path string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shared.b.cfg.ProfileDir, portFile))
	if err != nil {
		t.Fatal(err)
	}
	port, path, _ = strings.Cut(strings.TrimSpace(string(raw)), "\n")
	return port, path
}

// proxy is a way to the shared browser that wants a password, by a header or in the
// address, as a grid does. It passes on the browser's own address, which is of no use
// outside.
func proxy(t *testing.T) (address string) {
	t.Helper()
	port, _ := debugPort(t)
	target, _ := url.Parse("http://127.0.0.1:" + port)
	p := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "sesame" && r.URL.Query().Get("key") != "sesame" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		r.URL.RawQuery = ""
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

func TestAttach(t *testing.T) {
	port, path := debugPort(t)
	guarded := proxy(t)
	key := http.Header{"X-Key": {"sesame"}}
	for name, cfg := range map[string]Config{
		"http":              {Endpoint: "http://127.0.0.1:" + port},
		"http with a slash": {Endpoint: "http://127.0.0.1:" + port + "/"},
		"localhost":         {Endpoint: "localhost:" + port},
		"port":              {Endpoint: port},
		"ws":                {Endpoint: "ws://127.0.0.1:" + port + path},
		"ws without path":   {Endpoint: "ws://127.0.0.1:" + port},
		"folder":            {Endpoint: shared.b.cfg.ProfileDir},
		"file":              {Endpoint: filepath.Join(shared.b.cfg.ProfileDir, portFile)},
		"header":            {Endpoint: guarded, Header: key},
		"key in address":    {Endpoint: guarded + "?key=sesame"},
		"ws with header":    {Endpoint: strings.Replace(guarded, "http", "ws", 1) + path, Header: key},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, _ := open(t, `<title>the user's</title>`)
			cfg.Bundle, cfg.World = tinyBundle, "attached"
			b, err := Attach(ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if s := b.Status(); !s.Ready || s.Browsers[0].Mode != "attached" || strings.Contains(fmt.Sprint(s), "sesame") {
				t.Errorf("status %+v", s)
			}
			guest, tab := openIn(t, b, "guest")
			load(t, guest, tab, page("<title>the guest's</title>"))
			if err := b.Shutdown(ctx); err != nil {
				t.Fatal(err)
			}
			list, err := shared.b.Tabs(ctx)
			if err != nil {
				t.Fatalf("the browser is gone: %v", err)
			}
			titles := func(title string) bool {
				return slices.ContainsFunc(list, func(i browser.TabInfo) bool { return i.Title == title })
			}
			if !titles("the user's") || titles("the guest's") {
				t.Errorf("tabs afterwards: %+v", list)
			}
		})
	}
}

// TestAttachRefused holds that each way to get an endpoint wrong has its own answer.
func TestAttachRefused(t *testing.T) {
	port, _ := debugPort(t)
	closed, _ := net.Listen("tcp", "127.0.0.1:0")
	nobody := closed.Addr().String()
	_ = closed.Close()
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return s.URL
	}
	website := serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>welcome") })
	other := serve(func(w http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(w, r, nil); err == nil {
			defer c.CloseNow()
			_ = c.Write(r.Context(), websocket.MessageText, []byte("hello"))
			_, _, _ = c.Read(r.Context())
		}
	})
	busy := serve(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "full", http.StatusTooManyRequests) })
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	stale := t.TempDir()
	_ = os.WriteFile(filepath.Join(stale, portFile), []byte(strings.TrimPrefix(nobody, "127.0.0.1:")+"\n/devtools/browser/x"), 0o600)
	guarded := proxy(t)
	for name, test := range map[string]struct {
		cfg   Config
		words []string
	}{
		"nobody listens":   {Config{Endpoint: "http://" + nobody}, []string{"nothing listens", "--remote-debugging-port"}},
		"nobody, ws":       {Config{Endpoint: "ws://" + nobody + "/devtools/browser/x"}, []string{"nothing listens"}},
		"no such host":     {Config{Endpoint: "http://no-such-host.invalid:9222"}, []string{"no such host"}},
		"a website":        {Config{Endpoint: website}, []string{"no DevTools endpoint", "200 OK"}},
		"a website, ws":    {Config{Endpoint: strings.Replace(website, "http", "ws", 1) + "/x"}, []string{"no DevTools endpoint"}},
		"another socket":   {Config{Endpoint: strings.Replace(other, "http", "ws", 1)}, []string{"no DevTools endpoint"}},
		"no password":      {Config{Endpoint: guarded}, []string{"401", "--cdp-header"}},
		"wrong password":   {Config{Endpoint: guarded, Header: http.Header{"X-Key": {"wrong-secret"}}}, []string{"401", "correct that"}},
		"wrong in address": {Config{Endpoint: guarded + "?key=wrong-secret"}, []string{"401"}},
		"busy":             {Config{Endpoint: busy}, []string{"429", "later"}},
		"certificate":      {Config{Endpoint: tls.URL}, []string{"certificate"}},
		"a page":           {Config{Endpoint: "ws://127.0.0.1:" + port + "/devtools/page/ABC"}, []string{"one page"}},
		"empty folder":     {Config{Endpoint: t.TempDir()}, []string{"--remote-debugging-port=0"}},
		"stale folder":     {Config{Endpoint: stale}, []string{"nothing listens"}},
		"no such folder":   {Config{Endpoint: "/no/such/folder"}, []string{"neither an address nor a folder"}},
		"another scheme":   {Config{Endpoint: "ftp://127.0.0.1:1"}, []string{"http, https, ws or wss"}},
		"host not an IP":   {Config{Endpoint: "http://127.0.0.1:" + port, Header: http.Header{"Host": {"example.com"}}}, []string{"IP address"}},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := Attach(testContext(t), test.cfg)
			if err == nil {
				_ = b.Shutdown(context.Background())
			}
			if browser.CodeOf(err) != browser.NoBackend {
				t.Fatalf("got %v", err)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%v\ndoes not say %q", err, word)
				}
			}
			if strings.Contains(err.Error(), "wrong-secret") {
				t.Errorf("the secret is told: %v", err)
			}
		})
	}
}

func TestThrough(t *testing.T) {
	for _, test := range []struct{ base, socket, want string }{
		{"http://127.0.0.1:9222", "ws://127.0.0.1:9222/devtools/browser/a", "ws://127.0.0.1:9222/devtools/browser/a"},
		{"http://10.0.0.5:19222", "ws://127.0.0.1:9222/devtools/browser/a", "ws://10.0.0.5:19222/devtools/browser/a"},
		{"https://grid.example/s?token=t", "ws://0.0.0.0:9222/devtools/browser/a", "wss://grid.example/devtools/browser/a?token=t"},
		{"https://grid.example", "wss://node-7.grid.example/a?b=c", "wss://node-7.grid.example/a?b=c"},
		{"http://grid.example", "wss://node-7.grid.example/a", "wss://node-7.grid.example/a"},
		{"https://grid.example", "ws://node-7.grid.example/a", "wss://node-7.grid.example/a"},
		{"http://u:p@tunnel:1", "ws://localhost/a", "ws://u:p@tunnel:1/a"},
	} {
		base, _ := url.Parse(test.base)
		socket, _ := url.Parse(test.socket)
		if got := through(base, socket).String(); got != test.want {
			t.Errorf("%s through %s: %s, want %s", test.socket, test.base, got, test.want)
		}
	}
}

// TestAttachedTabs holds what an attached browser's tabs are, and that its last one stays.
func TestAttachedTabs(t *testing.T) {
	other := startFor(t, Config{ExtraArgs: []string{"--remote-debugging-port=0"}})
	b, err := Attach(testContext(t), Config{Endpoint: other.cfg.ProfileDir, Bundle: tinyBundle, World: "attached"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Shutdown(context.Background())
	ctx, tab := openIn(t, b, "guest")
	list, err := b.Tabs(ctx)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	stranger := browser.WithCaller(ctx, browser.Caller{Session: "other"})
	if err := b.Close(stranger, tab.ID()); browser.CodeOf(err) != browser.TabOwned {
		t.Errorf("another session closes it: %v", err)
	}
	if err := b.Close(ctx, list[0].ID); err != nil {
		t.Errorf("a tab of the user's, by name: %v", err)
	}
	if err := b.Close(ctx, tab.ID()); browser.CodeOf(err) != browser.BadArgs || !strings.Contains(err.Error(), "last tab") {
		t.Errorf("the last tab: %v", err)
	}
	raw, _ := json.Marshal(b.Status())
	if b.PID() != 0 || !strings.Contains(string(raw), `"attached"`) {
		t.Errorf("status %s", raw)
	}
}
