package mcpserver

import (
	"chrome-mcp/internal/page"
)

// Entry is a line of the audit log.
type Entry struct{}

func (s *Server) audit(sess *session, c call, r *page.Result, err error) {}
