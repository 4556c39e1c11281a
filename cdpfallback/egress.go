package cdpfallback

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// Tabs of sessions may only go where Config.Allow lets them. Each has a session of its
// own, the guard, in which Chrome holds back the requests for documents: it must not
// mix with what tools intercept themselves. A popup asks for its page before anybody
// could attach to it, so Chrome is told to hold each new tab until it is guarded. Only
// the browser's own session can ask for that, not the opener's (Chromium 156).

// guardTime bounds what is done while a new tab is held.
const guardTime = 5 * time.Second

// watchNewTabs makes Chrome hold new tabs.
func (b *Backend) watchNewTabs(ctx context.Context) error {
	if b.cfg.Allow == nil {
		return nil
	}
	return b.conn.call(ctx, "", "Target.setAutoAttach", map[string]any{
		"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
		"filter": []map[string]any{{"type": "page"}, {"exclude": true}},
	}, nil)
}

// newcomer lets a held tab go, guarded if it is a session's. One that cannot be guarded
// is closed. It is called on the reading goroutine, after the tab became known.
func (b *Backend) newcomer(session string, info target, waiting bool) {
	if b.cfg.Allow == nil || !waiting {
		return
	}
	b.mu.Lock()
	t := b.targets[info.ID]
	owned := t != nil && t.owner != ""
	b.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), guardTime)
		defer cancel()
		if owned && t.guarded(ctx) != nil {
			_, _ = b.conn.start("", "Target.closeTarget", map[string]string{"targetId": info.ID})
			return
		}
		_ = b.conn.all(ctx, session, []browser.Command{{Method: "Runtime.runIfWaitingForDebugger"}})
		_, _ = b.conn.start("", "Target.detachFromTarget", map[string]string{"sessionId": session})
	}()
}

// guarded sees to it that the tab has its guard.
func (t *Tab) guarded(ctx context.Context) error {
	if t.b.cfg.Allow == nil {
		return nil
	}
	t.guarding.Lock()
	defer t.guarding.Unlock()
	t.b.mu.Lock()
	there := t.guard != nil
	t.b.mu.Unlock()
	if there {
		return nil
	}
	s, err := t.openSession(ctx, func(s *session) { s.guard = true })
	if err != nil {
		return err
	}
	params := map[string]any{"patterns": []map[string]string{{"resourceType": "Document", "requestStage": "Request"}}}
	if err := t.b.conn.call(ctx, s.id, "Fetch.enable", params, nil); err != nil {
		return err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.b.sessions[s.id] == s {
		t.guard = s
	}
	return nil
}

// held decides about a request that Chrome holds back. The pages of frames must load,
// or the page around them breaks; they are just not read.
func (s *session) held(params json.RawMessage) {
	var p paused
	if json.Unmarshal(params, &p) != nil {
		return
	}
	t := s.tab
	t.b.mu.Lock()
	owned := t.owner != ""
	t.b.mu.Unlock()
	go func() {
		method, answer := "Fetch.continueRequest", map[string]string{"requestId": p.ID}
		if owned && p.Frame == t.target && leaves(p.Request.URL) && !t.b.cfg.Allow(p.Request.URL) {
			method, answer["errorReason"] = "Fetch.failRequest", "BlockedByClient"
		}
		_, _ = t.b.conn.start(s.id, method, answer)
	}()
}

// leaves says whether a request for the URL goes anywhere. Documents that the browser
// makes by itself are judged when somebody reads them.
func leaves(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	switch strings.ToLower(scheme) {
	case "about", "blob", "data", "javascript", "chrome", "chrome-error":
		return false
	}
	return true
}
