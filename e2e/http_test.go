package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/state"
)

// httpServer is a running chrome-mcp that serves HTTP.
type httpServer struct {
	t      testing.TB
	name   string // of its standard error in the record
	cmd    *exec.Cmd
	exited chan struct{}
	url    string
	token  string
}

// serveHTTP starts the program on a free port, without a standard input.
func (c *chrome) serveHTTP(t testing.TB, flags ...string) *httpServer {
	t.Helper()
	return serveHTTPIn(t, c.data, flags...)
}

func serveHTTPIn(t testing.TB, data string, flags ...string) *httpServer {
	t.Helper()
	s := &httpServer{t: t, name: t.Name() + " stderr", exited: make(chan struct{})}
	s.cmd = exec.Command(rig.bin, append([]string{"serve", "--http", "127.0.0.1:0"}, flags...)...)
	s.cmd.Env = environment(data)
	s.cmd.Dir = rig.dir
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	says := bufio.NewReader(tee{stderr, rig.log.writer(s.name)})
	for s.url == "" {
		line, err := says.ReadString('\n')
		if err != nil {
			t.Fatalf("it does not serve: %v\n%s", err, rig.log.of(s.name))
		}
		if _, rest, ok := strings.Cut(line, " MCP at "); ok {
			s.url, _, _ = strings.Cut(rest, ";")
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, says)
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.exited
	})
	if s.token, err = state.Open(data).HTTPToken(); err != nil {
		t.Fatal(err)
	}
	return s
}

// bearing presents the token on every request.
type bearing struct {
	http.RoundTripper
	token string
}

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

// client is a client of a revision with connections of its own, which cut breaks all at
// once and for good, as the end of its process would.
func (s *httpServer) client(t testing.TB, name, version string) (c *server, cut func()) {
	t.Helper()
	transport, cut := mortal()
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url, HTTPClient: &http.Client{Transport: bearing{transport, s.token}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect %s: %v\n%s", name, err, rig.log.of(s.name))
	}
	c = &server{ClientSession: session, cmd: s.cmd, exited: make(chan struct{})}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.listTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, cut
}

// mortal is a transport that dies.
func mortal() (*http.Transport, func()) {
	var mu sync.Mutex
	var conns []net.Conn
	dead := false
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		mu.Lock()
		defer mu.Unlock()
		if err == nil && dead {
			_ = c.Close()
			return nil, net.ErrClosed
		}
		conns = append(conns, c)
		return c, err
	}
	return &http.Transport{DialContext: dial}, func() {
		mu.Lock()
		defer mu.Unlock()
		dead = true
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	}
}

// post sends a request that need not be right and returns the status.
func (s *httpServer) post(body string, change func(*http.Request)) (int, error) {
	r, err := http.NewRequest("POST", s.url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(r)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, nil
}

// TestHTTPKeepsOut tries what must not get in, each several times: refused, logged once,
// and the service goes on.
func TestHTTPKeepsOut(t *testing.T) {
	c := paired(t, false)
	s := c.serveHTTP(t, allowAll()...)
	user, _ := s.client(t, "user", "2025-11-25")
	user.open(t, "<title>Mine</title>")
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tt := range []struct {
		name   string
		body   string
		change func(*http.Request)
		status int
		logs   string
	}{
		{"DNS rebinding", "{}", func(r *http.Request) { r.Host = "evil.example" }, 403, "DNS rebinding"},
		{"a foreign origin", "{}", header("Origin", "https://evil.example"), 403, "a request of a web page"},
		{"no token", "{}", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "without a token"},
		{"a wrong token", "{}", header("Authorization", "Bearer "+strings.Repeat("A", 43)), 401, "a wrong token"},
		{"an oversize body", strings.Repeat(" ", 5<<20), nil, 413, "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 5 {
				if status, err := s.post(tt.body, tt.change); status != tt.status {
					t.Errorf("%d, %v", status, err)
				}
			}
			if n := strings.Count(rig.log.of(s.name), tt.logs); n != 1 {
				t.Errorf("logged %d times:\n%s", n, rig.log.of(s.name))
			}
			user.wantValue(t, "document.title", "Mine")
		})
	}
	t.Run("a page in the browser", func(t *testing.T) {
		tab, err := c.open(t.Context(), rig.site.page("<title>Evil</title>"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background(), tab.ID())
		var got string
		err = c.eval(t.Context(), tab, fmt.Sprintf(`fetch(%q, {method: 'POST', mode: 'no-cors', body: '{}'})
			.then(r => r.type + r.status, () => 'refused')
			.then(simple => fetch(%[1]q, {method: 'POST', body: '{}', headers: {Authorization: 'Bearer x'}})
				.then(r => simple + ' ' + r.status, () => simple + ' refused'))`, s.url), &got)
		if err != nil || got != "opaque0 refused" && got != "refused refused" {
			t.Errorf("a page got %q, %v", got, err)
		}
	})
	t.Run("10,000 half-open requests", func(t *testing.T) { s.halfOpen(t, user) })
	if strings.Contains(rig.log.of(s.name), s.token) {
		t.Error("the token is in the log")
	}
}

