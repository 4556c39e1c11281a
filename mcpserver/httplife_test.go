package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// releases is a browser that notes whose tabs were given back.
type releases struct {
	fakeBackend
	mu   sync.Mutex
	list []string
}

func (r *releases) Release(_ context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, session)
	return nil
}

func (r *releases) of(session string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.list, session)
}

func (r *releases) Tab(id browser.TabID) (browser.Tab, error) { return &fakeTab{id: id}, nil }

// take is a tool that makes a tab the session's.
func take() *tool {
	return onTab("take", policy.Act, "Takes a tab.", func(context.Context, *page.Tab, stepArgs) (*page.Result, error) {
		return &page.Result{Text: "taken"}, nil
	})
}

// hang is a tool that runs until it is cancelled.
func hang() *tool {
	return row("hang", func(ctx context.Context, _ *session) (*page.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
}

// lasting is a server in simulated time whose sessions give tabs back.
func lasting(t *testing.T, let HTTPConfig, rows ...*tool) (*web, *releases) {
	b := &releases{}
	cfg := testConfig()
	cfg.Backend = b
	return serveHTTP(t, cfg, let, false, append(rows, take(), hang(), statusTools()[0])...), b
}

// begin is a session with a tab.
func (w *web) begin() (id, owner string) {
	w.t.Helper()
	id = w.initialize()
	if got := w.call(id, "take", `{"tabId":"ext:1:1"}`); got != "taken" {
		w.t.Fatal(got)
	}
	return id, sessionOf(w.call(id, "chrome_status", "{}"))
}

func (w *web) lives(id string) bool {
	w.t.Helper()
	a := w.do(w.request("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, inSession(id)))
	if a.status != http.StatusOK && a.status != http.StatusNotFound {
		w.t.Errorf("ping: %d %s", a.status, a.raw)
	}
	return a.status == http.StatusOK
}

// A session lives while its client has something to do, and its tabs are free after it.
func TestHTTPSessionsEnd(t *testing.T) {
	tests := []struct {
		name string
		do   func(w *web, id string)
		ends bool
	}{
		{"idle for a while", func(*web, string) { time.Sleep(29 * time.Minute) }, false},
		{"idle for too long", func(*web, string) { time.Sleep(31 * time.Minute) }, true},
		{"idle, but listening", func(w *web, id string) {
			_, hangUp := w.listen(id)
			w.t.Cleanup(hangUp)
			time.Sleep(10 * time.Hour)
		}, false},
		{"in a call", func(w *web, id string) {
			for range 20 {
				w.call(id, "hang", "{}") // ends by its own clock
			}
		}, false},
		{"vanished", func(w *web, id string) {
			_, hangUp := w.listen(id)
			synctest.Wait()
			hangUp()
			time.Sleep(lostAfter + time.Second)
		}, true},
		{"back in time", func(w *web, id string) {
			_, hangUp := w.listen(id)
			synctest.Wait()
			hangUp()
			time.Sleep(lostAfter - time.Second)
			_, hangUp = w.listen(id)
			w.t.Cleanup(hangUp)
			time.Sleep(time.Hour)
		}, false},
		{"DELETE", func(w *web, id string) {
			if a := w.do(w.request("DELETE", "", inSession(id))); a.status != http.StatusNoContent {
				w.t.Errorf("%d %s", a.status, a.raw)
			}
		}, true},
		{"the token was changed", func(w *web, id string) { w.h.Drop(io.EOF) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, b := lasting(t, HTTPConfig{})
				id, owner := w.begin()
				other, _ := w.begin()
				stay, hangUp := w.listen(other)
				tt.do(w, id)
				synctest.Wait()
				if w.lives(id) == tt.ends || b.of(owner) != tt.ends {
					t.Errorf("it lives: %v, its tabs were given back: %v", w.lives(id), b.of(owner))
				}
				if tt.name != "the token was changed" && !w.lives(other) {
					t.Error("another session has ended too")
				}
				hangUp()
				for range stay {
				}
				w.end()
			})
		})
	}
}

// A client that dies in a call takes the call with it, soon.
func TestHTTPClientDiesInACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		w, b := lasting(t, HTTPConfig{}, row("work", func(ctx context.Context, _ *session) (*page.Result, error) {
			<-ctx.Done()
			ended <- time.Now()
			return nil, context.Cause(ctx)
		}))
		id, owner := w.begin()
		_, hangUp := w.listen(id)
		ctx, die := context.WithCancel(t.Context())
		go w.client.Do(w.request("POST", callOf("work", "{}"), inSession(id)).WithContext(ctx))
		synctest.Wait()
		died := time.Now()
		hangUp()
		die()
		if took := (<-ended).Sub(died); took > lostAfter+time.Second {
			t.Errorf("it went on for %v", took)
		}
		time.Sleep(time.Second)
		if !b.of(owner) {
			t.Error("its tabs are still its own")
		}
		w.end()
	})
}

