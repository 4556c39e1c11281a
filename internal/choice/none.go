package choice

import (
	"context"

	"chrome-mcp/internal/browser"
)

// None is a backend without browsers: each call answers with what is wrong, so that the
// protocol works all the same and the user gets to read it.
type None struct {
	Which browser.Kind
	Why   *browser.Error
}

var _ browser.Backend = None{}

// Kind is the kind that it stands for.
func (n None) Kind() browser.Kind { return n.Which }

// Status says what is wrong.
func (n None) Status() browser.Status {
	return browser.Status{Kind: n.Which, Detail: n.Why.Message}
}

// Ping fails, as all the others.
func (n None) Ping(context.Context) error { return n.Why }

// Tabs fails.
func (n None) Tabs(context.Context) ([]browser.TabInfo, error) { return nil, n.Why }

// Open fails.
func (n None) Open(context.Context, browser.OpenOptions) (browser.TabInfo, error) {
	return browser.TabInfo{}, n.Why
}

// Close fails.
func (n None) Close(context.Context, browser.TabID) error { return n.Why }

// Activate fails.
func (n None) Activate(context.Context, browser.TabID) error { return n.Why }

// Tab fails.
func (n None) Tab(browser.TabID) (browser.Tab, error) { return nil, n.Why }

// Release has nothing to give back.
func (n None) Release(context.Context, string) error { return nil }

// Shutdown has nothing to let go of.
func (n None) Shutdown(context.Context) error { return nil }
