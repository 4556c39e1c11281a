package bridge

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

func TestRunDecodesTheAnswer(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	ctx := browser.WithCaller(t.Context(), browser.Caller{Session: "S", Tool: "get_text", Title: "client"})
	type text struct{ Text string }
	run := func() <-chan outcome[browser.Answer] {
		return async(func() (browser.Answer, error) {
			var got text
			got.Text = ""
			a, err := f.tab(7).Run(ctx, browser.RunRequest{Frame: "F", Fn: "text", Args: map[string]int{"maxBytes": 3}, Nodes: []int64{5}}, &got)
			if err == nil && got.Text != "<b>" {
				t.Errorf("value %q", got.Text)
			}
			return a, err
		})
	}
	want := browser.Answer{URL: "https://example.com/", Origin: "https://example.com", Document: "D"}

	done := run()
	c := e.command()
	if c.Method != wire.Page || c.TabID != 7 || c.Tool != "get_text" || c.Session != "S" || c.TimeoutMS < 29000 || c.TimeoutMS > 30000 || len(c.ID) != 26 {
		t.Errorf("%+v", c)
	}
	if got := string(c.Params); got != `{"frame":"F","fn":"text","args":{"maxBytes":3},"nodes":[5]}` {
		t.Error(got)
	}
	e.result(c.ID, wire.PageResult{URL: want.URL, Origin: want.Origin, Document: "D", Value: json.RawMessage(`{"Text":"<b>"}`)})
	if got, err := wait(t, done); err != nil || got != want {
		t.Error(got, err)
	}

	done = run()
	e.result(e.command().ID, wire.PageResult{URL: want.URL, Origin: want.Origin, Document: "D", JSON: `{"Text":"<b>"}`})
	if got, err := wait(t, done); err != nil || got != want {
		t.Error("a value in a string:", got, err)
	}
	done = run()
	e.result(e.command().ID, wire.PageResult{URL: want.URL, Origin: want.Origin, Document: "D", JSON: `[]`})
	if got, err := wait(t, done); got != want || err == nil || err.Code != browser.CDPError {
		t.Error("a value of another kind:", got, err)
	}

	done = run()
	e.result(e.command().ID, wire.PageResult{URL: want.URL, Origin: want.Origin, Document: "D", Error: browser.Errorf(browser.SelectorNotFound, "no such thing")})
	if got, err := wait(t, done); got != want || err == nil || err.Code != browser.SelectorNotFound {
		t.Error("the answering document counts beside an error:", got, err)
	}

	done = run()
	e.write(wire.Error{Header: header(wire.TypeError), ID: e.command().ID, Error: browser.Error{Code: browser.TargetGone, Message: "crashed", Data: json.RawMessage(`{"reason":"crashed"}`)}})
	if _, err := wait(t, done); err == nil || err.Code != browser.TargetGone || string(err.Data) != `{"reason":"crashed"}` {
		t.Error(err)
	}

	done = run()
	e.result(e.command().ID, "what?")
	if _, err := wait(t, done); err == nil || err.Code != browser.CDPError {
		t.Error(err)
	}
}

func TestBatchCaptureAndFrames(t *testing.T) {
	f := start(t, nil)
	f.connect(nil).serve(func(c wire.Command) any {
		switch c.Method {
		case wire.CDPBatch:
			want := `{"calls":[{"method":"Input.insertText","params":{"text":"<a>"}},{"frame":"F","method":"Input.dispatchKeyEvent","delayMs":20}]}`
			if string(c.Params) != want {
				t.Error(string(c.Params))
			}
			return wire.BatchResult{Results: []json.RawMessage{json.RawMessage(`{}`)}, Error: browser.Errorf(browser.CDPError, "second failed")}
		case wire.Capture:
			return wire.CaptureResult{Data: base64.StdEncoding.EncodeToString([]byte("JPEG")), MIME: "image/jpeg"}
		case wire.Frames:
			return wire.FramesResult{Frames: []browser.Frame{{ID: "M", URL: "https://example.com/"}}}
		case wire.CDP:
			return map[string]int{"n": 5}
		}
		return nil
	})
	tab := f.tab(7)
	results, err := tab.Batch(t.Context(), []browser.Command{
		{Method: "Input.insertText", Params: map[string]string{"text": "<a>"}},
		{Frame: "F", Method: "Input.dispatchKeyEvent", Delay: 20 * time.Millisecond},
	})
	if len(results) != 1 || browser.CodeOf(err) != browser.CDPError {
		t.Error(results, err)
	}
	if img, err := tab.Capture(t.Context(), browser.CaptureOptions{Format: "jpeg"}); err != nil || string(img.Data) != "JPEG" || img.MIME != "image/jpeg" {
		t.Error(img, err)
	}
	if frames, err := tab.Frames(t.Context()); err != nil || len(frames) != 1 || frames[0].ID != "M" {
		t.Error(frames, err)
	}
	var n struct{ N int }
	if err := tab.Call(t.Context(), "", "Page.getNavigationHistory", nil, &n); err != nil || n.N != 5 {
		t.Error(n, err)
	}
}

