package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func navigationTools() []*tool {
	return []*tool{
		onSession("navigate", policy.Read, "Go to a URL. Opens a tab if the session has none.", page.Navigate, core, changes, idempotent),
		onSession("back", policy.Read, "Go back in the tab's history.", page.Back, changes),
		onSession("forward", policy.Read, "Go forward in the tab's history.", page.Forward, changes),
		onSession("reload", policy.Read, "Load the page again.", page.Reload, changes),
	}
}
