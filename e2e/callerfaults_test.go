package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"chrome-mcp/extension"
)

// let has the user let the host do everything, without review.
func (d *desk) let(host *other) {
	d.t.Helper()
	d.serve(true, true, false)
	host.probe(d.t)
	d.say(host.id, "allow")
	d.await(`document.querySelector('#callers [data-field=word]').textContent === 'allowed'`)
}

// untilUsable waits until the host finds us usable.
func (o *other) untilUsable(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := o.probe(t)
		if got == "connected" {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the host still reads:", got)
		}
	}
}

// slowly begins a call that takes a while, and returns what gives its answer.
func (o *other) slowly(t testing.TB, tool string, arguments args) (answer func() string) {
	t.Helper()
	text, err := json.Marshal(args{"type": "call", "id": extension.ID, "tool": tool, "args": arguments})
	if err != nil {
		t.Fatal(err)
	}
	o.run(t, fmt.Sprintf(`void (globalThis.slow = chrome.runtime.sendMessage(%s).then(a => JSON.stringify(a)))`, text), nil)
	return func() string {
		var said string
		o.run(t, `Promise.race([slow, new Promise((_, fail) => setTimeout(() => fail(new Error('the call hangs')), 20000))])`, &said)
		return said
	}
}

// TestCallerFaults stops what a call goes through, in the middle of one and between two.
// The next call works, on a port of its own, or says what the user has to do; none hangs,
// and what writes is done once.
func TestCallerFaults(t *testing.T) {
	t.Parallel() // in a browser of its own
	c, host, desk := calling(t)
	s, err := startServer(t.Context(), c.data, "one", allowAll()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.stop() }()
	desk.let(host)
	host.untilUsable(t)
	if got := host.use(t, "navigate", args{"url": counter()}); !strings.Contains(got, "Counter") {
		t.Fatal(got)
	}
	works := func(t *testing.T) {
		t.Helper()
		host.untilUsable(t)
		if got := host.use(t, "navigate", args{"url": counter()}); !strings.Contains(got, "Counter") {
			t.Fatal(got)
		}
		if got := host.use(t, "click", args{"selector": "button", "snapshotAfter": true}); !strings.Contains(got, "Count 1") {
			t.Fatal(got)
		}
	}
	waiting := args{"selector": "#never", "timeoutMs": 15000}

	t.Run("our worker, between", func(t *testing.T) {
		if err := c.stopWorker(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The first probe wakes the worker, which has found its server before it answers.
		if got := host.probe(t); got != "connected" {
			t.Error("the first probe is answered with", got)
		}
		works(t)
	})
	t.Run("our worker, in a call", func(t *testing.T) {
		answer := host.slowly(t, "wait_for", waiting)
		time.Sleep(200 * time.Millisecond) // it is on its way; nothing tells
		if err := c.stopWorker(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := answer(); !strings.Contains(got, "it is not known whether the call was done") {
			t.Error(got)
		}
		works(t)
	})
	t.Run("our worker, in a write", func(t *testing.T) {
		for round := range 3 {
			host.untilUsable(t)
			before := rig.site.hits.Load()
			host.use(t, "navigate", args{"url": rig.site.page(`<title>Hit</title><button onclick="fetch('/hit')">Hit</button>`)})
			answer := host.slowly(t, "click", args{"selector": "button"})
			time.Sleep(time.Duration(round) * 20 * time.Millisecond)
			if err := c.stopWorker(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := answer()
			works(t)
			if n := rig.site.hits.Load() - before; n > 1 || n == 1 && strings.Contains(got, "nothing was done") {
				t.Errorf("a click was done %d times, and the host reads %s", n, got)
			}
		}
	})
	t.Run("the server, in a call", func(t *testing.T) {
		answer := host.slowly(t, "wait_for", waiting)
		time.Sleep(200 * time.Millisecond)
		s.kill()
		if got := answer(); !strings.Contains(got, "it is not known whether the call was done") {
			t.Error(got)
		}
		if got := host.use(t, "snapshot", nil); !strings.Contains(got, "no chrome-mcp server runs") {
			t.Error(got)
		}
		if s, err = startServer(t.Context(), c.data, "two", allowAll()...); err != nil {
			t.Fatal(err)
		}
		works(t)
	})
	t.Run("the server, between", func(t *testing.T) {
		s.stop()
		if s, err = startServer(t.Context(), c.data, "three", allowAll()...); err != nil {
			t.Fatal(err)
		}
		works(t)
	})
	t.Run("the host's worker, in a call", func(t *testing.T) {
		host.run(t, `void chrome.runtime.sendMessage({type: 'call', id: '`+extension.ID+`', tool: 'wait_for', args: {selector: '#never', timeoutMs: 15000}}).catch(() => {})`, nil)
		time.Sleep(200 * time.Millisecond)
		if err := c.stopWorkerOf(t.Context(), host.id); err != nil {
			t.Fatal(err)
		}
		works(t)
		// The session of the port that is gone gave its tab back.
		for end := time.Now().Add(8 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			owned := strings.Count(s.call(t, "tabs_list", nil).text, "another session")
			if owned <= 1 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%d tabs belong to sessions that have ended:\n%s", owned, s.call(t, "tabs_list", nil).text)
			}
		}
	})
	t.Run("stopped by the user", func(t *testing.T) {
		desk.press("#stop")
		desk.await(`document.querySelector('#status').textContent === 'stopped'`)
		if got := host.use(t, "snapshot", nil); !strings.Contains(got, "the user stopped chrome-mcp in this browser") {
			t.Error(got)
		}
		desk.press("#stop")
		works(t)
	})
}

// TestRogueExtensions: one that is not allowed, one that lies about its name, one that
// floods, sends garbage, or messages of 10 MB, one that never answers. Each is refused,
// bounded and audited, and the host beside them goes on.
func TestRogueExtensions(t *testing.T) {
	t.Parallel() // in a browser of its own
	dir, id := writeExtension(t, "Rogue", "")
	c, host, desk := calling(t, dir)
	s := c.serve(t)
	desk.let(host)
	host.untilUsable(t)
	rogue := c.beside(t, id)
	goesOn := func(t *testing.T) {
		t.Helper()
		if got := host.use(t, "tabs_list", nil); !strings.Contains(got, "tabs") {
			t.Error("the host is concerned:", got)
		}
	}
	// A port of the rogue's, and what came through it.
	rogue.run(t, `(globalThis.ours = '`+extension.ID+`', globalThis.dial = (name = 'mcp') => {
		const port = chrome.runtime.connect(ours, {name}), got = [];
		port.onMessage.addListener(m => got.push(m));
		const gone = new Promise(done => port.onDisconnect.addListener(() => done(chrome.runtime.lastError?.message ?? 'closed')));
		const until = (is, ms = 5000) => new Promise((done, fail) => {
			const end = Date.now() + ms;
			const look = () => got.some(is) ? done(got.find(is)) : Date.now() > end ? fail(new Error('got ' + JSON.stringify(got))) : setTimeout(look, 10);
			look();
		});
		return {port, got, gone, until};
	}, globalThis.hello = {jsonrpc: '2.0', id: 'hello', method: 'initialize', params: {protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {name: 'Claude Code', version: '1'}}},
	globalThis.within = (p, what) => Promise.race([p, new Promise((_, fail) => setTimeout(() => fail(new Error(what)), 5000))]), undefined)`, nil)

	var said string
	t.Run("not allowed", func(t *testing.T) {
		rogue.run(t, `(async () => { const d = dial('lumo:mcp'); d.port.postMessage(hello); const m = await d.until(m => m.id === 'hello'); await within(d.gone, 'not closed'); return m.error.message })()`, &said)
		if !strings.Contains(said, "waiting for the user’s approval") {
			t.Error(said)
		}
		goesOn(t)
	})
	t.Run("lies about its name", func(t *testing.T) {
		rogue.run(t, fmt.Sprintf(`chrome.runtime.sendMessage(ours, {channel: 'lumo:probe', version: 1, id: 'p', client: {id: %q, name: 'Example host', version: '1.0.0'}}).then(a => JSON.stringify(a))`, host.id), &said)
		if !strings.Contains(said, `"authorized":false`) || !strings.Contains(said, `"pendingApproval":true`) || !strings.Contains(said, `"ok":true`) {
			t.Error(said)
		}
		rogue.run(t, `(async () => { const d = dial(); d.port.postMessage(hello); return (await d.until(m => m.id === 'hello')).error.message })()`, &said)
		if !strings.Contains(said, "approval") {
			t.Error(said)
		}
		// The user sees whose id it is.
		desk.await(fmt.Sprintf(`document.querySelector('[data-caller="%s"] [data-field=name]').textContent === '“Example host”' && document.querySelector('[data-caller="%s"] [data-field=id]').textContent === %q`, id, id, id))
	})
	t.Run("other messages and names", func(t *testing.T) {
		rogue.run(t, `Promise.all([
			chrome.runtime.sendMessage(ours, {type: 'pair'}).then(a => 'answered ' + JSON.stringify(a), e => 'silent'),
			within(dial('ui').gone, 'the port of our own pages is open'),
			chrome.runtime.sendMessage(ours, {channel: 'lumo:probe', version: 9, id: 'p'}).then(a => JSON.stringify(a)),
		]).then(all => all.join(' | '))`, &said)
		if !strings.Contains(said, `"ok":false`) || strings.Contains(said, "answered {") {
			t.Error(said)
		}
	})

	t.Run("a web page", func(t *testing.T) {
		page, err := c.open(t.Context(), rig.site.base+"/form")
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"sendMessage(ours, {channel: 'lumo:probe', version: 1, id: 'p'})", "connect(ours, {name: 'mcp'})"} {
			err := c.eval(t.Context(), page, fmt.Sprintf("(ours => String(chrome.runtime.%s))(%q)", way, extension.ID), &said)
			if err == nil {
				t.Errorf("a web page can use %s: %s", way, said)
			}
		}
	})

	desk.say(id, "allow")
	desk.await(fmt.Sprintf(`document.querySelector('[data-caller="%s"] [data-field=word]').textContent === 'allowed'`, id))

	t.Run("a script of an extension in a web page", func(t *testing.T) {
		page, err := c.open(t.Context(), rig.site.base+"/form")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.eval(t.Context(), page, fmt.Sprintf(`new Promise((done, fail) => {
			document.title = %q;
			const look = () => document.title.startsWith('[') ? done(document.title) : setTimeout(look, 20);
			look();
			setTimeout(() => fail(new Error(document.title)), 6000);
		})`, extension.ID), &said); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said, "NO_EXTENSION") || !strings.Contains(said, `"closed"`) {
			t.Error("a site that took over its process could call:", said)
		}
	})
	t.Run("garbage", func(t *testing.T) {
		rogue.run(t, `(async () => {
			const d = dial();
			for (const m of [null, 7, 'text', [], [hello], {}, {id: 3}, {jsonrpc: '1.0', id: 4, method: 'x'}, {jsonrpc: '2.0', id: {}, method: 5}]) d.port.postMessage(m);
			d.port.postMessage(hello);
			const m = await d.until(m => m?.id === 'hello');
			d.port.disconnect();
			return m.result.serverInfo.name;
		})()`, &said)
		if said != "chrome-mcp" {
			t.Error(said)
		}
		rogue.run(t, `(async () => { const d = dial(); for (let n = 0; n < 30; n++) d.port.postMessage('x'); return await within(d.gone, 'garbage without end is taken') })()`, &said)
		goesOn(t)
	})
	t.Run("never answers", func(t *testing.T) {
		rogue.run(t, `(globalThis.silent = dial(), silent.port.postMessage(hello), silent.until(m => m.id === 'hello').then(() => 'ok'))`, &said)
		goesOn(t)
	})
	t.Run("10 MB", func(t *testing.T) {
		rogue.run(t, `(async () => { const d = dial(); d.port.postMessage(hello); await d.until(m => m.id === 'hello'); d.port.postMessage({jsonrpc: '2.0', id: 1, method: 'ping', params: {x: 'x'.repeat(10e6)}}); return await within(d.gone, '10 MB are taken') })()`, &said)
		goesOn(t)
		rogue.run(t, `within(dial().gone, 'it may come again at once')`, &said)
	})
	t.Run("floods", func(t *testing.T) {
		// It is shut out for a minute; the flood is that of another one.
		flooder := c.beside(t, host.id)
		flooder.run(t, `(async () => {
			const port = chrome.runtime.connect('`+extension.ID+`', {name: 'mcp'});
			const gone = new Promise(done => port.onDisconnect.addListener(() => done('closed')));
			try { for (let n = 0; n < 20000; n++) port.postMessage({jsonrpc: '2.0', method: 'notifications/x', params: {n}}); } catch {}
			return await Promise.race([gone, new Promise((_, fail) => setTimeout(() => fail(new Error('the flood is taken')), 8000))]);
		})()`, &said)
		if r := s.call(t, "tabs_list", nil); r.took > 2*time.Second {
			t.Error("the MCP client waits behind a flood:", r.took)
		}
	})
	log := auditLog(t, c)
	for _, want := range []string{"waiting for the user", "10 MB; at most 4 MB", "more than is taken", "were no JSON-RPC"} {
		if !slices.ContainsFunc(strings.Split(log, "\n"), func(line string) bool {
			return strings.Contains(line, want) && strings.Contains(line, `"verdict":"deny"`) && strings.Contains(line, `"caller":"`)
		}) {
			t.Errorf("%q is not in the audit log:\n%s", want, log)
		}
	}
}

