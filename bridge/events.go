package bridge

import (
	"encoding/json"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

// events holds who wants to hear of which tab. Lists are replaced, never changed, so
// that they are walked without the lock.
type events struct {
	mu   sync.RWMutex
	subs map[tabKey][]*subscriber
}

type tabKey struct {
	peer *peer
	tab  int
}

type subscriber struct {
	fn  func(browser.Event)
	off atomic.Bool
}

// slow is how long a subscriber may take before the log says so: it holds up answers.
const slow = 50 * time.Millisecond

func (e *events) add(k tabKey, fn func(browser.Event)) (cancel func()) {
	s := &subscriber{fn: fn}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.subs == nil {
		e.subs = map[tabKey][]*subscriber{}
	}
	e.subs[k] = append(slices.Clip(e.subs[k]), s)
	return func() { s.off.Store(true); e.remove(k, s) }
}

func (e *events) remove(k tabKey, s *subscriber) {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(e.subs[k]), func(o *subscriber) bool { return o == s })
	if len(left) == 0 {
		delete(e.subs, k)
		return
	}
	e.subs[k] = left
}

func (e *events) of(k tabKey) []*subscriber {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.subs[k]
}

// dispatch hands a frame's event to the tab's subscribers.
func (b *Bridge) dispatch(p *peer, f wire.Incoming) {
	if f.Name == wire.EventGrants {
		b.takeGrants(p, f.Data)
		return
	}
	subs := b.events.of(tabKey{p, f.TabID})
	if len(subs) == 0 {
		return
	}
	ev := browser.Event{Method: f.Name, Params: p.handles(f.Data)}
	if f.Name == "cdp" {
		var c wire.CDPEvent
		if err := wire.Unmarshal(f.Data, &c); err != nil {
			b.complain("an event without a method")
			return
		}
		ev = browser.Event{Frame: browser.FrameID(c.Frame), Method: c.Method, Params: c.Params}
	}
	b.deliver(subs, ev)
}

func (b *Bridge) deliver(subs []*subscriber, ev browser.Event) {
	begin := time.Now()
	for _, s := range subs {
		if !s.off.Load() {
			b.protect(s.fn, ev)
		}
	}
	if d := time.Since(begin); d > slow {
		b.log.Warn("slow event subscriber", "event", ev.Method, "took", d)
	}
}

// protect keeps a subscriber's panic away from the socket that all tabs share.
func (b *Bridge) protect(fn func(browser.Event), ev browser.Event) {
	defer func() {
		if p := recover(); p != nil {
			b.log.Error("event subscriber panicked", "event", ev.Method, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	fn(ev)
}

// lostEvents tells the subscribers of a browser that came back that they may have
// missed something.
func (b *Bridge) lostEvents(p *peer) {
	b.events.mu.RLock()
	var all [][]*subscriber
	for k, subs := range b.events.subs {
		if k.peer == p {
			all = append(all, subs)
		}
	}
	b.events.mu.RUnlock()
	for _, subs := range all {
		b.deliver(subs, browser.Event{Method: "events.lost"})
	}
}

// handles turns Chrome's tab numbers in an event of ours into tab ids.
func (p *peer) handles(data json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return data
	}
	changed := false
	for _, name := range []string{"tabId", "opener"} {
		var n int
		if raw, ok := fields[name]; ok && json.Unmarshal(raw, &n) == nil {
			fields[name], _ = json.Marshal(p.tabID(n))
			changed = true
		}
	}
	if !changed {
		return data
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return data
	}
	return out
}
