package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// ended waits for the end of ServeStdio and says how long it took.
func (c *client) ended() time.Duration {
	c.t.Helper()
	began := time.Now()
	select {
	case <-c.done:
	case <-time.After(time.Minute):
		c.t.Fatal("the server does not end")
	}
	return time.Since(began)
}

// However a connection ends, the server is gone within a second, also when a call
// does not notice that it was cancelled.
func TestEndsWithinASecond(t *testing.T) {
	deaf := make(chan struct{})
	rows := []*tool{
		row("hang", func(ctx context.Context, _ *session) (*page.Result, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}),
		row("deaf", func(context.Context, *session) (*page.Result, error) { <-deaf; return nil, nil }),
		row("slow", func(context.Context, *session) (*page.Result, error) {
			time.Sleep(200 * time.Millisecond)
			return &page.Result{Text: "done"}, nil
		}),
	}
	tests := []struct {
		name, call string
		end        func(*client)
		answer     string
	}{
		{"EOF", "", func(c *client) { c.in.Close() }, ""},
		{"EOF in a call that is nearly done", "slow", func(c *client) { c.in.Close() }, "done"},
		{"EOF in a call that hangs", "hang", func(c *client) { c.in.Close() }, "hang was ended"},
		{"EOF in a call that is deaf", "deaf", func(c *client) { c.in.Close() }, ""},
		{"read error", "hang", func(c *client) { c.in.CloseWithError(io.ErrUnexpectedEOF) }, "hang was ended"},
		{"SIGTERM", "", func(c *client) { c.stop() }, ""},
		{"SIGTERM in a call that hangs", "hang", func(c *client) { c.stop() }, "hang was ended: chrome-mcp is ending"},
		{"SIGTERM in a call that is deaf", "deaf", func(c *client) { c.stop() }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf = make(chan struct{})
				c := serve(t, newTestServer(t, testConfig(), rows...))
				c.initialize("2025-11-25")
				if tt.call != "" {
					c.call(1, tt.call, "{}")
				}
				synctest.Wait()
				tt.end(c)
				if d := c.ended(); d >= time.Second {
					t.Errorf("it took %v", d)
				}
				got := ""
				if m := c.next(); m != nil {
					got, _ = text(m)
				}
				if !strings.Contains(got, tt.answer) || tt.answer == "" && got != "" {
					t.Errorf("answer %q, want %q", got, tt.answer)
				}
				close(deaf)
			})
		})
	}
}

// A client that does not read any more must not keep the server alive.
func TestEndsWhenNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, testConfig(), row("say", says(page.Result{Text: "x"})))
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- s.ServeStdio(t.Context(), inR, outW) }()
		for i := range 100 {
			fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
		}
		inW.Close()
		began := time.Now()
		<-done
		if d := time.Since(began); d >= time.Second {
			t.Errorf("it took %v", d)
		}
		outR.Close()
		synctest.Wait()
	})
}

// A client that is gone shows when we write; nothing is left running then.
func TestEndsWhenTheClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hung, ended atomic.Bool
		s := newTestServer(t, testConfig(), row("hang", func(ctx context.Context, _ *session) (*page.Result, error) {
			hung.Store(true)
			<-ctx.Done()
			ended.Store(true)
			return nil, ctx.Err()
		}))
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- s.ServeStdio(t.Context(), inR, outW) }()
		c := &client{t: t, in: inW}
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`)
		io.ReadFull(outR, make([]byte, 1))
		c.call(2, "hang", "{}")
		synctest.Wait()
		outR.Close()
		<-done
		synctest.Wait()
		if !hung.Load() || !ended.Load() {
			t.Errorf("the call ran: %v, it was cancelled: %v", hung.Load(), ended.Load())
		}
		inW.Close()
	})
}

// The backend starts when hands are shaken, once, and without delaying any answer.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts atomic.Int64
		var who atomic.Value
		release := make(chan struct{})
		cfg := testConfig()
		cfg.Start = func(_ context.Context, client string) error {
			starts.Add(1)
			who.Store(client)
			<-release
			return nil
		}
		needs := onServer("needs", "Needs the backend.", func(ctx context.Context, s *session, _ noArgs) (*page.Result, error) {
			_, err := s.backend(ctx)
			return &page.Result{Text: "there"}, err
		})
		c := serve(t, newTestServer(t, cfg, needs))
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","title":"Tester","version":"1"}}}`)
		c.next()
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		c.next()
		synctest.Wait()
		if n := starts.Load(); n != 0 {
			t.Fatalf("a mere probe has started the backend")
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		c.next()
		c.call(4, "needs", "{}")
		c.call(5, "needs", "{}")
		synctest.Wait()
		if n := starts.Load(); n != 1 || who.Load() != "Tester" {
			t.Fatalf("started %d times for %v", n, who.Load())
		}
		close(release)
		c.next()
		c.next()
		c.in.Close()
		c.ended()
	})
}

