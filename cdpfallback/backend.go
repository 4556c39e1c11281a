package cdpfallback

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// Backend drives one browser. It implements browser.Backend.
type Backend struct {
	cfg       Config
	process   *process
	temporary string // profile to remove at the end
	number    int
	since     time.Time
	conn      *conn
	version   string
	end       sync.Once

	mu       sync.Mutex
	last     int // number of the newest tab
	tabs     map[int]*Tab
	targets  map[string]*Tab
	sessions map[string]*session
	front    *Tab // brought to the front last

	sides        map[string]*side // by target
	sideSessions map[string]*side
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
}

func (b *Backend) connect(ctx context.Context, t transport) error {
	b.conn = newConn(t, b.event)
	go b.conn.read()
	var version struct{ Product string }
	if err := b.conn.call(ctx, "", "Browser.getVersion", nil, &version); err != nil {
		return browser.Errorf(browser.LaunchFailed, "%s started but did not answer: %v; is another browser using the profile %s?", b.cfg.Path, err, b.cfg.ProfileDir)
	}
	b.version = version.Product
	if err := b.downloading(ctx); err != nil {
		return err
	}
	return b.conn.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil)
}

// Kind is browser.CDP.
func (b *Backend) Kind() browser.Kind { return browser.CDP }

// Status reports the started browser.
func (b *Backend) Status() browser.Status {
	s := browser.Status{Kind: browser.CDP, Ready: true}
	select {
	case <-b.conn.done:
		s.Ready, s.Detail = false, "the browser that was started has ended"
	default:
		s.Browsers = []browser.BrowserStatus{{
			Name: "started", Version: b.version, Profile: b.cfg.ProfileDir, Since: b.since, Mode: "started",
		}}
	}
	return s
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

// PID is the process id of the started browser.
func (b *Backend) PID() int { return b.process.cmd.Process.Pid }

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

// Open opens a tab. The tab is attached before its page loads, so that a dialog in the
// page's first script can be answered.
func (b *Backend) Open(ctx context.Context, o browser.OpenOptions) (browser.TabInfo, error) {
	var created struct {
		TargetID string `json:"targetId"`
	}
	params := map[string]any{"url": "about:blank", "background": !o.Active}
	if err := b.conn.call(ctx, "", "Target.createTarget", params, &created); err != nil {
		return browser.TabInfo{}, err
	}
	b.mu.Lock()
	t := b.know(target{ID: created.TargetID, Type: "page", URL: "about:blank"})
	t.owner = browser.CallerFrom(ctx).Session
	if o.Active {
		b.front = t
	}
	b.mu.Unlock()
	if o.URL != "" && o.URL != "about:blank" {
		s, err := t.attach(ctx)
		if err != nil {
			return browser.TabInfo{}, err
		}
		// Answered at the commit, which nobody waits for here.
		if _, err := b.conn.start(s.id, "Page.navigate", map[string]string{"url": o.URL}); err != nil {
			return browser.TabInfo{}, err
		}
	}
	return t.Info(ctx)
}

// Close closes a tab.
func (b *Backend) Close(ctx context.Context, id browser.TabID) error {
	t, err := b.own(ctx, id)
	if err != nil {
		return err
	}
	closed := make(chan struct{})
	defer t.Subscribe(func(e browser.Event) {
		if e.Method == "tab.removed" {
			close(closed)
		}
	})()
	if err := b.conn.call(ctx, "", "Target.closeTarget", map[string]string{"targetId": t.target}, nil); err != nil {
		return err
	}
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return browser.Errorf(browser.Timeout, "tab %s did not close in time; a dialog of its page may hold it: see dialogs", id)
	}
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

// Shutdown ends the browser and removes its profile if that was a temporary one.
func (b *Backend) Shutdown(ctx context.Context) error {
	var err error
	b.end.Do(func() {
		if b.conn != nil {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			_ = b.conn.call(ctx, "", "Browser.close", nil, nil)
			_ = b.conn.t.close()
		}
		b.process.end(2 * time.Second)
		if b.temporary != "" {
			err = os.RemoveAll(b.temporary)
		}
	})
	return err
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
		}
		if opener := b.targets[tg.Opener]; opener != nil {
			t.opener, t.owner = opener.id, opener.owner
		}
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
		b.attached(sessionID, params)
	case "Target.detachedFromTarget":
		b.detached(params)
	default:
		b.mu.Lock()
		s, side := b.sessions[sessionID], b.sideSessions[sessionID]
		b.mu.Unlock()
		switch {
		case s != nil:
			s.event(method, params)
		case side != nil:
			side.event(method, params)
		}
	}
}

func (b *Backend) targetSeen(method string, params json.RawMessage) {
	var p struct {
		Info target `json:"targetInfo"`
	}
	if json.Unmarshal(params, &p) != nil || p.Info.Type != "page" || b.isSide(p.Info) {
		return
	}
	b.mu.Lock()
	t := b.know(p.Info)
	t.url, t.title = p.Info.URL, p.Info.Title
	opener := b.targets[p.Info.Opener]
	b.mu.Unlock()
	if method == "Target.targetInfoChanged" {
		t.emit("tab.updated", map[string]any{"url": p.Info.URL, "title": p.Info.Title})
	} else if opener != nil {
		opener.emit("tab.created", map[string]any{"tabId": t.id, "url": p.Info.URL, "opener": opener.id})
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
