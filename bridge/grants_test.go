package bridge

import (
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/wire"
)

func (e *extension) grant(list ...policy.Grant) {
	e.write(map[string]any{"v": wire.Protocol, "type": wire.TypeEvent, "event": wire.EventGrants, "data": wire.GrantsEvent{Grants: list}})
}

func may(f *fixture, url string, a policy.Access) bool { return f.Decide(url, "", a).Allow }

func TestGrantsAddToThePolicy(t *testing.T) {
	f := start(t, func(b *Bridge) { b.config.Policy = policy.Policy{AllowDomains: []string{"allowed.test"}} })
	changes := make(chan struct{}, 8)
	f.OnGrants(func() { changes <- struct{}{} })
	e := f.connect(nil)
	if may(f, "https://a.test/", policy.Read) || f.Acting() || !may(f, "https://allowed.test/", policy.Read) {
		t.Error("before anything was granted")
	}
	full := policy.Grant{Site: "a.test", Level: policy.Full, Until: policy.Always}
	e.grant(full)
	<-changes
	if !may(f, "https://a.test/", policy.Act) || !f.Acting() || may(f, "https://a.test/", policy.Eval) {
		t.Error("a full grant is reading and acting, no more")
	}
	e.grant(full) // the same again is no news
	e.grant(policy.Grant{Site: "allowed.test", Level: policy.Deny, Until: policy.Always})
	<-changes
	if may(f, "https://a.test/", policy.Read) || f.Acting() || may(f, "https://allowed.test/", policy.Read) {
		t.Error("the grant was taken back, and a site denied")
	}
	if len(changes) != 0 {
		t.Error("told of what did not change")
	}
}

func TestGrantsOfSeveralBrowsers(t *testing.T) {
	f := start(t, nil)
	changes := make(chan struct{}, 8)
	f.OnGrants(func() { changes <- struct{}{} })
	one := f.connect(nil)
	two := f.connect(func(i *wire.ExtInfo) { i.Instance, i.Run = "two", "run2" })
	one.grant(policy.Grant{Site: "a.test", Level: policy.ReadOnly, Until: policy.Always})
	<-changes
	two.grant(policy.Grant{Site: "b.test", Level: policy.Full, Until: policy.Always})
	<-changes
	for _, url := range []string{"https://a.test/", "https://b.test/"} {
		if !may(f, url, policy.Read) {
			t.Errorf("%s may be asked of one of the browsers", url)
		}
	}
	// The same browser started anew has its own word only.
	f.connect(func(i *wire.ExtInfo) { i.Run = "later" })
	if may(f, "https://a.test/", policy.Read) {
		t.Error("the grants of a browser run that is over still count")
	}
}

func TestNoSiteGrants(t *testing.T) {
	f := start(t, func(b *Bridge) { b.config.Policy = policy.Policy{NoSiteGrants: true} })
	changes := make(chan struct{}, 1)
	f.OnGrants(func() { changes <- struct{}{} })
	f.connect(nil).grant(policy.Grant{Site: "a.test", Level: policy.Full, Until: policy.Always})
	<-changes
	if may(f, "https://a.test/", policy.Read) || f.Acting() {
		t.Error("granted all the same")
	}
}

// The first call of a server waits for what a paired browser has to say.
func TestTheFirstCallAwaitsGrants(t *testing.T) {
	f := start(t, func(b *Bridge) { b.paired = true })
	done := async(func() (struct{}, error) { f.AwaitGrants(t.Context()); return struct{}{}, nil })
	e := f.connect(nil)
	select {
	case <-done:
		t.Error("it did not wait for the grants")
	case <-time.After(50 * time.Millisecond):
	}
	e.grant()
	if _, err := wait(t, done); err != nil {
		t.Error(err)
	}
	f.AwaitGrants(t.Context())
}

func TestRefusedIsToldToTheTabsBrowser(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	go f.Refused(t.Context(), f.tab(7).ID(), "a.test", policy.Act, "")
	c := e.command()
	if c.Method != wire.Refused || c.TabID != 7 || string(c.Params) != `{"site":"a.test","access":"act"}` {
		t.Errorf("%+v", c)
	}
	e.result(c.ID, nil)
	go f.Refused(t.Context(), "", "b.test", policy.Read, "")
	if c := e.command(); c.TabID != 0 || string(c.Params) != `{"site":"b.test","access":"read"}` {
		t.Errorf("%+v", c)
	}
}

func TestTheCallIsNamed(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	ctx := browser.WithCaller(t.Context(), browser.Caller{Session: "s", Tool: "get_text", Call: "c7"})
	go func() { _, _ = f.tab(7).Frames(ctx) }()
	if c := e.command(); c.Call != "c7" || c.Tool != "get_text" {
		t.Errorf("%+v", c)
	}
}
