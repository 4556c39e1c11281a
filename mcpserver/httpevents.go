package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	takeWithin = 30 * time.Second // for a client to take what is written
	beatEvery  = 25 * time.Second // some clients give a silent stream up after a minute
)

// events writes an answer. It gives up on clients that do not read, keeps streams alive
// that have nothing to say, and makes errors of the protocol of what the SDK refuses in
// plain words.
type events struct {
	http.ResponseWriter
	conn *http.ResponseController
	id   json.RawMessage // of the request, nil for none

	refused int // status of a refusal whose words come next; 0 for none

	mu      sync.Mutex
	started bool // a whole event has been written
}

func newEvents(w http.ResponseWriter, id json.RawMessage) *events {
	return &events{ResponseWriter: w, conn: http.NewResponseController(w), id: id}
}

// WriteHeader holds a refusal in plain words back until they are known.
func (e *events) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(e.Header().Get("Content-Type"), "text/plain") {
		e.refused = status
		return
	}
	e.ResponseWriter.WriteHeader(status)
}

// unknownMethod is how the SDK says that it has no such method.
const unknownMethod = "JSON RPC not handled: "

// refuse answers in place of the SDK. That there is no such method is no fault of the
// request: a client may ask to find out.
func (e *events) refuse(words string) {
	bad := &badMessage{id: e.id, code: jsonrpc.CodeInvalidRequest, text: words}
	if method, ok := strings.CutPrefix(words, unknownMethod); ok {
		bad.code, bad.text = jsonrpc.CodeMethodNotFound, "method not found: "+method
		if e.id != nil {
			e.refused = http.StatusOK
		}
	}
	refuseMessage(e.ResponseWriter, e.refused, bad)
	e.refused = 0
}

// Write takes one event at a time, as the SDK gives them.
func (e *events) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refused != 0 {
		e.refuse(strings.TrimSpace(string(b)))
		return len(b), nil
	}
	text := b
	if stream := strings.HasPrefix(e.Header().Get("Content-Type"), "text/event-stream"); stream {
		e.started = true
		if bytes.Contains(b, []byte(`\u00`)) {
			text = unescapeHTML(bytes.Clone(b))
		}
	}
	_ = e.conn.SetWriteDeadline(time.Now().Add(takeWithin))
	if _, err := e.ResponseWriter.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush implements http.Flusher, for the SDK's http.ResponseController.
func (e *events) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.conn.Flush()
}

// keepAlive writes a comment now and then, which also shows that a client is gone. The
// function that it returns ends that, and must be called before the handler returns.
func (e *events) keepAlive(gone context.CancelFunc) (stop func()) {
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if !e.beat() {
					gone()
					return
				}
			}
		}
	})
	return func() {
		close(done)
		beating.Wait()
	}
}

func (e *events) beat() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.started {
		return true
	}
	_ = e.conn.SetWriteDeadline(time.Now().Add(takeWithin))
	if _, err := e.ResponseWriter.Write([]byte(":\n\n")); err != nil {
		return false
	}
	return e.conn.Flush() == nil
}
