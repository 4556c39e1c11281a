package cdpfallback

import (
	"encoding/json"
	"time"
)

// Chrome says which tab opened another, but not of a link that was pressed with the
// middle button or a modifier. Of those the page's own session tells, usually before the
// tab is there.

// sent is a page that a tab asked for in another tab.
type sent struct {
	tab *Tab
	url string
	at  time.Time
}

// sentFor is how long a request and a new tab for the same URL belong together, and
// lateFor how long a new tab is held for the request to come after it.
const (
	sentFor = 2 * time.Second
	lateFor = 50 * time.Millisecond
)

// sentElsewhere notes that a page asks for another in a new tab.
func (t *Tab) sentElsewhere(params json.RawMessage) {
	var p struct {
		URL         string `json:"url"`
		Disposition string `json:"disposition"`
	}
	if json.Unmarshal(params, &p) != nil || p.Disposition == "currentTab" || p.Disposition == "download" {
		return
	}
	b := t.b
	b.mu.Lock()
	late := b.orphan(p.URL)
	if late != nil {
		late.openedBy(t)
	} else {
		b.sent = append(b.recent(), sent{t, p.URL, time.Now()})
	}
	b.mu.Unlock()
	if late != nil {
		t.opened(late, p.URL)
	}
}

// recent are the requests that may still belong to a tab. b.mu is held.
func (b *Backend) recent() (list []sent) {
	for _, s := range b.sent {
		if time.Since(s.at) < sentFor {
			list = append(list, s)
		}
	}
	return list
}

// sender returns the tab that asked for the URL in a new tab, once. b.mu is held.
func (b *Backend) sender(url string) *Tab {
	b.sent = b.recent()
	for i, s := range b.sent {
		if s.url == url {
			b.sent = append(b.sent[:i], b.sent[i+1:]...)
			return s.tab
		}
	}
	return nil
}

// orphan returns a new tab for the URL that nobody is known to have opened. b.mu is held.
func (b *Backend) orphan(url string) *Tab {
	for _, t := range b.tabs {
		if t.first == url && t.opener == "" && t.owner == "" && !t.ours && time.Since(t.born) < sentFor {
			return t
		}
	}
	return nil
}

// openedBy makes the tab one of its opener's session. b.mu is held.
func (t *Tab) openedBy(opener *Tab) {
	if opener != nil {
		t.opener, t.owner, t.ours = opener.id, opener.owner, opener.ours
	}
}

// opened tells who listens to the tab that its page opened another.
func (t *Tab) opened(other *Tab, url string) {
	t.emit("tab.created", map[string]any{"tabId": other.id, "url": url, "opener": t.id})
}
