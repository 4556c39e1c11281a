package cdpfallback

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Tabs of sessions may only go where Config.Allow lets them. The browser's own session
// has Chrome hold back every request for a document, because only it hears of the first
// request of a new tab: that is sent before anybody could attach to the tab, and a link
// opened with the middle button does not even wait for who attaches at once (Chromium
// 156). What belongs to no session goes on unseen.

// guard starts that.
func (b *Backend) guard(ctx context.Context) error {
	if b.cfg.Allow == nil {
		return nil
	}
	return b.conn.call(ctx, "", "Fetch.enable", map[string]any{
		"patterns": []map[string]string{{"resourceType": "Document", "requestStage": "Request"}},
	}, nil)
}

// held decides about a request that Chrome holds back. It is called on the reading
// goroutine, after the request's tab became known.
func (b *Backend) held(params json.RawMessage) {
	var p paused
	if json.Unmarshal(params, &p) != nil {
		return
	}
	// The pages of frames must load, or the page around them breaks; they are just not
	// read. They have ids of their own.
	b.mu.Lock()
	t := b.targets[p.Frame]
	b.mu.Unlock()
	go func() {
		method, answer := "Fetch.continueRequest", map[string]string{"requestId": p.ID}
		if t != nil && leaves(p.Request.URL) && t.owned() && !b.cfg.Allow(p.Request.URL) {
			method, answer["errorReason"] = "Fetch.failRequest", "BlockedByClient"
			b.mu.Lock()
			t.stopped = p.Request.URL
			b.mu.Unlock()
		}
		_, _ = b.conn.start("", method, answer)
	}()
}

// owned says whether the tab is a session's. A new one whose opener is not known yet is
// waited for a moment, see opener.go.
func (t *Tab) owned() bool {
	const steps = 10
	for range steps {
		t.b.mu.Lock()
		owned, strange := t.owner != "", !t.ours && t.opener == "" && time.Since(t.born) < sentFor
		t.b.mu.Unlock()
		if owned || !strange {
			return owned
		}
		time.Sleep(lateFor / steps)
	}
	return false
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

// standsFor is the URL whose page a document is instead of, if it is Chrome's error page
// for a request that was stopped here; else the document's own.
func (t *Tab) standsFor(url string) string {
	if !strings.HasPrefix(url, "chrome-error:") {
		return url
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.stopped != "" && t.url == t.stopped {
		return t.stopped
	}
	return url
}