// halfOpen holds thousands of connections that never finish their first request.
func (s *httpServer) halfOpen(t *testing.T, user *server) {
	addr := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	peak := watchMemory(t, s.cmd.Process.Pid)
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for i := range 10_000 {
		c, err := net.Dial("tcp", addr)
		if errors.Is(err, syscall.EMFILE) && i > 1000 {
			t.Logf("the system permits %d", i)
			for _, c := range open[i-100:] { // the rest of the test needs some
				_ = c.Close()
			}
			break
		}
		if err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
		open = append(open, c)
		_, _ = io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
		if i%1000 == 0 {
			user.wantValue(t, "document.title", "Mine")
		}
	}
	late, _ := s.client(t, "late", "2026-07-28")
	late.call(t, "tabs_list", nil)
	user.wantValue(t, "document.title", "Mine")
	t.Logf("the server held %.0f MB at most", peak())
	if peak() > 120 {
		t.Errorf("the server held %.0f MB", peak())
	}
	if n := strings.Count(rig.log.of(s.name), "send no request"); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

// TestHTTPEndsInCalls ends the server while every client has a call in the browser.
func TestHTTPEndsInCalls(t *testing.T) {
	c := paired(t, false)
	s := c.serveHTTP(t, allowAll()...)
	const clients = 10
	running := make(chan struct{}, clients)
	told := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { running <- struct{}{} }))
	defer told.Close()
	var answered sync.WaitGroup
	answers := make([]result, clients)
	for i := range clients {
		user, _ := s.client(t, fmt.Sprint("user ", i), revision(i))
		user.call(t, "tab_new", args{"url": rig.site.page("<title>Page</title>")})
		answered.Go(func() {
			expression := fmt.Sprintf("fetch(%q, {mode: 'no-cors'}).then(() => new Promise(() => {}))", told.URL)
			answers[i] = user.do(context.Background(), "eval", args{"expression": expression, "awaitPromise": true})
		})
	}
	for range clients {
		<-running // in the page
	}
	begin := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	took := time.Since(begin)
	answered.Wait()
	t.Logf("it ended after %v", took)
	if took > time.Second || s.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it ended after %v: %v", took, s.cmd.ProcessState)
	}
	for i, a := range answers {
		if !a.failed || !strings.Contains(a.text, "chrome-mcp is ending") && !strings.Contains(a.text, "the call was cancelled") {
			t.Errorf("client %d got %q", i, a.text)
		}
	}
}

// revision takes turns between the revisions.
func revision(i int) string { return []string{"2025-11-25", "2026-07-28"}[i%2] }

// TestHTTPClientVanishes kills a client, in the sense of its connections: after a while
// its tabs are free, and not before.
func TestHTTPClientVanishes(t *testing.T) {
	t.Parallel() // it mostly waits for the session to be given up
	c := newChrome(t, chromeOptions{})
	s := c.serveHTTP(t, allowAll()...)
	stays, _ := s.client(t, "stays", "2025-11-25")
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	dies, cut := s.client(t, "dies", "2025-11-25")
	tab := dies.open(t, "<title>Of the dead</title><button>x</button>")
	stays.open(t, "<title>Stays</title>")
	stays.refuse(t, "click", args{"tabId": tab, "selector": "button"}, "TAB_OWNED")
	if n := c.groups(t); n != 2 {
		t.Errorf("%d groups", n)
	}
	cut()
	begin := time.Now()
	for {
		r := stays.do(t.Context(), "click", args{"tabId": tab, "selector": "button"})
		if !r.failed {
			break
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatalf("still not free: %s", r.text)
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Logf("its tab was free after %v", time.Since(begin))
	if n := c.groups(t); n != 1 {
		t.Errorf("%d groups", n)
	}
}

// groups counts the tab groups in the browser.
func (c *chrome) groups(t *testing.T) (n int) {
	t.Helper()
	if err := c.worker(t.Context(), "chrome.tabGroups.query({}).then(g => g.length)", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHTTPOwnBrowser has clients share a browser of the server's own, each in its tabs.
func TestHTTPOwnBrowser(t *testing.T) {
	data := t.TempDir()
	t.Cleanup(func() { noBrowser(t, data) })
	s := serveHTTPIn(t, data, own("--backend", "cdp")...)
	a, _ := s.client(t, "a", "2025-11-25")
	b, _ := s.client(t, "b", "2026-07-28")
	one, two := a.open(t, "<title>One</title><button>x</button>"), b.open(t, "<title>Two</title>")
	a.wantValue(t, "document.title", "One")
	b.wantValue(t, "document.title", "Two")
	b.refuse(t, "click", args{"tabId": one, "selector": "button"}, "TAB_OWNED")
	if own := b.ownTabs(t); len(own) != 1 || own[0] != two {
		t.Errorf("b owns the tabs %v, want %s", own, two)
	}
	if err := a.Close(); err != nil { // says so with DELETE
		t.Error(err)
	}
	b.call(t, "click", args{"tabId": one, "selector": "button"})
	begin := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it ended after %v", took)
	}
}

// TestHTTPTokenIsRevoked changes the token: clients with the old one are out at once.
func TestHTTPTokenIsRevoked(t *testing.T) {
	c := paired(t, false)
	s := c.serveHTTP(t, allowAll()...)
	user, _ := s.client(t, "user", "2025-11-25")
	user.call(t, "tabs_list", nil)
	revoke := exec.Command(rig.bin, "revoke")
	revoke.Env = environment(c.data)
	if out, err := revoke.CombinedOutput(); err != nil || !strings.Contains(string(out), "over HTTP was changed") {
		t.Fatalf("%v\n%s", err, out)
	}
	deadline := time.Now().Add(3 * time.Second)
	for {
		status, err := s.post("{}", nil)
		if status == http.StatusUnauthorized {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the old token gets %d, %v", status, err)
		}
	}
	show := exec.Command(rig.bin, "token", "--show")
	show.Env = environment(c.data)
	out, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	old := s.token
	s.token = strings.TrimSpace(string(out))
	again, _ := s.client(t, "again", "2026-07-28")
	again.call(t, "tabs_list", nil)
	if info, err := os.Stat(state.Open(c.data).HTTPTokenPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for _, token := range []string{old, s.token} {
		if strings.Contains(rig.log.of(s.name), token) {
			t.Error("the token is in the log")
		}
	}
}
