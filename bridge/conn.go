package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

// Close codes of the WebSocket protocol that we use beside our own.
const (
	closeGoing   = websocket.StatusGoingAway
	closeRestart = websocket.StatusServiceRestart
)

// conn is one welcomed socket. Reading and writing each have a goroutine: a context
// given to coder/websocket closes the socket when it ends, so no caller's is.
type conn struct {
	b      *Bridge
	peer   *peer
	ws     *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{} // tells the writer that the queue has something

	missed atomic.Int32 // heartbeats without a sign of life
	pinged atomic.Int64 // nanoseconds since began, of the last ping
	began  time.Time

	mu      sync.Mutex
	ended   bool
	why     string // why it ended
	queue   []outgoing
	queued  int // bytes not yet written
	pending map[string]*call
}

type outgoing struct {
	frame []byte
	call  *call // nil for frames without an answer
}

// call is a command that waits for its answer.
type call struct {
	reply chan reply // buffered: the reader never waits
	fate  atomic.Int32
}

// The fate of a queued command. One that expired unsent must not be sent later.
const (
	waiting int32 = iota
	sent
	dropped
)

type reply struct {
	data json.RawMessage
	err  *browser.Error
	lost bool // the socket ended first
}

func (b *Bridge) newConn(ws *websocket.Conn) *conn {
	ctx, cancel := context.WithCancel(b.ctx)
	return &conn{b: b, ws: ws, ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1), began: time.Now(), pending: map[string]*call{}}
}

// run serves the socket until it ends.
func (c *conn) run() {
	c.b.group.Go(c.writeLoop)
	c.b.group.Go(c.beat)
	why := c.readLoop()
	c.end(why)
	c.ws.CloseNow()
	c.cancel()
}

// send queues a command and returns where its answer arrives.
func (c *conn) send(id string, frame []byte) (*call, *browser.Error) {
	k := &call{reply: make(chan reply, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(frame) > wire.MaxFrame:
		return nil, browser.Errorf(browser.BadArgs, "the command has %d MB and at most %d can be sent; send less at a time", len(frame)>>20, wire.MaxFrame>>20)
	case c.ended:
		k.reply <- reply{lost: true}
		return k, nil
	case c.queued > 0 && c.queued+len(frame) > wire.MaxQueued:
		return nil, browser.Errorf(browser.Backpressure, "%d MB wait to be sent to %s, which does not take them; let earlier calls end, then try again", c.queued>>20, c.peer.name())
	}
	c.pending[id] = k
	c.push(outgoing{frame, k})
	return k, nil
}

// push queues a frame. c.mu is held.
func (c *conn) push(o outgoing) {
	c.queue = append(c.queue, o)
	c.queued += len(o.frame)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// post queues a frame that nobody waits for.
func (c *conn) post(frame any) {
	b, err := wire.Encode(frame)
	if err != nil {
		return
	}
	c.mu.Lock()
	if !c.ended {
		c.push(outgoing{frame: b})
	}
	c.mu.Unlock()
}

// forget gives a command up. It reports whether the browser may have got it.
func (c *conn) forget(id string, k *call) (maybe bool) {
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
	return !k.fate.CompareAndSwap(waiting, dropped)
}

func (c *conn) writeLoop() {
	var batch []outgoing
	for {
		select {
		case <-c.wake:
		case <-c.ctx.Done():
			return
		}
		c.mu.Lock()
		batch, c.queue = c.queue, batch[:0]
		c.mu.Unlock()
		for i, o := range batch {
			batch[i] = outgoing{}
			err := error(nil)
			if o.call == nil || o.call.fate.CompareAndSwap(waiting, sent) {
				err = c.ws.Write(c.ctx, websocket.MessageText, o.frame)
			}
			c.mu.Lock()
			c.queued -= len(o.frame)
			ended := c.ended
			c.mu.Unlock()
			if err != nil {
				c.ws.CloseNow() // the reader notices and says why
				return
			}
			if ended {
				return
			}
		}
	}
}

// readLoop takes frames until the socket ends, and says why it ended.
func (c *conn) readLoop() string {
	var buf bytes.Buffer
	for {
		kind, r, err := c.ws.Reader(c.ctx)
		if err == nil {
			buf.Reset()
			_, err = buf.ReadFrom(r)
		}
		if err != nil {
			return c.farewell(err)
		}
		c.missed.Store(0)
		if kind != websocket.MessageText {
			c.b.complain("a binary frame")
			continue
		}
		f, err := wire.Decode(buf.Bytes())
		if err != nil {
			c.b.complain(err.Error())
			continue
		}
		c.take(f)
		if buf.Cap() > 1<<20 {
			buf = bytes.Buffer{} // a screenshot's buffer is not kept for pongs
		}
	}
}

// farewell says why the socket ended.
func (c *conn) farewell(err error) string {
	switch {
	case websocket.CloseStatus(err) == wire.CloseStopped:
		c.b.mu.Lock()
		c.b.stopped = true
		c.b.mu.Unlock()
		return "the user pressed Stop in the extension"
	case errors.Is(err, websocket.ErrMessageTooBig):
		return "the browser sent a message that is too large"
	}
	return "the connection was lost"
}

func (c *conn) take(f wire.Incoming) {
	switch f.Type {
	case wire.TypeResult:
		c.answer(f.ID, reply{data: f.Data})
	case wire.TypeError:
		c.answer(f.ID, reply{err: f.Error})
	case wire.TypeEvent:
		if !c.b.relayed(c, f) {
			c.b.dispatch(c.peer, f)
		}
	case wire.TypePing:
		c.post(wire.Pong{Header: header(wire.TypePong), TS: f.TS})
	case wire.TypePong:
		c.peer.ping.Store(int64(time.Since(c.began)) - c.pinged.Load())
	}
}

// answer hands a reply to its caller. One that comes too late or twice has none.
func (c *conn) answer(id string, r reply) {
	c.mu.Lock()
	k := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if k != nil {
		k.reply <- r
	}
}

// beat pings, and ends a socket whose other side is silent.
func (c *conn) beat() {
	tick := time.NewTicker(c.b.times.heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.ctx.Done():
			return
		}
		if c.missed.Add(1) > 2 {
			c.end("the browser did not answer two heartbeats")
			c.ws.CloseNow()
			return
		}
		c.pinged.Store(int64(time.Since(c.began)))
		c.post(wire.Ping{Header: header(wire.TypePing), TS: time.Now().UnixMilli()})
	}
}

// end fails what is pending. The first reason given stands.
func (c *conn) end(why string) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.ended, c.why = true, why
	pending := c.pending
	c.pending, c.queue = nil, nil
	c.mu.Unlock()
	c.b.left(c, why)
	c.b.portsLost(c, why)
	for _, k := range pending {
		k.reply <- reply{lost: true}
	}
}

// close ends the socket with a code that the extension understands.
func (c *conn) close(code websocket.StatusCode, why string) {
	c.end(why)
	c.ws.Close(code, why)
	c.cancel()
}
