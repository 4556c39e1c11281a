package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
)

// provider is one extension that serves tools.
type provider struct {
	host *Host
	id   string

	mu      sync.Mutex
	entry   extproto.Entry
	removed bool  // by the user, for good
	link    *link // nil: no port is open
	dialing *dial // nil: nobody opens one
	asked   bool
	found   extproto.Verdict // of the last probe
	problem string           // why there is no connection, for the user; "" if none is known
	theirs  bool             // problem is in the provider's own words
	said    []*mcp.Tool      // as it listed them last
	stays   time.Time        // until when a wait for the user's approval is followed

	// What became of its list; see settle.
	namespace string
	tools     []*Tool
	refused   []string
	held      int // tools that wait for the user to allow writes
}

// dial is an attempt to connect. Everybody who needs the provider waits for the same.
type dial struct {
	done chan struct{}
	link *link
	err  error
}

// Why a provider is not used that the user named.
const (
	switchedOff = "the user switched it off in chrome-mcp"
	tookAway    = "the user removed it from chrome-mcp"
)

func newProvider(h *Host, id string) *provider { return &provider{host: h, id: id} }

func (p *provider) set(e extproto.Entry) {
	p.mu.Lock()
	p.entry = e
	p.mu.Unlock()
}

// add merges what another list says of the same provider: switched off in one is off, and
// what one of them allows is allowed.
func (p *provider) add(e extproto.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entry.Off = p.entry.Off || e.Off
	p.entry.Writes = p.entry.Writes || e.Writes
	if p.entry.Namespace == "" {
		p.entry.Namespace = e.Namespace
	}
	if p.entry.Browser == "" {
		p.entry.Browser = e.Browser
	}
}

func (p *provider) off() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entry.Off
}

// unwanted is why the provider must not be used, "" if it may. p.mu is held.
func (p *provider) unwanted() string {
	switch {
	case p.removed:
		return tookAway
	case p.entry.Off:
		return switchedOff
	}
	return ""
}

// remove has no use begin any more: the provider is no longer named.
func (p *provider) remove() {
	p.mu.Lock()
	p.removed = true
	p.mu.Unlock()
}

// leave closes the port.
func (p *provider) leave(why string) {
	p.mu.Lock()
	l := p.link
	p.link = nil
	p.mu.Unlock()
	if l != nil {
		l.close(why)
	}
}

// use returns the open session, or opens one. After a failure the provider is probed
// before the session is used again.
func (p *provider) use(ctx context.Context) (*link, error) {
	p.mu.Lock()
	if why := p.unwanted(); why != "" {
		p.mu.Unlock()
		return nil, p.down(&stateError{words: why})
	}
	if l := p.link; l != nil && l.usable() {
		p.mu.Unlock()
		return l, nil
	}
	d, first := p.dialing, p.dialing == nil
	if first {
		d = &dial{done: make(chan struct{})}
		p.dialing = d
	}
	p.mu.Unlock()
	if first && !p.host.background(func() { p.connect(d) }) {
		d.err = browser.Errorf(browser.ExtensionDisconnected, "this server is shutting down")
		close(d.done)
	}
	select {
	case <-d.done:
		return d.link, d.err
	case <-ctx.Done():
		return nil, browser.Errorf(browser.Timeout, "provider %s did not answer in time; nothing was called", p.status().Label())
	}
}

// connect opens a session for whoever waits, and notes what came of it.
func (p *provider) connect(d *dial) {
	ctx, cancel := context.WithTimeout(p.host.life, openWithin)
	defer cancel()
	l, err := p.open(ctx)
	p.mu.Lock()
	if why := p.unwanted(); err == nil && why != "" {
		go l.close(why) // it waits for what runs in the session
		l, err = nil, &stateError{words: why}
	}
	p.asked, p.dialing, p.problem, p.theirs = true, nil, "", false
	var state *stateError
	switch {
	case err == nil:
		p.link = l
	case errors.As(err, &state):
		p.problem, p.theirs, err = state.words, state.theirs, p.downLocked(state)
	default:
		p.problem = reason(err)
	}
	d.link, d.err = l, err
	p.mu.Unlock()
	p.host.settle()
	close(d.done)
	p.follow()
}

// stateError says why a provider cannot be used, in words for the user: those of the
// table, where it is a row of the table.
type stateError struct {
	words  string
	theirs bool // the provider's own
}

func (e *stateError) Error() string { return e.words }

// reason is an error without its code.
func reason(err error) string {
	var e *browser.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// down is the error of a call of a provider that cannot be used.
func (p *provider) down(why *stateError) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.downLocked(why)
}

func (p *provider) downLocked(why *stateError) error {
	words := why.words
	if why.theirs {
		words = fmt.Sprintf("in its own words: %q", words)
	}
	return browser.Errorf(browser.ProviderDown, "%s cannot be used: %s; tell the user, who can mend that, and call again then", p.label(), words)
}

// follow asks again for a while, if the user is being asked to approve us there: they
// should not have to come back here and say that they did.
func (p *provider) follow() {
	p.mu.Lock()
	waiting := p.link == nil && p.found.Row == extproto.Pending
	if waiting && p.stays.IsZero() {
		p.stays = time.Now().Add(followFor)
	}
	on := waiting && time.Now().Before(p.stays)
	if !waiting {
		p.stays = time.Time{}
	}
	p.mu.Unlock()
	if !on {
		return
	}
	p.host.background(func() {
		select {
		case <-time.After(followEvery):
			if !p.off() {
				_, _ = p.use(p.host.life)
			}
		case <-p.host.life.Done():
		}
	})
}
