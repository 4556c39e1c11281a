package mcpserver

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	takeWithin = 30 * time.Second // for a client to take what is written
	beatEvery  = 25 * time.Second // some clients give a silent stream up after a minute
)

// events writes an answer. It gives up on clients that do not read, and keeps streams
// alive that have nothing to say.
type events struct {
	http.ResponseWriter
	conn *http.ResponseController

	mu      sync.Mutex
	started bool // a whole event has been written
}

func newEvents(w http.ResponseWriter) *events {
	return &events{ResponseWriter: w, conn: http.NewResponseController(w)}
}

// Write takes one event at a time, as the SDK gives them.
func (e *events) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
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