// TestCallerCost calls a thousand times through real ports, and looks at what is left.
func TestCallerCost(t *testing.T) {
	c, host, desk := calling(t)
	s := c.serve(t)
	desk.let(host)
	host.untilUsable(t)
	host.use(t, "navigate", args{"url": counter()})
	s.call(t, "navigate", args{"url": counter()})
	// Load from elsewhere only ever adds, so the least of several rounds is the cost.
	more := math.Inf(1)
	for range 5 {
		var through, direct []float64
		host.run(t, `(async () => {
			const times = [];
			for (let n = 0; n < 200; n++) {
				const begin = performance.now();
				const a = await chrome.runtime.sendMessage({type: 'call', id: '`+extension.ID+`', tool: 'get_text', args: {selector: 'button'}});
				if (a.error || a.result.isError) throw new Error(JSON.stringify(a));
				times.push(performance.now() - begin);
			}
			return times;
		})()`, &through)
		for range 60 {
			direct = append(direct, float64(s.call(t, "get_text", args{"selector": "button"}).took.Microseconds())/1000)
		}
		slices.Sort(through)
		slices.Sort(direct)
		t.Logf("p50 %.2f ms through a port, %.2f ms by the MCP client", through[len(through)/2], direct[len(direct)/2])
		more = min(more, through[len(through)/2]-direct[len(direct)/2])
	}
	if more > 5 {
		t.Errorf("a port costs %.2f ms", more)
	}
	for n := range 31 {
		got := host.use(t, "scroll", args{"deltaY": 10})
		if limited := strings.HasPrefix(got, "RATE_LIMITED: 30 writes within 1m0s"); limited != (n == 30) {
			t.Fatalf("write %d: %s", n+1, got)
		}
	}
	host.ask(t, args{"type": "close"})
	for end := time.Now().Add(5 * time.Second); strings.Contains(s.call(t, "tabs_list", nil).text, "another session"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the session's tab is still its own")
		}
	}
}
