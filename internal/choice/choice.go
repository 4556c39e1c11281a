// Package choice picks the backend of each call: the user's Chrome through the extension
// as long as that answers, else a browser of our own. It implements browser.Backend over
// the two.
//
// It picks for what opens and lists tabs. A tab that is there belongs to the backend that
// made it, whatever was picked since. It never takes a signed-out browser in place of the
// user's by itself: once an extension has paired, the user hears what is wrong instead.
package choice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// Config says what there is to pick from. One of the backends may be nil.
type Config struct {
	Extension browser.Backend
	Fallback  browser.Backend
	// PreferFallback picks the fallback also while the extension answers.
	PreferFallback bool
	// StandIn lets the fallback stand in for an extension that has paired: the user
	// named that browser.
	StandIn bool
	// Paired says whether an extension has ever paired; nil is no.
	Paired func() bool
}

const (
	// probe is how long the extension may take to answer; a worker that is dead must
	// not cost the caller a whole deadline.
	probe = 800 * time.Millisecond
	// remember is how long an answer counts, so that a call costs no round trip more;
	// sulk is the same for none.
	remember = 5 * time.Second
	sulk     = 2 * time.Second
)

// Choice is both backends as one.
type Choice struct {
	cfg Config

	probing sync.Mutex // held while asking the extension
	until   time.Time  // how long the last answer counts
	alive   bool       // what it was

	mu     sync.Mutex
	paired bool
	used   map[string]string // by session, what was worked in last
	notice map[string]string // by session, what is to be told
}

var _ browser.Backend = (*Choice)(nil)

// New returns a choice. It asks nobody anything.
func New(c Config) *Choice {
	if c.Extension == nil && c.Fallback == nil {
		panic("choice: nothing to pick from")
	}
	return &Choice{cfg: c, used: map[string]string{}, notice: map[string]string{}}
}

// pick returns the backend for new work, and the other one if that may do it instead.
func (c *Choice) pick(ctx context.Context) (first, second browser.Backend) {
	e, f := c.cfg.Extension, c.cfg.Fallback
	switch {
	case f == nil:
		return e, nil
	case e == nil:
		return f, nil
	case c.cfg.PreferFallback:
		return f, e
	case c.responsive(ctx):
		return e, nil
	case c.cfg.StandIn || !c.everPaired():
		return f, nil
	}
	return e, nil
}

// responsive says whether the extension answers.
func (c *Choice) responsive(ctx context.Context) bool {
	if !c.cfg.Extension.Status().Ready {
		return false
	}
	c.setPaired()
	c.probing.Lock()
	defer c.probing.Unlock()
	if time.Now().Before(c.until) {
		return c.alive
	}
	ctx, cancel := context.WithTimeout(ctx, probe)
	defer cancel()
	err := c.cfg.Extension.Ping(ctx)
	if err != nil && context.Cause(ctx) == context.Canceled {
		return true // the caller has gone, which says nothing of the extension
	}
	c.alive, c.until = err == nil, time.Now().Add(remember)
	if !c.alive {
		c.until = time.Now().Add(sulk)
	}
	return c.alive
}

// everPaired says whether an extension has paired with this data folder.
func (c *Choice) everPaired() bool {
	c.mu.Lock()
	known := c.paired
	c.mu.Unlock()
	if known {
		return true
	}
	if !c.cfg.Extension.Status().Ready && (c.cfg.Paired == nil || !c.cfg.Paired()) {
		return false
	}
	c.setPaired()
	return true
}

func (c *Choice) setPaired() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paired = true
}

// try does new work in the picked backend, else in the one that may stand in.
func (c *Choice) try(ctx context.Context, work func(browser.Backend) error) error {
	first, second := c.pick(ctx)
	err := work(first)
	if second != nil && unavailable(err) && second.Status().Ready {
		if work(second) == nil {
			c.use(ctx, second)
			return nil
		}
	}
	if err != nil {
		return c.explain(first, err)
	}
	c.use(ctx, first)
	return nil
}

// unavailable says whether there is no browser at all.
func unavailable(err error) bool {
	switch browser.CodeOf(err) {
	case browser.NoBackend, browser.LaunchFailed, browser.ExtensionDisconnected:
		return true
	}
	return false
}

