package bridge

import (
	"context"
	"slices"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/wire"
)

// Confine keeps a session to the browser that a port came from, until it is freed: an
// extension is of one profile of the user's, and has no business in the others.
func (b *Bridge) Confine(session string, p extproto.Port) (free func()) {
	of, ok := p.(*port)
	if !ok {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = map[string]*peer{}
	}
	b.kept[session] = of.conn.peer
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.kept, session)
	}
}

// within leaves of browsers those that the caller's session may know of.
func (b *Bridge) within(ctx context.Context, list []*peer) []*peer {
	b.mu.Lock()
	defer b.mu.Unlock()
	only := b.kept[browser.CallerFrom(ctx).Session]
	if only == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(p *peer) bool { return p != only })
}

// reach says why a session may not send a command to a browser, or nil.
func (b *Bridge) reach(session string, p *peer, method wire.Method) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if only := b.kept[session]; only == nil || only == p || method == wire.Release {
		return nil
	}
	return browser.Errorf(browser.TabNotFound, "there is no such tab in the browser of the extension that calls; take one from tabs_list")
}
