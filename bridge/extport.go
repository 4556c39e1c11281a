package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/wire"
)

// port is one relayed port. It ends with its socket.
type port struct {
	conn *conn
	id   string
	peer extproto.Peer
	done chan struct{}
	came chan struct{} // tells the reader that there is something

	mu     sync.Mutex
	queue  []json.RawMessage
	queued int // bytes
	shutAs string
}

func newPort(c *conn, id string, who extproto.Peer) *port {
	return &port{conn: c, id: id, peer: who, done: make(chan struct{}), came: make(chan struct{}, 1)}
}

// hold registers a port.
func (b *Bridge) hold(p *port) error {
	b.ports.mu.Lock()
	defer b.ports.mu.Unlock()
	if b.ports.open == nil {
		b.ports.open = map[portKey]*port{}
	}
	key := portKey{p.conn, p.id}
	if b.ports.open[key] != nil {
		return browser.Errorf(browser.BadArgs, "port %s is open already", printable(p.id))
	}
	b.ports.open[key] = p
	return nil
}

func (b *Bridge) portOf(c *conn, id string) *port {
	b.ports.mu.Lock()
	defer b.ports.mu.Unlock()
	return b.ports.open[portKey{c, id}]
}

// relayed takes an event of ports; false for any other. It runs on the socket's reader,
// so nothing here waits.
func (b *Bridge) relayed(c *conn, f wire.Incoming) bool {
	switch f.Name {
	case wire.EventExtPortOpen:
		withData(b, f, func(e wire.ExtPort) { b.called(c, e) })
	case wire.EventExtPortMessage:
		withData(b, f, func(e wire.ExtMessage) {
			if p := b.portOf(c, e.Port); p != nil {
				p.take(e.Message)
			}
		})
	case wire.EventExtPortClose:
		withData(b, f, func(e wire.ExtClose) {
			if p := b.portOf(c, e.Port); p != nil {
				p.shut(cmp.Or(e.Reason, "the other extension closed it"))
			}
		})
	case wire.EventExtServing:
		withData(b, f, func(e wire.ExtServing) { b.served(c, e) })
	case wire.EventExtProviders:
		withData(b, f, func(e wire.ExtProviders) { b.providersNamed(c, e) })
	case wire.EventExtRefused:
		withData(b, f, func(e wire.ExtRefused) { b.turnedAway(c, e) })
	default:
		return false
	}
	return true
}

func withData[T any](b *Bridge, f wire.Incoming, do func(T)) {
	var v T
	if err := wire.Unmarshal(f.Data, &v); err != nil {
		b.complain("an event " + f.Name + " that cannot be read")
		return
	}
	do(v)
}

// called takes a port that another extension opened.
func (b *Bridge) called(c *conn, e wire.ExtPort) {
	p := newPort(c, e.Port, extproto.Peer{Browser: c.peer.name(), Extension: e.Extension, Name: e.Name, Caller: e.Caller})
	takers := watchers(&b.ports.mu, &b.ports.incoming)
	switch {
	case !extproto.IsExtensionID(e.Extension):
		p.tell("the caller has no extension id")
		return
	case len(takers) == 0:
		p.tell("this server does not serve other extensions")
		return
	case b.hold(p) != nil:
		return
	}
	for _, fn := range takers {
		(*fn)(p)
	}
}

func (b *Bridge) served(c *conn, e wire.ExtServing) {
	b.ports.mu.Lock()
	c.peer.serving = e
	b.ports.mu.Unlock()
	for _, fn := range watchers(&b.ports.mu, &b.ports.served) {
		(*fn)()
	}
}

// portsLost closes the ports of a socket that ended.
func (b *Bridge) portsLost(c *conn, why string) {
	b.ports.mu.Lock()
	var lost []*port
	for key, p := range b.ports.open {
		if key.conn == c {
			lost = append(lost, p)
		}
	}
	b.ports.mu.Unlock()
	for _, p := range lost {
		p.shut(fmt.Sprintf("%s disconnected (%s)", c.peer.name(), why))
	}
}

const tooMuch = "it sent more than is taken at once"

