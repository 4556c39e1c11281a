package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
)

// id is an extension id that ends in n letters of its own.
func id(letter string) string { return strings.Repeat(letter, 32) }

// world is a browser with extensions in it. It stands in for the bridge; the sessions in
// its ports are the SDK's own, on both sides.
type world struct {
	t *testing.T

	mu       sync.Mutex
	there    bool
	exts     map[string]*ext
	watchers []func()
	opened   int // ports
	probes   int
	live     atomic.Int32 // ports that are open
}

// ext is one extension.
type ext struct {
	answer  string // to the probe; "" rejects it
	late    bool   // it does not answer the probe
	plain   bool   // it takes ports named mcp only
	deaf    bool   // it takes ports and says nothing
	server  func() *mcp.Server
	raw     func(*pipe) // takes the port by hand, in place of server
	ports   []*pipe     // their ends, oldest first
	session int
}

func newWorld(t *testing.T) *world { return &world{t: t, there: true, exts: map[string]*ext{}} }

const usable = `{"ok":true,"service":{"namespace":%q,"name":%q,"version":"1.0"},"status":{"enabled":true,"authorized":true,"ready":true}}`

// serves adds an extension with these tools, usable.
func (w *world) serves(id, ns string, tools ...string) *ext {
	e := &ext{answer: fmt.Sprintf(usable, ns, strings.ToUpper(ns))}
	e.server = func() *mcp.Server { return toolServer(tools...) }
	w.exts[id] = e
	return e
}

// toolServer serves tools that say their name. One that begins with get only reads.
func toolServer(names ...string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, &mcp.ServerOptions{PageSize: 1000})
	for _, name := range names {
		s.AddTool(&mcp.Tool{
			Name: name, Description: "Does " + name, InputSchema: json.RawMessage(`{"type":"object"}`),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: strings.HasPrefix(name, "get")},
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done " + name}}}, nil
		})
	}
	return s
}

func (w *world) Browsers() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.there {
		return nil
	}
	return []string{"Chrome"}
}

func (w *world) OnBrowsers(fn func()) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers = append(w.watchers, fn)
	return func() {}
}

// connect has the browser come or go.
func (w *world) connect(there bool) {
	w.mu.Lock()
	w.there = there
	var ports []*pipe
	if !there {
		for _, e := range w.exts {
			ports = append(ports, e.ports...)
		}
	}
	watchers := w.watchers
	w.mu.Unlock()
	for _, p := range ports {
		p.Close("the browser is gone")
	}
	for _, fn := range watchers {
		fn()
	}
}

func (w *world) ProbeExtension(ctx context.Context, _, id string) (extproto.Probed, error) {
	w.mu.Lock()
	w.probes++
	e, there := ext{}, w.there
	if known := w.exts[id]; known != nil {
		e = *known
	}
	w.mu.Unlock()
	switch {
	case !there:
		return extproto.Probed{}, browser.Errorf(browser.NoBackend, "no browser is connected")
	case e.answer == "":
		return extproto.Probed{Problem: "Could not establish connection. Receiving end does not exist."}, nil
	case e.late:
		return extproto.Probed{Problem: extproto.LateText(), Late: true}, nil
	}
	return extproto.Probed{Answer: json.RawMessage(e.answer)}, nil
}

func (w *world) OpenPort(_ context.Context, _, id, name string) (extproto.Port, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	near, far := newPipe(w, id, name)
	w.opened++
	w.live.Add(1)
	e := w.exts[id]
	switch {
	case e != nil && e.raw != nil:
		e.ports = append(e.ports, far)
		go e.raw(far)
		return near, nil
	case e == nil, e.server == nil, e.plain != (name == extproto.PlainPort):
		near.Close("Could not establish connection. Receiving end does not exist.")
		return near, nil
	case e.deaf:
		return near, nil
	}
	e.ports = append(e.ports, far)
	e.session++
	_, err := e.server().Connect(context.Background(), &extproto.Transport{Port: far}, nil)
	return near, err
}

// kill ends the extension's ports, as Chrome does with a worker that it stops.
func (w *world) kill(id string) {
	w.mu.Lock()
	ports := w.exts[id].ports
	w.exts[id].ports = nil
	w.mu.Unlock()
	for _, p := range ports {
		p.Close("the worker was stopped")
	}
}

// pipe is one end of a port.
type pipe struct {
	w     *world
	peer  extproto.Peer
	in    chan json.RawMessage
	other *pipe
	end   *ending
	fail  func(json.RawMessage) error // of Send
}

type ending struct {
	once   sync.Once
	done   chan struct{}
	reason string
}

func newPipe(w *world, id, name string) (near, far *pipe) {
	end := &ending{done: make(chan struct{})}
	near = &pipe{w: w, peer: extproto.Peer{Extension: id, Name: name}, in: make(chan json.RawMessage, 1000), end: end}
	far = &pipe{w: w, in: make(chan json.RawMessage, 1000), other: near, end: end}
	near.other = far
	return near, far
}

func (p *pipe) Peer() extproto.Peer   { return p.peer }
func (p *pipe) Done() <-chan struct{} { return p.end.done }

func (p *pipe) Close(reason string) {
	p.end.once.Do(func() {
		p.end.reason = reason
		close(p.end.done)
		p.w.live.Add(-1)
	})
}

func (p *pipe) Send(_ context.Context, m json.RawMessage) error {
	if p.fail != nil {
		if err := p.fail(m); err != nil {
			return err
		}
	}
	select {
	case <-p.end.done:
		return browser.Errorf(browser.ExtensionDisconnected, "the port is closed")
	default:
	}
	select {
	case p.other.in <- m:
		return nil
	case <-p.end.done:
		return browser.Errorf(browser.ExtensionDisconnected, "the port is closed")
	}
}

func (p *pipe) Recv(ctx context.Context) (json.RawMessage, error) {
	select {
	case m := <-p.in:
		return m, nil
	default:
	}
	select {
	case m := <-p.in:
		return m, nil
	case <-p.end.done:
		return nil, &extproto.ClosedError{Reason: p.end.reason}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// host makes a host over the world that has asked its providers.
func (w *world) host(cfg Config) *Host {
	w.t.Helper()
	cfg.Ports, cfg.Name, cfg.Version = w, "chrome-mcp", "1"
	h := New(cfg)
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		h.Close(ctx)
	})
	h.Refresh(w.t.Context(), 10*time.Second)
	return h
}

func entries(ids ...string) (list []extproto.Entry) {
	for _, id := range ids {
		list = append(list, extproto.Entry{ID: id, Writes: true})
	}
	return list
}

// text is what a result says.
func text(r *mcp.CallToolResult) string {
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			return c.Text
		}
	}
	return ""
}

func names(h *Host) []string {
	list := []string{}
	for _, t := range h.Tools() {
		list = append(list, t.Name)
	}
	return list
}

// until waits for a condition that something else brings about.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come to pass that %s", what)
		}
	}
}
