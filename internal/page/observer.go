package page

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/redact"
)

// observer keeps what the documents of a tab have logged and asked of the network.
// It begins with the session's first use of the tab, because what is asked for later
// has mostly happened while a page loaded, and goes on over navigations.
//
// What it keeps is judged when it is shown, each entry by its own document.
type observer struct {
	t        *Tab
	starting chan struct{} // held by whoever switches on

	mu       sync.Mutex
	on       map[browser.FrameID]bool // targets that tell: "" is the tab's own
	later    time.Time                // not to be tried again before
	docs     map[string]document      // frame id → what it shows
	contexts map[contextKey]execution
	console  console
	network  network
}

// document is what a frame shows.
type document struct {
	url    string
	parent string // frame id
}

type contextKey struct {
	target browser.FrameID
	id     int
}

// execution is a place where a page's scripts run.
type execution struct {
	frame  string
	origin string
	own    bool // the page's, not an extension's or ours
}

// place is the document that an entry is judged by.
type place struct{ url, origin string }

const (
	startTime   = time.Second            // for the switches to be set before a command goes on without
	arriveTime  = 400 * time.Millisecond // for what was logged just now to arrive
	startPause  = 2 * time.Second        // after a page did not take the switches
	maxContexts = 1000
)

// switches tell Chrome to tell. Violations are what its console shows as "verbose".
var switches = []browser.Command{
	{Method: "Network.enable", Params: map[string]any{"maxTotalBufferSize": 32 << 20, "maxResourceBufferSize": 8 << 20, "maxPostDataSize": 64 << 10}},
	{Method: "Runtime.enable"},
	{Method: "Log.enable"},
	{Method: "Log.startViolationsReport", Params: map[string]any{"config": []map[string]any{
		{"name": "longTask", "threshold": 200}, {"name": "longLayout", "threshold": 30}, {"name": "blockedEvent", "threshold": 100},
		{"name": "handler", "threshold": 150}, {"name": "recurringHandler", "threshold": 50},
	}}},
}

func newObserver(t *Tab) *observer {
	t.s.observed.Add(1)
	return &observer{
		t: t, starting: make(chan struct{}, 1),
		on: map[browser.FrameID]bool{}, docs: map[string]document{}, contexts: map[contextKey]execution{},
	}
}

// close ends the recording.
func (o *observer) close() {
	if o == nil {
		return
	}
	o.t.s.observed.Add(-1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.network.stop()
}

// share is this tab's part of what all tabs of the session may keep together.
func (o *observer) share(total int) int {
	return max(64<<10, total/max(1, int(o.t.s.observed.Load())))
}

// start switches the recording on, before the first command of the tab. A page that
// does not take the switches in time is no reason not to work with it.
func (o *observer) start(ctx context.Context) {
	if o == nil || !o.due("") {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	select {
	case o.starting <- struct{}{}:
		defer func() { <-o.starting }()
	case <-ctx.Done():
		return
	}
	if o.due("") {
		o.enable(ctx, "")
	}
}

func (o *observer) due(target browser.FrameID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.on[target] && !time.Now().Before(o.later)
}

// enable sets the switches of one target.
func (o *observer) enable(ctx context.Context, target browser.FrameID) {
	commands := append([]browser.Command(nil), switches...)
	for i := range commands {
		commands[i].Frame = target
	}
	_, err := o.t.bt.Batch(o.t.s.caller(ctx), commands)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		o.on[target] = true
	case target != "":
		delete(o.on, target)
	case browser.CodeOf(err) != browser.PolicyDenied: // that is over with the next navigation
		o.later = time.Now().Add(startPause)
	}
}

// settle waits until what the page has logged up to now has arrived. The switches are
// set once more: they are answered in order with it, and hold if they were lost.
func (o *observer) settle(ctx context.Context) {
	o.start(ctx)
	ctx, cancel := context.WithTimeout(ctx, arriveTime)
	defer cancel()
	o.mu.Lock()
	commands := []browser.Command{switches[0], switches[1]}
	for target := range o.on {
		if target != "" {
			commands = append(commands, browser.Command{Frame: target, Method: switches[1].Method})
		}
	}
	o.mu.Unlock()
	_, _ = o.t.bt.Batch(o.t.s.caller(ctx), commands)
}

// event takes an event, and says whether it was one of the observers' own.
func (o *observer) event(ev browser.Event) bool {
	if o == nil {
		return false
	}
	domain, _, _ := strings.Cut(ev.Method, ".")
	o.mu.Lock()
	defer o.mu.Unlock()
	switch domain {
	case "Runtime", "Log":
		o.logged(ev)
		return true
	case "Network":
		o.requested(ev)
		return true
	}
	switch ev.Method {
	case "tab.detached", "events.lost":
		o.on = map[browser.FrameID]bool{}
		o.later = time.Time{}
	case "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.frameDetached":
		o.moved(ev)
	}
	if ev.Frame != "" && o.on[""] && !o.on[ev.Frame] && domain == "Page" {
		o.on[ev.Frame] = true
		go o.enableChild(ev.Frame)
	}
	return false
}

// enableChild switches on in the target of a frame that has just come.
func (o *observer) enableChild(target browser.FrameID) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	o.enable(browser.WithCaller(ctx, browser.Caller{Tool: "network_log"}), target)
}

