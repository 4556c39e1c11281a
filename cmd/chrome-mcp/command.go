package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"chrome-mcp/internal/version"
)

// command is one sub-command.
type command struct {
	name    string
	summary string
	flag    string          // a flag that means the same command
	raw     bool            // reads its own flags
	takes   string          // what arguments it takes, if any
	passes  bool            // takes the flags of serve too, to pass them on
	hidden  bool            // for programs; help is silent about it
	offers  func() []string // candidates for what it takes
	run     func(*invocation) int
}

// commands is the table. The first is what runs without a name.
var commands []*command

func init() { // breaks the circle between the table and help, which prints it
	commands = []*command{
		{name: "serve", summary: "serve MCP on standard input and output (the default)", run: runServe},
		{name: "install", summary: "make browsers find this program; shows what it writes first", passes: true, run: runInstall},
		{name: "uninstall", summary: "remove what install wrote, and nothing else", run: runUninstall},
		{name: "doctor", summary: "walk the path of a call; say what is wrong, and what mends it", run: runDoctor},
		{name: "config", summary: "print the entry for an MCP client, with the flags of serve that are given", takes: "CLIENT", offers: clientOffers, passes: true, run: runConfig},
		{name: "status", summary: "show servers, browsers and what is missing", run: runStatus},
		{name: "revoke", summary: "drop every connection and change every token", run: runRevoke},
		{name: "demo", summary: "do the whole job once in a browser of its own", raw: true, run: runDemoCommand},
		{name: "token", summary: "print the file with the token for --http; --show prints the token", run: runToken},
		{name: "audit", summary: "print the log of calls; --verify checks that it is whole", run: runAudit},
		{name: "extension-path", flag: "print-extension-path", summary: "print the folder to load as unpacked extension", run: runExtensionPath},
		{name: "print-pairing", flag: "print-pairing", summary: "print the handshake files, for pairing without the host", run: runPrintPairing},
		{name: "completion", summary: "print the script that completes command lines in bash, zsh, fish or powershell", takes: "SHELL", offers: func() []string { return shells }, run: runCompletion},
		{name: "complete", hidden: true, raw: true, run: runComplete},
		{name: "man", summary: "print the manual page: chrome-mcp man | man -l -", run: runMan},
		{name: "version", flag: "version", summary: "print the version", run: runVersion},
		{name: "help", flag: "help", summary: "print this text", run: runHelp},
	}
}

func commandNamed(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

func runVersion(inv *invocation) int {
	fmt.Fprintln(inv.stdout, "chrome-mcp", version.Version)
	return 0
}

func runDemoCommand(inv *invocation) int { return runDemo(inv.args, inv.stdout, inv.stderr) }

func runHelp(inv *invocation) int {
	w := inv.stdout
	fmt.Fprintf(w, "chrome-mcp %s lets an AI agent work in your own Chrome.\n\nUsage: chrome-mcp [command] [flags]\n\nCommands:\n", version.Version)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands {
		if c.hidden {
			continue
		}
		fmt.Fprintf(tw, "  %s\t%s\n", strings.TrimSpace(c.name+" "+c.takes), c.summary)
	}
	tw.Flush()
	for _, c := range commands {
		printFlags(w, c)
	}
	fmt.Fprint(w, "\nFlags stand before or after the command, as --flag value or --flag=value.\nThe data folder is $CHROME_MCP_DATA, else the usual place for application data.\n")
	return 0
}

func printFlags(w io.Writer, c *command) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := fmt.Sprintf("\nFlags of %s:\n", c.name)
	for _, f := range flags {
		if !slices.Contains(f.commands, c.name) {
			continue
		}
		fmt.Fprint(w, head)
		head = ""
		name := "--" + f.name
		if f.arg != "" {
			name += " " + f.arg
		}
		fmt.Fprintf(tw, "  %s\t%s\n", name, f.help)
	}
	if c.passes && head == "" {
		fmt.Fprintln(tw, "  …\tand those of serve, which go into the entry of --client")
	}
	tw.Flush()
}

// complain prints an error as every command does.
func complain(w io.Writer, err error) {
	fmt.Fprintln(w, "chrome-mcp:", strings.TrimRight(err.Error(), "\n"))
}

// fail prints an error and returns the exit status for work that failed.
func (inv *invocation) fail(err error) int {
	complain(inv.stderr, err)
	return 1
}
