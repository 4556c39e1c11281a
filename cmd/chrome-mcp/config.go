package main

import (
	"errors"
	"fmt"
	"strings"

	"chrome-mcp/installer"
)

// runConfig prints the entry for a client on standard output, to be piped or pasted, and
// where it belongs on standard error.
func runConfig(inv *invocation) int {
	if len(inv.args) != 1 {
		return inv.usage(errors.New("config takes the name of one client: " + strings.Join(clientNames(), ", ")))
	}
	c, err := installer.ClientNamed(inv.args[0])
	if err != nil {
		return inv.usage(err)
	}
	o, err := installOptions()
	if err == nil {
		o.Args, err = inv.entryArgs()
	}
	if err != nil {
		return inv.usage(err)
	}
	s := installer.ThisSystem()
	if line := c.CommandLine(s, o); line != "" {
		fmt.Fprintf(inv.stderr, "%s has a command for it:\n\n  %s\n\nIt makes this entry in %s:\n\n", c.Title, line, c.File(s))
	} else {
		fmt.Fprintf(inv.stderr, "For %s, in %s:\n\n", c.Title, c.File(s))
	}
	fmt.Fprint(inv.stdout, c.Snippet(s, o))
	if !s.Exists(o.Program(s)) {
		fmt.Fprintf(inv.stderr, "\n%s is not there yet; run `chrome-mcp install`, which writes the entry too with --client %s.\n", o.Program(s), c.Name)
	}
	return 0
}

func clientNames() (names []string) {
	for _, c := range installer.Clients {
		names = append(names, c.Name)
	}
	return names
}

// usage prints an error and returns the exit status for a command line that was not
// understood.
func (inv *invocation) usage(err error) int {
	complain(inv.stderr, err)
	return 2
}