// moved keeps the documents of the frames.
func (o *observer) moved(ev browser.Event) {
	var p struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
		Reason  string `json:"reason"`
		Frame   struct {
			ID       string `json:"id"`
			ParentID string `json:"parentId"`
			URL      string `json:"url"`
		} `json:"frame"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	switch ev.Method {
	case "Page.frameNavigated":
		d := document{url: p.Frame.URL, parent: p.Frame.ParentID}
		if d.parent == "" {
			d.parent = o.docs[p.Frame.ID].parent
		}
		o.docs[p.Frame.ID] = d
	case "Page.navigatedWithinDocument":
		d := o.docs[p.FrameID]
		d.url = p.URL
		o.docs[p.FrameID] = d
	default:
		if p.Reason != "swap" {
			delete(o.docs, p.FrameID)
		}
	}
}

// redact masks secrets in what is kept.
func (o *observer) redact() *redact.Redactor { return o.t.s.cfg.Redact }

// where is the document that a frame shows. Blank documents are the page's around them.
func (o *observer) where(frame, url string) place {
	p := place{url: url}
	if made, ok := strings.CutPrefix(url, "blob:"); ok {
		p.origin = siteOf(made)
	}
	for range 20 {
		d, ok := o.docs[frame]
		if !ok {
			d, ok = o.listed(frame)
		}
		if !ok {
			return p
		}
		if p.url == "" {
			p.url = d.url
		}
		if !strings.HasPrefix(d.url, "about:") {
			if strings.HasPrefix(p.url, "about:") {
				p.origin = siteOf(d.url)
			}
			return p
		}
		frame = d.parent
	}
	return p
}

// listed is a frame of the last list that was read.
func (o *observer) listed(id string) (document, bool) {
	o.t.mu.Lock()
	defer o.t.mu.Unlock()
	for i, f := range o.t.known {
		if string(f.ID) == id || id == "" && i == 0 {
			return document{url: f.URL, parent: string(f.Parent)}, true
		}
	}
	return document{}, false
}

// siteOf is the origin of a URL that has a host.
func siteOf(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	return scheme + "://" + rest
}

// mayObserve judges the document of an entry.
func (o *observer) mayObserve(p place) bool {
	return p.url != "" && o.t.s.Judge(p.url, p.origin, policy.Observe) == nil
}

// observed returns the tab whose log is asked for. It takes its turn behind earlier
// calls of the tab, but needs no answer of a page.
func observed(ctx context.Context, s *Session, id browser.TabID) (t *Tab, unlock func(), err error) {
	if t, err = s.Resolve(ctx, id, policy.Observe); err != nil {
		return nil, nil, err
	}
	if t.observer == nil {
		return nil, nil, browser.Errorf(browser.PolicyDenied, "observers are switched off; the user can start chrome-mcp with %s", policy.Flag(policy.Observe))
	}
	if unlock, err = t.Lock(ctx); err != nil {
		return nil, nil, err
	}
	t.observer.settle(ctx)
	return t, unlock, nil
}