func TestConcurrentCallsGetTheirOwnReplies(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	const calls = 100
	var group sync.WaitGroup
	for i := range calls {
		group.Go(func() {
			var got struct{ Tab int }
			if err := f.tab(i+1).Call(t.Context(), "", "Page.getNavigationHistory", nil, &got); err != nil || got.Tab != i+1 {
				t.Errorf("call %d got %d, %v", i+1, got.Tab, err)
			}
		})
	}
	var commands []wire.Command
	for range calls {
		commands = append(commands, e.command())
	}
	for i := range commands { // newest first, each twice
		c := commands[calls-1-i]
		e.result(c.ID, map[string]int{"Tab": c.TabID})
		e.result(c.ID, map[string]int{"Tab": -1})
	}
	group.Wait()
}

func TestADeadlineTakesTheCallAndLeavesTheSocket(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := f.tab(7).Call(ctx, "", "Page.getNavigationHistory", nil, nil)
	if browser.CodeOf(err) != browser.Timeout || unknown(err) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := f.tab(7).Call(ctx, "", "Input.insertText", nil, nil); browser.CodeOf(err) != browser.Timeout || !unknown(err) || !strings.Contains(err.Error(), "outcome unknown") {
		t.Error(err)
	}
	late := []wire.Command{e.command(), e.command()}
	done := async(func() (struct{}, error) { return struct{}{}, f.Ping(t.Context()) })
	for _, c := range late {
		e.result(c.ID, nil) // too late: nobody waits
	}
	e.result(e.command().ID, nil)
	if _, err := wait(t, done); err != nil {
		t.Error("the socket did not outlive the deadline:", err)
	}
}

