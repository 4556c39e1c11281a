package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
)

// TestStates produces each row of the table, and reads what the user reads.
func TestStates(t *testing.T) {
	answer := func(status string) string {
		return `{"ok":true,"service":{"namespace":"n","name":"N","version":"1"},"status":` + status + `}`
	}
	tests := []struct {
		name, answer string
		late         bool
		state        extproto.State
		text         string
	}{
		{"rejected", "", false, "error", "not installed, or it serves no agent endpoint"},
		{"late", "x", true, "error", "no answer to the probe within 1500 ms"},
		{"ok false", `{"ok":false,"error":{"code":"X","message":"version 1 is too new"}}`, false, "error", "version 1 is too new"},
		{"ok false, a sentence", `{"ok":false,"error":"too new"}`, false, "error", "too new"},
		{"no status", `{"ok":true,"service":{"namespace":"n","name":"N","version":"1"}}`, false, "error", "probe response is incomplete"},
		{"no service", `{"ok":true,"status":{"enabled":true,"authorized":true,"ready":true}}`, false, "error", "probe response is incomplete"},
		{"garbage", `7`, false, "error", "probe response is incomplete"},
		{"off", answer(`{"enabled":false,"authorized":true,"ready":true}`), false, "error", "agent access is switched off in the provider"},
		{"pending", answer(`{"enabled":true,"authorized":false,"ready":true,"pendingApproval":true}`), false, "error", "waiting for your approval in the provider"},
		{"denied", answer(`{"enabled":true,"authorized":false,"ready":true}`), false, "error", "this caller is not on the allowlist"},
		{"not ready", answer(`{"enabled":true,"authorized":true,"ready":false,"reason":"sign in to N first"}`), false, "error", "sign in to N first"},
		{"usable", answer(`{"enabled":true,"authorized":true,"ready":true}`), false, "connected", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			e := w.serves(id("a"), "n", "get", "put")
			e.answer, e.late = test.answer, test.late
			h := w.host(Config{Given: entries(id("a"))})
			s := h.Statuses()[0]
			if s.State != test.state || s.Text != test.text {
				t.Errorf("got %s %q, want %s %q", s.State, s.Text, test.state, test.text)
			}
			if test.state == "connected" && (s.Tools != 2 || !s.Open) {
				t.Errorf("%+v", s)
			}
			if probed, _, err := h.Probe(t.Context(), id("a")); err != nil || probed.State != test.state || probed.Text != test.text {
				t.Errorf("probed: %+v %v", probed, err)
			}
		})
	}
}

// TestLimits holds each limit by value: the last that is allowed and the first that is
// not, and that the refusal names it.
func TestLimits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	many := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("get%02d", i))
		}
		return list
	}
	tests := []struct {
		name  string
		ns    string
		tools []string
		want  int    // tools that are offered
		says  string // in the refusal; "" for none
	}{
		{"64 tools", "n", many(64), 64, ""},
		{"65 tools", "n", many(65), 64, `tool "get64" is number 65, at most 64`},
		{"namespace of 16", x(16), []string{"get"}, 1, ""},
		{"namespace of 17", x(17), []string{"get"}, 0, "has 17 characters, at most 16"},
		{"tool of 40", "n", []string{x(40)}, 1, ""},
		{"tool of 41", "n", []string{x(41), "get"}, 1, "has 41 characters, at most 40"},
		{"57 together", x(16), []string{x(40)}, 1, ""},
		{"58 together", x(17), []string{x(40)}, 0, "has 17 characters"},
		{"a space", "a b", []string{"get"}, 0, "letters, digits"},
	}
	for _, ns := range []string{"browser", "page", "file", "network", "devtools", "webmcp", "ext"} {
		tests = append(tests, struct {
			name  string
			ns    string
			tools []string
			want  int
			says  string
		}{"reserved " + ns, ns, []string{"get"}, 0, "is reserved"})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.serves(id("a"), test.ns, test.tools...)
			h := w.host(Config{Given: entries(id("a"))})
			s := h.Statuses()[0]
			if s.Tools != test.want || len(h.Tools()) != test.want {
				t.Errorf("%d tools, want %d: %+v", s.Tools, test.want, s)
			}
			said := strings.Join(s.Refused, "; ")
			if (said != "") != (test.says != "") || !strings.Contains(said, test.says) {
				t.Errorf("refused: %q, want %q", said, test.says)
			}
			if test.want == 0 && (s.State != extproto.Failed || !strings.Contains(s.Text, test.says)) {
				t.Errorf("the user reads %s %q", s.State, s.Text)
			}
		})
	}
}

