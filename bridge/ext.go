package bridge

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/oklog/ulid/v2"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/wire"
)

var (
	_ extproto.Ports   = (*Bridge)(nil)
	_ extproto.Callers = (*Bridge)(nil)
)

// ports are the runtime ports to other extensions that browsers relay, and who wants to
// hear of them.
type ports struct {
	mu       sync.Mutex
	open     map[portKey]*port
	incoming map[*func(extproto.Port)]bool
	served   map[*func()]bool
	seen     map[*func()]bool
	refused  map[*func(extproto.Refusal)]bool
	listed   map[*func()]bool

	report    *wire.ExtReportParams // that was not sent yet
	reporting bool
}

// portKey: an id is random, and means something on its own socket only.
type portKey struct {
	conn *conn
	id   string
}

// Browsers lists the connected browsers by name.
func (b *Bridge) Browsers() []string {
	var names []string
	for _, c := range b.conns() {
		names = append(names, c.peer.name())
	}
	return names
}

// OnBrowsers calls fn after each change of the list, until cancel.
func (b *Bridge) OnBrowsers(fn func()) (cancel func()) { return watch(&b.ports.mu, &b.ports.seen, fn) }

// OnServing calls fn after each change of what users let other extensions do.
func (b *Bridge) OnServing(fn func()) (cancel func()) { return watch(&b.ports.mu, &b.ports.served, fn) }

// OnPort calls fn for each port that another extension opens, until cancel.
func (b *Bridge) OnPort(fn func(extproto.Port)) (cancel func()) {
	return watch(&b.ports.mu, &b.ports.incoming, fn)
}

// OnRefused calls fn for callers that were turned away, until cancel.
func (b *Bridge) OnRefused(fn func(extproto.Refusal)) (cancel func()) {
	return watch(&b.ports.mu, &b.ports.refused, fn)
}

// watch adds fn to a set of functions.
func watch[F any](mu *sync.Mutex, set *map[*F]bool, fn F) (cancel func()) {
	mu.Lock()
	defer mu.Unlock()
	if *set == nil {
		*set = map[*F]bool{}
	}
	(*set)[&fn] = true
	return func() {
		mu.Lock()
		defer mu.Unlock()
		delete(*set, &fn)
	}
}

// watchers lists a set's functions, to be called without the lock.
func watchers[F any](mu *sync.Mutex, set *map[*F]bool) []*F {
	mu.Lock()
	defer mu.Unlock()
	return slices.Collect(maps.Keys(*set))
}

func (b *Bridge) browsersChanged() {
	for _, fn := range watchers(&b.ports.mu, &b.ports.seen) {
		(*fn)()
	}
}

// ProbeExtension asks another extension whether it can be used.
func (b *Bridge) ProbeExtension(ctx context.Context, name, extension string) (extproto.Probed, error) {
	p, err := b.beside(ctx, name, extension)
	if err != nil {
		return extproto.Probed{}, err
	}
	var r wire.ExtProbeResult
	if err := b.call(ctx, p, wire.ExtProbe, 0, wire.ExtProbeParams{Extension: extension}, &r); err != nil {
		return extproto.Probed{}, err
	}
	return extproto.Probed{Answer: r.Answer, Problem: r.Problem, Late: r.Late}, nil
}

// OpenPort opens a port to another extension.
func (b *Bridge) OpenPort(ctx context.Context, name, extension, port string) (extproto.Port, error) {
	p, err := b.beside(ctx, name, extension)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withDeadline(ctx, wire.ExtPortOpen)
	defer cancel()
	c, err := b.await(ctx, p)
	if err != nil {
		return nil, err
	}
	opened := newPort(c, ulid.Make().String(), extproto.Peer{Browser: p.name(), Extension: extension, Name: port})
	if err := b.hold(opened); err != nil {
		return nil, err
	}
	err = opened.command(ctx, wire.ExtPortOpen, wire.ExtPort{Port: opened.id, Extension: extension, Name: port})
	if err != nil {
		opened.shut("it could not be opened")
		return nil, err
	}
	return opened, nil
}

// beside finds the browser that an extension is looked for in.
func (b *Bridge) beside(ctx context.Context, name, extension string) (*peer, error) {
	if !extproto.IsExtensionID(extension) {
		return nil, browser.Errorf(browser.BadArgs, "%q is no extension id; it has 32 letters from a to p, see chrome://extensions", printable(extension))
	}
	list, err := b.live(ctx)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return list[0], nil
	}
	i := slices.IndexFunc(list, func(p *peer) bool { return p.name() == name })
	if i < 0 {
		return nil, browser.Errorf(browser.BadArgs, "no browser %q is connected; connected are %q", name, b.Browsers())
	}
	return list[i], nil
}

// Serving is what the user of a port's browser lets its caller do now.
func (b *Bridge) Serving(p extproto.Port) extproto.Serving {
	of, ok := p.(*port)
	if !ok {
		return extproto.Serving{}
	}
	b.ports.mu.Lock()
	defer b.ports.mu.Unlock()
	s := of.conn.peer.serving
	return extproto.Serving{
		Enabled: s.Enabled, Writes: s.Writes, Review: s.Review,
		Authorized: slices.Contains(s.Callers, of.peer.Extension),
	}
}

// Review asks the user of a port's browser about a write.
func (b *Bridge) Review(ctx context.Context, p extproto.Port, r extproto.Review) error {
	of, ok := p.(*port)
	if !ok {
		return browser.Errorf(browser.NotApproved, "%s waits for the user, who cannot be asked; call again", r.Tool)
	}
	ctx, cancel := withDeadline(ctx, wire.ExtReview)
	defer cancel()
	var said wire.ExtReviewResult
	err := b.call(ctx, of.conn.peer, wire.ExtReview, 0, wire.ExtReviewParams{Port: of.id, Tool: r.Tool, Target: r.Target, Detail: r.Detail}, &said)
	switch {
	case browser.CodeOf(err) == browser.Timeout, errors.Is(err, context.DeadlineExceeded):
		return browser.Errorf(browser.NotApproved, "%s was not done: the user did not answer within %v; ask them to look at the chrome-mcp extension, then call again", r.Tool, extproto.ReviewWithin)
	case err != nil:
		return err
	case !said.Allowed:
		return browser.Errorf(browser.NotApproved, "%s was not done: %s", r.Tool, cmp.Or(said.Reason, "the user denied it; do not try again unless they ask for it"))
	}
	return nil
}
