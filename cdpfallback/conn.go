package cdpfallback

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"chrome-mcp/internal/browser"
)

// conn is one DevTools connection with flat sessions. Events are handed over on the
// reading goroutine, so one that came before an answer is seen before that answer.
type conn struct {
	t       transport
	onEvent func(session, method string, params json.RawMessage)
	done    chan struct{} // closed when the connection has ended

	mu      sync.Mutex
	last    int64
	pending map[int64]*call
	err     error // why the connection ended
}

// call is a command whose answer is awaited.
type call struct {
	id      int64
	session string
	method  string
	done    chan struct{}
	result  json.RawMessage
	err     error
}

// message is any frame of the protocol.
type message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    string `json:"data"`
	} `json:"error,omitempty"`
}

func newConn(t transport, onEvent func(session, method string, params json.RawMessage)) *conn {
	return &conn{t: t, onEvent: onEvent, done: make(chan struct{}), pending: map[int64]*call{}}
}

// read runs until the connection ends and then fails everything that waits.
func (c *conn) read() {
	for {
		raw, err := c.t.receive()
		if err != nil {
			c.end(err)
			return
		}
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			c.end(fmt.Errorf("browser sent a broken message: %w", err))
			return
		}
		if m.ID == 0 {
			c.onEvent(m.Session, m.Method, m.Params)
			continue
		}
		c.answer(m)
	}
}

func (c *conn) answer(m message) {
	c.mu.Lock()
	p := c.pending[m.ID]
	delete(c.pending, m.ID)
	c.mu.Unlock()
	if p == nil {
		return
	}
	p.result = m.Result
	if m.Error != nil {
		p.err = refusal(p.method, m.Error.Message, m.Error.Data)
	}
	close(p.done)
}

func (c *conn) end(cause error) {
	c.mu.Lock()
	c.err = browser.Errorf(browser.NoBackend, "the browser has ended (%v); the next call needs a new one", cause)
	c.mu.Unlock()
	c.fail(func(*call) bool { return true }, c.err)
	_ = c.t.close()
	close(c.done)
}

// fail ends the waiting calls that match picks.
func (c *conn) fail(match func(*call) bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, p := range c.pending {
		if match(p) {
			delete(c.pending, id)
			p.err = lost(p.method, err)
			close(p.done)
		}
	}
}

// start sends a command without waiting for its answer.
func (c *conn) start(session, method string, params any) (*call, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, browser.Errorf(browser.BadArgs, "%s: %v", method, err)
	}
	if string(raw) == "null" {
		raw = nil
	}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return nil, c.err
	}
	c.last++
	p := &call{id: c.last, session: session, method: method, done: make(chan struct{})}
	c.pending[p.id] = p
	c.mu.Unlock()
	frame, err := json.Marshal(message{ID: p.id, Session: session, Method: method, Params: raw})
	if err == nil {
		err = c.t.send(frame)
	}
	if err != nil {
		c.forget(p)
		return nil, browser.Errorf(browser.NoBackend, "the browser takes no more commands (%v); call again, which starts or finds another", err)
	}
	return p, nil
}

func (c *conn) forget(p *call) {
	c.mu.Lock()
	delete(c.pending, p.id)
	c.mu.Unlock()
}

// wait waits for the answer of p and decodes it into result, which may be nil.
func (c *conn) wait(ctx context.Context, p *call, result any) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		c.forget(p)
		return lost(p.method, browser.Errorf(browser.Timeout, "%s was not answered in time; the page may be busy: try again, or reload it", p.method))
	}
	if p.err != nil {
		return p.err
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(p.result, result); err != nil {
		return browser.Errorf(browser.CDPError, "%s answered something unexpected: %v; another version of the browser may help", p.method, err)
	}
	return nil
}

// call sends a command and waits for its answer.
func (c *conn) call(ctx context.Context, session, method string, params, result any) error {
	p, err := c.start(session, method, params)
	if err != nil {
		return err
	}
	return c.wait(ctx, p, result)
}

// all sends commands in order without waiting in between and returns the first error.
func (c *conn) all(ctx context.Context, session string, commands []browser.Command) error {
	calls := make([]*call, 0, len(commands))
	for _, cmd := range commands {
		p, err := c.start(session, cmd.Method, cmd.Params)
		if err != nil {
			return err
		}
		calls = append(calls, p)
	}
	var first error
	for _, p := range calls {
		if err := c.wait(ctx, p, nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}
