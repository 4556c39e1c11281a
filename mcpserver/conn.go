package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	eofGrace    = 400 * time.Millisecond // for running calls to finish once input has ended
	cancelGrace = 250 * time.Millisecond // for cancelled calls to answer
	flushGrace  = 150 * time.Millisecond // for the client to take what is queued
	maxPending  = 512                    // calls at once; more are refused, not queued
	outQueue    = 16                     // lines waiting for the client to read

	codeOverload = -32000
)

// turnHeader carries a call's place in line from the transport to the pipeline. The
// SDK starts calls on goroutines of their own, which forgets the order of arrival.
const turnHeader = "Chrome-Mcp-Turn"

// conn is an mcp.Transport and its mcp.Connection over lines of JSON. Unlike the
// SDK's own it outlives a broken line, and it holds the end of its input back until
// the calls that were already made are answered.
type conn struct {
	log   *slog.Logger
	turns *turns
	// interrupt cancels all running calls; it is called when input has ended and
	// they have had their time.
	interrupt func(cause error)

	lines chan inputLine
	queue []jsonrpc.Message // of a batch; only Read touches it

	out      chan []byte
	stopping chan struct{} // closed by stop: no more reading
	ending   chan struct{} // closed when reading has ended, whatever the reason
	closed   chan struct{} // closed by Close: no more writing
	flushed  chan struct{} // closed when the writer has ended
	stopOnce sync.Once
	endOnce  sync.Once

	mu      sync.Mutex
	pending map[jsonrpc.ID]*pendingCall
	idle    chan struct{} // closed when pending gets empty; nil unless someone waits
	version string        // negotiated protocol version, or one that was asked for and is known; "" before
}

type pendingCall struct {
	method    string
	turn      uint64
	cancelled bool
	batch     *batch
}

type inputLine struct {
	data []byte
	err  error
}

func newConn(in io.Reader, out io.Writer, log *slog.Logger, interrupt func(error)) *conn {
	c := &conn{
		log: log, turns: newTurns(), interrupt: interrupt,
		lines: make(chan inputLine), out: make(chan []byte, outQueue),
		stopping: make(chan struct{}), ending: make(chan struct{}), closed: make(chan struct{}), flushed: make(chan struct{}),
		pending: map[jsonrpc.ID]*pendingCall{},
	}
	go c.readLines(newLineReader(in, maxIn))
	go c.writeLines(out)
	return c
}

// Connect implements mcp.Transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection.
func (c *conn) SessionID() string { return "" }

func (c *conn) readLines(r *lineReader) {
	for {
		line, err := r.next()
		select {
		case c.lines <- inputLine{line, err}:
		case <-c.closed:
			return
		}
		if err != nil && err != errTooLong {
			return
		}
	}
}

// Read implements mcp.Connection.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			return m, nil
		}
		select {
		case in := <-c.lines:
			if in.err != nil && in.err != errTooLong {
				return nil, c.drain(eofGrace)
			}
			c.acceptLine(in)
		case <-c.stopping:
			return nil, c.drain(0)
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

// drain ends reading. The SDK answers nothing once it has seen the end, so it learns
// of it only when the running calls have ended or were cancelled.
func (c *conn) drain(grace time.Duration) error {
	close(c.ending) // the SDK reads no more after an error
	if !c.waitIdle(grace) {
		c.interrupt(errors.New("the client has closed its end"))
		c.waitIdle(cancelGrace)
	}
	return io.EOF
}

func (c *conn) waitIdle(d time.Duration) bool {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return true
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return true
	case <-c.closed:
		return true
	case <-time.After(d):
		return false
	}
}

// acceptLine queues the messages of a line for Read and answers what is none.
func (c *conn) acceptLine(in inputLine) {
	if in.err == errTooLong {
		if id, err := parseID(in.data); err != nil || !id.IsValid() {
			in.data = nil
		}
		c.refuse(&badMessage{id: in.data, code: jsonrpc.CodeInvalidRequest,
			text: fmt.Sprintf("invalid request: the message is longer than %d MB and was skipped", maxIn>>20)})
		return
	}
	msgs, isBatch, err := parseLine(in.data)
	if err == nil && isBatch {
		err = c.batchAllowed()
	}
	if err != nil {
		c.refuse(err)
		return
	}
	var b *batch
	if isBatch {
		b = &batch{open: 1} // this reader itself
	}
	for _, m := range msgs {
		if err := c.admit(m, b); err != nil {
			c.refuseIn(b, err)
		}
	}
	if b != nil {
		b.done()
		c.finishBatch(b)
	}
}

// admit registers a call and queues the message.
func (c *conn) admit(m any, b *batch) error {
	switch m := m.(type) {
	case *badMessage:
		return m
	case *jsonrpc.Response:
		c.queue = append(c.queue, m)
	case *jsonrpc.Request:
		if m.IsCall() {
			if err := c.register(m, b); err != nil {
				return err
			}
		} else if m.Method == "notifications/cancelled" {
			c.noteCancelled(m)
		}
		c.queue = append(c.queue, m)
	}
	return nil
}

func (c *conn) register(m *jsonrpc.Request, b *batch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.pending[m.ID] != nil:
		return &badMessage{code: jsonrpc.CodeInvalidRequest,
			text: fmt.Sprintf("invalid request: id %s belongs to a call that is still running", idJSON(m.ID))}
	case len(c.pending) >= maxPending:
		return &badMessage{id: idJSON(m.ID), code: codeOverload,
			text: fmt.Sprintf("%d calls are running; wait for some of them", maxPending)}
	}
	p := &pendingCall{method: m.Method, batch: b}
	if m.Method == methodInitialize {
		c.noteAsked(m.Params)
	}
	if m.Method == methodCallTool {
		p.turn = c.turns.issue()
		m.Extra = &mcp.RequestExtra{Header: http.Header{turnHeader: {strconv.FormatUint(p.turn, 10)}}}
	}
	if m.Method != methodListen { // it is answered only when it is cancelled
		c.pending[m.ID] = p
		if b != nil {
			b.expect()
		}
	}
	return nil
}

// noteCancelled remembers that nobody wants the answer: the protocol forbids it then.
func (c *conn) noteCancelled(m *jsonrpc.Request) {
	var p struct {
		ID     json.RawMessage `json:"requestId"`
		Reason json.RawMessage `json:"reason,omitempty"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	id, err := parseID(p.ID)
	if err != nil {
		return
	}
	if s, ok := id.Raw().(string); ok && strings.HasPrefix(s, longID) { // the SDK knows it by that
		p.ID, _ = json.Marshal(s)
		m.Params, _ = json.Marshal(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.pending[id]; call != nil && call.method != methodInitialize {
		call.cancelled = true
	}
}
