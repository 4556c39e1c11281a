package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// dialogs needs no switch to be seen, because without it an agent whose click opened
// a dialog could do nothing any more; answering one is an act, which page judges.
func observeTools() []*tool {
	return []*tool{
		onSession("console_logs", policy.Observe, "Read what the page logged, with exceptions and warnings of the browser.", page.ConsoleLogs,
			more("use level, limit or sinceSeq")),
		onSession("network_log", policy.Observe, "List the page's requests; show one with id.", page.NetworkLog,
			more("use urlContains, limit or sinceSeq")),
		onSession("dialogs", policy.Read, "List JavaScript dialogs and answer the open one.", page.Dialogs, core, unordered, destructive),
	}
}
