package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

var update = flag.Bool("update", false, "write golden files")

// everything is a policy with every switch on.
var everything = policy.Policy{
	AllowDomains: []string{"example.com"},
	Mutations:    true, Eval: true, Downloads: true, Uploads: true, Observers: true,
}

func testConfig() Config {
	return Config{Backend: &fakeBackend{}, SessionID: "S", Version: "9.9.9", Project: "project", Policy: everything}
}

// client is the other end of a server under test.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan []byte // closed at the end of output
	done  chan error  // what ServeStdio returned
	stop  context.CancelFunc
}

func serve(t *testing.T, s *Server) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	c := &client{t: t, in: inW, lines: make(chan []byte, 1024), done: make(chan error, 1), stop: stop}
	go func() {
		c.done <- s.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	t.Cleanup(func() { inW.Close(); stop(); outR.Close() })
	return c
}

func newTestServer(t *testing.T, cfg Config, rows ...*tool) *Server {
	t.Helper()
	if rows == nil {
		rows = table()
	}
	s, err := newServer(cfg, rows)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c *client) write(raw string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, raw); err != nil {
		c.t.Fatalf("the server does not read any more: %v", err)
	}
}

func (c *client) send(format string, a ...any) {
	c.t.Helper()
	c.write(fmt.Sprintf(format, a...) + "\n")
}

// next returns the next message of the server, nil at the end.
func (c *client) next() map[string]any {
	c.t.Helper()
	line, ok := c.nextLine()
	if !ok {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("not a JSON object: %v\n%.300s", err, line)
	}
	return m
}

// answer returns the next message that answers a call.
func (c *client) answer() map[string]any {
	c.t.Helper()
	for {
		if m := c.next(); m == nil || m["id"] != nil {
			return m
		}
	}
}

func (c *client) nextLine() ([]byte, bool) {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		return line, ok
	case <-time.After(20 * slow * time.Second):
		c.t.Fatal("no answer")
		return nil, false
	}
}

// initialize shakes hands as a client of the given revision.
func (c *client) initialize(version string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version)
	if m := c.next(); m["result"] == nil {
		c.t.Fatalf("initialize: %v", m)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (c *client) call(id int, tool, args string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// text returns the text of a tool result and whether it is an error.
func text(m map[string]any) (string, bool) {
	res, _ := m["result"].(map[string]any)
	isError, _ := res["isError"].(bool)
	all := ""
	list, _ := res["content"].([]any)
	for _, c := range list {
		block := c.(map[string]any)
		if s, ok := block["text"].(string); ok {
			all += s
		}
	}
	return all, isError
}

// noArgs are the arguments of a test's tool.
type noArgs struct{}

// row makes a tool of a function, for tests.
func row(name string, run func(ctx context.Context, s *session) (*page.Result, error), opts ...option) *tool {
	return onServer(name, "A test's tool.", func(ctx context.Context, s *session, _ noArgs) (*page.Result, error) {
		return run(ctx, s)
	}, opts...)
}

func says(r page.Result) func(context.Context, *session) (*page.Result, error) {
	return func(context.Context, *session) (*page.Result, error) { return &r, nil }
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s is stale: run go test ./mcpserver -update and look at the difference", file)
	}
}

func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// fakeBackend is a browser with two tabs on example.com.
type fakeBackend struct{ browser.Backend }

func (*fakeBackend) Kind() browser.Kind { return browser.Extension }

func (*fakeBackend) Status() browser.Status {
	return browser.Status{
		Kind: browser.Extension, Ready: true,
		Browsers: []browser.BrowserStatus{{Name: "Chrome", Version: "156.0"}},
		Events:   []browser.StatusEvent{{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), What: "Chrome missed a heartbeat"}},
	}
}

func (*fakeBackend) Tabs(context.Context) ([]browser.TabInfo, error) {
	return []browser.TabInfo{
		{ID: "ext:1:1", URL: "https://example.com/", Owner: "S"},
		{ID: "ext:1:2", URL: "https://bank.example/", Owner: "S"},
		{ID: "ext:1:3", URL: "https://example.com/other"},
	}, nil
}

func (*fakeBackend) Tab(id browser.TabID) (browser.Tab, error) { return &fakeTab{id: id}, nil }

func (*fakeBackend) Release(context.Context, string) error { return nil }

// fakeTab shows one document on example.com.
type fakeTab struct {
	browser.Tab
	id browser.TabID
}

func (f *fakeTab) ID() browser.TabID { return f.id }

func (f *fakeTab) Info(context.Context) (browser.TabInfo, error) {
	return browser.TabInfo{ID: f.id, URL: "https://example.com/"}, nil
}

func (f *fakeTab) Frames(context.Context) ([]browser.Frame, error) {
	return []browser.Frame{{ID: "F", URL: "https://example.com/", Origin: "https://example.com"}}, nil
}

func (f *fakeTab) Batch(context.Context, []browser.Command) ([]json.RawMessage, error) {
	return nil, nil
}

func (f *fakeTab) Subscribe(func(browser.Event)) func() { return func() {} }

func readAudit(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
