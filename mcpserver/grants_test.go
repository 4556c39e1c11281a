package mcpserver

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// fakeGrants are one browser's.
type fakeGrants struct {
	policy policy.Policy

	mu      sync.Mutex
	list    []policy.Grant
	fns     []func()
	refused []string
}

func (g *fakeGrants) Decide(url, origin string, a policy.Access) policy.Decision {
	return policy.EvaluateGranted(url, origin, a, g.policy, g.Granted()[0])
}

func (g *fakeGrants) Granted() [][]policy.Grant {
	g.mu.Lock()
	defer g.mu.Unlock()
	return [][]policy.Grant{g.list}
}

func (g *fakeGrants) Acting() bool {
	return slices.ContainsFunc(g.Granted()[0], func(x policy.Grant) bool { return x.Level == policy.Full })
}

func (g *fakeGrants) OnGrants(fn func()) func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fns = append(g.fns, fn)
	return func() {}
}

func (g *fakeGrants) AwaitGrants(context.Context) {}

func (g *fakeGrants) DecideTool(url, origin, tool string) policy.Decision {
	return policy.EvaluateTool(url, origin, tool, policy.Policy{}, g.Granted()[0])
}

func (g *fakeGrants) Refused(_ context.Context, tab browser.TabID, site string, a policy.Access, pageTool string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused = append(g.refused, strings.TrimSuffix(strings.Join([]string{string(tab), site, string(a), pageTool}, " "), " "))
}

func (g *fakeGrants) set(list ...policy.Grant) {
	g.mu.Lock()
	g.list = list
	fns := slices.Clone(g.fns)
	g.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
}

func (g *fakeGrants) asked() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strings.Join(g.refused, ", ")
}

func (c *client) toolNames() (names []string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	result, _ := c.answer()["result"].(map[string]any)
	for _, t := range result["tools"].([]any) {
		names = append(names, t.(map[string]any)["name"].(string))
	}
	return names
}

// TestGrantsChangeWhatIsOffered: an act tool comes with the first full grant, goes with
// the last, and the client is told each time.
func TestGrantsChangeWhatIsOffered(t *testing.T) {
	g := &fakeGrants{}
	cfg := testConfig()
	cfg.Policy, cfg.Grants = policy.Policy{}, g
	c := serve(t, newTestServer(t, cfg))
	c.initialize("2025-11-25")
	has := func(name string, want bool) {
		t.Helper()
		if names := c.toolNames(); slices.Contains(names, name) != want {
			t.Errorf("%s offered: %v, want %v", name, !want, want)
		}
	}
	told := func() {
		t.Helper()
		if m := c.next(); m["method"] != "notifications/tools/list_changed" {
			t.Fatalf("got %v", m)
		}
	}
	has("click", false)
	g.set(policy.Grant{Site: "a.test", Level: policy.ReadOnly, Until: policy.Always})
	has("click", false)
	g.set(policy.Grant{Site: "a.test", Level: policy.Full, Until: policy.Once})
	told()
	has("click", true)
	has("eval", false)
	c.call(3, "chrome_status", "{}")
	// On a busy machine the SDK may tell of one change twice, before this answer.
	if status, _ := text(c.answer()); !strings.Contains(status, "by the user's word in Chrome: a.test (read and act, once)") {
		t.Errorf("the status says %s", status)
	}
	g.set()
	told()
	has("click", false)
}

// TestRefusalsAskTheUser: a refusal that a grant could lift reaches the browser.
func TestRefusalsAskTheUser(t *testing.T) {
	g := &fakeGrants{}
	cfg := testConfig()
	cfg.Policy, cfg.Grants = policy.Policy{}, g
	denied := onSession("go", policy.Read, "Go.", func(_ context.Context, s *page.Session, a page.NavigateArgs) (*page.Result, error) {
		return nil, s.Judge(a.URL, "", policy.Read)
	})
	c := serve(t, newTestServer(t, cfg, denied, onTab("click", policy.Act, "Click.", page.Click)))
	c.initialize("2025-11-25")
	for _, want := range []struct{ tool, args, words, asked string }{
		{"go", `{"url":"https://a.test/x"}`, "allow it there", " a.test read"},
		{"go", `{"url":"data:text/html,x"}`, "never read", " a.test read"},
		{"click", `{"selector":"#a"}`, `allow "Read and act"`, " a.test read"}, // no tab, no site: nothing to ask for
	} {
		c.call(1, want.tool, want.args)
		text, _ := text(c.next())
		if !strings.Contains(text, want.words) || !strings.Contains(text, "POLICY_DENIED") {
			t.Errorf("%s says %s", want.tool, text)
		}
		if got := g.asked(); got != want.asked {
			t.Errorf("%s: the user is asked %q, want %q", want.tool, got, want.asked)
		}
	}
}
