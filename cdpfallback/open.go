package cdpfallback

import (
	"context"
	"time"

	"chrome-mcp/internal/browser"
)

// Open opens a tab. The tab is attached before its page loads, so that a dialog in the
// page's first script can be answered.
func (b *Backend) Open(ctx context.Context, o browser.OpenOptions) (browser.TabInfo, error) {
	owner := browser.CallerFrom(ctx).Session
	if n := b.owned(owner); owner != "" && n >= b.cfg.MaxTabs {
		return browser.TabInfo{}, browser.Errorf(browser.Backpressure, "this session has %d tabs open, which is the most; close some with tab_close, or navigate one of them elsewhere", n)
	}
	t, err := b.create(ctx, o)
	if err != nil {
		return browser.TabInfo{}, err
	}
	if o.URL != "" && o.URL != "about:blank" {
		err = t.begin(ctx, o.URL)
	}
	if err != nil {
		// Nobody learns of this tab. It must not stay, or each retry adds one.
		b.discard(t.target)
		return browser.TabInfo{}, err
	}
	return t.Info(ctx)
}

func (b *Backend) owned(session string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tabs {
		if t.owner == session {
			n++
		}
	}
	return n
}

// create makes a blank tab that belongs to the caller's session.
func (b *Backend) create(ctx context.Context, o browser.OpenOptions) (*Tab, error) {
	params := map[string]any{"url": "about:blank", "background": !o.Active}
	p, err := b.conn.start("", "Target.createTarget", params)
	if err != nil {
		return nil, err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		go b.unwanted(p)
		return nil, browser.Errorf(browser.Timeout, "the browser did not open a tab in time; it closes it if it opens it yet")
	}
	var created struct {
		TargetID string `json:"targetId"`
	}
	if err := b.conn.wait(context.Background(), p, &created); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.know(target{ID: created.TargetID, Type: "page", URL: "about:blank"})
	t.owner, t.ours = browser.CallerFrom(ctx).Session, true
	if o.Active {
		b.front = t
	}
	return t, nil
}

// unwanted closes the tab of a createTarget whose caller has gone.
func (b *Backend) unwanted(p *call) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var created struct {
		TargetID string `json:"targetId"`
	}
	if b.conn.wait(ctx, p, &created) == nil {
		b.discard(created.TargetID)
	}
}

func (b *Backend) discard(target string) {
	_, _ = b.conn.start("", "Target.closeTarget", map[string]string{"targetId": target})
}

// begin starts to load a page. It is answered at the commit, which nobody waits for here.
func (t *Tab) begin(ctx context.Context, url string) error {
	s, err := t.host(ctx, "", "")
	if err != nil {
		return err
	}
	_, err = t.b.conn.start(s.id, "Page.navigate", map[string]string{"url": url})
	return err
}

// Close closes a tab.
func (b *Backend) Close(ctx context.Context, id browser.TabID) error {
	t, err := b.own(ctx, id)
	if err != nil {
		return err
	}
	if err := b.notTheLast(ctx); err != nil {
		return err
	}
	return t.close(ctx)
}

// close closes the tab and waits until it is gone.
func (t *Tab) close(ctx context.Context) error {
	closed := make(chan struct{})
	defer t.Subscribe(func(e browser.Event) {
		if e.Method == "tab.removed" {
			close(closed)
		}
	})()
	if err := t.b.conn.call(ctx, "", "Target.closeTarget", map[string]string{"targetId": t.target}, nil); err != nil {
		return err
	}
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return browser.Errorf(browser.Timeout, "tab %s did not close in time; a dialog of its page may hold it: see dialogs", t.id)
	}
}

// notTheLast keeps the browser open: one with windows ends with its last tab.
func (b *Backend) notTheLast(ctx context.Context) error {
	b.mu.Lock()
	last := len(b.tabs) == 1
	b.mu.Unlock()
	switch {
	case !last || !b.attached() && b.cfg.Headless:
		return nil
	case b.attached():
		return browser.Errorf(browser.BadArgs, "that is the last tab, and closing it would end the user's browser; leave it open, or navigate it to about:blank")
	}
	return b.conn.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "background": true}, nil)
}