func TestCancellingACallDoesNotCutTheSocket(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	for range 50 { // before, while and after it is written
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		f.tab(7).Call(ctx, "", "Page.getNavigationHistory", strings.Repeat("x", 1<<16), nil)
	}
	e.serve(func(wire.Command) any { return nil })
	if err := f.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func unknown(err error) bool {
	e, ok := err.(*browser.Error)
	return ok && e.Unknown
}

func TestALostReadIsSentOnceMore(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	done := async(func() (int, error) {
		var got struct{ N int }
		return got.N, f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", nil, &got)
	})
	first := e.command()
	e.ws.CloseNow()
	e = f.connect(nil)
	second := e.command()
	if first.ID == second.ID || first.Method != second.Method {
		t.Error(first, second)
	}
	e.result(second.ID, map[string]int{"N": 1})
	if _, err := wait(t, done); err != nil {
		t.Error(err)
	}

	done = async(func() (int, error) { return 0, f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", nil, nil) })
	for range 2 {
		e.command()
		e.ws.CloseNow()
		e = f.connect(nil)
	}
	if _, err := wait(t, done); err == nil || err.Code != browser.ExtensionDisconnected || err.Unknown {
		t.Error("sent a third time?", err)
	}
}

func TestALostActionIsNeverSentAgain(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	acts := map[string]func() error{
		"input": func() error { return f.tab(7).Call(t.Context(), "", "Input.insertText", nil, nil) },
		"batch": func() error {
			_, err := f.tab(7).Batch(t.Context(), []browser.Command{{Method: "Page.getNavigationHistory"}, {Method: "Input.insertText"}})
			return err
		},
		"navigate": func() error { return f.tab(7).Call(t.Context(), "", "Page.navigate", nil, nil) },
		"page function": func() error {
			_, err := f.tab(7).Run(t.Context(), browser.RunRequest{Fn: "setValue"}, nil)
			return err
		},
		"tab_new": func() error { _, err := f.Open(t.Context(), browser.OpenOptions{}); return err },
		"close":   func() error { return f.Bridge.Close(t.Context(), firstRun+"7") },
	}
	for name, act := range acts {
		done := async(func() (struct{}, error) { return struct{}{}, act() })
		e.command()
		e.ws.CloseNow()
		_, err := wait(t, done)
		if err == nil || err.Code != browser.ExtensionDisconnected || !err.Unknown || !strings.Contains(err.Message, "outcome unknown") {
			t.Errorf("%s: %v", name, err)
		}
		e = f.connect(nil)
	}
	e.serve(func(c wire.Command) any {
		if c.Method != wire.PingProbe {
			t.Errorf("%s was sent again", c.Method)
		}
		return nil
	})
	if err := f.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBackpressure(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	f.clog()
	err := f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", strings.Repeat("x", 1<<20), nil)
	if browser.CodeOf(err) != browser.Backpressure {
		t.Fatal(err)
	}
	e.serve(func(wire.Command) any { return nil })
	until(t, "calls again", func() bool { return f.Ping(t.Context()) == nil })
}

// clog sends to the only browser, which must not read, until neither the sockets nor
// the queue take any more.
func (f *fixture) clog() {
	f.t.Helper()
	big, err := wire.Encode(wire.Command{Header: header(wire.TypeCommand), ID: "big", Params: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)})
	if err != nil {
		f.t.Fatal(err)
	}
	for refused := 0; refused < 20; {
		if _, err := f.conns()[0].send("big", big); err == nil {
			refused = 0
			continue
		}
		refused++
		time.Sleep(5 * time.Millisecond)
	}
}

func TestAnExpiredCommandIsNotSentLater(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	f.clog()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := f.tab(2).Call(ctx, "", "Input.insertText", nil, nil)
	if browser.CodeOf(err) != browser.Timeout || unknown(err) {
		t.Error("it was never sent, so its outcome is known:", err)
	}
	done := async(func() (struct{}, error) {
		return struct{}{}, f.tab(3).Call(t.Context(), "", "Page.getNavigationHistory", nil, nil)
	})
	for {
		c := e.command()
		if c.TabID == 2 {
			t.Error("the expired action was sent")
		}
		if c.TabID == 3 {
			e.result(c.ID, nil)
			break
		}
	}
	if _, err := wait(t, done); err != nil {
		t.Error(err)
	}
}

func TestBadFramesDoNotEndTheSession(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	for _, s := range []string{
		``, `{`, `[]`, `null`, `"x"`, `{"v":1}`, `{"v":2,"type":"result","id":"x"}`, `{"v":1,"type":"welcome"}`, `{"v":1,"type":"result"}`,
		`{"v":1,"type":"error","id":"x"}`, `{"v":1,"type":"event","event":"cdp","tabId":7,"data":5}`, `{"v":1,"type":"result","id":"unknown","data":{}}`,
		`{"v":1,"type":"event","tabId":"x"}`, strings.Repeat("[", 100000),
	} {
		e.raw(s)
	}
	if err := e.ws.Write(t.Context(), websocket.MessageBinary, []byte{0, 1}); err != nil {
		t.Fatal(err)
	}
	e.serve(func(wire.Command) any { return nil })
	if err := f.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLoneSurrogatesStayInTheBrowser(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	done := async(func() (string, error) {
		var raw json.RawMessage
		err := f.tab(7).Call(t.Context(), "", "Page.getNavigationHistory", nil, &raw)
		return string(raw), err
	})
	e.raw(fmt.Sprintf(`{"v":1,"type":"result","id":%q,"data":["a\ud83d","\ude00b","\ud83d\ude00","\\ud83d"]}`, e.command().ID))
	got, err := wait(t, done)
	if diff := cmp.Diff(got, `["a\ufffd","\ufffdb","\ud83d\ude00","\\ud83d"]`); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
