package mcpserver

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// audit writes a call into the log. A log that cannot be written is told of, but does
// not stop the work: the call has happened.
func (s *session) audit(c *call, r *page.Result, err error, res *mcp.CallToolResult) {
	s.history(c, r, err)
	log := s.srv.cfg.Audit
	if log == nil {
		return
	}
	e := s.entry(c.began, c.row.name, c.raw)
	e.Tab, e.Bytes, e.Redactions = string(c.tab), size(res), c.redacted
	if r != nil {
		e.Origin = originOf(r)
		e.Rule = s.srv.decide(r.URL, r.Origin, c.row.access).Rule
	}
	if err != nil {
		e.Outcome = string(asError(err).Code)
	}
	if t := c.row.remote; t != nil {
		e.Origin, e.Rule = originOfExtension(t.ID), s.srv.remoteRule(t)
		if c.failed {
			e.Outcome = failedOutcome
		}
	}
	switch browser.CodeOf(err) {
	case browser.PolicyDenied:
		e.Verdict, e.Rule = "deny", s.srv.tools.rule(c.row)
	case browser.NotApproved:
		e.Verdict, e.Rule = "deny", "review"
	case browser.RateLimited:
		e.Verdict, e.Rule = "deny", "rate"
	}
	if err := log.Record(e); err != nil {
		s.srv.log.Error("audit", "error", err)
	}
}

// entry is what the log says of everything that was asked and went well.
func (s *session) entry(began time.Time, tool string, args json.RawMessage) policy.Entry {
	digest, _ := policy.Digest(args) // none for what is not JSON
	e := policy.Entry{
		Time: began, Session: s.id, Client: s.clientName(), Tool: tool, Verdict: "allow", Outcome: "ok", Args: digest,
		MS: float64(time.Since(began).Microseconds()) / 1000,
	}
	if s.caller != nil {
		e.Caller = s.caller.port.Peer().Extension
	}
	return e
}

// rule names what refuses a tool everywhere, "" when it is a matter of the site.
func (s *toolset) rule(t *tool) string {
	if flag := s.left[t.name]; flag != "" {
		return flag
	}
	if !s.policy.Enabled(t.access) {
		return string(t.access)
	}
	return ""
}

// originOf is the origin that was judged. The log has no more of a URL than that.
func originOf(r *page.Result) string {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return r.Origin
	}
	return u.Scheme + "://" + u.Host
}

// size is how many bytes of content the client got.
func size(res *mcp.CallToolResult) int {
	n := 0
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			n += len(c.Text)
		case *mcp.ImageContent:
			n += len(c.Data)
		}
	}
	if data, ok := res.StructuredContent.(json.RawMessage); ok {
		n += len(data)
	}
	return n
}
