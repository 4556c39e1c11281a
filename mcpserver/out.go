package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Write implements mcp.Connection.
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	resp, ok := m.(*jsonrpc.Response)
	if !ok {
		line, err := encode(m)
		if err != nil {
			return err
		}
		return c.send(line)
	}
	c.mu.Lock()
	call := c.pending[resp.ID]
	delete(c.pending, resp.ID)
	if call != nil && call.method == methodInitialize && resp.Error == nil {
		c.noteVersion(resp.Result)
	}
	c.mu.Unlock()
	if call == nil {
		return c.send(encodeResponse(resp))
	}
	defer c.settle()
	c.turns.pass(call.turn)
	switch {
	case call.batch != nil:
		if !call.cancelled {
			call.batch.add(encodeResponse(resp))
		}
		call.batch.done()
		c.finishBatch(call.batch)
		return nil
	case call.cancelled:
		return nil
	}
	return c.send(encodeResponse(resp))
}

// settle tells drain when nothing is pending any more. It runs after the answer has
// been queued.
func (c *conn) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// noteVersion keeps the negotiated revision, on which batches depend.
func (c *conn) noteVersion(result json.RawMessage) {
	var r struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &r) == nil {
		c.version = r.Version
	}
}

// noteAsked takes the revision that will be negotiated from the question: a client that
// does not wait for the answer may send a batch behind it.
func (c *conn) noteAsked(params json.RawMessage) {
	var p struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(params, &p) == nil && c.version == "" && slices.Contains(withBatches, p.Version) {
		c.version = p.Version
	}
}

func (c *conn) refuse(err error) { c.refuseIn(nil, err) }

func (c *conn) refuseIn(b *batch, err error) {
	var bad *badMessage
	if !errors.As(err, &bad) {
		bad = parseError(err)
	}
	c.log.Warn("bad message from the client", "error", bad.text)
	line := encodeError(bad)
	if b != nil {
		b.add(line)
		return
	}
	_ = c.send(line)
}

// send queues one line. It waits while the client does not read.
func (c *conn) send(line []byte) error {
	select {
	case <-c.closed:
		return io.ErrClosedPipe
	default:
	}
	select {
	case c.out <- line:
		return nil
	case <-c.closed:
		return io.ErrClosedPipe
	}
}

func (c *conn) writeLines(w io.Writer) {
	defer close(c.flushed)
	for {
		select {
		case line := <-c.out:
			if !c.writeLine(w, line) {
				return
			}
		case <-c.closed:
			for len(c.out) > 0 {
				if !c.writeLine(w, <-c.out) {
					return
				}
			}
			return
		}
	}
}

func (c *conn) writeLine(w io.Writer, line []byte) bool {
	if _, err := w.Write(append(line, '\n')); err != nil {
		c.log.Info("the client has closed its input", "error", err)
		c.interrupt(err)
		c.stop()
		c.end()
		return false
	}
	return true
}

// stop ends reading as if input had ended, without time for running calls.
func (c *conn) stop() { c.stopOnce.Do(func() { close(c.stopping) }) }

func (c *conn) end() { c.endOnce.Do(func() { close(c.closed) }) }

// Close implements mcp.Connection. It gives the client a moment to take what is queued.
func (c *conn) Close() error {
	c.stop()
	c.end()
	select {
	case <-c.flushed:
	case <-time.After(flushGrace):
	}
	return nil
}