// TestCollisions: who came first keeps a name, and the other is told of.
func TestCollisions(t *testing.T) {
	w := newWorld(t)
	w.serves(id("a"), "notes", "get", "status")
	w.serves(id("b"), "notes", "get", "more")
	w.serves(id("c"), "a_b", "get")
	w.serves(id("d"), "a", "b_get", "get", "get")
	h := w.host(Config{Given: entries(id("a"), id("b"), id("c"), id("d"))})
	h.Reserve([]string{"notes_status", "guide"})
	want := []string{"notes_get", "a_b_get", "a_get"}
	if got := names(h); !slices.Equal(got, want) {
		t.Errorf("offered are %v, want %v", got, want)
	}
	for i, says := range []string{"taken by a tool of chrome-mcp", "taken by " + id("a"), "", "a_b_get is taken by A_B"} {
		if said := strings.Join(h.Statuses()[i].Refused, "; "); !strings.Contains(said, says) {
			t.Errorf("%d: refused %q, want %q", i, said, says)
		}
	}
	// The user gives the loser another namespace.
	h.cfg.Given[1].Namespace = "other"
	h.sync()
	until(t, "the loser is offered", func() bool { return h.Tool("other_more") != nil })
	// Who is first is not a matter of who is connected just now.
	w.kill(id("a"))
	h.sync()
	if got := h.Tool("notes_get"); got == nil || got.ID != id("a") {
		t.Errorf("notes_get is of %+v", got)
	}
}

func TestSchemas(t *testing.T) {
	for schema, says := range map[string]string{
		`{"type":"object"}`: "",
		`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"string"}},"additionalProperties":false}`: "",
		`{"type":"string"}`:            `no object`,
		`{"type":"object","anyOf":[]}`: `"anyOf" at the top`,
		`{"type":"object","description":"` + strings.Repeat("d", maxSchema) + `"}`: "bytes, at most",
	} {
		var m any
		if err := json.Unmarshal([]byte(schema), &m); err != nil {
			t.Fatal(err)
		}
		raw, problem := schemaOf(&mcp.Tool{InputSchema: m})
		if (problem == "") != (says == "") || !strings.Contains(problem, says) {
			t.Errorf("%.80s: %q, want %q", schema, problem, says)
		}
		if strings.Contains(string(raw), "$schema") || problem == "" && !strings.Contains(string(raw), `"properties"`) {
			t.Errorf("%s became %s", schema, raw)
		}
	}
	if _, problem := schemaOf(&mcp.Tool{}); problem == "" {
		t.Error("no schema is taken")
	}
}

// TestReconnect: a port that closes is no provider that is gone. The next call opens
// another, with an initialize of its own.
func TestReconnect(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n", "get", "put")
	h := w.host(Config{Given: entries(id("a"))})
	call := func(name string) {
		t.Helper()
		r, err := h.Call(t.Context(), h.Tool(name), map[string]any{}, nil)
		if err != nil || text(r) != "done "+strings.TrimPrefix(name, "n_") {
			t.Fatalf("%s: %v %v", name, r, err)
		}
	}
	call("n_get")
	w.kill(id("a"))
	until(t, "the port is let go", func() bool { return !h.Statuses()[0].Open })
	if s := h.Statuses()[0]; s.State != extproto.Connected || s.Tools != 2 {
		t.Errorf("without its port the provider is %+v", s)
	}
	call("n_put")
	call("n_put")
	if e.session != 2 {
		t.Errorf("there were %d sessions, want 2", e.session)
	}
	// The browser goes and comes.
	w.connect(false)
	until(t, "it is said that the browser is gone", func() bool { return h.Statuses()[0].Text == "no browser is connected" })
	if _, err := h.Call(t.Context(), h.Tool("n_get"), nil, nil); browser.CodeOf(err) != browser.NoBackend {
		t.Errorf("without a browser: %v", err)
	}
	w.connect(true)
	until(t, "it is connected again", func() bool { return h.Statuses()[0].State == extproto.Connected })
	call("n_put")
}

