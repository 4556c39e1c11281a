package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listener is a client over HTTP that hears of changes and of progress.
type listener struct {
	*server
	told chan *mcp.ProgressNotificationParams
}

func (s *httpServer) listener(t testing.TB, name, version string) *listener {
	t.Helper()
	l := &listener{told: make(chan *mcp.ProgressNotificationParams, 64)}
	l.server = &server{cmd: s.cmd, exited: make(chan struct{}), changed: make(chan struct{}, 64)}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			l.told <- r.Params
		},
	})
	var err error
	l.ClientSession, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url, HTTPClient: &http.Client{Transport: bearing{http.DefaultTransport, s.token}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect %s: %v\n%s", name, err, rig.log.of(s.name))
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// sameToken is what every client here calls its progress: it is the session that counts.
const sameToken = "the same"

// wait calls the tool that takes so long and tells how far it is.
func (l *listener) wait(t testing.TB, ms int) (answer chan string) {
	answer = make(chan string, 1)
	params := &mcp.CallToolParams{Name: "notes_wait", Arguments: args{"ms": ms}}
	params.SetProgressToken(sameToken)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	go func() {
		defer cancel()
		r, err := l.CallTool(ctx, params)
		if err != nil {
			answer <- "error: " + err.Error()
			return
		}
		answer <- r.Content[0].(*mcp.TextContent).Text
	}()
	return answer
}

// hears takes the words of progress from one step to another, in order.
func (l *listener) hears(t testing.TB, from, to float64) {
	t.Helper()
	late := time.After(15 * time.Second)
	for step := from; step <= to; step++ {
		select {
		case p := <-l.told:
			if p.Progress != step || p.Total != 10 || p.ProgressToken != sameToken {
				t.Fatalf("progress %+v, want step %v", p, step)
			}
		case <-late:
			t.Fatalf("step %v is not told", step)
		}
	}
}

// TestProviderOverHTTP has two sessions of one server use the same provider at once. They
// share one port to it, so what tells them apart is ours.
func TestProviderOverHTTP(t *testing.T) {
	t.Parallel() // in a browser of its own
	c, notes, desk := withNotes(t)
	id := notes.id
	over := c.serveHTTP(t)
	both := []*listener{over.listener(t, "one", handshaking), over.listener(t, "two", stateless)}

	desk.await(`document.querySelector('#provider-id')`)
	if err := c.eval(t.Context(), desk.tab, fmt.Sprintf(`document.querySelector('#provider-id').value = %q`, id), nil); err != nil {
		t.Fatal(err)
	}
	desk.press("#add-provider button")
	for _, l := range both {
		l.untilTool(t, "notes_wait")
		if l.tools["notes_add"] != nil {
			t.Error("a tool that writes is offered without the user's word")
		}
		l.refuse(t, "notes_add", args{"text": "not allowed"}, "POLICY_DENIED", "May change things")
	}
	desk.press(fmt.Sprintf("[data-provider=%q] [data-field=writes]", id))
	for _, l := range both {
		l.untilTool(t, "notes_add")
	}
	for _, version := range []string{handshaking, stateless} {
		t.Run("beside a session of "+version, func(t *testing.T) {
			goes, stays := over.listener(t, "goes "+version, handshaking), over.listener(t, "stays "+version, version)
			for _, l := range []*listener{goes, stays} {
				l.untilTool(t, "notes_add")
			}
			readAtOnce(t, goes, stays)
			writeAtOnce(t, goes, stays)
			endBeside(t, over, goes, stays)
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() { both[i%2].do(ctx, "notes_add", args{"text": "more than it takes"}) })
	}
	all.Wait()
	var kept struct {
		Notes []string
		Audit []struct{ At float64 }
	}
	notes.run(t, `chrome.storage.local.get(['notes', 'audit'])`, &kept)
	if len(kept.Notes) != len(kept.Audit) || slices.Contains(kept.Notes, "not allowed") {
		t.Errorf("%d changes noted, and the notes are %q", len(kept.Audit), kept.Notes)
	}
	for i := 30; i < len(kept.Audit); i++ {
		if kept.Audit[i].At-kept.Audit[i-30].At < 60_000 {
			t.Errorf("the provider took 31 changes in a minute: %v", kept.Audit)
			break
		}
	}
}

// readAtOnce: each hears of its own call and gets its own answer.
func readAtOnce(t *testing.T, one, two *listener) {
	t.Helper()
	first, second := one.wait(t, 1000), two.wait(t, 1500)
	one.hears(t, 1, 10)
	two.hears(t, 1, 10)
	for ms, answer := range map[int]chan string{1000: first, 1500: second} {
		if got := <-answer; !strings.Contains(got, fmt.Sprintf("%d ms have passed.", ms)) {
			t.Errorf("a wait of %d ms: %s", ms, got)
		}
	}
	if n, m := len(one.told), len(two.told); n+m > 0 {
		t.Errorf("%d and %d words more than were asked for", n, m)
	}
}

// writeAtOnce: no note is lost, and each answer counts one more. Few enough for the
// provider, which takes 30 changes in a minute.
func writeAtOnce(t *testing.T, clients ...*listener) {
	t.Helper()
	const each = 6
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var all sync.WaitGroup
	answers := make(chan result, each*len(clients))
	for i, l := range clients {
		for n := range each {
			all.Go(func() { answers <- l.do(ctx, "notes_add", args{"text": fmt.Sprintf("%s: %d of %d", t.Name(), n, i)}) })
		}
	}
	all.Wait()
	close(answers)
	counts := map[string]bool{}
	for a := range answers {
		count := regexp.MustCompile(`There are \d+ notes now`).FindString(a.text)
		if a.failed || count == "" || counts[count] {
			t.Errorf("the answer of another, or none: %s", a.text)
		}
		counts[count] = true
	}
	for _, l := range clients {
		list := l.call(t, "notes_list", nil).text
		for i := range clients {
			for n := range each {
				if note := fmt.Sprintf("%s: %d of %d\n", t.Name(), n, i); strings.Count(list, note) != 1 {
					t.Errorf("%q was not written once:\n%s", note, list)
				}
			}
		}
	}
}

// endBeside ends a session while both have a call in the provider.
func endBeside(t *testing.T, over *httpServer, goes, stays *listener) {
	t.Helper()
	lost, kept := goes.wait(t, 25_000), stays.wait(t, 5000)
	goes.hears(t, 1, 1)
	stays.hears(t, 1, 1)
	status, err := over.post("", func(r *http.Request) {
		r.Method = http.MethodDelete
		r.Header.Set("Mcp-Session-Id", goes.ID())
	})
	if err != nil || status != http.StatusNoContent {
		t.Fatalf("DELETE: %d, %v", status, err)
	}
	select {
	case got := <-lost:
		if strings.Contains(got, "have passed") {
			t.Errorf("a call of a session that ended: %s", got)
		}
	case <-time.After(5 * time.Second):
		t.Error("a call of a session that ended is not answered")
	}
	select {
	case got := <-kept:
		t.Errorf("the other's call is over, too: %s", got)
	default:
	}
	text := t.Name() + ": after the end"
	stays.call(t, "notes_add", args{"text": text})
	if r := stays.call(t, "notes_list", nil); strings.Count(r.text, text+"\n") != 1 {
		t.Errorf("not written once: %s", r.text)
	}
	stays.hears(t, 2, 10)
	if got := <-kept; !strings.Contains(got, "5000 ms have passed.") {
		t.Errorf("the call of the session that stays: %s", got)
	}
	if r := goes.do(t.Context(), "notes_list", nil); !r.failed {
		t.Errorf("a session that ended goes on: %s", r.text)
	}
}
