package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

// The tests talk to a real bridge through real sockets; extension is the other side of
// the protocol, not of any browser.

type fixture struct {
	*Bridge
	t   *testing.T
	dir string
	log *syncBuffer
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

const (
	testID     = "nbjkcdnkielgggfebglhmpjifnojhmgb"
	testBundle = "0123456789abcdef"
)

// start runs a bridge in a folder of its own until the end of the test. tune may be nil.
func start(t *testing.T, tune func(*Bridge)) *fixture {
	t.Helper()
	return startIn(t, t.TempDir(), tune)
}

func startIn(t *testing.T, dir string, tune func(*Bridge)) *fixture {
	t.Helper()
	log := &syncBuffer{}
	b := New(Config{
		DataDir: dir, Port: -1, Version: "1.2.3", BundleHash: testBundle, ExtensionID: testID,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if tune != nil {
		tune(b)
	}
	if err := b.Start(t.Context(), "test client 1"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := b.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if ctx.Err() != nil {
			t.Error("shutdown hangs")
		}
	})
	return &fixture{b, t, dir, log}
}

func (f *fixture) token() string { return f.published.Handshake().Token }

func (f *fixture) info() wire.ExtInfo {
	return wire.ExtInfo{ID: testID, Version: "1.2.3", Chrome: "156", Instance: "one", Run: "run1", Bundle: testBundle}
}

// extension is one socket of the test's extension.
type extension struct {
	t  *testing.T
	ws *websocket.Conn
}

func (f *fixture) dial() *extension {
	f.t.Helper()
	ws, _, err := websocket.Dial(f.t.Context(), "ws://"+f.Addr(), &websocket.DialOptions{HTTPHeader: map[string][]string{"Origin": {"chrome-extension://" + testID}}})
	if err != nil {
		f.t.Fatal(err)
	}
	ws.SetReadLimit(wire.MaxFrame)
	f.t.Cleanup(func() { ws.CloseNow() })
	return &extension{f.t, ws}
}

// connect dials, says hello and takes the welcome. change may be nil.
func (f *fixture) connect(change func(*wire.ExtInfo)) *extension {
	f.t.Helper()
	e, info := f.dial(), f.info()
	if change != nil {
		change(&info)
	}
	e.write(wire.Hello{Header: header(wire.TypeHello), Token: f.token(), Ext: info})
	var w wire.Welcome
	e.read(&w)
	if w.Type != wire.TypeWelcome {
		f.t.Fatalf("%s instead of welcome", w.Type)
	}
	return e
}

func (e *extension) write(v any) {
	e.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		e.t.Fatal(err)
	}
	e.raw(string(b))
}

func (e *extension) raw(s string) {
	e.t.Helper()
	if err := e.ws.Write(e.t.Context(), websocket.MessageText, []byte(s)); err != nil {
		e.t.Fatal(err)
	}
}

func (e *extension) read(v any) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), 5*time.Second)
	defer cancel()
	_, b, err := e.ws.Read(ctx)
	if err != nil {
		e.t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		e.t.Fatal(err)
	}
}

func (e *extension) command() wire.Command {
	e.t.Helper()
	var c wire.Command
	e.read(&c)
	if c.Type != wire.TypeCommand {
		e.t.Fatalf("%s instead of command", c.Type)
	}
	return c
}

func (e *extension) result(id string, data any) {
	e.t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write(wire.Result{Header: header(wire.TypeResult), ID: id, Data: b})
}

// closed waits for the end of the socket and returns its code.
func (e *extension) closed() websocket.StatusCode {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), 5*time.Second)
	defer cancel()
	for {
		if _, _, err := e.ws.Read(ctx); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				e.t.Fatal("the socket was not closed")
			}
			return websocket.CloseStatus(err)
		}
	}
}

// serve answers each command with what answer gives, until the socket ends.
func (e *extension) serve(answer func(wire.Command) any) {
	go func() {
		for {
			_, b, err := e.ws.Read(context.Background())
			if err != nil {
				return
			}
			var c wire.Command
			if json.Unmarshal(b, &c) != nil || c.Type != wire.TypeCommand {
				continue
			}
			data, _ := json.Marshal(answer(c))
			out, _ := json.Marshal(wire.Result{Header: header(wire.TypeResult), ID: c.ID, Data: data})
			if e.ws.Write(context.Background(), websocket.MessageText, out) != nil {
				return
			}
		}
	}()
}

// outcome is a call that runs while the test plays the other side.
type outcome[T any] struct {
	value T
	err   error
}

func async[T any](fn func() (T, error)) <-chan outcome[T] {
	ch := make(chan outcome[T], 1)
	go func() {
		v, err := fn()
		ch <- outcome[T]{v, err}
	}()
	return ch
}

func wait[T any](t *testing.T, ch <-chan outcome[T]) (T, *browser.Error) {
	t.Helper()
	select {
	case o := <-ch:
		var e *browser.Error
		if o.err != nil && !errors.As(o.err, &e) {
			t.Fatalf("%v is no *browser.Error", o.err)
		}
		return o.value, e
	case <-time.After(10 * time.Second):
		t.Fatal("the call hangs")
		panic("unreachable")
	}
}

// firstRun starts the ids of tabs in the run that the fixture's hello tells of.
const firstRun = "ext:8f1c:"

func (f *fixture) tab(n int) browser.Tab {
	f.t.Helper()
	tab, err := f.Tab(browser.TabID(firstRun + strconv.Itoa(n)))
	if err != nil {
		f.t.Fatal(err)
	}
	return tab
}

// until waits for a condition that no event tells.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Fatalf("not so after 5 s: %s", what)
}
