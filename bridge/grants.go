package bridge

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/wire"
)

// grants is what the users of the connected browsers granted. The browsers keep it and
// judge by their own; what is known here decides what is asked of them at all.
type grants struct {
	mu      sync.Mutex
	changed map[*func()]bool
	news    chan struct{} // closed and renewed when a browser has told
	asked   bool          // the first call has waited for it
}

// toldWithin is how long a browser that is connected may take to tell its grants: they
// are the first that it sends.
const toldWithin = 500 * time.Millisecond

// Decide is the gate's decision with what the users granted: what one browser permits
// may be asked of it. Each of them judges again, by its own grants only.
func (b *Bridge) Decide(url, origin string, a policy.Access) policy.Decision {
	return b.decide(
		func() policy.Decision { return policy.Evaluate(url, origin, a, b.config.Policy) },
		func(list []policy.Grant) policy.Decision {
			return policy.EvaluateGranted(url, origin, a, b.config.Policy, list)
		})
}

// DecideTool is the same for a tool that a page registered with the browser.
func (b *Bridge) DecideTool(url, origin, tool string) policy.Decision {
	return b.decide(
		func() policy.Decision { return policy.EvaluateTool(url, origin, tool, b.config.Policy, nil) },
		func(list []policy.Grant) policy.Decision {
			return policy.EvaluateTool(url, origin, tool, b.config.Policy, list)
		})
}

// decide is the first permission by the grants of a browser, else the first refusal.
// alone decides where there is no popup to open.
func (b *Bridge) decide(alone func() policy.Decision, granted func([]policy.Grant) policy.Decision) policy.Decision {
	var refusal *policy.Decision
	for _, list := range b.Granted() {
		d := granted(append([]policy.Grant{}, list...))
		if d.Allow {
			return d
		}
		if refusal == nil {
			refusal = &d
		}
	}
	if refusal == nil {
		return alone()
	}
	return *refusal
}

// Granted lists the grants of each browser that has told its.
func (b *Bridge) Granted() [][]policy.Grant {
	b.mu.Lock()
	peers := slices.DeleteFunc(slices.Clone(b.browsers), func(p *peer) bool { return p.over })
	b.mu.Unlock()
	b.grants.mu.Lock()
	defer b.grants.mu.Unlock()
	var lists [][]policy.Grant
	for _, p := range peers {
		if p.told {
			lists = append(lists, p.granted)
		}
	}
	return lists
}

// Acting says whether a user granted acting anywhere.
func (b *Bridge) Acting() bool {
	if b.config.Policy.NoSiteGrants {
		return false
	}
	return slices.ContainsFunc(b.Granted(), func(list []policy.Grant) bool {
		return slices.ContainsFunc(list, func(g policy.Grant) bool { return g.Level == policy.Full && g.PageTool == "" })
	})
}

// OnGrants calls fn after each change of the grants, until cancel. fn must not block.
func (b *Bridge) OnGrants(fn func()) (cancel func()) {
	b.grants.mu.Lock()
	defer b.grants.mu.Unlock()
	if b.grants.changed == nil {
		b.grants.changed = map[*func()]bool{}
	}
	b.grants.changed[&fn] = true
	return func() {
		b.grants.mu.Lock()
		defer b.grants.mu.Unlock()
		delete(b.grants.changed, &fn)
	}
}

// AwaitGrants has the first call wait until a browser that paired before has dialled
// and told its grants, so that the call is not refused what the user allowed for good.
func (b *Bridge) AwaitGrants(ctx context.Context) {
	b.grants.mu.Lock()
	asked := b.grants.asked
	b.grants.mu.Unlock()
	if asked {
		return
	}
	if _, err := b.live(ctx); err == nil {
		b.awaitNews(ctx)
	}
	b.grants.mu.Lock()
	b.grants.asked = true
	b.grants.mu.Unlock()
}

func (b *Bridge) awaitNews(ctx context.Context) {
	late := time.NewTimer(toldWithin)
	defer late.Stop()
	for len(b.Granted()) == 0 {
		select {
		case <-b.grants.next():
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (g *grants) next() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.news == nil {
		g.news = make(chan struct{})
	}
	return g.news
}

// takeGrants notes what a browser told.
func (b *Bridge) takeGrants(p *peer, data json.RawMessage) {
	var e wire.GrantsEvent
	if err := wire.Unmarshal(data, &e); err != nil {
		b.complain("grants that cannot be read")
		return
	}
	b.grants.mu.Lock()
	same := p.told && slices.Equal(p.granted, e.Grants)
	p.granted, p.told = e.Grants, true
	if b.grants.news != nil {
		close(b.grants.news)
		b.grants.news = nil
	}
	changed := slices.Collect(maps.Keys(b.grants.changed))
	b.grants.mu.Unlock()
	if same {
		return
	}
	for _, fn := range changed {
		(*fn)()
	}
}

// Refused tells the browsers that a tool call was refused for want of a grant, so that
// their users can be asked. site may be "" where the tab says it; pageTool is "" where it
// was for a site. Nobody waits long.
func (b *Bridge) Refused(ctx context.Context, tab browser.TabID, site string, a policy.Access, pageTool string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.times.probe)
	defer cancel()
	params := wire.RefusedParams{Site: site, Access: a, PageTool: pageTool}
	if p, n, err := b.find(tab); err == nil {
		if p.conn.Load() != nil {
			_ = b.call(ctx, p, wire.Refused, n, params, nil)
		}
		return
	}
	var list []*peer
	for _, c := range b.conns() {
		list = append(list, c.peer)
	}
	each(list, func(p *peer) error { return b.call(ctx, p, wire.Refused, 0, params, nil) })
}
