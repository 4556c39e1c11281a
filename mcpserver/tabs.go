package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func tabTools() []*tool {
	return []*tool{
		onSession("tabs_list", policy.Read, "List tabs: the session's own and the user's.", page.TabsList, core, unordered),
		onSession("tab_new", policy.Read, "Open a tab, in the background.", page.TabNew, core, unordered, changes),
		onSession("tab_select", policy.Read, "Make a tab the current one of this session.", page.TabSelect, inOrder, changes, idempotent),
		onSession("tab_close", policy.Read, "Close a tab.", page.TabClose, core, inOrder, destructive),
	}
}
