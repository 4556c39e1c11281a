package cdpfallback

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// session is the DevTools session of a tab's main target or of one of the
// out-of-process frames below it.
type session struct {
	id    string
	tab   *Tab
	root  browser.FrameID // root frame of the target; "" for the main one
	up    browser.FrameID // parent frame of root
	ready chan struct{}   // closed when set up, or given up

	drawing   *recorder         // of the whole tab
	observing []browser.Command // see observe; guarded by b.mu
}

// setupTime bounds the set-up of a frame's target: a frame whose renderer hangs must
// not hold the others.
const setupTime = 2 * time.Second

// attach returns the tab's main session, making and preparing it on first use.
func (t *Tab) attach(ctx context.Context) (*session, error) {
	t.attaching.Lock()
	defer t.attaching.Unlock()
	t.b.mu.Lock()
	s := t.main
	t.b.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := t.openSession(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.setUp(ctx); err != nil {
		t.b.mu.Lock()
		if t.main == s {
			t.main = nil
		}
		delete(t.b.sessions, s.id)
		t.b.mu.Unlock()
		_, _ = t.b.conn.start("", "Target.detachFromTarget", map[string]string{"sessionId": s.id})
		return nil, err
	}
	close(s.ready)
	return s, nil
}

// openSession opens the session of the tab's main target and registers it.
func (t *Tab) openSession(ctx context.Context) (*session, error) {
	var made struct {
		Session string `json:"sessionId"`
	}
	params := map[string]any{"targetId": t.target, "flatten": true}
	if err := t.b.conn.call(ctx, "", "Target.attachToTarget", params, &made); err != nil {
		return nil, err
	}
	s := &session{id: made.Session, tab: t, ready: make(chan struct{}), drawing: &recorder{conn: t.b.conn, session: made.Session}}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.b.targets[t.target] != t {
		return nil, tabClosed()
	}
	t.b.sessions[s.id] = s
	t.main, t.frames = s, map[browser.FrameID]*session{}
	return s, nil
}

// setUp prepares a target. Page.enable comes first: a dialog that opens before it
// cannot be answered.
func (s *session) setUp(ctx context.Context) error {
	cfg := s.tab.b.cfg
	observed := s.observed()
	commands := append(observed, []browser.Command{
		{Method: "Page.enable"},
		{Method: "Inspector.enable"},
		{Method: "Page.addScriptToEvaluateOnNewDocument", Params: map[string]any{
			"source": cfg.Bundle, "worldName": cfg.World, "runImmediately": true,
		}},
		{Method: "Target.setAutoAttach", Params: autoAttach(len(observed) > 0)},
		{Method: "Page.setLifecycleEventsEnabled", Params: map[string]any{"enabled": true}},
	}...)
	if s.root == "" {
		commands = append(commands, browser.Command{
			Method: "Emulation.setFocusEmulationEnabled", Params: map[string]any{"enabled": true},
		})
	}
	if s.root != "" { // it may wait: the observers may have come on while it began
		commands = append(commands, browser.Command{Method: "Runtime.runIfWaitingForDebugger"})
	}
	if err := s.tab.b.conn.all(ctx, s.id, commands); err != nil {
		return err
	}
	go s.countTools(context.WithoutCancel(ctx))
	return nil
}

// countTools has the browser tell of tools that pages register. Most have no WebMCP.
func (s *session) countTools(ctx context.Context) {
	if s.tab.b.noWebMCP.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.tab.b.conn.call(ctx, s.id, "WebMCP.enable", nil, nil)
	if err != nil && strings.Contains(err.Error(), "wasn't found") {
		s.tab.b.noWebMCP.Store(true)
	}
}

// sessionMade registers the session of a frame's target, before any other event of that
// session comes. Sessions of tabs are registered by who asked for them.
func (b *Backend) sessionMade(parent string, params json.RawMessage) {
	var p struct {
		SessionID string `json:"sessionId"`
		Info      target `json:"targetInfo"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.Info.Type == "worker" {
		b.workerMade(parent, p.SessionID, p.Info)
	}
	up := b.sessions[parent]
	if up == nil || p.Info.Type != "iframe" {
		return
	}
	s := &session{id: p.SessionID, tab: up.tab, root: browser.FrameID(p.Info.ID), up: browser.FrameID(p.Info.Parent), ready: make(chan struct{}), drawing: up.drawing}
	s.tab.frames[s.root] = s
	b.sessions[s.id] = s
	go s.setUpChild()
}

func (s *session) setUpChild() {
	defer close(s.ready)
	ctx, cancel := context.WithTimeout(context.Background(), setupTime)
	defer cancel()
	_ = s.setUp(ctx) // the frame may be gone again; calls to it then say so
}

// detached forgets a session and fails what waits for it: Chrome does not answer.
func (b *Backend) detached(params json.RawMessage) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &p)
	b.mu.Lock()
	s := b.sessions[p.SessionID]
	delete(b.sessions, p.SessionID)
	b.workerLeft(p.SessionID)
	if s != nil {
		for frame, host := range s.tab.frames {
			if host == s {
				delete(s.tab.frames, frame)
			}
		}
		if s.tab.main == s {
			s.tab.main = nil
		}
	}
	b.mu.Unlock()
	if s == nil {
		return
	}
	cause := tabClosed()
	if s.root != "" {
		cause = documentGone()
	}
	b.conn.fail(func(c *call) bool { return c.session == s.id }, cause)
}

// event keeps what is known of the tab in step and hands the event on.
func (s *session) event(method string, params json.RawMessage) {
	t := s.tab
	switch method {
	case "Inspector.targetCrashed":
		if s.root == "" {
			s.drawing.left()
			t.crash()
		} else {
			t.b.conn.fail(func(c *call) bool { return c.session == s.id }, documentGone())
		}
	case "Inspector.targetReloadedAfterCrash":
		t.b.mu.Lock()
		t.crashed = false
		t.b.mu.Unlock()
	case "Page.frameRequestedNavigation":
		t.sentElsewhere(params)
	case "Page.frameAttached", "Page.frameNavigated", "Page.frameDetached", "Page.frameStartedLoading", "Page.frameStoppedLoading":
		s.frameEvent(method, params)
	}
	t.deliver(browser.Event{Frame: s.root, Method: method, Params: params})
}

func (s *session) frameEvent(method string, params json.RawMessage) {
	var p struct {
		FrameID browser.FrameID `json:"frameId"`
		Frame   struct {
			ID  browser.FrameID `json:"id"`
			URL string          `json:"url"`

			Failed string `json:"unreachableUrl"`
		} `json:"frame"`
	}
	_ = json.Unmarshal(params, &p)
	t := s.tab
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	switch method {
	case "Page.frameAttached":
		t.frames[p.FrameID] = s
	case "Page.frameNavigated":
		t.frames[p.Frame.ID] = s
		if string(p.Frame.ID) == t.target {
			t.url, t.crashed = cmp.Or(p.Frame.Failed, p.Frame.URL), false
			s.drawing.left()
		}
	case "Page.frameDetached":
		if t.frames[p.FrameID] == s {
			delete(t.frames, p.FrameID)
		}
	default:
		if string(p.FrameID) == t.target {
			t.loading = method == "Page.frameStartedLoading"
		}
	}
}