// TestGone: what the user has to do is said where a tool is called.
func TestGone(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n", "get")
	h := w.host(Config{Given: entries(id("a"))})
	tool := h.Tool("n_get")
	w.mu.Lock()
	was := e.answer
	e.answer = `{"ok":true,"service":{"namespace":"n","name":"N","version":"1"},"status":{"enabled":false,"authorized":true,"ready":true}}`
	w.mu.Unlock()
	w.kill(id("a"))
	until(t, "the port is let go", func() bool { return !h.Statuses()[0].Open })
	_, err := h.Call(t.Context(), tool, nil, nil)
	if browser.CodeOf(err) != browser.ProviderDown || !strings.Contains(err.Error(), "agent access is switched off in the provider") {
		t.Errorf("got %v", err)
	}
	if h.Tool("n_get") == nil {
		t.Error("the tool is listed no more")
	}
	w.mu.Lock()
	e.answer = was
	w.mu.Unlock()
	if r, err := h.Call(t.Context(), tool, nil, nil); err != nil || text(r) != "done get" {
		t.Errorf("switched on again: %v %v", r, err)
	}
}

// TestLostCalls has the port close under calls: one that reads is made again, one that
// acts is not, and says so.
func TestLostCalls(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n")
	var reads, writes atomic.Int32
	e.server = func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		add := func(name string, reads bool, runs *atomic.Int32) {
			s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					if runs.Add(1) == 1 {
						w.kill(id("a"))
					}
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
				})
		}
		add("get", true, &reads)
		add("put", false, &writes)
		return s
	}
	h := w.host(Config{Given: entries(id("a"))})
	if r, err := h.Call(t.Context(), h.Tool("n_get"), nil, nil); err != nil || text(r) != "done" || reads.Load() != 2 {
		t.Errorf("a read: %v %v, run %d times", r, err, reads.Load())
	}
	_, err := h.Call(t.Context(), h.Tool("n_put"), nil, nil)
	var lost *browser.Error
	if !errors.As(err, &lost) || !lost.Unknown || !strings.Contains(lost.Message, "outcome unknown") {
		t.Errorf("a write: %v", err)
	}
	if n := writes.Load(); n != 1 {
		t.Errorf("a write that was lost was run %d times", n)
	}
	if r, err := h.Call(t.Context(), h.Tool("n_put"), nil, nil); err != nil || text(r) != "done" {
		t.Errorf("the next: %v %v", r, err)
	}
}

// TestUnsentWrite: a write that certainly did not go out is made again.
func TestUnsentWrite(t *testing.T) {
	w := newWorld(t)
	w.serves(id("a"), "n", "put")
	h := w.host(Config{Given: entries(id("a"))})
	l := h.providers()[0].link
	l.port.(*pipe).fail = func(json.RawMessage) error {
		l.port.Close("the browser closed it")
		return browser.Errorf(browser.ExtensionDisconnected, "the port is closed")
	}
	if r, err := h.Call(t.Context(), h.Tool("n_put"), nil, nil); err != nil || text(r) != "done put" {
		t.Errorf("got %v %v", r, err)
	}
}

// TestDeadlines: nothing that a provider leaves unanswered holds a call beyond its time.
func TestDeadlines(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n")
	cancelled := make(chan struct{}, 1)
	e.server = func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		s.AddTool(&mcp.Tool{Name: "put", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			cancelled <- struct{}{}
			return nil, ctx.Err()
		})
		return s
	}
	h := w.host(Config{Given: entries(id("a"))})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := h.Call(ctx, h.Tool("n_put"), nil, nil)
	if took := time.Since(began); took > time.Second || browser.CodeOf(err) != browser.Timeout || !strings.Contains(err.Error(), "outcome unknown") {
		t.Errorf("after %v: %v", took, err)
	}
	select {
	case <-cancelled:
	case <-time.After(5 * time.Second):
		t.Error("the provider was not told")
	}
	// The provider is probed before the next call, and its session is well.
	w.mu.Lock()
	probes := w.probes
	w.mu.Unlock()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _ = h.Call(ctx, h.Tool("n_put"), nil, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.probes != probes+1 || e.session != 1 {
		t.Errorf("%d probes and %d sessions", w.probes-probes, e.session)
	}
}

