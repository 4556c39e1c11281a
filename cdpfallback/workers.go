package cdpfallback

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
)

// worker is a worker of a tab's document. It has a target of its own, which tells of its
// console and of what it asks the network for. That is passed on as its document's. It is
// only listened to, and only while observers are on.
type worker struct {
	session string
	tab     *Tab
	root    browser.FrameID // root frame of its document's target; "" for the main one
	frame   string          // its document's
	context int             // what its script context is called in the page, where its own number is another's
}

// workers are those of a browser. Whoever uses them holds its lock.
type workers struct {
	known    map[string]*worker // by session
	requests map[string]*worker // by Chrome's id
	count    int
}

const maxWorkerRequests = 2000

// workerMade registers the session of a worker, and has it tell from its first line on.
// The workers that it starts are its page's too. The lock is held.
func (b *Backend) workerMade(parent, sessionID string, info target) {
	w := &worker{session: sessionID, frame: info.Parent}
	if up := b.sessions[parent]; up != nil {
		w.tab, w.root = up.tab, up.root
	} else if up := b.workers.known[parent]; up != nil {
		w.tab, w.root = up.tab, up.root
	} else {
		return
	}
	b.workers.count++
	w.context = -b.workers.count
	if b.workers.known == nil {
		b.workers.known, b.workers.requests = map[string]*worker{}, map[string]*worker{}
	}
	b.workers.known[sessionID] = w
	var commands []browser.Command
	if w.tab.main != nil {
		commands = slices.Clone(w.tab.main.observing)
	}
	commands = append(commands,
		browser.Command{Method: "Target.setAutoAttach", Params: autoAttach(true)},
		browser.Command{Method: "Runtime.runIfWaitingForDebugger"})
	go w.send(commands)
}

// send sends commands whose answers nobody needs: a worker may have ended already.
func (w *worker) send(commands []browser.Command) {
	for _, c := range commands {
		_, _ = w.tab.b.conn.start(w.session, c.Method, c.Params)
	}
}

// workersOf are the workers of a tab. The lock is held.
func (b *Backend) workersOf(t *Tab) []*worker {
	var all []*worker
	for _, w := range b.workers.known {
		if w.tab == t {
			all = append(all, w)
		}
	}
	return all
}

// workerLeft forgets a worker that has ended. The lock is held.
func (b *Backend) workerLeft(sessionID string) {
	w := b.workers.known[sessionID]
	delete(b.workers.known, sessionID)
	maps.DeleteFunc(b.workers.requests, func(_ string, by *worker) bool { return by == w })
}

// answering is the session that answers a command: what is asked about a request is known
// to the worker that made it.
func (s *session) answering(method string, params any) string {
	if method != "Network.getResponseBody" && method != "Network.getRequestPostData" {
		return s.id
	}
	named, _ := params.(map[string]any)
	id, _ := named["requestId"].(string)
	s.tab.b.mu.Lock()
	defer s.tab.b.mu.Unlock()
	if w := s.tab.b.workers.requests[id]; w != nil && w.tab == s.tab {
		return w.session
	}
	return s.id
}

// event passes on what a worker tells.
func (w *worker) event(method string, params json.RawMessage) {
	var p map[string]any
	if json.Unmarshal(params, &p) != nil {
		return
	}
	switch {
	case method == "Runtime.executionContextCreated":
		c, _ := p["context"].(map[string]any)
		if c == nil {
			return
		}
		origin, _ := c["origin"].(string)
		c["id"], c["origin"], c["auxData"] = w.context, originOf(origin), map[string]any{"isDefault": true, "frameId": w.frame}
	case method == "Runtime.consoleAPICalled":
		p["executionContextId"] = w.context
	case method == "Runtime.exceptionThrown":
		if d, _ := p["exceptionDetails"].(map[string]any); d != nil {
			d["executionContextId"] = w.context
		}
	case strings.HasPrefix(method, "Network."):
		p["frameId"] = w.frame
		id, _ := p["requestId"].(string)
		w.asked(id)
	default:
		return
	}
	if raw, err := json.Marshal(p); err == nil {
		w.tab.deliver(browser.Event{Frame: w.root, Method: method, Params: raw})
	}
}

// originOf is the origin of a worker, for which Chrome may give its whole address.
func originOf(address string) string {
	u, err := url.Parse(strings.TrimPrefix(address, "blob:"))
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// asked notes a request of the worker.
func (w *worker) asked(id string) {
	b := w.tab.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.workers.requests) >= maxWorkerRequests { // they are asked about soon or not at all
		clear(b.workers.requests)
	}
	b.workers.requests[id] = w
}
