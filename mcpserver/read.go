package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func readTools() []*tool {
	return []*tool{
		onTab("snapshot", policy.Read, "Show the page as a tree of roles and names, with refs to act on.", page.Snapshot, core, idempotent,
			more("narrow it with ref, depth or interactiveOnly, or use find")),
		onTab("find", policy.Read, "Find elements by text or pattern; gives refs.", page.Find, core, idempotent,
			more("give a longer text, or a role")),
		onTab("get_text", policy.Read, "Read the visible text.", page.GetText, core, idempotent,
			more("raise maxBytes, or read a part with selector or ref")),
		onTab("get_html", policy.Read, "Read the markup.", page.GetHTML, idempotent,
			more("raise maxBytes, or read a part with selector or ref")),
		onTab("read_as_markdown", policy.Read, "Read the main content, or a part, as Markdown.", page.ReadAsMarkdown, idempotent,
			more("raise maxBytes, or read a part with selector")),
		onTab("extract_links", policy.Read, "List the links that are shown, with their text.", page.ExtractLinks, idempotent),
		onTab("screenshot", policy.Read, "Take a picture of the page or of an element.", page.Screenshot, core, idempotent),
		onTab("wait_for", policy.Read, "Wait for an element, a text or a URL.", page.WaitFor, core, waits, idempotent),
		onTab("frames_list", policy.Read, "List the page's frames; frameId narrows a target to one.", page.FramesList, idempotent),
		onTab("webmcp_list", policy.Read, "List tools that the page itself offers (WebMCP).", page.WebMCPList, idempotent, counted),
		onTab("auth_check", policy.Read, "Tell whether the page asks to sign in, and why.", page.AuthCheck, idempotent),
	}
}
