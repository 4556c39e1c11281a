package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const rightToken = "right-token"

// shake is what a client with a handshake sends first.
const shake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// pipes is a listener whose connections are in memory, so that time can be simulated.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial() (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// said is a log that tests read.
type said struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// web is a server over HTTP and its clients.
type web struct {
	t      *testing.T
	h      *HTTP
	dial   func() (net.Conn, error)
	client *http.Client
	log    *said
	stop   context.CancelFunc
	done   chan error // what Serve returned
}

// serveHTTP serves in memory, or on a real port of loopback.
func serveHTTP(t *testing.T, cfg Config, let HTTPConfig, real bool, rows ...*tool) *web {
	t.Helper()
	w := &web{t: t, log: &said{}, done: make(chan error, 1)}
	cfg.Log = slog.New(slog.NewTextHandler(w.log, nil))
	if let.Authorized == nil {
		let.Authorized = func(token string) bool { return token == rightToken }
	}
	var err error
	if w.h, err = newTestServer(t, cfg, rows...).HTTP(let); err != nil {
		t.Fatal(err)
	}
	var l net.Listener
	if real {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		w.dial = func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }
	} else {
		p := newPipes()
		l, w.dial = p, p.dial
	}
	w.client = &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return w.dial() },
	}}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go func() { w.done <- w.h.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		w.client.CloseIdleConnections()
	})
	return w
}

// end ends the server as a signal does and says how long that took.
func (w *web) end() time.Duration {
	w.t.Helper()
	began := time.Now()
	w.stop()
	select {
	case err := <-w.done:
		if err != nil {
			w.t.Errorf("Serve: %v", err)
		}
	case <-time.After(time.Minute):
		w.t.Fatal("the server does not end")
	}
	w.client.CloseIdleConnections()
	return time.Since(began)
}

// answer is what a request came to.
type answer struct {
	status   int
	header   http.Header
	raw      string
	messages []map[string]any // events, or the one body
}

// last is the message that answers the request.
func (a *answer) last() map[string]any {
	if len(a.messages) == 0 {
		return nil
	}
	return a.messages[len(a.messages)-1]
}

// request makes a request with all that a right one has. change may spoil it.
func (w *web) request(method, body string, change func(*http.Request)) *http.Request {
	r, err := http.NewRequest(method, "http://127.0.0.1"+HTTPPath, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+rightToken)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(r)
	}
	return r
}

func (w *web) do(r *http.Request) *answer {
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Errorf("%s: %v", r.Method, err)
		return &answer{}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Errorf("%s: %v", r.Method, err)
	}
	a := &answer{status: res.StatusCode, header: res.Header, raw: string(body)}
	lines := []string{a.raw}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		lines = nil
		for line := range strings.Lines(a.raw) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				lines = append(lines, data)
			}
		}
	}
	for _, line := range lines {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil {
			a.messages = append(a.messages, m)
		}
	}
	return a
}

// inSession is a header for a request of a session.
func inSession(id string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Mcp-Session-Id", id)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
}

// initialize begins a session and returns its id.
func (w *web) initialize() string {
	w.t.Helper()
	a := w.do(w.request("POST", shake, nil))
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" || a.last()["result"] == nil {
		w.t.Fatalf("initialize: %d %v %s", a.status, a.header, a.raw)
	}
	if a := w.do(w.request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, inSession(id))); a.status != http.StatusAccepted {
		w.t.Fatalf("initialized: %d %s", a.status, a.raw)
	}
	return id
}

func callOf(tool, args string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

// call calls a tool in a session and returns its text.
func (w *web) call(id, tool, args string) string {
	w.t.Helper()
	a := w.do(w.request("POST", callOf(tool, args), inSession(id)))
	got, _ := text(a.last())
	return got
}

// stateless makes a call as a client of the revision without a handshake.
func (w *web) stateless(client, tool string, change func(*http.Request)) *answer {
	w.t.Helper()
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"` + client + `","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	return w.do(w.request("POST", body, func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", tool)
		if change != nil {
			change(r)
		}
	}))
}

// listen opens the stream of a session. What comes on it is in lines until it ends.
func (w *web) listen(id string) (lines <-chan string, hangUp context.CancelFunc) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	res, err := w.client.Do(w.request("GET", "", inSession(id)).WithContext(ctx))
	if err != nil {
		w.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("GET: %d", res.StatusCode)
	}
	got := make(chan string, 64)
	go func() {
		defer close(got)
		defer res.Body.Close()
		buf := make([]byte, 4096)
		for {
			n, err := res.Body.Read(buf)
			if n > 0 {
				select {
				case got <- string(buf[:n]):
				default: // nobody cares, but the stream is read
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return got, cancel
}
