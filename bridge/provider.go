package bridge

import (
	"context"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/wire"
)

var _ extproto.Lister = (*Bridge)(nil)

// Listed are the providers that the users of the connected browsers named.
func (b *Bridge) Listed() []extproto.Entry {
	var list []extproto.Entry
	for _, c := range b.conns() {
		name := c.peer.name()
		b.ports.mu.Lock()
		named := c.peer.named
		b.ports.mu.Unlock()
		for _, p := range named {
			list = append(list, extproto.Entry{ID: p.Extension, Namespace: p.Namespace, Browser: name, Off: p.Off, Writes: p.Writes})
		}
	}
	return list
}

// OnListed calls fn when a user names providers, or wants them asked again, until cancel.
func (b *Bridge) OnListed(fn func()) (cancel func()) { return watch(&b.ports.mu, &b.ports.listed, fn) }

// providersNamed takes what a user named.
func (b *Bridge) providersNamed(c *conn, e wire.ExtProviders) {
	b.ports.mu.Lock()
	c.peer.named = e.Providers
	b.ports.mu.Unlock()
	for _, fn := range watchers(&b.ports.mu, &b.ports.listed) {
		(*fn)()
	}
}

// Report tells the users how providers stand. Of reports that follow each other quickly
// the last is sent.
func (b *Bridge) Report(list []extproto.Status) {
	params := wire.ExtReportParams{Providers: make([]wire.ExtStanding, len(list))}
	for i, s := range list {
		params.Providers[i] = wire.ExtStanding{
			Extension: s.ID, Namespace: s.Namespace, Name: s.Name, Version: s.Version,
			State: string(s.State), Text: s.Text, Tools: s.Tools, Held: s.Held, Refused: s.Refused,
		}
	}
	b.ports.mu.Lock()
	defer b.ports.mu.Unlock()
	b.ports.report = &params
	if b.ports.reporting {
		return
	}
	b.ports.reporting = true
	go b.sendReports()
}

func (b *Bridge) sendReports() {
	for {
		b.ports.mu.Lock()
		params := b.ports.report
		b.ports.report = nil
		b.ports.reporting = params != nil
		b.ports.mu.Unlock()
		if params == nil {
			return
		}
		ctx, cancel := context.WithTimeout(b.ctx, wire.Specs[wire.ExtReport].Time)
		ctx = browser.WithCaller(ctx, browser.Caller{Session: b.config.SessionID})
		var peers []*peer
		for _, c := range b.conns() {
			peers = append(peers, c.peer)
		}
		// A browser that does not take it now is told with the next.
		each(peers, func(p *peer) error { return b.call(ctx, p, wire.ExtReport, 0, params, nil) })
		cancel()
	}
}
