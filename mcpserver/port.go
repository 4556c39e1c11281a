package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/oklog/ulid/v2"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/policy"
)

// codeRefused is the error of a request that the user does not allow, where no result
// could say so.
const codeRefused = -32001

// maxPortPending is how many calls of one port may run at once; more are refused.
const maxPortPending = 64

// portGrace is for giving the tabs of a caller back. The browser may be away for a
// moment: a worker that was stopped takes the sessions of its callers with it.
const portGrace = 6 * time.Second

// ServeExtensions serves other extensions that connect to ours, each port with a session
// and a server object of its own, until stop. It opens nothing.
func (s *Server) ServeExtensions(ctx context.Context) (stop func()) {
	from := s.cfg.Callers
	if from == nil {
		return func() {}
	}
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	var (
		mu     sync.Mutex // held while one is let in, so that none is once group is waited for
		ending bool
		group  sync.WaitGroup
	)
	unport := from.OnPort(func(p extproto.Port) {
		mu.Lock()
		defer mu.Unlock()
		if ending {
			p.Close(errEnding.Error())
			return
		}
		group.Go(func() { s.servePort(life, p) })
	})
	unrefused := from.OnRefused(s.auditRefusal)
	return func() {
		unport()
		unrefused()
		mu.Lock()
		ending = true
		mu.Unlock()
		end(errEnding)
		done := make(chan struct{})
		go func() { group.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(closeGrace): // the browser frees the tabs of a server that is gone
		}
	}
}

// servePort serves one port until it is closed.
func (s *Server) servePort(life context.Context, p extproto.Port) {
	life, end := context.WithCancelCause(life)
	defer end(errEnding)
	t := newTurns()
	sess := newSession(s, ulid.Make().String(), life, t)
	sess.caller = &caller{srv: s, port: p, window: s.windows.of(p.Peer().Extension)}
	if err := sess.caller.admitted(); err != nil {
		s.auditRefusal(extproto.Refusal{Extension: p.Peer().Extension, Reason: asError(err).Message, Count: 1})
		p.Close(asError(err).Message)
		return
	}
	defer s.cfg.Callers.Confine(sess.id, p)()
	defer s.guests.come(sess)()
	ss, err := sess.server().Connect(life, &portConn{transport: extproto.Transport{Port: p, Broken: func(why string) {
		s.auditRefusal(extproto.Refusal{Extension: p.Peer().Extension, Reason: why, Count: 1})
	}}, turns: t}, nil)
	if err != nil {
		s.log.Warn("an extension's port is not served", "extension", p.Peer().Extension, "error", err)
		p.Close("chrome-mcp cannot serve it: " + err.Error())
		return
	}
	// The port first: the SDK waits for handlers, and those for their life.
	shut := context.AfterFunc(life, func() { p.Close(errEnding.Error()) })
	defer shut()
	go func() {
		<-p.Done()
		end(errCallerGone)
	}()
	_ = ss.Wait()
	p.Close("the session ended")
	sess.close(portGrace)
}

var errCallerGone = errors.New("the extension that called has closed its port")

// auditRefusal writes down a caller that was turned away.
func (s *Server) auditRefusal(r extproto.Refusal) {
	log := s.cfg.Audit
	if log == nil {
		return
	}
	e := policy.Entry{
		Time: time.Now(), Session: s.cfg.SessionID, Caller: r.Extension, Tool: "ext_port_open",
		Verdict: "deny", Rule: fmt.Sprintf("%s (%d×)", clip(escapeText(r.Reason), 200), r.Count), Outcome: string(browser.PolicyDenied),
	}
	if err := log.Record(e); err != nil {
		s.log.Error("audit", "error", err)
	}
}

// portConn is MCP over a port, with what a session of ours needs besides: the order in
// which calls came, and a bound on how many there are.
type portConn struct {
	transport extproto.Transport
	turns     *turns
	mcp.Connection

	mu      sync.Mutex
	pending map[jsonrpc.ID]uint64 // turn, 0 for what has none
}

// Connect implements mcp.Transport.
func (c *portConn) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := c.transport.Connect(ctx)
	c.Connection, c.pending = inner, map[jsonrpc.ID]uint64{}
	return c, err
}

// Read implements mcp.Connection.
func (c *portConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		call, ok := m.(*jsonrpc.Request)
		if !ok || !call.IsCall() {
			return m, nil
		}
		refused := c.register(call)
		if refused == nil {
			return m, nil
		}
		if err := c.Connection.Write(ctx, &jsonrpc.Response{ID: call.ID, Error: refused}); err != nil {
			return nil, err
		}
	}
}

func (c *portConn) register(call *jsonrpc.Request) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.pending[call.ID]; there {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("invalid request: id %v belongs to a call that is still running", call.ID.Raw())}
	}
	if len(c.pending) >= maxPortPending {
		return &jsonrpc.Error{Code: codeOverload, Message: fmt.Sprintf("%d calls are running; wait for some of them", maxPortPending)}
	}
	turn := uint64(0)
	if call.Method == methodCallTool {
		turn = c.turns.issue()
		call.Extra = &mcp.RequestExtra{Header: http.Header{turnHeader: {strconv.FormatUint(turn, 10)}}}
	}
	c.pending[call.ID] = turn
	return nil
}

// Write implements mcp.Connection.
func (c *portConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		turn := c.pending[r.ID]
		delete(c.pending, r.ID)
		c.mu.Unlock()
		c.turns.pass(turn)
	}
	return c.Connection.Write(ctx, m)
}

// guests are the sessions of other extensions.
type guests struct {
	mu   sync.Mutex
	here map[*session]bool
}

func (g *guests) come(s *session) (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.here == nil {
		g.here = map[*session]bool{}
	}
	g.here[s] = true
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.here, s)
	}
}

// list names them for people.
func (g *guests) list() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for s := range g.here {
		names = append(names, s.title())
	}
	slices.Sort(names)
	return names
}

// writeWindows count the writes of each caller, over all of its ports.
type writeWindows struct {
	mu   sync.Mutex
	list map[string]*extproto.Window
}

func (w *writeWindows) of(extension string) *extproto.Window {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[string]*extproto.Window{}
	}
	for id, window := range w.list {
		if id != extension && window.Idle() {
			delete(w.list, id)
		}
	}
	if w.list[extension] == nil {
		w.list[extension] = extproto.NewWindow(extproto.WriteLimit, extproto.WriteWindow)
	}
	return w.list[extension]
}

// callerTitle names a caller for people: what it calls itself proves nothing.
func callerTitle(name string, p extproto.Peer) string {
	return fmt.Sprintf("%s (extension %.8s)", cmp.Or(name, clip(escapeText(p.Caller), 60), "unnamed"), p.Extension)
}