// A client of the revision without sessions has its tabs until it was idle for too long.
func TestHTTPStatelessEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := lasting(t, HTTPConfig{}, onServer("mine", "Takes a tab.", func(ctx context.Context, s *session, _ noArgs) (*page.Result, error) {
			_, err := s.pages().Resolve(ctx, "ext:1:1", policy.Act)
			return &page.Result{Text: "session " + s.id + "\n"}, err
		}))
		mine := func() string {
			got, _ := text(w.stateless("c", "mine", nil).last())
			return sessionOf(got)
		}
		first := mine()
		time.Sleep(29 * time.Minute)
		if again := mine(); again != first || first == "" {
			t.Errorf("session %q, then %q", first, again)
		}
		time.Sleep(31 * time.Minute)
		if !b.of(first) || mine() == first {
			t.Error("the session is still there")
		}
		// A client that gives up a call does not want it done.
		ctx, giveUp := context.WithTimeout(t.Context(), time.Second)
		defer giveUp()
		began := time.Now()
		r := w.request("POST", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hang","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "hang")
		})
		_, _ = w.client.Do(r.WithContext(ctx))
		synctest.Wait()
		if n := w.h.flights.Load(); n != 0 || time.Since(began) > 2*time.Second {
			t.Errorf("%d requests still run after %v", n, time.Since(began))
		}
		w.end()
	})
}

// There are so many sessions and no more; one that has been idle makes room.
func TestHTTPTooManySessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := lasting(t, HTTPConfig{Sessions: 3})
		first, owner := w.begin()
		for range 2 {
			time.Sleep(time.Millisecond)
			w.begin()
		}
		if a := w.do(w.request("POST", shake, nil)); a.status != http.StatusServiceUnavailable || !strings.Contains(a.raw, "too many sessions") {
			t.Errorf("%d %s", a.status, a.raw)
		}
		time.Sleep(settled + time.Second)
		fourth := w.initialize()
		synctest.Wait()
		if w.lives(first) || !b.of(owner) || !w.lives(fourth) {
			t.Error("the one that was idle longest did not make room")
		}
		w.end()
	})
}

// However the server ends, it does so within a second, and every call is answered.
func TestHTTPEndsWithinASecond(t *testing.T) {
	deaf := make(chan struct{})
	for _, tool := range []string{"", "hang", "deaf"} {
		t.Run(tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf = make(chan struct{})
				w, b := lasting(t, HTTPConfig{}, row("deaf", func(context.Context, *session) (*page.Result, error) { <-deaf; return nil, nil }))
				const clients = 5
				answers := make(chan string, 2*clients)
				var owners []string
				for range clients {
					id, owner := w.begin()
					owners = append(owners, owner)
					lines, _ := w.listen(id)
					go func() {
						for range lines {
						}
					}()
					if tool != "" {
						go func() { answers <- w.call(id, "hang", "{}") }()
					}
					if tool == "deaf" {
						go func() {
							res, err := w.client.Do(w.request("POST", strings.Replace(callOf("deaf", "{}"), `"id":7`, `"id":8`, 1), inSession(id)))
							if err == nil {
								res.Body.Close()
							}
						}()
					}
				}
				half, err := w.dial()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprint(half, "POST /mcp HTTP/1.1\r\nHost: 127.")
				synctest.Wait()
				if took := w.end(); took >= time.Second {
					t.Errorf("it took %v", took)
				}
				for range clients {
					if tool == "" {
						break
					}
					if got := <-answers; !strings.Contains(got, "hang was ended: chrome-mcp is ending") {
						t.Errorf("answer %q", got)
					}
				}
				for _, owner := range owners {
					if !b.of(owner) {
						t.Error("tabs were not given back")
					}
				}
				close(deaf)
				half.Close()
			})
		})
	}
}

// A stream says something now and then, which keeps it and shows that the client is gone.
func TestHTTPStreamsBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := lasting(t, HTTPConfig{})
		id, _ := w.begin()
		lines, hangUp := w.listen(id)
		<-lines // the SDK's first comment
		began := time.Now()
		for range 3 {
			if got := <-lines; got != ":\n\n" {
				t.Errorf("got %q", got)
			}
		}
		if took := time.Since(began); took != 3*beatEvery {
			t.Errorf("three beats in %v", took)
		}
		hangUp()
		for range lines {
		}
		w.end()
	})
}

// Who sends slowly, or reads nothing, is given up.
func TestHTTPSlowClients(t *testing.T) {
	tests := []struct {
		name, sends string
		within      time.Duration
	}{
		{"half of a head", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n", headWithin},
		{"half of a body", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + rightToken + "\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", bodyWithin},
		{"a body without a token", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{", time.Second},
		{"nothing more", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + rightToken + "\r\nContent-Length: 0\r\n\r\n", keepWithin},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := lasting(t, HTTPConfig{})
				c, err := w.dial()
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(c, tt.sends)
				began := time.Now()
				io.Copy(io.Discard, c) // until the server hangs up
				if took := time.Since(began); took > tt.within+2*time.Second {
					t.Errorf("it was kept for %v", took)
				}
				w.end()
			})
		})
	}
}

// Thousands who send half a request keep nobody out, and nobody else's work is lost.
func TestHTTPHalfOpen(t *testing.T) {
	w := serveHTTP(t, testConfig(), HTTPConfig{}, true, row("say", says(page.Result{Text: "x"})))
	id := w.initialize()
	lines, hangUp := w.listen(id)
	<-lines
	const many = 8 * maxStrangers
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for i := range many {
		c, err := w.dial()
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		fmt.Fprint(c, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
		if i%100 == 0 {
			if got := w.call(id, "say", "{}"); got != "x" {
				t.Fatalf("after %d: %q", i, got)
			}
		}
	}
	if got := w.call(w.initialize(), "say", "{}"); got != "x" {
		t.Errorf("a new client gets %q", got)
	}
	if n := strings.Count(w.log.String(), "send no request"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, w.log)
	}
	if _, err := bufio.NewReader(open[0]).ReadByte(); err == nil {
		t.Error("the oldest is still there")
	}
	hangUp()
	for range lines {
	}
}
