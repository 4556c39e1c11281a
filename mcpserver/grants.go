package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// Grants is what the user permits in the browser, on top of Config.Policy. It changes
// while the server runs, and the server can only ask for it.
type Grants interface {
	// Decide is the gate's decision with the grants.
	Decide(url, origin string, a policy.Access) policy.Decision
	// DecideTool is the decision about a tool that a page registered with the browser.
	DecideTool(url, origin, tool string) policy.Decision
	// Granted lists the grants, by browser.
	Granted() [][]policy.Grant
	// Acting says whether acting is granted anywhere.
	Acting() bool
	// OnGrants calls fn after each change, until cancel.
	OnGrants(fn func()) (cancel func())
	// AwaitGrants gives browsers that are about to connect the time to tell theirs.
	AwaitGrants(ctx context.Context)
	// Refused tells the user that a call was refused for want of a grant. site may be
	// "" where tab says it, and tab "" where site does; pageTool is "" unless that tool of
	// the page was refused.
	Refused(ctx context.Context, tab browser.TabID, site string, a policy.Access, pageTool string)
}

// enabled says whether an access class is switched on, by a flag or by the user in the
// browser.
func (s *toolset) enabled(a policy.Access) bool {
	return s.policy.Enabled(a) || a == policy.Act && s.grants != nil && s.grants.Acting()
}

// grantable says whether the user could switch it on in the browser.
func (s *toolset) grantable(a policy.Access) bool {
	return a == policy.Act && s.grants != nil && !s.policy.NoSiteGrants
}

// offer makes the tools that the client sees those that are enabled now. The SDK tells
// the client when that changes something.
func (s *session) offer() {
	s.offering.Lock()
	defer s.offering.Unlock()
	now := map[string]*tool{}
	told := s.pageTools
	s.pageTools = s.countPageTools()
	for _, t := range s.listed() {
		now[t.name] = t
		anew := t.remote != nil && s.offered[t.name] != nil && !t.remote.Same(s.offered[t.name].remote) || t.counted && told != s.pageTools
		if s.offered[t.name] == nil || anew {
			d := s.srv.describe(t)
			if t.counted && s.pageTools > 0 {
				d.Description += fmt.Sprintf(" The pages of this session offer %d.", s.pageTools)
			}
			s.mcp.AddTool(d, s.callTool)
		}
	}
	var gone []string
	for name := range s.offered {
		if now[name] == nil {
			gone = append(gone, name)
		}
	}
	if gone != nil {
		s.mcp.RemoveTools(gone...)
	}
	s.offered = now
}

// countPageTools is how many tools the pages of the session offer. It does not begin the
// session's work in the browser.
func (s *session) countPageTools() int {
	s.mu.Lock()
	p := s.page
	s.mu.Unlock()
	if p == nil {
		return 0
	}
	return p.PageTools()
}

// listed are the tools that the client sees.
func (s *session) listed() []*tool {
	list := s.srv.tools.listed()
	if s.caller != nil {
		return s.caller.offered(list)
	}
	return append(list, s.srv.remoteTools()...)
}

// toolsCapability says whether the list of tools may change.
func (s *session) toolsCapability() *mcp.ToolCapabilities {
	may := s.srv.tools.grantable(policy.Act) && !s.srv.cfg.Policy.Mutations
	may = may || slices.ContainsFunc(s.srv.tools.listed(), func(t *tool) bool { return t.counted })
	return &mcp.ToolCapabilities{ListChanged: may || s.caller != nil || s.srv.providers != nil}
}

// missed tells the user what a call was refused for want of a grant, if it was.
func (s *session) missed(ctx context.Context, c *call, err error) {
	var e *browser.Error
	if s.srv.cfg.Grants == nil || !errors.As(err, &e) || e.Code != browser.PolicyDenied || e.Data == nil {
		return
	}
	var want struct {
		Site     string        `json:"site"`
		Access   policy.Access `json:"access"`
		PageTool string        `json:"pageTool"`
	}
	if json.Unmarshal(e.Data, &want) != nil || want.Access == "" {
		return
	}
	tab := c.tab
	if tab == "" {
		tab = s.pages().Current()
	}
	if want.Site == "" && tab == "" {
		return
	}
	ctx = browser.WithCaller(ctx, browser.Caller{Session: s.id, Tool: c.row.name})
	s.srv.cfg.Grants.Refused(ctx, tab, want.Site, want.Access, want.PageTool)
}

// askForAct is the refusal of a tool that acts, where the user could permit it in the
// browser.
func askForAct(t *tool) error {
	e := browser.Errorf(browser.PolicyDenied,
		`%s is switched off; only the user can permit it: ask them to open the chrome-mcp popup in Chrome and allow "Read and act" for the site there, or to start chrome-mcp with %s`, t.name, policy.Flag(t.access))
	e.Data, _ = json.Marshal(map[string]policy.Access{"access": t.access})
	return e
}

// decide is the gate's decision.
func (s *Server) decide(url, origin string, a policy.Access) policy.Decision {
	if s.cfg.Grants != nil {
		return s.cfg.Grants.Decide(url, origin, a)
	}
	return policy.Evaluate(url, origin, a, s.cfg.Policy)
}

// granted lists what the users granted, each once.
func (s *Server) granted() []policy.Grant {
	if s.cfg.Grants == nil || s.cfg.Policy.NoSiteGrants {
		return nil
	}
	var list []policy.Grant
	for _, g := range slices.Concat(s.cfg.Grants.Granted()...) {
		if !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

// grantWords says grants for people.
func grantWords(list []policy.Grant) string {
	levels := map[policy.Level]string{policy.ReadOnly: "read", policy.Full: "read and act", policy.Deny: "denied"}
	words := make([]string, len(list))
	for i, g := range list {
		site, level := g.Site, levels[g.Level]
		if g.PageTool != "" {
			site = fmt.Sprintf("tool %q of %s", clip(escapeText(g.PageTool), 130), site)
			if g.Level == policy.Full {
				level = "use"
			}
		}
		words[i] = fmt.Sprintf("%s (%s, %s)", site, level, g.Until)
	}
	return strings.Join(words, ", ")
}
