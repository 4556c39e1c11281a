package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chrome-mcp/internal/extproto"
)

// by answers a host by hand: for each message that came, the texts that go back.
func by(answer func(m message) []string) func(*pipe) {
	return func(p *pipe) {
		for {
			raw, err := p.Recv(context.Background())
			if err != nil {
				return
			}
			var m message
			_ = json.Unmarshal(raw, &m)
			for _, text := range answer(m) {
				if p.Send(context.Background(), json.RawMessage(text)) != nil {
					return
				}
			}
		}
	}
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func (m message) result(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, text)
}

const (
	changedList = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	helloBack   = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"r","version":"1"}}`
	oneGet      = `{"tools":[{"name":"get","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
)

// TestChangesBeforeTheHandshake: a provider that tells of changes before hands are shaken
// is listed as any other.
func TestChangesBeforeTheHandshake(t *testing.T) {
	w := newWorld(t)
	w.serves(id("a"), "n").raw = by(func(m message) []string {
		switch m.Method {
		case "initialize":
			return []string{changedList, changedList, m.result(helloBack), changedList}
		case "tools/list":
			return []string{changedList, m.result(oneGet)}
		}
		return nil
	})
	h := w.host(Config{Given: entries(id("a"))})
	until(t, "its tool is offered", func() bool { return h.Tool("n_get") != nil })
}

// TestChangesWithoutEnd: a provider that tells of changes all the time is asked for its
// list now and then.
func TestChangesWithoutEnd(t *testing.T) {
	w := newWorld(t)
	var lists atomic.Int32
	e := w.serves(id("a"), "n")
	e.raw = by(func(m message) []string {
		switch m.Method {
		case "initialize":
			return []string{m.result(helloBack)}
		case "tools/list":
			lists.Add(1)
			return []string{m.result(oneGet), changedList, changedList, changedList}
		}
		return nil
	})
	h := w.host(Config{Given: entries(id("a"))})
	until(t, "its tool is offered", func() bool { return h.Tool("n_get") != nil })
	time.Sleep(300 * time.Millisecond)
	if n := lists.Load(); n > 4 {
		t.Errorf("it was asked %d times", n)
	}
}

// TestListWithoutEnd: a list whose pages lead on and on is given up.
func TestListWithoutEnd(t *testing.T) {
	w := newWorld(t)
	var pages atomic.Int32
	w.serves(id("a"), "n").raw = by(func(m message) []string {
		switch m.Method {
		case "initialize":
			return []string{m.result(helloBack)}
		case "tools/list":
			return []string{m.result(fmt.Sprintf(`{"tools":[],"nextCursor":"c%d"}`, pages.Add(1)))}
		}
		return nil
	})
	h := w.host(Config{Given: entries(id("a"))})
	until(t, "it is given up", func() bool { return strings.Contains(h.Statuses()[0].Text, "pages") })
	if n := pages.Load(); n > 1000 {
		t.Errorf("%d pages were read", n)
	}
}

// TestRequestsOfAProvider: what a provider asks of us is refused, two answers are one,
// and what is no message of ours harms nobody.
func TestRequestsOfAProvider(t *testing.T) {
	w := newWorld(t)
	got := make(chan string, 10)
	w.serves(id("a"), "n").raw = func(p *pipe) {
		by(func(m message) []string {
			switch m.Method {
			case "initialize":
				return []string{m.result(helloBack)}
			case "tools/list":
				return []string{m.result(oneGet)}
			case "tools/call":
				answer := m.result(`{"content":[{"type":"text","text":"first"}]}`)
				return []string{
					`{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
					`{"jsonrpc":"2.0","id":"s2","method":"elicitation/create","params":{"message":"password?","requestedSchema":{"type":"object","properties":{}}}}`,
					`{"jsonrpc":"2.0","id":99999,"result":{}}`, `[]`, `"text"`, `{"__proto__":{"id":1}}`, `{"jsonrpc":"1.0","id":5,"method":"ping"}`,
					answer, strings.Replace(answer, "first", "second", 1),
				}
			case "":
				select {
				case got <- string(m.ID):
				default:
				}
			}
			return nil
		})(p)
	}
	h := w.host(Config{Given: entries(id("a"))})
	until(t, "its tool is offered", func() bool { return h.Tool("n_get") != nil })
	for range 3 {
		res, err := h.Call(t.Context(), h.Tool("n_get"), nil, nil)
		if err != nil || text(res) != "first" {
			t.Fatalf("got %v, %v", res, err)
		}
	}
	if w.opened != 1 {
		t.Errorf("%d ports were opened", w.opened)
	}
}

// TestRemovedWhileItConnects: a provider that the user takes away before it has answered
// leaves no port.
func TestRemovedWhileItConnects(t *testing.T) {
	w := newWorld(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	w.serves(id("a"), "n").raw = by(func(m message) []string {
		switch m.Method {
		case "initialize":
			close(asked)
			<-answer
			return []string{m.result(helloBack)}
		case "tools/list":
			return []string{m.result(oneGet)}
		}
		return nil
	})
	user := &lister{list: entries(id("a"))}
	h := New(Config{Ports: w, Lister: user})
	t.Cleanup(func() { h.Close(context.Background()) })
	go h.sync()
	<-asked
	user.list = nil
	h.configure()
	close(answer)
	until(t, "its port is closed", func() bool { return w.live.Load() == 0 })
}

// TestLookalikes: a namespace that differs in the size of letters only is the same to
// people, and to some clients.
func TestLookalikes(t *testing.T) {
	for _, ns := range []string{"Page", "EXT", "Browser"} {
		if extproto.CheckNamespace(ns) == nil {
			t.Errorf("%s is taken", ns)
		}
	}
	w := newWorld(t)
	w.serves(id("a"), "notes", "get")
	w.serves(id("b"), "Notes", "get")
	w.serves(id("c"), "Fill", "Form")
	h := w.host(Config{Given: entries(id("a"), id("b"), id("c"))})
	h.Reserve([]string{"fill_form"})
	if got := strings.Join(names(h), " "); got != "notes_get" {
		t.Errorf("offered are %s", got)
	}
}
