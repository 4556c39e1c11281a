package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/wire"
)

const otherID = "abcdefghijklmnopabcdefghijklmnop"

func (e *extension) event(name string, data any) {
	e.t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write(wire.Event{Header: header(wire.TypeEvent), Name: name, Data: b})
}

// next returns the next command of a method, with its parameters.
func next[T any](e *extension, method wire.Method) (wire.Command, T) {
	e.t.Helper()
	c := e.command()
	if c.Method != method {
		e.t.Fatalf("%s instead of %s", c.Method, method)
	}
	var params T
	if err := json.Unmarshal(c.Params, &params); err != nil {
		e.t.Fatal(err)
	}
	return c, params
}

// takePorts collects the ports of callers.
func (f *fixture) takePorts() <-chan extproto.Port {
	ports := make(chan extproto.Port, 64)
	f.t.Cleanup(f.OnPort(func(p extproto.Port) { ports <- p }))
	return ports
}

func take[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(5 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func (f *fixture) openPorts() int {
	f.ports.mu.Lock()
	defer f.ports.mu.Unlock()
	return len(f.ports.open)
}

func recv(t *testing.T, p extproto.Port) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	m, err := p.Recv(ctx)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(m)
}

// open opens a port to another extension, with the extension's answer.
func (f *fixture) open(e *extension) (extproto.Port, wire.ExtPort) {
	f.t.Helper()
	opening := async(func() (extproto.Port, error) {
		return f.OpenPort(f.t.Context(), "", otherID, extproto.PortName)
	})
	c, params := next[wire.ExtPort](e, wire.ExtPortOpen)
	e.result(c.ID, struct{}{})
	p, err := wait(f.t, opening)
	if err != nil {
		f.t.Fatal(err)
	}
	return p, params
}

func TestPortTowardsAProvider(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	p, opened := f.open(e)
	if opened.Extension != otherID || opened.Name != "lumo:mcp" || opened.Port == "" {
		t.Fatalf("%+v", opened)
	}
	sending := async(func() (int, error) { return 0, p.Send(t.Context(), json.RawMessage(`{"n":1}`)) })
	c, sent := next[wire.ExtMessage](e, wire.ExtPortMessage)
	if sent.Port != opened.Port || string(sent.Message) != `{"n":1}` {
		t.Errorf("%+v", sent)
	}
	e.result(c.ID, struct{}{})
	if _, err := wait(t, sending); err != nil {
		t.Error(err)
	}
	for i := range 3 {
		e.event(wire.EventExtPortMessage, wire.ExtMessage{Port: opened.Port, Message: json.RawMessage(fmt.Sprint(i))})
	}
	e.event(wire.EventExtPortMessage, wire.ExtMessage{Port: "another", Message: json.RawMessage(`"lost"`)})
	e.event(wire.EventExtPortClose, wire.ExtClose{Port: opened.Port, Reason: "the worker was stopped"})
	// What came before the end is taken before the end is seen.
	<-p.Done()
	for _, want := range []string{"0", "1", "2", "error: the port is closed: the worker was stopped", "error: the port is closed: the worker was stopped"} {
		if got := recv(t, p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if err := p.Send(t.Context(), json.RawMessage(`{}`)); !errors.As(err, new(*extproto.ClosedError)) {
		t.Error("sent into a closed port:", err)
	}
	p.Close("again") // harmless, and nothing is sent
	if f.openPorts() != 0 {
		t.Error("the port is still held")
	}
}

func TestPortIsClosedByUs(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	p, opened := f.open(e)
	p.Close("the session ended")
	if _, closed := next[wire.ExtClose](e, wire.ExtPortClose); closed.Port != opened.Port || closed.Reason != "the session ended" {
		t.Errorf("%+v", closed)
	}
	if got := recv(t, p); !strings.Contains(got, "the session ended") {
		t.Error(got)
	}
}

// A port belongs to its socket: what is sent on it is never sent on another.
func TestPortEndsWithItsSocket(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	p, _ := f.open(e)
	sending := async(func() (int, error) { return 0, p.Send(t.Context(), json.RawMessage(`{"write":1}`)) })
	next[wire.ExtMessage](e, wire.ExtPortMessage)
	e.ws.CloseNow()
	if _, err := wait(t, sending); err == nil || err.Code != browser.ExtensionDisconnected || !err.Unknown {
		t.Errorf("%v", err)
	}
	if got := recv(t, p); !strings.Contains(got, "Chrome disconnected") {
		t.Error(got)
	}
	again := f.connect(nil)
	if err := p.Send(t.Context(), json.RawMessage(`{}`)); !errors.As(err, new(*extproto.ClosedError)) {
		t.Error(err)
	}
	q, _ := f.open(again)
	q.Close("")
	if _, closed := next[wire.ExtClose](again, wire.ExtPortClose); closed.Port == "" {
		t.Error("something else came on the new socket")
	}
}

func TestPortToNobody(t *testing.T) {
	f := start(t, nil)
	f.connect(nil)
	for _, id := range []string{"", "x", strings.Repeat("q", 32), otherID + "a", strings.ToUpper(otherID)} {
		if _, err := f.OpenPort(t.Context(), "", id, "mcp"); browser.CodeOf(err) != browser.BadArgs {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := f.ProbeExtension(t.Context(), "", id); browser.CodeOf(err) != browser.BadArgs {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := f.OpenPort(t.Context(), "No such browser", otherID, "mcp"); browser.CodeOf(err) != browser.BadArgs {
		t.Error(err)
	}
}

func TestProbe(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	for _, result := range []wire.ExtProbeResult{{Answer: json.RawMessage(`{"ok":false}`)}, {Problem: "Receiving end does not exist."}, {Problem: "late", Late: true}} {
		probing := async(func() (extproto.Probed, error) { return f.ProbeExtension(t.Context(), "", otherID) })
		c, params := next[wire.ExtProbeParams](e, wire.ExtProbe)
		if params.Extension != otherID {
			t.Error(params)
		}
		e.result(c.ID, result)
		got, err := wait(t, probing)
		if err != nil || string(got.Answer) != string(result.Answer) || got.Problem != result.Problem || got.Late != result.Late {
			t.Errorf("%+v %v", got, err)
		}
	}
}

func TestPortOfACaller(t *testing.T) {
	f := start(t, nil)
	ports := f.takePorts()
	e := f.connect(nil)
	changed := make(chan struct{}, 8)
	defer f.OnServing(func() { changed <- struct{}{} })()
	e.event(wire.EventExtServing, wire.ExtServing{Enabled: true, Writes: true, Review: true, Callers: []string{otherID}})
	e.event(wire.EventExtPortOpen, wire.ExtPort{Port: "p", Extension: otherID, Name: "mcp", Caller: "Lumo"})
	e.event(wire.EventExtPortMessage, wire.ExtMessage{Port: "p", Message: json.RawMessage(`{"id":1}`)})
	p := take(t, ports)
	if got, want := p.Peer(), (extproto.Peer{Browser: "Chrome", Extension: otherID, Name: "mcp", Caller: "Lumo"}); got != want {
		t.Errorf("%+v", got)
	}
	// Told before the port, so known when it comes.
	if got, want := f.Serving(p), (extproto.Serving{Enabled: true, Authorized: true, Writes: true, Review: true}); got != want {
		t.Errorf("%+v", got)
	}
	take(t, changed)
	if got := recv(t, p); got != `{"id":1}` {
		t.Error(got)
	}
	// A switch that is turned holds for each message that comes after it.
	e.event(wire.EventExtServing, wire.ExtServing{Enabled: true, Callers: []string{strings.Repeat("b", 32)}})
	e.event(wire.EventExtPortMessage, wire.ExtMessage{Port: "p", Message: json.RawMessage(`{"id":2}`)})
	if got := recv(t, p); got != `{"id":2}` {
		t.Error(got)
	}
	if got, want := f.Serving(p), (extproto.Serving{Enabled: true}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestCallersThatNobodyServes(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	e.event(wire.EventExtPortOpen, wire.ExtPort{Port: "p", Extension: otherID, Name: "mcp"})
	if _, closed := next[wire.ExtClose](e, wire.ExtPortClose); closed.Port != "p" || !strings.Contains(closed.Reason, "does not serve") {
		t.Errorf("%+v", closed)
	}
	f.takePorts()
	e.event(wire.EventExtPortOpen, wire.ExtPort{Port: "q", Extension: "https://evil.example", Name: "mcp"})
	if _, closed := next[wire.ExtClose](e, wire.ExtPortClose); closed.Port != "q" {
		t.Errorf("%+v", closed)
	}
}

func TestReaderThatDoesNotKeepUp(t *testing.T) {
	f := start(t, nil)
	ports := f.takePorts()
	refused := make(chan extproto.Refusal, 8)
	defer f.OnRefused(func(r extproto.Refusal) { refused <- r })()
	e := f.connect(nil)
	fill := func(id string, count, size int) string {
		e.event(wire.EventExtPortOpen, wire.ExtPort{Port: id, Extension: otherID, Name: "mcp"})
		p := take(t, ports)
		text, _ := json.Marshal(strings.Repeat("x", size-2))
		for range count {
			e.event(wire.EventExtPortMessage, wire.ExtMessage{Port: id, Message: text})
		}
		e.event(wire.EventExtPortMessage, wire.ExtMessage{Port: id, Message: json.RawMessage(`1`)})
		if _, closed := next[wire.ExtClose](e, wire.ExtPortClose); closed.Port != id {
			t.Errorf("%+v", closed)
		}
		<-p.Done()
		n := 0
		for !strings.HasPrefix(recv(t, p), "error") {
			n++
		}
		return fmt.Sprint(n)
	}
	if got := fill("many", extproto.MaxWaiting, 3); got != fmt.Sprint(extproto.MaxWaiting) {
		t.Error("kept", got)
	}
	if got := fill("large", 2, extproto.MaxMessage); got != "2" {
		t.Error("kept", got)
	}
	if got := fill("too-large", 1, extproto.MaxMessage+1); got != "0" {
		t.Error("kept", got)
	}
	if f.openPorts() != 0 {
		t.Error("ports are left")
	}
	for range 3 {
		if r := take(t, refused); r.Extension != otherID || !strings.Contains(r.Reason, "more than is taken at once") {
			t.Errorf("%+v", r)
		}
	}
}

func TestReview(t *testing.T) {
	f := start(t, nil)
	ports := f.takePorts()
	e := f.connect(nil)
	e.event(wire.EventExtPortOpen, wire.ExtPort{Port: "p", Extension: otherID, Name: "mcp"})
	p := take(t, ports)
	for _, test := range []struct {
		said wire.ExtReviewResult
		want string
	}{
		{wire.ExtReviewResult{Allowed: true}, ""},
		{wire.ExtReviewResult{Reason: "the user did not answer within 60 s"}, "NOT_APPROVED: type was not done: the user did not answer within 60 s"},
		{wire.ExtReviewResult{}, "NOT_APPROVED: type was not done: the user denied it"},
	} {
		asking := async(func() (int, error) {
			return 0, f.Review(t.Context(), p, extproto.Review{Tool: "type", Target: "a.test", Detail: "{}"})
		})
		c, params := next[wire.ExtReviewParams](e, wire.ExtReview)
		if params != (wire.ExtReviewParams{Port: "p", Tool: "type", Target: "a.test", Detail: "{}"}) {
			t.Errorf("%+v", params)
		}
		e.result(c.ID, test.said)
		switch _, err := wait(t, asking); {
		case err == nil && test.want == "":
		case err == nil || !strings.HasPrefix(err.Error(), test.want):
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	// Without an answer the call's own deadline ends the wait.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.Review(ctx, p, extproto.Review{Tool: "type"}); browser.CodeOf(err) != browser.NotApproved {
		t.Error(err)
	}
}

func TestRefusedCallersAreTold(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	told := make(chan extproto.Refusal, 1)
	defer f.OnRefused(func(r extproto.Refusal) { told <- r })()
	e.event(wire.EventExtRefused, wire.ExtRefused{Extension: otherID, Reason: "denied", Count: 3})
	if got, want := take(t, told), (extproto.Refusal{Browser: "Chrome", Extension: otherID, Reason: "denied", Count: 3}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestBrowsersAreTold(t *testing.T) {
	f := start(t, nil)
	changed := make(chan struct{}, 8)
	defer f.OnBrowsers(func() { changed <- struct{}{} })()
	e := f.connect(nil)
	take(t, changed)
	if got := fmt.Sprint(f.Browsers()); got != "[Chrome]" {
		t.Error(got)
	}
	e.ws.CloseNow()
	take(t, changed)
	if got := f.Browsers(); len(got) != 0 {
		t.Error(got)
	}
}

// A caller's session ends when the extension's worker is stopped; its tabs are freed when
// the worker is back.
func TestSessionsThatEndWhileABrowserIsAway(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	e.ws.CloseNow()
	until(t, "the socket is gone", func() bool { return len(f.Browsers()) == 0 })
	if err := f.Release(t.Context(), "ended"); err != nil {
		t.Fatal(err)
	}
	again := f.connect(nil)
	if c := again.command(); c.Method != wire.Release || c.Session != "ended" {
		t.Errorf("%s of %s", c.Method, c.Session)
	}
}

// An extension is of one profile: its session neither lists nor reaches the tabs of
// another one.
func TestSessionsOfPortsKeepToTheirBrowser(t *testing.T) {
	f := start(t, nil)
	ports := f.takePorts()
	one := f.connect(nil)
	two := f.connect(func(i *wire.ExtInfo) { i.Instance, i.Run, i.ProfileName = "two", "run2", "Private" })
	one.event(wire.EventExtPortOpen, wire.ExtPort{Port: "p", Extension: otherID, Name: "mcp"})
	free := f.Confine("caller", take(t, ports))
	one.serve(func(wire.Command) any { return wire.TabsResult{Tabs: []wire.Tab{{ID: 1, URL: "https://one.test/"}}} })
	two.serve(func(wire.Command) any { return wire.TabsResult{Tabs: []wire.Tab{{ID: 2, URL: "https://two.test/"}}} })
	list := func(session string) (all []string) {
		ctx := browser.WithCaller(t.Context(), browser.Caller{Session: session})
		tabs, err := f.Tabs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range tabs {
			all = append(all, info.URL)
			tab, err := f.Tab(info.ID)
			if err != nil {
				t.Fatal(err)
			}
			ctx := browser.WithCaller(t.Context(), browser.Caller{Session: "caller"})
			reached := tab.Call(ctx, "", "Page.getNavigationHistory", nil, nil) == nil
			if mine := info.URL == "https://one.test/"; reached != mine {
				t.Errorf("the caller reaches %s: %v", info.URL, reached)
			}
		}
		return all
	}
	if got := list("another"); len(got) != 2 {
		t.Error("an MCP client sees", got)
	}
	if got := fmt.Sprint(list("caller")); got != "[https://one.test/]" {
		t.Error("the caller sees", got)
	}
	ctx := browser.WithCaller(t.Context(), browser.Caller{Session: "caller"})
	if _, err := f.Open(ctx, browser.OpenOptions{Browser: "Private"}); err == nil {
		t.Error("the caller opens a tab in another profile")
	}
	if err := f.Release(ctx, "caller"); err != nil {
		t.Error(err)
	}
	free()
	if len(f.kept) != 0 {
		t.Error("something is left")
	}
}
