package mcpserver

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	closeGrace  = 150 * time.Millisecond // for giving the tabs back
	parentEvery = 250 * time.Millisecond
)

var (
	errEnding     = errors.New("chrome-mcp is ending")
	errParentGone = errors.New("the process that started chrome-mcp is gone")
)

func (s *Server) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errEnding)
	c := newConn(in, out, s.log, end)
	sess := newSession(s, s.cfg.SessionID, life, c.turns)
	ss, err := sess.server().Connect(life, c, nil)
	if err != nil {
		return err
	}
	finish := func(cause error) {
		end(cause)
		c.stop()
	}
	defer context.AfterFunc(ctx, func() { finish(errEnding) })()
	watch, unwatch := context.WithCancel(life)
	defer unwatch()
	go watchParent(watch, parentEvery, func() { finish(errParentGone) })

	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = ss.Wait()
	}()
	select {
	case <-done:
	case <-c.ending:
		// A handler that does not notice its end must not keep the process alive.
		select {
		case <-done:
		case <-time.After(eofGrace + cancelGrace):
			s.log.Warn("a call did not end when it was cancelled")
		}
	}
	sess.close(closeGrace)
	return c.Close()
}
