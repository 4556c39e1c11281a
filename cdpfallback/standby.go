package cdpfallback

import (
	"context"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// Standby is a browser that is started, or attached to, by the first call that needs it,
// and again by the first call after it has ended. It implements browser.Backend.
//
// With several endpoints there are several browsers, and each session works in one: they
// are dealt in turn, from a place of chance on, so that servers which do not know of each
// other spread over a grid. A session whose browser cannot be reached moves on.
type Standby struct {
	life   context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	places []*place
	next   int
	seats  map[string]*place // by session
	closed bool
}

var _ browser.Backend = (*Standby)(nil)

// NewStandby opens nothing. Endpoints in cfg.Endpoint are separated by commas; without
// one, a browser is started. Unlike Start it needs a ProfileDir to keep a profile.
func NewStandby(cfg Config) *Standby {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Standby{life: ctx, cancel: cancel, seats: map[string]*place{}}
	for _, e := range strings.Split(cfg.Endpoint, ",") {
		cfg := cfg
		cfg.Endpoint = strings.TrimSpace(e)
		s.places = append(s.places, &place{life: ctx, cfg: cfg})
	}
	s.next = chance(len(s.places))
	return s
}

// placeOf is where a session works.
func (s *Standby) placeOf(session string) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.seats[session]
	if p == nil {
		p = s.places[s.next%len(s.places)]
		s.next++
		s.seats[session] = p
	}
	return p
}

// moveOn gives a session the place after p, unless it has moved already.
func (s *Standby) moveOn(session string, p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seats[session] != p {
		return
	}
	for i, q := range s.places {
		if q == p {
			s.seats[session] = s.places[(i+1)%len(s.places)]
			return
		}
	}
}

// get returns the browser of the caller's session, opened if need be.
func (s *Standby) get(ctx context.Context) (*Backend, error) {
	session := browser.CallerFrom(ctx).Session
	var first error
	for range s.places {
		p := s.placeOf(session)
		b, err := p.get(ctx)
		if err == nil || ctx.Err() != nil {
			return b, err
		}
		if first == nil {
			first = err
		}
		s.moveOn(session, p)
	}
	if len(s.places) > 1 {
		return nil, browser.Errorf(browser.NoBackend, "none of the %d endpoints has a browser; the first: %v", len(s.places), first)
	}
	return nil, first
}

// runs are the browsers that are there.
func (s *Standby) runs() (list []*Backend) {
	for _, p := range s.places {
		if b := p.current(); b != nil && !b.ended() {
			list = append(list, b)
		}
	}
	return list
}

// byTab is the browser that a tab belongs to.
func (s *Standby) byTab(id browser.TabID) (*Backend, error) {
	for _, b := range s.runs() {
		if b.tabNumber(id) != 0 {
			return b, nil
		}
	}
	return nil, browser.Errorf(browser.StaleTab, "tab %s is of a browser that has ended; call tabs_list for the current ones", id)
}

// Kind is browser.CDP.
func (s *Standby) Kind() browser.Kind { return browser.CDP }

// Status reports the browsers that are there.
func (s *Standby) Status() browser.Status {
	st := browser.Status{Kind: browser.CDP}
	for _, p := range s.places {
		p.mu.Lock()
		st.Events = append(st.Events, p.events...)
		p.mu.Unlock()
	}
	for _, b := range s.runs() {
		st.Browsers = append(st.Browsers, b.Status().Browsers...)
	}
	if st.Ready = len(st.Browsers) > 0; !st.Ready {
		st.Detail = "no browser is started yet; the first call that needs one starts it"
		if s.places[0].cfg.Endpoint != "" {
			st.Detail = "not attached yet; the first call that needs the browser attaches to it"
		}
	}
	return st
}

// Ping asks the caller's browser for a sign of life.
func (s *Standby) Ping(ctx context.Context) error {
	b, err := s.get(ctx)
	if err != nil {
		return err
	}
	return b.Ping(ctx)
}

// Tabs lists the tabs of the caller's browser.
func (s *Standby) Tabs(ctx context.Context) ([]browser.TabInfo, error) {
	b, err := s.get(ctx)
	if err != nil {
		return nil, err
	}
	return b.Tabs(ctx)
}

// Open opens a tab in the caller's browser.
func (s *Standby) Open(ctx context.Context, o browser.OpenOptions) (browser.TabInfo, error) {
	b, err := s.get(ctx)
	if err != nil {
		return browser.TabInfo{}, err
	}
	return b.Open(ctx, o)
}

// Close closes a tab.
func (s *Standby) Close(ctx context.Context, id browser.TabID) error {
	b, err := s.byTab(id)
	if err != nil {
		return err
	}
	return b.Close(ctx, id)
}