func TestStartInTheStatelessRevision(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	synctest.Test(t, func(t *testing.T) {
		var starts atomic.Int64
		cfg := testConfig()
		cfg.Start = func(_ context.Context, client string) error { starts.Add(1); return nil }
		c := serve(t, newTestServer(t, cfg))
		c.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%s}}`, meta)
		c.next()
		synctest.Wait()
		if n := starts.Load(); n != 0 {
			t.Errorf("a mere probe has started the backend")
		}
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{%s}}`, meta)
		c.next()
		synctest.Wait()
		if n := starts.Load(); n != 1 {
			t.Errorf("started %d times", n)
		}
		c.in.Close()
		c.ended()
	})
}

// A start that failed is told of, with the reason, and is tried again at the next call.
func TestStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts atomic.Int64
		cfg := testConfig()
		cfg.Start = func(context.Context, string) error {
			if starts.Add(1) < 3 {
				return errors.New("the folder /x is not private; chmod 700 /x")
			}
			return nil
		}
		needs := row("needs", func(ctx context.Context, s *session) (*page.Result, error) {
			_, err := s.backend(ctx)
			return &page.Result{Text: "there"}, err
		})
		status := statusTools()[0]
		c := serve(t, newTestServer(t, cfg, needs, status))
		c.initialize("2025-11-25")
		synctest.Wait()
		c.call(1, "chrome_status", "{}")
		if got, _ := text(c.next()); !strings.Contains(got, "not connected") || !strings.Contains(got, "chmod 700 /x") {
			t.Errorf("status: %s", got)
		}
		synctest.Wait()
		c.call(2, "needs", "{}")
		if got, isError := text(c.next()); isError || got != "there" {
			t.Errorf("third try: %s", got)
		}
		c.in.Close()
		c.ended()
	})
}

// Calls of one client are bounded, and what frees them gets through.
func TestTooManyCalls(t *testing.T) {
	release := make(chan struct{})
	hang := onSession("hang", policy.Read, "Hangs.", func(context.Context, *page.Session, noArgs) (*page.Result, error) {
		<-release
		return nil, nil
	}, inOrder)
	c := serve(t, newTestServer(t, testConfig(), hang, row("free", says(page.Result{Text: "free"}))))
	c.initialize("2025-11-25")
	const over = 20
	for i := range maxRunning + over {
		c.call(i, "hang", "{}")
	}
	for range over {
		if got, _ := text(c.next()); !strings.HasPrefix(got, string(browser.Backpressure)) {
			t.Fatalf("got %s", got)
		}
	}
	c.call(1000, "free", "{}")
	if got, _ := text(c.next()); got != "free" {
		t.Errorf("a call out of order: %s", got)
	}
	close(release)
	for range maxRunning {
		if _, isError := text(c.next()); isError {
			t.Fatal("an error")
		}
	}
}

func TestCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		act := onServer("act", "Acts.", func(ctx context.Context, _ *session, _ noArgs) (*page.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		act.access = policy.Act
		c := serve(t, newTestServer(t, testConfig(), act))
		c.initialize("2025-11-25")
		c.call(1, "act", "{}")
		synctest.Wait()
		time.Sleep(callTimeout)
		if got, _ := text(c.next()); !strings.HasPrefix(got, "TIMEOUT: ") || !strings.Contains(got, "not known whether it happened") {
			t.Errorf("got %s", got)
		}
		c.in.Close()
		c.ended()
	})
}
