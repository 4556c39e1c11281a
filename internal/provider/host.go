// Package provider is the host's side of the protocol between extensions: it asks the
// providers that the user named whether they can be used, keeps one MCP session with each
// over a relayed port, and offers their tools under their namespaces, within the limits.
//
// What a provider says is data: neither its texts nor its list nor its order is trusted.
// The package knows no MCP client of ours and no browser; extproto.Ports reaches both.
package provider

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
)

// Config is what a Host needs. Ports is required.
type Config struct {
	Ports  extproto.Ports
	Given  []extproto.Entry // that the command line names; they come before those of Lister
	Lister extproto.Lister  // nil: nobody adds any
	Self   string           // our own extension's id, which is no provider
	Name   string           // what we call ourselves
	// Version is ours.
	Version string
	// Writes lets every provider do more than read.
	Writes bool
	Log    *slog.Logger // nil discards
}

// Host holds the providers. Its methods are safe for concurrent use.
type Host struct {
	cfg   Config
	life  context.Context
	end   context.CancelFunc
	group sync.WaitGroup
	stop  []func()

	mu       sync.Mutex
	closed   bool
	list     []*provider       // in the order in which they were named
	own      map[string]bool   // by fold
	holders  map[string]string // namespace, by fold → id of its provider
	offered  []*Tool
	byName   map[string]*Tool
	watchers map[*func()]bool
}

// New makes a Host. It asks nobody before a browser is connected.
func New(cfg Config) *Host {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	h := &Host{cfg: cfg, life: life, end: end, holders: map[string]string{}, byName: map[string]*Tool{}, watchers: map[*func()]bool{}}
	h.stop = append(h.stop, cfg.Ports.OnBrowsers(h.sync))
	if cfg.Lister != nil {
		h.stop = append(h.stop, cfg.Lister.OnListed(h.resync))
	}
	h.configure()
	return h
}

// ParseEntry reads a provider on the command line: its extension's id, or ID=NAMESPACE.
func ParseEntry(s string) (extproto.Entry, error) {
	id, ns, named := strings.Cut(s, "=")
	if !extproto.IsExtensionID(id) {
		return extproto.Entry{}, fmt.Errorf("%q is no extension id; it has 32 letters from a to p, see chrome://extensions", id)
	}
	if named {
		if err := extproto.CheckNamespace(ns); err != nil {
			return extproto.Entry{}, err
		}
	}
	return extproto.Entry{ID: id, Namespace: ns}, nil
}

// Reserve keeps names from providers: those of the server's own tools.
func (h *Host) Reserve(names []string) {
	h.mu.Lock()
	h.own = map[string]bool{}
	for _, name := range names {
		h.own[fold(name)] = true
	}
	h.mu.Unlock()
	h.settle()
}

// OnChange calls fn after each change of the tools or of what is configured, until
// cancel. fn must not block.
func (h *Host) OnChange(fn func()) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[&fn] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, &fn)
	}
}

// Configured says whether there is any provider.
func (h *Host) Configured() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.list) > 0
}

// Close ends all sessions.
func (h *Host) Close(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	list := h.list
	h.list = nil
	h.mu.Unlock()
	for _, stop := range h.stop {
		stop()
	}
	h.end()
	for _, p := range list {
		p.leave("the server ended")
	}
	done := make(chan struct{})
	go func() { h.group.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// background runs fn unless the host is closed.
func (h *Host) background(fn func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.group.Go(fn)
	return true
}

// sync follows a change of the browsers or of the users' lists: every provider that is
// not connected is asked.
func (h *Host) sync() {
	h.configure()
	h.background(func() { h.ask(h.life, h.providers()) })
}

// resync follows the users' word: those that are connected are asked, too, since a user
// may want to know.
func (h *Host) resync() {
	for _, p := range h.providers() {
		p.doubt()
	}
	h.sync()
}

// ask tries to connect providers, all at once. When it returns, whoever watches has seen
// what came of it.
func (h *Host) ask(ctx context.Context, list []*provider) {
	var group sync.WaitGroup
	for _, p := range list {
		if p.off() {
			continue
		}
		group.Go(func() { _, _ = p.use(ctx) }) // the provider keeps what came of it
	}
	group.Wait()
	h.changed()
}

// Refresh asks the providers that are not connected once more, no longer than that.
func (h *Host) Refresh(ctx context.Context, within time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	h.ask(ctx, slices.DeleteFunc(h.providers(), func(p *provider) bool { return p.status().State == extproto.Connected }))
}

func (h *Host) providers() []*provider {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

// configure makes the list that of the command line and of the users. Providers that
// stay keep their sessions.
func (h *Host) configure() {
	wanted := slices.Clone(h.cfg.Given)
	if h.cfg.Lister != nil {
		wanted = append(wanted, h.cfg.Lister.Listed()...)
	}
	h.mu.Lock()
	have := map[string]*provider{}
	for _, p := range h.list {
		have[p.id] = p
	}
	var list []*provider
	for _, e := range wanted {
		// Ids come from people and from browsers; this is where all of them pass.
		if !extproto.IsExtensionID(e.ID) || e.ID == h.cfg.Self || h.closed {
			continue
		}
		if i := slices.IndexFunc(list, func(p *provider) bool { return p.id == e.ID }); i >= 0 {
			list[i].add(e)
			continue
		}
		p := have[e.ID]
		if p == nil {
			p = newProvider(h, e.ID)
		}
		delete(have, e.ID)
		p.set(e)
		list = append(list, p)
	}
	h.list = list
	h.mu.Unlock()
	for _, p := range have {
		p.remove()
	}
	// The tools go before the ports: a call that fails with its port is not followed by
	// one that is told they are still there.
	h.settle()
	for _, p := range have {
		p.leave(tookAway)
	}
	for _, p := range list {
		if p.off() {
			p.leave(switchedOff)
		}
	}
}

// find returns the provider with an id or a namespace.
func (h *Host) find(name string) (*provider, error) {
	var names []string
	for _, p := range h.providers() {
		s := p.status()
		if p.id == name || s.Namespace != "" && s.Namespace == name {
			return p, nil
		}
		names = append(names, s.Label())
	}
	if names == nil {
		return nil, browser.Errorf(browser.BadArgs, "no provider is configured; the user adds one on the extension's options page or with --ext-provider")
	}
	return nil, browser.Errorf(browser.BadArgs, "there is no provider %q; there are %s", clip(name, 80), strings.Join(names, ", "))
}

// changed tells the watchers and the users.
func (h *Host) changed() {
	h.mu.Lock()
	watchers := slices.Collect(maps.Keys(h.watchers))
	h.mu.Unlock()
	for _, fn := range watchers {
		(*fn)()
	}
	h.report()
}

func (h *Host) report() {
	if h.cfg.Lister != nil {
		h.cfg.Lister.Report(h.Statuses())
	}
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
