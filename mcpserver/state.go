package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// storage needs no switch to be seen, because reading it is a read; what changes it is
// an act, which page judges.
func stateTools() []*tool {
	return []*tool{
		onTab("get_cookies", policy.Observe, "List the page's cookies.", page.GetCookies, idempotent),
		onTab("storage", policy.Read, "Read or change localStorage or sessionStorage.", page.Storage, destructive),
	}
}