// take queues a message. A port whose reader does not keep up is closed: the memory is
// everybody's.
func (p *port) take(m json.RawMessage) {
	p.mu.Lock()
	over := len(p.queue) >= extproto.MaxWaiting || p.queued+len(m) > extproto.MaxWaitingBytes || len(m) > extproto.MaxMessage
	open := p.shutAs == ""
	if !over && open {
		p.queue = append(p.queue, m)
		p.queued += len(m)
	}
	p.mu.Unlock()
	if over {
		p.Close(tooMuch)
		if open {
			p.conn.b.turnedAway(p.conn, wire.ExtRefused{Extension: p.peer.Extension, Reason: tooMuch, Count: 1})
		}
		return
	}
	select {
	case p.came <- struct{}{}:
	default:
	}
}

// Peer implements extproto.Port.
func (p *port) Peer() extproto.Peer { return p.peer }

// Done implements extproto.Port.
func (p *port) Done() <-chan struct{} { return p.done }

// Recv implements extproto.Port.
func (p *port) Recv(ctx context.Context) (json.RawMessage, error) {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			m := p.queue[0]
			p.queue[0] = nil
			p.queue = p.queue[1:]
			p.queued -= len(m)
			p.mu.Unlock()
			return m, nil
		}
		why := p.shutAs
		p.mu.Unlock()
		if why != "" {
			return nil, &extproto.ClosedError{Reason: why}
		}
		select {
		case <-p.came:
		case <-p.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Send implements extproto.Port.
func (p *port) Send(ctx context.Context, m json.RawMessage) error {
	if len(m) > extproto.MaxMessage {
		return browser.Errorf(browser.BadArgs, "the message has %d KB, at most %d go through a port; send less at a time", len(m)>>10, extproto.MaxMessage>>10)
	}
	if err := p.closedError(); err != nil {
		return err
	}
	ctx, cancel := withDeadline(ctx, wire.ExtPortMessage)
	defer cancel()
	return p.command(ctx, wire.ExtPortMessage, wire.ExtMessage{Port: p.id, Message: m})
}

// command sends a command about the port on its own socket: on another nobody knows it.
func (p *port) command(ctx context.Context, method wire.Method, params any) error {
	cmd, err := command(ctx, method, 0, params)
	if err != nil {
		return err
	}
	r, maybe, err := p.conn.exchange(ctx, cmd)
	switch {
	case err != nil:
		return unanswered(err, cmd, p.conn.peer, maybe)
	case r.err != nil:
		return r.err
	case r.lost && maybe:
		return lost(p.conn, cmd)
	case r.lost:
		return disconnected(p.conn)
	}
	return nil
}

// Close implements extproto.Port.
func (p *port) Close(reason string) {
	if p.shut(reason) {
		p.tell(reason)
	}
}

// tell has the extension close its end. Nobody waits for the answer.
func (p *port) tell(reason string) {
	cmd, err := command(context.Background(), wire.ExtPortClose, 0, wire.ExtClose{Port: p.id, Reason: reason})
	if err != nil {
		return
	}
	cmd.ID, cmd.TimeoutMS = p.id+"-close", int(wire.ProbeTimeout.Milliseconds())
	p.conn.post(cmd)
}

// shut ends the port here; false if it has ended. The first reason stands.
func (p *port) shut(reason string) bool {
	p.mu.Lock()
	first := p.shutAs == ""
	if first {
		p.shutAs = cmp.Or(reason, "it ended")
		close(p.done)
	}
	p.mu.Unlock()
	b := p.conn.b
	b.ports.mu.Lock()
	delete(b.ports.open, portKey{p.conn, p.id})
	b.ports.mu.Unlock()
	return first
}

func (p *port) closedError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shutAs == "" {
		return nil
	}
	return &extproto.ClosedError{Reason: p.shutAs}
}

// turnedAway notes callers that the extension refused, and tells whoever keeps the log.
func (b *Bridge) turnedAway(c *conn, e wire.ExtRefused) {
	for _, fn := range watchers(&b.ports.mu, &b.ports.refused) {
		(*fn)(extproto.Refusal{Browser: c.peer.name(), Extension: e.Extension, Reason: e.Reason, Count: e.Count})
	}
}
