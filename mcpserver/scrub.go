package mcpserver

import (
	"encoding/json"
	"fmt"

	"chrome-mcp/internal/page"
	"chrome-mcp/internal/redact"
)

// newRedactor returns the redactor of the policy, and whether the user wants all text
// of pages scrubbed.
func newRedactor(cfg Config) (r *redact.Redactor, all bool, err error) {
	p := cfg.Policy
	if r, err = redact.New(p.RedactPatterns); err != nil {
		return nil, false, fmt.Errorf("redactPatterns of the policy: %w", err)
	}
	return r, p.Redact || len(p.RedactPatterns) > 0, nil
}

// scrub masks secrets in all that a call says of pages, before anything of it is cut.
// What the server says of itself holds none of a page.
func (s *Server) scrub(row *tool, r *page.Result, err error) (*page.Result, int, error) {
	if !s.redactAll || row.onTab == nil && row.onSession == nil && row.remote == nil {
		return r, 0, err
	}
	n := 0
	text := func(in string) string {
		out, m := s.redact.Text(in)
		n += m
		return out
	}
	data := func(in []byte) json.RawMessage {
		out, m := s.redact.JSON(string(in))
		n += m
		return json.RawMessage(out)
	}
	if r != nil {
		masked := *r
		masked.Text, masked.Page, masked.Whole = text(r.Text), text(r.Page), text(r.Whole)
		if r.Data != nil {
			if raw, err := json.Marshal(r.Data); err == nil {
				masked.Data = data(raw)
			}
		}
		r = &masked
	}
	if err != nil {
		masked := *asError(err)
		masked.Message = text(masked.Message)
		if masked.Data != nil {
			masked.Data = data(masked.Data)
		}
		err = &masked
	}
	return r, n, err
}
