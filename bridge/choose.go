package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chrome-mcp/internal/browser"
)

var _ browser.Chooser = (*Bridge)(nil)

// maxName bounds the names that browsers are given, in characters.
const maxName = 40

// Use makes the named browser the session's. It has to be connected.
func (b *Bridge) Use(_ context.Context, session, name string) (browser.BrowserStatus, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.named(name)
	if p == nil {
		return browser.BrowserStatus{}, browser.Errorf(browser.BadArgs, "no browser %q is connected%s", name, b.others())
	}
	b.bound[session] = p
	b.chosen[session] = p.info.Instance
	return b.statusOf(p), nil
}

// Used is the browser that the session opens tabs in.
func (b *Bridge) Used(session string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.bound[session]; p != nil {
		return p.name()
	}
	return ""
}

// Rename gives a connected browser another name. Other servers hear of it when the
// browser next dials them.
func (b *Bridge) Rename(_ context.Context, name, to string) error {
	to = strings.TrimSpace(to)
	if to == "" || utf8.RuneCountInString(to) > maxName || strings.ContainsFunc(to, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return browser.Errorf(browser.BadArgs, "a browser's name has 1 to %d visible characters; choose another", maxName)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.named(name)
	if p == nil {
		return browser.Errorf(browser.BadArgs, "no browser %q is connected%s", name, b.others())
	}
	instance := p.info.Instance
	for _, q := range b.browsers {
		if q.info.Instance != instance && !q.over && strings.EqualFold(q.name(), to) {
			return browser.Errorf(browser.BadArgs, "another browser is called %q; choose a name that is free", q.name())
		}
	}
	if err := b.store.NameBrowser(instance, to); err != nil {
		return browser.Errorf(browser.BadArgs, "the name was not kept: %v; try again", err)
	}
	for _, q := range b.browsers {
		if q.info.Instance == instance {
			q.label.Store(&to)
		}
	}
	return nil
}

// named is the connected browser of a name. b.mu is held.
func (b *Bridge) named(name string) *peer {
	for _, p := range b.browsers {
		if p.conn.Load() != nil && strings.EqualFold(p.name(), strings.TrimSpace(name)) {
			return p
		}
	}
	return nil
}

// others names the connected browsers, for errors. b.mu is held.
func (b *Bridge) others() string {
	var names []string
	for _, p := range b.browsers {
		if p.conn.Load() != nil {
			names = append(names, fmt.Sprintf("%q", p.name()))
		}
	}
	if names == nil {
		return "; none is at all: see chrome_status"
	}
	return "; connected: " + strings.Join(names, ", ")
}

// givenName is the name that the user gave to a browser.
func (b *Bridge) givenName(instance string) string {
	names, err := b.store.BrowserNames()
	if err != nil {
		b.log.Warn("names of browsers", "error", err)
	}
	return names[instance]
}

// insisted returns the browser that the session has chosen among the connected ones, or
// why it cannot be used; nil when the session has not chosen. b.mu is held.
func (b *Bridge) insisted(list []*peer, session string) (*peer, error) {
	instance := b.chosen[session]
	if instance == "" {
		return nil, nil
	}
	i := slices.IndexFunc(list, func(p *peer) bool { return p.info.Instance == instance })
	if i < 0 {
		name := "the browser"
		if p := b.bound[session]; p != nil {
			name = p.name()
		}
		return nil, browser.Errorf(browser.NoBackend, "%s, which this session uses, is not connected; ask the user to start it, or choose another with profile_use%s", name, b.others())
	}
	return list[i], nil
}
