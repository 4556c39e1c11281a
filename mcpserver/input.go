package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func inputTools() []*tool {
	return []*tool{
		onTab("click", policy.Act, "Click an element.", page.Click, core, destructive),
		onTab("type", policy.Act, "Type text into a field.", page.Type, core, destructive),
		onTab("fill_form", policy.Act, "Fill several controls, and submit if asked.", page.FillForm, core, destructive),
		onTab("select_option", policy.Act, "Choose options of a select.", page.SelectOption, destructive, idempotent),
		onTab("press", policy.Act, "Press a key or a combination.", page.Press, core, destructive),
		onTab("hover", policy.Act, "Move the pointer over an element.", page.Hover, idempotent),
		onTab("scroll", policy.Act, "Scroll the page or an element.", page.Scroll),
		onTab("drag", policy.Act, "Drag one element onto another.", page.Drag, destructive),
		onTab("webmcp_call", policy.Act, "Call a tool that the page itself offers; the user must permit each (WebMCP).", page.WebMCPCall, destructive, long, counted,
			more("ask the tool for less")),
	}
}