// TestDeafProvider takes the port and says nothing.
func TestDeafProvider(t *testing.T) {
	was := helloWithin
	helloWithin = 200 * time.Millisecond
	defer func() { helloWithin = was }()
	w := newWorld(t)
	w.serves(id("a"), "n", "get").deaf = true
	began := time.Now()
	h := w.host(Config{Given: entries(id("a"))})
	s := h.Statuses()[0]
	if took := time.Since(began); took > helloWithin+time.Second || s.State != extproto.Failed || !strings.Contains(s.Text, "did not speak MCP") {
		t.Errorf("after %v: %+v", took, s)
	}
}

// TestPlainTransport: an extension on the public transports has no probe.
func TestPlainTransport(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "", "get")
	e.answer, e.plain = "", true
	e.server = func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "My Todo-App", Version: "1"}, nil)
		s.AddTool(&mcp.Tool{Name: "get", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
		return s
	}
	h := w.host(Config{Given: entries(id("a"))})
	if got := names(h); !slices.Equal(got, []string{"my-todo-app_get"}) {
		t.Errorf("offered are %v: %+v", got, h.Statuses())
	}
	h.cfg.Given[0].Namespace = "todo"
	h.sync()
	until(t, "the user's namespace counts", func() bool { return h.Tool("todo_get") != nil })
}

func TestProgress(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n")
	e.server = func() *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		s.AddTool(&mcp.Tool{Name: "get", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2})
		})
		return s
	}
	h := w.host(Config{Given: entries(id("a"))})
	told := make(chan float64, 1)
	_, err := h.Call(t.Context(), h.Tool("n_get"), nil, func(n *mcp.ProgressNotificationParams) { told <- n.Progress / n.Total })
	if err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-told:
		if got != 0.5 {
			t.Errorf("told %v", got)
		}
	case <-time.After(5 * time.Second):
		t.Error("nothing was told")
	}
}

