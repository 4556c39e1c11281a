package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// holding keeps the next call that gets or sets the notes where it is, counts such calls,
// and lets go by goOn.
const holding = `(() => {
	const area = chrome.storage.local, {get, set} = area;
	const held = (was) => async (what) => {
		if (what === 'notes' || what.notes) {
			arrived.push(what.notes ? 'write' : 'read');
			await gate;
		}
		return was.call(area, what);
	};
	globalThis.arrived = [];
	const gate = new Promise((done) => globalThis.goOn = () => { Object.assign(area, {get, set}); done(); });
	if (%t) area.set = held(set); else area.get = held(get);
})()`

// TestProviderOfKilledServer kills a server in the middle of a call in a provider, while
// another server has one there, too.
func TestProviderOfKilledServer(t *testing.T) {
	t.Parallel() // in a browser of its own
	c, notes, _ := withNotes(t)
	id := notes.id
	in := func(expression string, into any) {
		t.Helper()
		if err := c.workerOf(t.Context(), id, expression, into); err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
	}
	flags := []string{"--ext-provider", id, "--enable-mutations"}
	beside := c.serve(t, flags...)
	beside.untilTool(t, "notes_wait")
	// From here on each port is counted. That the count stays says that the worker does.
	in(`void (globalThis.ports = new Set(), chrome.runtime.onConnectExternal.addListener((port) => {
		ports.add(port);
		port.onDisconnect.addListener(() => ports.delete(port));
	}))`, nil)
	start := func() *server {
		t.Helper()
		s, err := startServer(t.Context(), c.data, t.Name(), flags...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.stop)
		s.untilTool(t, "notes_add")
		s.untilTool(t, "notes_list")
		return s
	}
	s := start()
	for _, call := range []struct {
		name, tool string
		writes     bool
	}{
		{"read", "notes_list", false},
		{"write", "notes_add", true},
	} {
		t.Run("in a "+call.name, func(t *testing.T) {
			s.call(t, "notes_list", nil)
			in(fmt.Sprintf(holding, call.writes), nil)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			others, lost := make(chan result, 1), make(chan result, 1)
			go func() { others <- beside.do(ctx, "notes_wait", args{"ms": 3000}) }()
			go func(s *server) { lost <- s.do(ctx, call.tool, args{"text": t.Name()}) }(s)
			var arrived []string
			eventually(t, "the call has arrived", func() bool { in(`arrived`, &arrived); return len(arrived) == 1 })
			ports := -1
			if in(`ports.size`, &ports); ports != 1 {
				t.Errorf("%d ports are open, want that of the server", ports)
			}

			s.kill()
			if r := <-lost; !r.failed || r.took > 10*time.Second {
				t.Errorf("after %v the client reads: %s", r.took, r.text)
			}
			eventually(t, "the provider sees its port close", func() bool { in(`ports.size`, &ports); return ports == 0 })
			s = start() // with no word of the user
			if in(`arrived`, &arrived); len(arrived) != 1 || arrived[0] != call.name {
				t.Errorf("what arrived: %q", arrived)
			}
			// What began before goes on there, and its answer finds no port.
			in(`goOn()`, nil)
			if r := <-others; r.failed || !strings.Contains(r.text, "3000 ms have passed.") {
				t.Errorf("the call of the server beside: %s", r.text)
			}

			s.call(t, "notes_add", args{"text": t.Name() + " and after"})
			for what, want := range map[string]bool{t.Name(): call.writes, t.Name() + " and after": true} {
				for _, reader := range []*server{s, beside} {
					if n := strings.Count(reader.call(t, "notes_list", nil).text, what+"\n"); n > 1 || n == 1 != want {
						t.Errorf("%q was written %d times", what, n)
					}
				}
			}
			var noted int
			notes.run(t, `chrome.storage.local.get('audit').then(({audit}) => audit.length)`, &noted)
			if want := map[bool]int{false: 1, true: 3}[call.writes]; noted != want {
				t.Errorf("the provider noted %d changes, want %d", noted, want)
			}
			if in(`ports.size`, &ports); ports != 1 {
				t.Errorf("%d ports are open, want that of the new server", ports)
			}
		})
	}
}
