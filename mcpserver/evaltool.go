package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func evalTools() []*tool {
	return []*tool{
		onTab("eval", policy.Eval, "Run JavaScript in the page and return its value.", page.Eval, destructive, long, waits, exact,
			more("return less from the expression")),
	}
}
