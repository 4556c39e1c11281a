package main

import (
	"context"
	"sync"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page/bundle"
)

// useFallback drives a browser of our own, which is started by the first call that
// needs it.
func (s *server) useFallback(inv *invocation) {
	headless := inv.has("headless")
	s.backend = &lateBackend{kind: browser.CDP, detail: "no browser is started yet; the first call that needs one starts it", launch: func(ctx context.Context) (browser.Backend, error) {
		return cdpfallback.Start(ctx, cdpfallback.Config{Headless: headless, Bundle: bundle.Source, World: bundle.World})
	}}
}

// useNothing answers every call with what is wrong, so that the protocol works all the
// same and the user gets to read it.
func (s *server) useNothing(why *browser.Error) {
	s.backend = &lateBackend{kind: browser.Extension, detail: why.Message, launch: func(context.Context) (browser.Backend, error) {
		return nil, why
	}}
}

// lateBackend is a backend whose browser starts when it is first needed.
type lateBackend struct {
	kind   browser.Kind
	detail string // of the status until then
	launch func(context.Context) (browser.Backend, error)

	starting sync.Mutex // held while launching
	mu       sync.Mutex
	b        browser.Backend
	closed   bool
}

func (l *lateBackend) current() browser.Backend {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b
}

// get returns the backend, launching it if need be. A launch that failed is tried again
// by the next call.
func (l *lateBackend) get(ctx context.Context) (browser.Backend, error) {
	l.starting.Lock()
	defer l.starting.Unlock()
	if b := l.current(); b != nil {
		return b, nil
	}
	if l.closed {
		return nil, browser.Errorf(browser.NoBackend, "this server is shutting down; restart it from the MCP client")
	}
	b, err := l.launch(ctx)
	if err != nil {
		if browser.CodeOf(err) == "" {
			err = browser.Errorf(browser.LaunchFailed, "%v", err)
		}
		return nil, err
	}
	l.mu.Lock()
	l.b = b
	l.mu.Unlock()
	return b, nil
}

func (l *lateBackend) Kind() browser.Kind { return l.kind }

func (l *lateBackend) Status() browser.Status {
	if b := l.current(); b != nil {
		return b.Status()
	}
	return browser.Status{Kind: l.kind, Detail: l.detail}
}

func (l *lateBackend) Ping(ctx context.Context) error {
	b, err := l.get(ctx)
	if err != nil {
		return err
	}
	return b.Ping(ctx)
}

func (l *lateBackend) Tabs(ctx context.Context) ([]browser.TabInfo, error) {
	b, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	return b.Tabs(ctx)
}

func (l *lateBackend) Open(ctx context.Context, o browser.OpenOptions) (browser.TabInfo, error) {
	b, err := l.get(ctx)
	if err != nil {
		return browser.TabInfo{}, err
	}
	return b.Open(ctx, o)
}

func (l *lateBackend) Close(ctx context.Context, id browser.TabID) error {
	b, err := l.get(ctx)
	if err != nil {
		return err
	}
	return b.Close(ctx, id)
}

func (l *lateBackend) Activate(ctx context.Context, id browser.TabID) error {
	b, err := l.get(ctx)
	if err != nil {
		return err
	}
	return b.Activate(ctx, id)
}

func (l *lateBackend) Tab(id browser.TabID) (browser.Tab, error) {
	b := l.current()
	if b == nil {
		return nil, browser.Errorf(browser.StaleTab, "tab %s belongs to an earlier browser; call tabs_list", id)
	}
	return b.Tab(id)
}

func (l *lateBackend) Release(ctx context.Context, session string) error {
	if b := l.current(); b != nil {
		return b.Release(ctx, session)
	}
	return nil
}

func (l *lateBackend) Shutdown(ctx context.Context) error {
	l.starting.Lock()
	l.closed = true
	l.starting.Unlock()
	if b := l.current(); b != nil {
		return b.Shutdown(ctx)
	}
	return nil
}
