package bridge

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"sync"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

// Reasons of unauthorized.
const (
	badToken   = "bad_token"
	badVersion = "bad_version"
	badBundle  = "bad_bundle"
	tooLate    = "timeout"
)

const (
	maxUnknown   = 32               // sockets that have not said hello yet
	maxSlowed    = 16               // refused sockets that are kept waiting
	maxHello     = 64 << 10         // bytes of a hello
	burst        = 10 * time.Second // refusals within it are logged once
	forget       = time.Minute      // after it a remote starts again without a delay
	longestDelay = 2 * time.Second
)

// gate counts those who are not trusted yet and slows down those who guess.
type gate struct {
	mu      sync.Mutex
	unknown int
	slowed  int
	failed  map[string]failures // by remote
	logged  time.Time
	silent  int // refusals since the last logged one
}

type failures struct {
	n    int
	last time.Time
}

func (g *gate) init() { g.failed = map[string]failures{} }

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unknown >= maxUnknown {
		return false
	}
	g.unknown++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	g.unknown--
	g.mu.Unlock()
}

// delay is how long a guesser waits for the answer: 50 ms, doubled with each failure.
// ok is false when too many wait already.
func (g *gate) delay(remote string) (d time.Duration, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for r, f := range g.failed {
		if now.Sub(f.last) > forget {
			delete(g.failed, r)
		}
	}
	f := g.failed[remote]
	d = min(50*time.Millisecond<<min(f.n, 10), longestDelay)
	g.failed[remote] = failures{f.n + 1, now}
	if g.slowed >= maxSlowed {
		return 0, false
	}
	g.slowed++
	return d, true
}

func (g *gate) answered() {
	g.mu.Lock()
	g.slowed--
	g.mu.Unlock()
}

// refused tells the log and the status of a refusal, once a burst.
func (g *gate) refused(b *Bridge, format string, a ...any) {
	g.mu.Lock()
	if time.Since(g.logged) < burst {
		g.silent++
		g.mu.Unlock()
		return
	}
	what := "refused " + fmt.Sprintf(format, a...)
	if g.silent > 0 {
		what += fmt.Sprintf(" (and %d more refusals since %s)", g.silent, g.logged.Format(time.TimeOnly))
	}
	g.logged, g.silent = time.Now(), 0
	g.mu.Unlock()
	b.note("%s", what)
}

// receive takes a new socket: hello, then either welcome and service, or refusal.
func (b *Bridge) receive(ws *websocket.Conn, remote string) {
	ws.SetReadLimit(maxHello)
	b.mu.Lock()
	epoch := b.epoch
	b.mu.Unlock()
	hello, reason, why := b.hello(ws)
	b.gate.leave()
	if reason != "" {
		b.refuse(ws, remote, reason, why)
		return
	}
	ws.SetReadLimit(wire.MaxFrame)
	b.welcome(ws, hello.Ext, epoch)
}

// hello reads the first frame and judges it. A reason is why it is refused; why is
// the message, "" when the socket just went away.
func (b *Bridge) hello(ws *websocket.Conn) (f wire.Incoming, reason, why string) {
	ctx, cancel := context.WithTimeout(b.ctx, b.times.hello)
	defer cancel()
	kind, msg, err := readWithin(ctx, ws)
	if errors.Is(err, context.DeadlineExceeded) {
		return f, tooLate, fmt.Sprintf("no hello within %s; reload the extension at chrome://extensions", b.times.hello)
	}
	if err != nil {
		return f, tooLate, ""
	}
	if kind != websocket.MessageText {
		return f, badVersion, b.mismatch("", "")
	}
	f, err = wire.Decode(msg)
	switch {
	case errors.Is(err, wire.ErrVersion):
		return f, badVersion, b.mismatch("protocol", fmt.Sprintf("the extension speaks v:%d, the server v:%d", f.V, wire.Protocol))
	case err != nil || f.Type != wire.TypeHello:
		return f, badVersion, b.mismatch("", "")
	}
	return f, b.judge(f, &why), why
}

// judge compares the token first: without it nothing is told.
func (b *Bridge) judge(f wire.Incoming, why *string) (reason string) {
	b.mu.Lock()
	token := b.published.Handshake().Token
	b.mu.Unlock()
	if !state.TokenEqual(f.Token, token) {
		*why = "wrong token; the server was restarted or its token was changed: press Pair on the extension's options page"
		return badToken
	}
	if want := b.config.ExtensionID; want != "" && f.Ext.ID != want {
		*why = fmt.Sprintf("extension %s is not the one that this server was installed with (%s); load the folder that `chrome-mcp extension-path` prints", printable(f.Ext.ID), want)
		return badToken
	}
	if f.Ext.Version != b.config.Version {
		*why = b.mismatch("release", fmt.Sprintf("the extension is %s, the server %s", printable(f.Ext.Version), b.config.Version))
		return badVersion
	}
	if want := b.config.BundleHash; want != "" && f.Ext.Bundle != want {
		*why = b.mismatch("page bundle", fmt.Sprintf("the extension %s has %.12s, the server %s has %.12s", printable(f.Ext.Version), printable(f.Ext.Bundle), b.config.Version, want))
		return badBundle
	}
	return ""
}

func (b *Bridge) mismatch(what, detail string) string {
	if what == "" {
		return "the first message was no hello of chrome-mcp " + b.config.Version + "; run `chrome-mcp install` and reload the extension at chrome://extensions"
	}
	return fmt.Sprintf("extension and server do not fit together (%s: %s); run `chrome-mcp install`, reload the extension at chrome://extensions, and restart the MCP client", what, detail)
}

// printable bounds what a stranger makes us log.
func printable(s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	q := fmt.Sprintf("%+q", s)
	return q[1 : len(q)-1]
}

func (b *Bridge) refuse(ws *websocket.Conn, remote, reason, why string) {
	if why == "" {
		ws.CloseNow()
		return
	}
	b.gate.refused(b, "a connection: %s", why)
	select {
	case b.refused <- Refusal{reason, why}:
	default:
	}
	if reason == badToken {
		d, ok := b.gate.delay(remote)
		if !ok {
			ws.CloseNow()
			return
		}
		defer b.gate.answered()
		select {
		case <-time.After(d):
		case <-b.ctx.Done():
		}
	}
	frame, err := wire.Encode(wire.Unauthorized{Header: header(wire.TypeUnauthorized), Reason: reason, Message: why})
	if err == nil {
		ctx, cancel := context.WithTimeout(b.ctx, time.Second)
		defer cancel()
		ws.Write(ctx, websocket.MessageText, frame)
	}
	ws.Close(wire.CloseRefused, reason)
}

// readWithin reads one message without losing the socket at the deadline:
// coder/websocket closes it with the context, and the refusal could not be sent. The
// reading goroutine ends when the socket is closed.
func readWithin(ctx context.Context, ws *websocket.Conn) (websocket.MessageType, []byte, error) {
	type message struct {
		kind websocket.MessageType
		text []byte
		err  error
	}
	done := make(chan message, 1)
	go func() {
		kind, text, err := ws.Read(context.WithoutCancel(ctx))
		done <- message{kind, text, err}
	}()
	select {
	case m := <-done:
		return m.kind, m.text, m.err
	case <-ctx.Done():
		return 0, nil, context.DeadlineExceeded
	}
}

func header(typ string) wire.Header { return wire.Header{V: wire.Protocol, Type: typ} }

// quiet makes the HTTP server's complaints debug messages.
func quiet(l *slog.Logger) *log.Logger { return slog.NewLogLogger(l.Handler(), slog.LevelDebug) }
