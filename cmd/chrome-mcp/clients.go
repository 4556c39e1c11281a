package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"chrome-mcp/installer"
)

// checkClient judges the value of --client.
func checkClient(name string) error {
	if name == installer.AllClients {
		return nil
	}
	_, err := installer.ClientNamed(name)
	return err
}

// forClients adds to the options of an install what it does for MCP clients.
func (inv *invocation) forClients(o *installer.Options) error {
	args, err := inv.entryArgs()
	if err != nil {
		return err
	}
	if inv.has("unsafe-all-domains") {
		fmt.Fprintln(inv.stderr, "chrome-mcp: WARNING: with --unsafe-all-domains the agent may use every site that you are logged in to")
	}
	o.Clients, o.Args = inv.all("client"), args
	if len(args) > 0 && len(o.Clients) == 0 {
		return fmt.Errorf("%s goes into the entry of an MCP client; name the client with --client", args[0])
	}
	// A server that brings its own browser needs nothing in the user's.
	own := inv.last("backend") == "cdp" || inv.has("cdp-endpoint")
	o.ProgramOnly = own && !inv.has("browser") && !inv.has("user-data-dir")
	return nil
}

// entryArgs are the flags of serve on this command line, judged as serve would, and as a
// client has to pass them on: a client starts servers in folders of its choice, so that
// paths are absolute. nil if there are none.
func (inv *invocation) entryArgs() (args []string, err error) {
	serve := commandNamed("serve")
	for _, f := range flags {
		own := slices.Contains(f.commands, inv.command.name)
		if len(inv.all(f.name)) == 0 || !f.of(serve) || own {
			continue
		}
		if strings.HasPrefix(f.name, "http") || f.name == "unsafe-http-remote" {
			return nil, fmt.Errorf("flag --%s: a client starts its server itself and talks to it over standard input; for one over HTTP run `chrome-mcp serve --http`", f.name)
		}
		if f.arg == "" {
			if inv.has(f.name) {
				args = append(args, "--"+f.name)
			}
			continue
		}
		for _, value := range inv.all(f.name) {
			if value, err = f.absolute(value); err != nil {
				return nil, err
			}
			if strings.HasPrefix(value, "-") {
				args = append(args, "--"+f.name+"="+value)
			} else {
				args = append(args, "--"+f.name, value)
			}
		}
	}
	_, err = checkServe(inv)
	return args, err
}

// absolute makes a path absolute, if the flag takes one.
func (f *option) absolute(value string) (string, error) {
	switch f.arg {
	case "FILE", "DIR":
	case "PATH":
		if filepath.Base(value) == value {
			return value, nil // a name, looked for on PATH
		}
	case "URLS":
		if strings.Contains(value, "://") || strings.Contains(value, ",") {
			return value, nil
		}
	default:
		return value, nil
	}
	return filepath.Abs(value)
}

// clientsDone tells what is left to do for the clients of a plan that was carried out.
func (inv *invocation) clientsDone(plan *installer.Plan) {
	var restart []string
	closed := false
	for _, s := range plan.Steps {
		if s.Kind == installer.PutClient {
			restart = append(restart, s.For...)
			closed = closed || len(plan.Options.Args) == 0 && !s.Client.Renews
		}
	}
	if len(restart) == 0 {
		return
	}
	p := newPaper(inv.stdout)
	p.para("", 0, plain, "Restart "+strings.Join(restart, " and ")+", so that it starts chrome-mcp.")
	if closed {
		p.para("", 0, plain, "No site is allowed yet: allow them in the extension's popup when an agent asks, or install again with --allow-domain.")
	}
}

// uninstallClients removes the entries of the named clients, and nothing else.
func (inv *invocation) uninstallClients() int {
	o, err := installOptions()
	if err != nil {
		return inv.fail(err)
	}
	s, names := installer.ThisSystem(), inv.all("client")
	what, err := installer.UndoClients(s, o, names, true)
	if err != nil {
		return inv.fail(err)
	}
	if len(what.Left) > 0 {
		fmt.Fprintf(inv.stdout, "Left as they are:\n%s", lines(what.Left))
	}
	if len(what.Removed) == 0 {
		fmt.Fprintln(inv.stdout, "No entry of ours is there for", strings.Join(names, ", "))
		return 0
	}
	fmt.Fprintf(inv.stdout, "chrome-mcp removes\n%s", lines(what.Removed))
	if inv.has("dry-run") {
		return 0
	}
	if err := inv.agree("Remove this?"); err != nil {
		return inv.fail(err)
	}
	if _, err = installer.UndoClients(s, o, names, false); err != nil {
		return inv.fail(err)
	}
	fmt.Fprintln(inv.stdout, "Done.")
	return 0
}
