package mcpserver

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	headWithin   = 5 * time.Second // for the headers of a request
	keepWithin   = 2 * time.Minute // between the requests of a connection
	maxHead      = 32 << 10        // bytes
	maxStrangers = 256             // connections that have shown no token yet
	lastWords    = 100 * time.Millisecond
)

// Serve serves HTTP on a listener until ctx ends; it returns within a second then, and
// every call that still ran has been answered.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headWithin,
		IdleTimeout:       keepWithin,
		MaxHeaderBytes:    maxHead,
		ConnContext:       withConn,
		ErrorLog:          slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(&strangers{Listener: l, log: h.log}) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	h.Close(errEnding)
	// The answers are given; what is left is to write them out.
	last, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all sessions for good. Requests that come later are refused.
func (h *HTTP) Close(cause error) {
	h.sessions.mu.Lock() // no session is added after this
	h.end(cause)
	h.sessions.mu.Unlock()
	h.sessions.finishAll(cause, closeGrace)
}

// strangers is a listener that holds few connections of those who have shown no token:
// the oldest of them makes room. Somebody who knows the token shows it at once, so
// thousands of half-open requests keep nobody out.
type strangers struct {
	net.Listener
	log *slog.Logger

	mu     sync.Mutex
	queue  list.List // of *clientConn, oldest first
	noted  time.Time
	silent int
}

// Accept implements net.Listener.
func (s *strangers) Accept() (net.Conn, error) {
	conn, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &clientConn{Conn: conn, of: s}
	s.mu.Lock()
	c.place = s.queue.PushBack(c)
	var oldest *clientConn
	if s.queue.Len() > maxStrangers {
		oldest = s.queue.Front().Value.(*clientConn)
		s.note(oldest)
	}
	s.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
	return c, nil
}

// note logs that connections are turned out, once in a while. s.mu is held.
func (s *strangers) note(c *clientConn) {
	if time.Since(s.noted) < noteEvery {
		s.silent++
		return
	}
	s.log.Warn("many connections send no request; the oldest are closed", "remote", c.RemoteAddr().String(), "before", s.silent)
	s.noted, s.silent = time.Now(), 0
}

// forget takes a connection out of the queue.
func (s *strangers) forget(c *clientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.place != nil {
		s.queue.Remove(c.place)
		c.place = nil
	}
}

// clientConn is one connection of a client.
type clientConn struct {
	net.Conn
	of    *strangers
	place *list.Element // in the queue; nil once it is known
}

func (c *clientConn) prove() { c.of.forget(c) }

// Close implements net.Conn.
func (c *clientConn) Close() error {
	c.of.forget(c)
	return c.Conn.Close()
}
