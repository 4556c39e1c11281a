package bridge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

var _ browser.Backend = (*Bridge)(nil)

// Kind names the backend.
func (b *Bridge) Kind() browser.Kind { return browser.Extension }

// live returns the connected browsers. With none it waits for the dial of one that
// paired before, else it says what the user has to do.
func (b *Bridge) live(ctx context.Context) ([]*peer, error) {
	var late <-chan time.Time
	for {
		list, arrived, wait := b.connected()
		if len(list) > 0 {
			return list, nil
		}
		if wait == 0 {
			return nil, b.noBackend()
		}
		if late == nil {
			late = time.After(wait)
		}
		select {
		case <-arrived:
		case <-late:
			b.mu.Lock()
			b.waited = true
			b.mu.Unlock()
			return nil, b.noBackend()
		case <-ctx.Done():
			return nil, b.noBackend()
		}
	}
}

// connected lists the browsers with a socket, and how long it is worth to wait for one:
// the whole time once, after that Chrome is not running and calls are answered soon.
func (b *Bridge) connected() (list []*peer, arrived <-chan struct{}, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.browsers {
		if p.conn.Load() != nil {
			list = append(list, p)
		}
	}
	if b.published != nil && b.paired && !b.stopped && !b.closed {
		wait = b.config.Wait
		if b.waited {
			wait = min(wait, time.Second)
		}
	}
	return list, b.arrived, wait
}

// Ping returns nil if a browser answers.
func (b *Bridge) Ping(ctx context.Context) error {
	list, err := b.live(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, b.times.probe)
	defer cancel()
	errs := each(list, func(p *peer) error { return b.call(ctx, p, wire.PingProbe, 0, nil, nil) })
	for _, e := range errs {
		if e == nil {
			return nil
		}
		err = e
	}
	return err
}

// Tabs lists the tabs of all browsers. One that does not answer is left out as long
// as another does, and noted in the status.
func (b *Bridge) Tabs(ctx context.Context) ([]browser.TabInfo, error) {
	list, err := b.live(ctx)
	if err != nil {
		return nil, err
	}
	if list = b.within(ctx, list); len(list) == 0 {
		return nil, b.noBackend()
	}
	results := make([]wire.TabsResult, len(list))
	index := map[*peer]int{}
	for i, p := range list {
		index[p] = i
	}
	errs := each(list, func(p *peer) error {
		return b.call(ctx, p, wire.TabsList, 0, nil, &results[index[p]])
	})
	tabs, answered := []browser.TabInfo{}, false
	for i, p := range list {
		if errs[i] != nil {
			err = errs[i]
			b.log.Warn("tabs not listed", "browser", p.name(), "error", err)
			continue
		}
		answered = true
		for _, t := range results[i].Tabs {
			tabs = append(tabs, b.info(p, t, len(list) > 1))
		}
	}
	if !answered {
		return nil, err
	}
	return tabs, nil
}

// each runs fn for all browsers at once.
func each(list []*peer, fn func(*peer) error) []error {
	errs := make([]error, len(list))
	if len(list) == 1 {
		errs[0] = fn(list[0])
		return errs
	}
	var group sync.WaitGroup
	for i, p := range list {
		group.Go(func() { errs[i] = fn(p) })
	}
	group.Wait()
	return errs
}

func (b *Bridge) info(p *peer, t wire.Tab, several bool) browser.TabInfo {
	info := browser.TabInfo{
		ID: p.tabID(t.ID), URL: t.URL, Title: t.Title, Active: t.Active, Window: t.Window, Index: t.Index,
		Owner: t.Owner, Opener: p.tabID(t.Opener), Loading: t.Loading, Discarded: t.Discarded,
	}
	if several {
		info.Browser = p.name()
	}
	return info
}

