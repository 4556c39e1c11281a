package choice

import (
	"context"
	"fmt"
	"slices"

	"chrome-mcp/internal/browser"
)

// use notes where a session works. When that is another browser than before, the next
// result says so.
func (c *Choice) use(ctx context.Context, b browser.Backend) {
	session := browser.CallerFrom(ctx).Session
	now := identity(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.used[session]; before != now {
		c.used[session] = now
		if text := c.change(before, b); text != "" {
			c.notice[session] = text
		}
	}
}

// identity tells one run of a browser of ours from the next. A connection of the
// extension that comes back is still the user's Chrome.
func identity(b browser.Backend) string {
	s := b.Status()
	if b.Kind() == browser.CDP && len(s.Browsers) > 0 {
		return fmt.Sprint(b.Kind(), s.Browsers[0].Since.UnixNano())
	}
	return string(b.Kind())
}

// change says in words what became of the browser. c.mu is held.
func (c *Choice) change(before string, b browser.Backend) string {
	if b.Kind() == browser.Extension {
		if before == "" {
			return ""
		}
		return "Note: the user's own Chrome is connected now. New tabs open there; tabs whose ids begin with cdp: stay usable in the browser before."
	}
	switch {
	case before == "" && c.cfg.Extension == nil:
		return ""
	case before == "" || before == string(browser.Extension):
		text := "Note: this is " + describe(b.Status()) + ", not the user's own Chrome: the user is probably not signed in here."
		if !c.cfg.PreferFallback {
			text += " To work in the user's own Chrome: " + c.cfg.Extension.Status().Detail + "."
		}
		return text
	}
	return "Note: the browser had ended; this is a new one. Tabs and pages of the one before are gone."
}

// describe names a browser of ours.
func describe(s browser.Status) string {
	if len(s.Browsers) == 0 {
		return "a browser of chrome-mcp's own"
	}
	if b := s.Browsers[0]; b.Mode == "attached" {
		return "the browser at " + b.Name
	}
	return "a browser that chrome-mcp started"
}

// Notice returns what the session's next result has to tell of its browser, once.
func (c *Choice) Notice(session string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.notice[session]
	delete(c.notice, session)
	return text
}

// Status joins what both know. It asks nobody.
func (c *Choice) Status() browser.Status {
	if c.cfg.Extension == nil {
		return c.cfg.Fallback.Status()
	}
	if c.cfg.Fallback == nil {
		return c.cfg.Extension.Status()
	}
	e, f := c.cfg.Extension.Status(), c.cfg.Fallback.Status()
	s := e
	switch {
	case f.Ready && (!e.Ready || c.cfg.PreferFallback):
		s = f
		if !e.Ready {
			s.Detail = "to work in the user's own Chrome instead of " + describe(f) + ": " + e.Detail
		}
	case e.Ready:
	case c.cfg.PreferFallback:
		s = f
	case c.cfg.StandIn || !c.everPaired():
		s.Detail = f.Detail + ". To work in the user's own Chrome instead: " + e.Detail
	}
	s.Browsers = append(slices.Clone(e.Browsers), f.Browsers...)
	s.Events = append(slices.Clone(e.Events), f.Events...)
	slices.SortStableFunc(s.Events, func(a, b browser.StatusEvent) int { return a.Time.Compare(b.Time) })
	return s
}
