// Command chrome-mcp lets an AI agent work in the Chrome that its user is logged in to.
//
// One binary plays three roles: MCP server (the default), native messaging host (when a
// browser starts it) and installer. This package chooses the role, reads the command
// line, wires the others together and talks to the person at the terminal.
//
// Standard output belongs to the protocol, or to what a command was asked to print;
// everything else goes to standard error. Exit status 2 means that the command line or
// a file named there was not understood, 1 that the work failed.
package main

import (
	"io"
	"os"

	"chrome-mcp/internal/state"
)

func main() {
	state.FindHome()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// Chrome hands the caller's origin to a native host as the first argument and lets
	// us add none of our own, so the origin is what selects the host role.
	if len(args) > 0 && isOrigin(args[0]) {
		return runHost(args[0], stdin, stdout, stderr)
	}
	inv, err := parse(args)
	if err != nil {
		complain(stderr, err)
		return 2
	}
	inv.stdin, inv.stdout, inv.stderr = stdin, stdout, stderr
	return inv.command.run(inv)
}