// explain adds to an error what the other backend could do.
func (c *Choice) explain(b browser.Backend, err error) error {
	var e *browser.Error
	if c.cfg.Extension == nil || c.cfg.Fallback == nil || !errors.As(err, &e) || !unavailable(err) {
		return err
	}
	more := *e
	switch {
	case b == c.cfg.Extension && e.Code == browser.NoBackend:
		more.Message += ". A browser of its own is not started in its place, because the user is not signed in there; chrome-mcp with --backend cdp would"
	case b == c.cfg.Fallback:
		more.Code = browser.NoBackend
		more.Message = "no browser: " + e.Message + ". To work in the user's own Chrome instead: " + c.cfg.Extension.Status().Detail
	default:
		return err
	}
	return &more
}

// Kind is the kind that was picked last, the preferred one before that.
func (c *Choice) Kind() browser.Kind { return c.Status().Kind }

// Ping asks the backend that would be picked.
func (c *Choice) Ping(ctx context.Context) error {
	return c.try(ctx, func(b browser.Backend) error { return b.Ping(ctx) })
}

// Open opens a tab.
func (c *Choice) Open(ctx context.Context, o browser.OpenOptions) (info browser.TabInfo, err error) {
	err = c.try(ctx, func(b browser.Backend) (err error) {
		info, err = b.Open(ctx, o)
		return err
	})
	return info, err
}

// Tabs lists the tabs of the picked backend and, of the other, those that the caller's
// session has there.
func (c *Choice) Tabs(ctx context.Context) (list []browser.TabInfo, err error) {
	var picked browser.Backend
	err = c.try(ctx, func(b browser.Backend) (err error) {
		picked = b
		list, err = b.Tabs(ctx)
		return err
	})
	others := c.elsewhere(ctx, picked)
	if err != nil && len(others) == 0 {
		return nil, err
	}
	return append(list, others...), nil
}

// elsewhere lists the session's tabs of the backend that was not picked.
func (c *Choice) elsewhere(ctx context.Context, picked browser.Backend) []browser.TabInfo {
	session := browser.CallerFrom(ctx).Session
	for _, b := range c.both() {
		if b == picked || session == "" || !b.Status().Ready {
			continue
		}
		list, _ := b.Tabs(ctx) // it may have gone just now, and its tabs with it
		list = slices.DeleteFunc(list, func(t browser.TabInfo) bool { return t.Owner != session })
		for i := range list {
			list[i].Active = false // the user looks at the picked one
		}
		return list
	}
	return nil
}

func (c *Choice) both() (list []browser.Backend) {
	for _, b := range []browser.Backend{c.cfg.Extension, c.cfg.Fallback} {
		if b != nil {
			list = append(list, b)
		}
	}
	return list
}

// of returns the backend that a tab belongs to.
func (c *Choice) of(id browser.TabID) (browser.Backend, error) {
	list := c.both()
	for _, b := range list {
		if strings.HasPrefix(string(id), string(b.Kind())+":") {
			return b, nil
		}
	}
	kind, _, _ := strings.Cut(string(id), ":")
	if k := browser.Kind(kind); k == browser.Extension || k == browser.CDP {
		return nil, browser.Errorf(browser.StaleTab, "tab %s is no longer valid: it belongs to another kind of browser; call tabs_list", id)
	}
	return list[0], nil
}

// Close closes a tab.
func (c *Choice) Close(ctx context.Context, id browser.TabID) error {
	b, err := c.of(id)
	if err != nil {
		return err
	}
	return b.Close(ctx, id)
}

// Activate brings a tab to the front.
func (c *Choice) Activate(ctx context.Context, id browser.TabID) error {
	b, err := c.of(id)
	if err != nil {
		return err
	}
	return b.Activate(ctx, id)
}

// Tab returns a tab of either backend.
func (c *Choice) Tab(id browser.TabID) (browser.Tab, error) {
	b, err := c.of(id)
	if err != nil {
		return nil, err
	}
	return b.Tab(id)
}

// Release tells both that the session has ended.
func (c *Choice) Release(ctx context.Context, session string) error {
	c.mu.Lock()
	delete(c.used, session)
	delete(c.notice, session)
	c.mu.Unlock()
	return c.each(func(b browser.Backend) error { return b.Release(ctx, session) })
}

// Shutdown lets go of both.
func (c *Choice) Shutdown(ctx context.Context) error {
	return c.each(func(b browser.Backend) error { return b.Shutdown(ctx) })
}

// each runs fn for both at once.
func (c *Choice) each(fn func(browser.Backend) error) error {
	list := c.both()
	errs := make([]error, len(list))
	var group sync.WaitGroup
	for i, b := range list {
		group.Go(func() { errs[i] = fn(b) })
	}
	group.Wait()
	return errors.Join(errs...)
}
