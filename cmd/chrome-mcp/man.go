package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"chrome-mcp/bridge"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
)

// environment are the variables that every command heeds.
var environment = []struct{ name, help string }{
	{state.DataEnv, "the data folder; else the usual place for application data"},
	{bridge.PortEnv, "the loopback port that servers try first"},
	{"CHROME_PATH", "the browser to start, where one of its own is wanted"},
	{"NO_COLOR", "if set, no colours"},
}

// statuses are what commands exit with.
var statuses = []struct{ code, help string }{
	{"0", "it worked; of doctor: a call would work now"},
	{"1", "it did not"},
	{"2", "the command line, or a file named there, was not understood"},
}

// runMan prints the manual page: chrome-mcp man | man -l -
func runMan(inv *invocation) int {
	w := inv.stdout
	fmt.Fprintf(w, ".\\\" Made by `chrome-mcp man`.\n.TH CHROME\\-MCP 1 \"\" \"chrome\\-mcp %s\" \"User Commands\"\n", version.Version)
	heading(w, "NAME", `chrome\-mcp \- lets an AI agent work in your own Chrome`)
	heading(w, "SYNOPSIS", `.B chrome\-mcp`+"\n"+`[\fIcommand\fR] [\fIflags\fR]`)
	heading(w, "DESCRIPTION", roff("One program is the MCP server that clients start, the native messaging host that the browser starts, and the installer of both. Nothing is allowed to agents until you allow it. Flags stand before or after the command, as --flag value or --flag=value."))
	heading(w, "COMMANDS", "")
	for _, c := range commands {
		if !c.hidden {
			entry(w, c.name, c.takes, c.summary)
		}
	}
	for _, c := range commands {
		if slices.ContainsFunc(flags, func(f *option) bool { return slices.Contains(f.commands, c.name) }) {
			heading(w, "FLAGS OF "+strings.ToUpper(c.name), "")
			printManFlags(w, c)
		}
	}
	heading(w, "ENVIRONMENT", "")
	for _, e := range environment {
		entry(w, e.name, "", e.help)
	}
	heading(w, "EXIT STATUS", "")
	for _, s := range statuses {
		entry(w, s.code, "", s.help)
	}
	return 0
}

func printManFlags(w io.Writer, c *command) {
	for _, f := range flags {
		if slices.Contains(f.commands, c.name) {
			entry(w, "--"+f.name, f.arg, f.help)
		}
	}
	if c.passes {
		fmt.Fprintln(w, ".PP\n"+roff("Those of serve are taken too, and go into the entry of the client."))
	}
}

func heading(w io.Writer, title, text string) {
	fmt.Fprintln(w, ".SH", roff(title))
	if text != "" {
		fmt.Fprintln(w, text)
	}
}

func entry(w io.Writer, name, arg, help string) {
	head := `\fB` + roff(name) + `\fR`
	if arg != "" {
		head += ` \fI` + roff(arg) + `\fR`
	}
	fmt.Fprintf(w, ".TP\n%s\n%s\n", head, roff(help))
}

// roff makes text text: none of it is a request or an escape.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "`", `\(ga`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
