package doctor

import "chrome-mcp/installer"

// clients looks whether some MCP client starts the installed program. None of it keeps
// calls from working, and who has a client that is not in our table knows better.
func (e *exam) clients() {
	told := false
	first := ""
	for _, v := range installer.LookClients(e.System, e.Options) {
		command := installCommand + " --client " + v.Name
		switch {
		case v.State == installer.ClientOurs && v.Problem != "":
			e.warn("client.program", v.Title+" starts a program that is not there", v.Problem, installCommand)
		case v.State == installer.ClientOurs:
			e.fine("client", v.Title+" starts chrome-mcp", "%s", v.Path)
		case v.State == installer.ClientOther:
			e.warn("client.other", v.Title+" starts another program in our name", v.Problem, command+" --force")
		case v.State == installer.ClientUnreadable:
			e.warn("client.unreadable", "the configuration of "+v.Title+" cannot be read", v.Problem, "mend "+v.Path+", then "+command)
		case v.Installed && first == "":
			first = command
		}
		told = told || v.State != installer.ClientAbsent
	}
	if !told && first != "" {
		e.warn("client.none", "no MCP client knows chrome-mcp", "looked at those that are installed here", first)
	}
}
