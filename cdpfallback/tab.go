package cdpfallback

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// Tab is one tab. It implements browser.Tab.
type Tab struct {
	b      *Backend
	id     browser.TabID
	target string

	// Guarded by b.mu.
	url, title string
	owner      string
	opener     browser.TabID
	first      string // URL that it was made with
	born       time.Time
	stopped    string // URL that the guard stopped last
	loading    bool
	crashed    bool
	ours       bool // opened through this backend, or by a page of such a tab
	main       *session
	frames     map[browser.FrameID]*session // which session hosts a frame, as far as seen

	attaching sync.Mutex

	subMu sync.Mutex
	subs  []*subscription
}

type subscription struct{ fn func(browser.Event) }

var _ browser.Tab = (*Tab)(nil)

// ID is the tab's handle.
func (t *Tab) ID() browser.TabID { return t.id }

// Info is the tab as the browser tells it. It is asked, because it does not tell of a
// new title by itself.
func (t *Tab) Info(ctx context.Context) (browser.TabInfo, error) {
	t.b.mu.Lock()
	there := t.b.targets[t.target] == t
	t.b.mu.Unlock()
	if !there {
		return browser.TabInfo{}, tabClosed()
	}
	var now struct {
		Info target `json:"targetInfo"`
	}
	err := t.b.conn.call(ctx, "", "Target.getTargetInfo", map[string]string{"targetId": t.target}, &now)
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	switch {
	case t.b.targets[t.target] != t:
		return browser.TabInfo{}, tabClosed()
	case err != nil:
		return browser.TabInfo{}, err
	}
	t.url, t.title = now.Info.URL, now.Info.Title
	return t.info(), nil
}

// info is called with b.mu held.
func (t *Tab) info() browser.TabInfo {
	return browser.TabInfo{
		ID: t.id, URL: t.url, Title: t.title, Owner: t.owner, Opener: t.opener,
		Active: t.b.front == t, Loading: t.loading,
	}
}

// claim makes the caller's session the owner of a tab that has none.
func (t *Tab) claim(ctx context.Context) error {
	session := browser.CallerFrom(ctx).Session
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.b.targets[t.target] != t {
		return tabClosed()
	}
	switch {
	case session == "" || t.owner == session:
		return nil
	case t.owner == "":
		t.owner = session
		return nil
	}
	return browser.Errorf(browser.TabOwned, "tab %s belongs to another session; open your own with tab_new or pick one from tabs_list", t.id)
}

// Call sends one command to the target that hosts the frame.
func (t *Tab) Call(ctx context.Context, frame browser.FrameID, method string, params, result any) error {
	s, err := t.host(ctx, frame, method)
	if err != nil {
		return err
	}
	switch {
	case slices.Contains(loading, method):
		s.drawing.rest()
	case strings.HasPrefix(method, "Input."):
		defer s.drawing.use()()
	}
	s.observe(method, params)
	return t.b.conn.call(ctx, s.answering(method, params), method, params, result)
}

// loading are the commands that bring another document.
var loading = []string{"Page.navigate", "Page.reload", "Page.navigateToHistoryEntry"}

// Batch sends commands in order and stops at the first error.
func (t *Tab) Batch(ctx context.Context, commands []browser.Command) ([]json.RawMessage, error) {
	results := make([]json.RawMessage, 0, len(commands))
	var moves []*call
	for i, cmd := range commands {
		if err := pause(ctx, cmd.Delay); err != nil {
			return results, err
		}
		s, err := t.host(ctx, cmd.Frame, cmd.Method)
		if err != nil {
			return results, err
		}
		if strings.HasPrefix(cmd.Method, "Input.") {
			defer s.drawing.use()() // until all of them are done
		}
		s.observe(cmd.Method, cmd.Params)
		p, err := t.b.conn.start(s.id, cmd.Method, cmd.Params)
		if err != nil {
			return results, err
		}
		if moves = append(moves, p); i+1 < len(commands) && flows(cmd, commands[i+1]) {
			continue
		}
		for _, p := range moves {
			var raw json.RawMessage
			if err := t.b.conn.wait(ctx, p, &raw); err != nil {
				return results, err
			}
			results = append(results, raw)
		}
		moves = nil
	}
	return results, nil
}

// flows says whether the next command may follow before this one is answered. A move of
// the mouse is answered with the next frame, but what comes after it in the page's queue
// makes it take effect at once.
func flows(cmd, next browser.Command) bool {
	if next.Delay > 0 || cmd.Frame != next.Frame || cmd.Method != "Input.dispatchMouseEvent" || !strings.HasPrefix(next.Method, "Input.") {
		return false
	}
	raw, err := json.Marshal(cmd.Params)
	return err == nil && bytes.Contains(raw, []byte(`"mouseMoved"`))
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return browser.Errorf(browser.Timeout, "time ran out between two commands; look at the page before you go on")
	}
}

// reviving are the commands that a crashed page can take.
var reviving = append([]string{"Page.getNavigationHistory"}, loading...)

// host returns the session of the target that hosts the frame, attaching if need be.
func (t *Tab) host(ctx context.Context, frame browser.FrameID, method string) (*session, error) {
	if err := t.claim(ctx); err != nil {
		return nil, err
	}
	main, err := t.attach(ctx)
	if err != nil {
		return nil, err
	}
	t.b.mu.Lock()
	dead := t.crashed
	t.b.mu.Unlock()
	if dead && !slices.Contains(reviving, method) {
		return nil, tabCrashed()
	}
	if frame == "" || string(frame) == t.target {
		return main, nil
	}
	if s := t.hostOf(frame); s != nil {
		return s, nil
	}
	if _, err := t.Frames(ctx); err != nil {
		return nil, err
	}
	if s := t.hostOf(frame); s != nil {
		return s, nil
	}
	return nil, gone(navigated, "there is no such frame (any more); see frames_list")
}

func (t *Tab) hostOf(frame browser.FrameID) *session {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.frames[frame]
}

// Subscribe delivers the tab's events on the reading goroutine until cancel.
func (t *Tab) Subscribe(fn func(browser.Event)) (cancel func()) {
	sub := &subscription{fn}
	t.subMu.Lock()
	defer t.subMu.Unlock()
	t.subs = append(slices.Clone(t.subs), sub)
	return func() {
		t.subMu.Lock()
		defer t.subMu.Unlock()
		t.subs = slices.DeleteFunc(slices.Clone(t.subs), func(s *subscription) bool { return s == sub })
	}
}

func (t *Tab) deliver(e browser.Event) {
	t.subMu.Lock()
	subs := t.subs
	t.subMu.Unlock()
	for _, s := range subs {
		s.fn(e)
	}
}

// emit delivers an event of ours.
func (t *Tab) emit(method string, params any) {
	raw, _ := json.Marshal(params)
	t.deliver(browser.Event{Method: method, Params: raw})
}

// fail ends everything that waits for the tab.
func (t *Tab) fail(err error) {
	ids := map[string]bool{}
	t.b.mu.Lock()
	for id, s := range t.b.sessions {
		if s.tab == t {
			ids[id] = true
		}
	}
	t.b.mu.Unlock()
	t.b.conn.fail(func(c *call) bool { return ids[c.session] }, err)
}

// crash ends everything that waits: a crashed renderer answers nothing. Chrome tells
// of a crash twice, and a reload may be under way when it does so again.
func (t *Tab) crash() {
	t.b.mu.Lock()
	known := t.crashed
	t.crashed = true
	t.b.mu.Unlock()
	if !known {
		t.fail(tabCrashed())
	}
}
