package cdpfallback

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chrome-mcp/internal/browser"
)

// Backend drives one browser. It implements browser.Backend.
type Backend struct {
	cfg     Config
	process *process // nil: attached
	name    string
	number  int
	since   time.Time
	conn    *conn
	version string
	end     sync.Once

	noWebMCP atomic.Bool // the browser has said that it has none

	mu       sync.Mutex
	last     int // number of the newest tab
	tabs     map[int]*Tab
	targets  map[string]*Tab
	sessions map[string]*session
	front    *Tab // brought to the front last
	sent     []sent

	sides        map[string]*side // by target
	sideSessions map[string]*side

	workers workers
}

var _ browser.Backend = (*Backend)(nil)

// target is what the protocol tells of a target.
type target struct {
	ID     string `json:"targetId"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Opener string `json:"openerId"`
	Parent string `json:"parentFrameId"`
	Sub    string `json:"subtype"`
}

// isTab says whether the target is what a user calls a tab: no page that is only
// prerendered, and no developer tools.
func (tg target) isTab() bool {
	return tg.Type == "page" && tg.Sub == "" && !strings.HasPrefix(tg.URL, "devtools://")
}

// Kind is browser.CDP.
func (b *Backend) Kind() browser.Kind { return browser.CDP }

// attached says whether the browser is somebody else's.
func (b *Backend) attached() bool { return b.process == nil }

// Status reports the browser.
func (b *Backend) Status() browser.Status {
	s := browser.Status{Kind: browser.CDP, Ready: true}
	if b.ended() {
		s.Ready, s.Detail = false, "the browser has ended; the next call that needs one gets a new one"
		return s
	}
	s.Browsers = []browser.BrowserStatus{{
		Name: b.name, Version: b.version, Profile: b.cfg.ProfileDir, Since: b.since, Mode: b.mode(),
	}}
	return s
}

func (b *Backend) mode() string {
	if b.attached() {
		return "attached"
	}
	return "started"
}

// lastWords is what the browser said last, for a sentence that says how it ended.
func (b *Backend) lastWords() string {
	if b.attached() {
		return ""
	}
	if last := lastLine(b.process.said.String()); last != "" {
		return " (its last words: " + last + ")"
	}
	return ""
}

func (b *Backend) ended() bool {
	select {
	case <-b.conn.done:
		return true
	default:
		return false
	}
}

// Ping asks the browser for a sign of life.
func (b *Backend) Ping(ctx context.Context) error {
	return b.conn.call(ctx, "", "Browser.getVersion", nil, nil)
}

// Command sends one DevTools command to the browser itself, or to a session that
// Target.attachToTarget answered with. It is for what has no place on the waist:
// targets that are no tabs.
func (b *Backend) Command(ctx context.Context, session, method string, params, result any) error {
	return b.conn.call(ctx, session, method, params, result)
}

// PID is the process id of the started browser, 0 of an attached one.
func (b *Backend) PID() int {
	if b.attached() {
		return 0
	}
	return b.process.cmd.Process.Pid
}

// Done is closed when the browser has ended.
func (b *Backend) Done() <-chan struct{} { return b.conn.done }

// Tabs lists the tabs, oldest first.
func (b *Backend) Tabs(ctx context.Context) ([]browser.TabInfo, error) {
	// Chrome tells of a new address, but not of a new title.
	var now struct {
		Targets []target `json:"targetInfos"`
	}
	if err := b.conn.call(ctx, "", "Target.getTargets", nil, &now); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range now.Targets {
		if t := b.targets[i.ID]; t != nil {
			t.url, t.title = i.URL, i.Title
		}
	}
	infos := make([]browser.TabInfo, 0, len(b.tabs))
	for _, t := range b.tabs {
		infos = append(infos, t.info())
	}
	sort.Slice(infos, func(i, j int) bool { return b.tabNumber(infos[i].ID) < b.tabNumber(infos[j].ID) })
	for i := range infos {
		infos[i].Index = i
	}
	return infos, nil
}

// Activate brings a tab to the front.
func (b *Backend) Activate(ctx context.Context, id browser.TabID) error {
	t, err := b.own(ctx, id)
	if err != nil {
		return err
	}
	if err := b.conn.call(ctx, "", "Target.activateTarget", map[string]string{"targetId": t.target}, nil); err != nil {
		return err
	}
	b.mu.Lock()
	b.front = t
	b.mu.Unlock()
	return nil
}

// Tab returns the tab with the handle.
func (b *Backend) Tab(id browser.TabID) (browser.Tab, error) { return b.tab(id) }

func (b *Backend) tab(id browser.TabID) (*Tab, error) {
	n := b.tabNumber(id)
	if n == 0 {
		return nil, browser.Errorf(browser.StaleTab, "%q is not a tab of this browser; call tabs_list for the current ones", id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[n]
	if t == nil {
		return nil, browser.Errorf(browser.TabNotFound, "there is no tab %s (any more); see tabs_list", id)
	}
	return t, nil
}

// own returns the tab, claimed for the caller's session.
func (b *Backend) own(ctx context.Context, id browser.TabID) (*Tab, error) {
	t, err := b.tab(id)
	if err != nil {
		return nil, err
	}
	return t, t.claim(ctx)
}

// tabNumber is the last part of a handle of this run, or 0.
func (b *Backend) tabNumber(id browser.TabID) int {
	rest, ok := strings.CutPrefix(string(id), fmt.Sprintf("cdp:%d:", b.number))
	n, err := strconv.Atoi(rest)
	if !ok || err != nil {
		return 0
	}
	return n
}

// Release gives the session's tabs back.
func (b *Backend) Release(_ context.Context, session string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tabs {
		if t.owner == session {
			t.owner = ""
		}
	}
	return nil
}

// know returns the tab of a page target, a new one if need be. b.mu is held.
func (b *Backend) know(tg target) *Tab {
	t := b.targets[tg.ID]
	if t == nil {
		b.last++
		t = &Tab{
			b:      b,
			id:     browser.TabID(fmt.Sprintf("cdp:%d:%d", b.number, b.last)),
			target: tg.ID,
			url:    tg.URL,
			title:  tg.Title,
			first:  tg.URL,
			born:   time.Now(),
		}
		opener := b.targets[tg.Opener]
		if opener == nil {
			opener = b.sender(tg.URL)
		}
		t.openedBy(opener)
		b.tabs[b.last], b.targets[tg.ID] = t, t
	}
	return t
}

// event is called on the reading goroutine, in the browser's order.
func (b *Backend) event(sessionID, method string, params json.RawMessage) {
	switch method {
	case "Target.targetCreated", "Target.targetInfoChanged":
		b.targetSeen(method, params)
	case "Target.targetDestroyed", "Target.targetCrashed":
		b.targetLost(method, params)
	case "Target.attachedToTarget":
		b.sessionMade(sessionID, params)
	case "Target.detachedFromTarget":
		b.detached(params)
	default:
		b.mu.Lock()
		s, side, worker := b.sessions[sessionID], b.sideSessions[sessionID], b.workers.known[sessionID]
		b.mu.Unlock()
		switch {
		case sessionID == "" && method == "Fetch.requestPaused":
			b.held(params)
		case s != nil:
			s.event(method, params)
		case side != nil:
			side.event(method, params)
		case worker != nil:
			worker.event(method, params)
		}
	}
}

func (b *Backend) targetSeen(method string, params json.RawMessage) {
	var p struct {
		Info target `json:"targetInfo"`
	}
	if json.Unmarshal(params, &p) != nil || !p.Info.isTab() || b.isSide(p.Info) {
		return
	}
	b.mu.Lock()
	t := b.know(p.Info)
	t.url, t.title = p.Info.URL, p.Info.Title
	opener := b.tabs[b.tabNumber(t.opener)]
	b.mu.Unlock()
	if method == "Target.targetInfoChanged" {
		t.emit("tab.updated", map[string]any{"url": p.Info.URL, "title": p.Info.Title})
	} else if opener != nil {
		opener.opened(t, p.Info.URL)
	}
}

func (b *Backend) targetLost(method string, params json.RawMessage) {
	var p struct {
		ID string `json:"targetId"`
	}
	_ = json.Unmarshal(params, &p)
	b.mu.Lock()
	t := b.targets[p.ID]
	if t != nil && method == "Target.targetDestroyed" {
		delete(b.targets, p.ID)
		delete(b.tabs, b.tabNumber(t.id))
	}
	b.mu.Unlock()
	switch {
	case t == nil:
	case method == "Target.targetCrashed":
		t.crash()
	default:
		t.fail(tabClosed())
		t.emit("tab.removed", struct{}{})
	}
}