// TestListChanges follows a provider that changes its list.
func TestListChanges(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n")
	server := toolServer("get")
	e.server = func() *mcp.Server { return server }
	h := w.host(Config{Given: entries(id("a"))})
	changed := make(chan struct{}, 100)
	defer h.OnChange(func() { changed <- struct{}{} })()
	server.AddTool(&mcp.Tool{Name: "more", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	until(t, "the new tool is offered", func() bool { return h.Tool("n_more") != nil })
	<-changed
	server.RemoveTools("get")
	until(t, "the old tool is not", func() bool { return h.Tool("n_get") == nil })
}

// TestWrites: without the user's word tools that change something are held.
func TestWrites(t *testing.T) {
	for _, test := range []struct {
		cfg  Config
		held int
	}{
		{Config{Given: []extproto.Entry{{ID: id("a")}}}, 1},
		{Config{Given: []extproto.Entry{{ID: id("a"), Writes: true}}}, 0},
		{Config{Given: []extproto.Entry{{ID: id("a")}}, Writes: true}, 0},
	} {
		w := newWorld(t)
		w.serves(id("a"), "n", "get", "put")
		h := w.host(test.cfg)
		if s := h.Statuses()[0]; s.Held != test.held || s.Tools != 2 || h.Tool("n_put").Allowed != (test.held == 0) || !h.Tool("n_get").Allowed {
			t.Errorf("%+v: %+v", test.cfg, s)
		}
	}
}

// TestEntries: ids are judged where they come in, and one provider is one.
func TestEntries(t *testing.T) {
	for in, says := range map[string]string{
		id("a"):                                 "",
		id("a") + "=todo":                       "",
		id("a") + "=":                           "letters",
		id("a") + "=page":                       "reserved",
		id("q"):                                 "no extension id",
		strings.ToUpper(id("a")):                "no extension id",
		id("a") + "b":                           "no extension id",
		"":                                      "no extension id",
		id("a") + "\n":                          "no extension id",
		id("a") + "=" + strings.Repeat("n", 17): "17 characters",
	} {
		_, err := ParseEntry(in)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", in, err, says)
		}
	}
	w := newWorld(t)
	w.serves(id("a"), "n", "get")
	h := w.host(Config{Self: id("e"), Given: []extproto.Entry{{ID: id("a")}, {ID: "x"}, {ID: id("e")}, {ID: id("a"), Off: true}}})
	list := h.Statuses()
	if len(list) != 1 || list[0].State != extproto.StateOff || len(h.Tools()) != 0 {
		t.Errorf("got %+v", list)
	}
	_, err := h.Call(t.Context(), &Tool{provider: h.providers()[0]}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "switched it off") {
		t.Errorf("a call of what is off: %v", err)
	}
}

// TestNothingIsLeft makes many calls over many ports and counts what stays.
func TestNothingIsLeft(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n", "get")
	h := w.host(Config{Given: entries(id("a"))})
	tool := h.Tool("n_get")
	before := runtime.NumGoroutine()
	for i := range 1000 {
		if _, err := h.Call(t.Context(), tool, nil, func(*mcp.ProgressNotificationParams) {}); err != nil {
			t.Fatal(err)
		}
		if i%100 == 99 {
			w.kill(id("a"))
			until(t, "the port is let go", func() bool { return !h.Statuses()[0].Open })
		}
	}
	until(t, "goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
	if e.session != 10 || w.live.Load() != 0 {
		t.Errorf("%d sessions, %d ports are open", e.session, w.live.Load())
	}
}

// TestSaid: an error of the protocol is the provider's word, not a failure of the way.
func TestSaid(t *testing.T) {
	w := newWorld(t)
	w.serves(id("a"), "n", "get")
	h := w.host(Config{Given: entries(id("a"))})
	tool := *h.Tool("n_get")
	gone := *tool.Said
	gone.Name = "nothing"
	tool.Said = &gone
	_, err := h.Call(t.Context(), &tool, nil, nil)
	var said *Said
	if !errors.As(err, &said) || !strings.Contains(said.Words, "nothing") {
		t.Errorf("got %v", err)
	}
	if w.probes != 1 {
		t.Errorf("%d probes", w.probes)
	}
}

var _ extproto.Ports = (*world)(nil)

// lister is a user who names providers.
type lister struct {
	list     []extproto.Entry
	changed  func()
	reported atomic.Pointer[[]extproto.Status]
}

func (l *lister) Listed() []extproto.Entry           { return l.list }
func (l *lister) OnListed(fn func()) (cancel func()) { l.changed = fn; return func() {} }
func (l *lister) Report(list []extproto.Status)      { l.reported.Store(&list) }

// TestUsersWord: what the user names and asks is followed, and told of.
func TestUsersWord(t *testing.T) {
	w := newWorld(t)
	e := w.serves(id("a"), "n", "get")
	user := &lister{}
	h := w.host(Config{Lister: user, Given: entries(id("b"))})
	told := func(id string) extproto.Status {
		for _, s := range *user.reported.Load() {
			if s.ID == id {
				return s
			}
		}
		return extproto.Status{}
	}
	until(t, "the one of the command line is told of", func() bool { return told(id("b")).State == extproto.Failed })
	user.list = entries(id("a"))
	user.changed()
	until(t, "it is connected and told of", func() bool { return told(id("a")).State == extproto.Connected && told(id("a")).Tools == 1 })
	// It was switched off there, which only a probe tells.
	w.mu.Lock()
	e.answer = `{"ok":true,"service":{"namespace":"n","name":"N","version":"1"},"status":{"enabled":false,"authorized":true,"ready":true}}`
	w.mu.Unlock()
	user.changed() // Ask again
	until(t, "the user reads it", func() bool { return told(id("a")).Text == "agent access is switched off in the provider" })
	until(t, "its port is closed", func() bool { return w.live.Load() == 0 })
	user.list = nil
	user.changed()
	until(t, "its tools are gone", func() bool { return len(h.Tools()) == 0 && told(id("a")).ID == "" })
}
