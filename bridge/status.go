package bridge

import (
	"fmt"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/state"
)

// maxNotes bounds the events in the status.
const maxNotes = 32

// notes is what the status tells of the past, newest last.
type notes struct {
	mu   sync.Mutex
	list []browser.StatusEvent
}

// note logs something that the user may want to know, and keeps it for the status.
func (b *Bridge) note(format string, a ...any) {
	what := fmt.Sprintf(format, a...)
	b.log.Info(what)
	b.notes.mu.Lock()
	defer b.notes.mu.Unlock()
	b.notes.list = append(b.notes.list, browser.StatusEvent{Time: time.Now(), What: what})
	if over := len(b.notes.list) - maxNotes; over > 0 {
		b.notes.list = append(b.notes.list[:0:0], b.notes.list[over:]...)
	}
}

// complain logs a frame that was ignored. The session goes on.
func (b *Bridge) complain(what string) { b.log.Warn("frame ignored", "frame", what) }

// Status reports the connected browsers and what happened lately.
func (b *Bridge) Status() browser.Status {
	s := browser.Status{Kind: browser.Extension}
	b.mu.Lock()
	for _, p := range b.browsers {
		if p.conn.Load() == nil {
			continue
		}
		s.Browsers = append(s.Browsers, b.statusOf(p))
	}
	b.mu.Unlock()
	s.Ready = len(s.Browsers) > 0
	if !s.Ready {
		s.Detail = b.nextStep(state.LastSeen{})
	}
	b.notes.mu.Lock()
	s.Events = append(s.Events, b.notes.list...)
	b.notes.mu.Unlock()
	return s
}

// statusOf describes a browser. b.mu is held.
func (b *Bridge) statusOf(p *peer) browser.BrowserStatus {
	return browser.BrowserStatus{
		Name: p.name(), Version: p.info.Chrome, Profile: p.info.ProfileName, Since: p.since,
		PingMS: float64(p.ping.Load()) / 1e6, Mode: "extension",
	}
}

// noBackend is the error of a call that finds no browser.
func (b *Bridge) noBackend() error {
	seen, _ := b.store.LastSeen()
	return browser.Errorf(browser.NoBackend, "%s", b.nextStep(seen))
}

const stoppedText = "the user stopped chrome-mcp in Chrome; only the user can let it go on: Resume in the extension's popup"

// nextStep says why no browser is connected and what to do, as exactly as is known.
func (b *Bridge) nextStep(seen state.LastSeen) string {
	b.mu.Lock()
	started, closed, paired, stopped := b.published != nil, b.closed, b.paired, b.stopped
	var last *peer
	for _, p := range b.browsers {
		if !p.over {
			last = p
		}
	}
	b.mu.Unlock()
	switch {
	case closed:
		return "this server is shutting down; restart it from the MCP client"
	case !started:
		return "the bridge is not listening yet; call a tool that needs the browser, and if that says so, press Pair on the options page of the extension"
	case stopped:
		return stoppedText
	case seen.Problem != "":
		return "the extension reached the native messaging host, which reported: " + seen.Problem
	case last != nil:
		return last.name() + " was connected and is gone; if Chrome is running, ask the user to open the chrome-mcp extension's popup to see why, else to start Chrome (it connects by itself)"
	case paired:
		return "Chrome has paired before but does not connect; ask the user to start Chrome, or if it runs to open the chrome-mcp extension's popup: it says whether it is stopped (Resume) or what else is wrong"
	case !seen.Time.IsZero():
		return "the extension is installed but has not paired; ask the user to open its options page and press Pair"
	}
	return "no Chrome has paired yet; ask the user to run `chrome-mcp install`, load the extension as it says, and press Pair on the extension's options page"
}