// Activate brings a tab to the front.
func (s *Standby) Activate(ctx context.Context, id browser.TabID) error {
	b, err := s.byTab(id)
	if err != nil {
		return err
	}
	return b.Activate(ctx, id)
}

// Tab returns the tab with the handle.
func (s *Standby) Tab(id browser.TabID) (browser.Tab, error) {
	b, err := s.byTab(id)
	if err != nil {
		return nil, err
	}
	return b.Tab(id)
}

// Release gives the session's tabs back.
func (s *Standby) Release(ctx context.Context, session string) error {
	for _, b := range s.runs() {
		if err := b.Release(ctx, session); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown lets go of all browsers; see Backend.Shutdown.
func (s *Standby) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	var group sync.WaitGroup
	for _, p := range s.places {
		group.Go(func() { p.close(ctx) })
	}
	group.Wait()
	return nil
}

// place is one browser and what was before it.
type place struct {
	life context.Context
	cfg  Config

	mu      sync.Mutex
	run     *Backend
	opening *opening // under way
	closed  bool
	starts  []time.Time // of browsers that ended by themselves, the last few
	words   string      // what the last of them said at the end
	events  []browser.StatusEvent
}

// opening is a start or an attachment that callers wait for.
type opening struct {
	done chan struct{}
	b    *Backend
	err  error
}

// A browser that ends this often this soon after its start is not started again for a
// while: each start costs the machine a second.
const (
	maxEnds    = 3
	endsWithin = time.Minute
)

// openTime bounds a start or an attachment. A caller with less time can call again.
const openTime = 45 * time.Second

func (p *place) current() *Backend {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

// get returns the browser. All callers wait for one opening.
func (p *place) get(ctx context.Context) (*Backend, error) {
	p.mu.Lock()
	if p.run != nil && !p.run.ended() {
		defer p.mu.Unlock()
		return p.run, nil
	}
	if err := p.mayOpen(); err != nil {
		p.mu.Unlock()
		return nil, err
	}
	o := p.opening
	if o == nil {
		o = &opening{done: make(chan struct{})}
		p.opening = o
		go p.open(o, p.run)
	}
	p.mu.Unlock()
	select {
	case <-o.done:
		return o.b, o.err
	case <-ctx.Done():
		return nil, browser.Errorf(browser.Timeout, "the browser is still starting; call again")
	}
}

// mayOpen is called with p.mu held.
func (p *place) mayOpen() error {
	if p.closed {
		return browser.Errorf(browser.NoBackend, "this server is shutting down; restart it from the MCP client")
	}
	n := len(p.starts)
	if p.opening != nil || n < maxEnds {
		return nil
	}
	again := p.starts[n-maxEnds].Add(endsWithin)
	if time.Now().After(again) {
		return nil
	}
	return browser.Errorf(browser.LaunchFailed, "the browser ended %d times within a minute%s; it is tried again after %s", maxEnds, p.words, again.Format(time.TimeOnly))
}

// open opens the browser after old, which has ended.
func (p *place) open(o *opening, old *Backend) {
	ctx, cancel := context.WithTimeout(p.life, openTime)
	defer cancel()
	if old != nil {
		p.bury(ctx, old)
	}
	if p.cfg.Endpoint != "" {
		o.b, o.err = Attach(ctx, p.cfg)
	} else {
		cfg := p.cfg
		cfg.ExtraArgs = append([]string{"about:blank"}, cfg.ExtraArgs...)
		o.b, o.err = Start(ctx, cfg)
	}
	p.mu.Lock()
	p.opening = nil
	if o.err == nil {
		p.run = o.b
	}
	closed := p.closed
	p.mu.Unlock()
	if closed && o.b != nil {
		_ = o.b.Shutdown(context.Background())
		o.b, o.err = nil, browser.Errorf(browser.NoBackend, "this server is shutting down; restart it from the MCP client")
	}
	close(o.done)
}

// bury notes that a browser has ended, and waits until its profile is free.
func (p *place) bury(ctx context.Context, old *Backend) {
	_ = old.Shutdown(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != old {
		return
	}
	p.run, p.words = nil, old.lastWords()
	if p.starts = append(p.starts, old.since); len(p.starts) > maxEnds {
		p.starts = p.starts[1:]
	}
	p.events = append(p.events, browser.StatusEvent{Time: time.Now(), What: "the browser that was " + old.mode() + " has ended"})
	if over := len(p.events) - 16; over > 0 {
		p.events = p.events[over:]
	}
}

// close lets go of the browser, also of one that is just opening.
func (p *place) close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	o, b := p.opening, p.run
	p.mu.Unlock()
	if o != nil {
		select {
		case <-o.done:
		case <-ctx.Done():
		}
	}
	if b != nil {
		_ = b.Shutdown(ctx)
	}
}