// Open opens a tab for the caller's session.
func (b *Bridge) Open(ctx context.Context, o browser.OpenOptions) (browser.TabInfo, error) {
	list, err := b.live(ctx)
	if err != nil {
		return browser.TabInfo{}, err
	}
	if list = b.within(ctx, list); len(list) == 0 {
		return browser.TabInfo{}, b.noBackend()
	}
	who := browser.CallerFrom(ctx)
	p, err := b.choose(list, who.Session, o.Browser)
	if err != nil {
		return browser.TabInfo{}, err
	}
	var t wire.Tab
	err = b.call(ctx, p, wire.TabNew, 0, wire.TabNewParams{URL: o.URL, Active: o.Active, Group: who.Title}, &t)
	if err != nil {
		return browser.TabInfo{}, err
	}
	return b.info(p, t, len(list) > 1), nil
}

// choose picks the browser to open a tab in: the named one, the one that the session
// works in, else the one that has been there longest. A session never changes its
// browser by itself while that is there.
func (b *Bridge) choose(list []*peer, session, name string) (*peer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := list[0]
	if name == "" {
		if chosen, err := b.insisted(list, session); chosen != nil || err != nil {
			b.bind(session, chosen)
			return chosen, err
		}
	}
	for _, q := range list {
		if name == q.name() || name == "" && b.bound[session] == q {
			p = q
		}
	}
	if name != "" && p.name() != name {
		var names []string
		for _, q := range list {
			names = append(names, q.name())
		}
		return nil, browser.Errorf(browser.BadArgs, "no browser %q is connected; connected are %q", name, names)
	}
	b.bind(session, p)
	return p, nil
}

// bind notes in which browser a session works. One that takes the place of another is
// told of in the status. b.mu is held.
func (b *Bridge) bind(session string, p *peer) {
	if p == nil {
		return
	}
	if was := b.bound[session]; was != nil && was.info.Instance != p.info.Instance {
		b.note("%s is gone; new tabs open in %s", was.name(), p.name())
	}
	b.bound[session] = p
}

// Close closes a tab.
func (b *Bridge) Close(ctx context.Context, id browser.TabID) error {
	return b.onTab(ctx, id, wire.TabClose)
}

// Activate brings a tab to the front.
func (b *Bridge) Activate(ctx context.Context, id browser.TabID) error {
	return b.onTab(ctx, id, wire.TabSelect)
}

func (b *Bridge) onTab(ctx context.Context, id browser.TabID, method wire.Method) error {
	p, n, err := b.find(id)
	if err != nil {
		return err
	}
	return b.call(ctx, p, method, n, nil, nil)
}

// Tab returns the tab of an id, without asking the browser whether it is there.
func (b *Bridge) Tab(id browser.TabID) (browser.Tab, error) {
	p, n, err := b.find(id)
	if err != nil {
		return nil, err
	}
	return &Tab{b: b, peer: p, n: n}, nil
}

// Release tells the browsers that a session has ended; one that is away for a moment is
// told when it comes back.
func (b *Bridge) Release(ctx context.Context, session string) error {
	b.mu.Lock()
	delete(b.bound, session)
	delete(b.chosen, session)
	b.mu.Unlock()
	who := browser.CallerFrom(ctx)
	who.Session = session
	ctx = browser.WithCaller(ctx, who)
	b.owe(session)
	var list []*peer
	for _, c := range b.conns() {
		list = append(list, c.peer)
	}
	for _, err := range each(list, func(p *peer) error { return b.call(ctx, p, wire.Release, 0, nil, nil) }) {
		if err != nil {
			return fmt.Errorf("tabs not released: %w", err)
		}
	}
	return nil
}

// maxOwed bounds the ended sessions that a browser which is away is told of.
const maxOwed = 64

// owe notes an ended session for the browsers that are away. When the server ends, too,
// the extension frees the tabs of all its sessions.
func (b *Bridge) owe(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.browsers {
		if p.conn.Load() == nil && !p.over && len(p.owed) < maxOwed {
			p.owed = append(p.owed, session)
		}
	}
}

// pay tells a browser that came back which sessions have ended meanwhile.
func (b *Bridge) pay(p *peer) {
	b.mu.Lock()
	owed := p.owed
	p.owed = nil
	b.mu.Unlock()
	for _, session := range owed {
		ctx := browser.WithCaller(b.ctx, browser.Caller{Session: session})
		if err := b.call(ctx, p, wire.Release, 0, nil, nil); err != nil {
			b.log.Warn("tabs of an ended session not released", "session", session, "error", err)
		}
	}
}
