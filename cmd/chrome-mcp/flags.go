package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"chrome-mcp/internal/redact"
)

// option is one flag of the command line.
type option struct {
	name     string
	arg      string // what its value is; "" for a switch
	help     string
	commands []string           // that take it
	check    func(string) error // of the value
}

func (f *option) of(c *command) bool {
	return slices.Contains(f.commands, c.name) || c.passes && slices.Contains(f.commands, "serve")
}

var (
	serve   = []string{"serve"}
	install = []string{"install"}
	both    = []string{"install", "uninstall"}
)

// flags is the table, in the order of the help text.
var flags = []*option{
	{"allow-domain", "HOST", "let the agent use this site: example.com, *.example.com, https://host:port (repeatable, or with commas)", serve, checkSites},
	{"deny-domain", "HOST", "never this site, whatever else allows it (repeatable, or with commas)", serve, checkSites},
	{"enable-mutations", "", "let the agent click, type and otherwise act on pages", serve, nil},
	{"enable-downloads", "", "let the agent download files", serve, nil},
	{"max-file-mb", "N", "largest file that is downloaded or kept, in MB; 512 unless you say otherwise", serve, checkMB},
	{"enable-uploads", "", "let the agent upload files from --uploads-dir", serve, nil},
	{"uploads-dir", "DIR", "the only folder that files are uploaded from", serve, nil},
	{"enable-observers", "", "let the agent read console and network logs", serve, nil},
	{"unsafe-enable-eval", "", "let the agent run its own JavaScript in pages", serve, nil},
	{"unsafe-all-domains", "", "allow every site", serve, nil},
	{"unsafe-all-tabs", "", "show title and address of your tabs on sites that are not allowed", serve, nil},
	{"no-site-grants", "", "sites that you allow in the browser's popup stay refused", serve, nil},
	{"allow-page-tool", "TOOL", "let the agent call this tool that pages register with the browser (WebMCP), as https://shop.example#add_to_cart; ORIGIN#* is all of an origin (repeatable)", serve, checkPageTool},
	{"redact", "", "mask what looks like a token or a password in what pages say", serve, nil},
	{"redact-pattern", "RE", "mask what this regular expression (RE2) matches, too (repeatable)", serve, checkPattern},
	{"policy", "FILE", "read all of the above from a JSON file; flags add to it", serve, nil},
	{"ext-provider", "ID", "offer the tools of this extension, too; ID=NAME gives them another namespace (repeatable)", serve, checkProvider},
	{"tools", "NAMES", "offer only these tools, separated by commas", serve, nil},
	{"toolset", "NAME", "offer only a set of tools: core, read or full", serve, oneOf(choices["toolset"]...)},
	{"port", "N", "loopback port to try first; 0 takes any", serve, checkPort},
	{"backend", "NAME", "auto (your browser if it is paired, else one of its own), extension, or cdp", serve, oneOf(choices["backend"]...)},
	{"prefer", "NAME", "with auto: extension (the default), or cdp also while your browser is connected", serve, oneOf(choices["prefer"]...)},
	{"no-cdp-fallback", "", "with auto: never a browser of its own", serve, nil},
	{"chrome", "PATH", "the browser to start; else CHROME_PATH, else the first that is found", serve, nil},
	{"chrome-arg", "ARG", "a further argument for it, as --chrome-arg=--lang=de (repeatable)", serve, nil},
	{"headless", "", "start it without a window", serve, nil},
	{"cdp-endpoint", "URLS", "attach to a running browser instead: http, https, ws or wss, or its user data folder; several with commas, one a session in turn", serve, checkEndpoints},
	{"cdp-header", "LINE", "send this header to the endpoint, as 'Authorization: Bearer …' (repeatable)", serve, checkHeader},
	{"http", "ADDR", "serve MCP over HTTP there instead of on standard input, as 127.0.0.1:8931; clients need the token of `chrome-mcp token`", serve, checkHTTP},
	{"http-host", "NAME", "with --http: answer to this host name too, as host.docker.internal (repeatable)", serve, checkHTTPHost},
	{"http-origin", "ORIGIN", "with --http: let web pages of this origin connect, as https://app.example (repeatable)", serve, checkOrigin},
	{"unsafe-http-remote", "", "with --http: listen on an address that other machines reach", serve, nil},
	{"log-file", "FILE", "write a log there", serve, nil},

	{"browser", "NAME", "only for this browser: chrome, chromium, edge, brave … (repeatable; a wrong name lists all)", install, nil},
	{"user-data-dir", "DIR", "for the browser with this user data folder (repeatable)", install, nil},
	{"client", "NAME", "for this MCP client: claude-code, cursor, vscode … (a wrong name lists all), or all-found (repeatable)", both, checkClient},
	{"force", "", "replace entries of other programs; they are kept aside", install, nil},
	{"dry-run", "", "show what would be done, and do nothing", both, nil},
	{"yes", "", "do not ask", both, nil},

	{"json", "", "print JSON", []string{"status", "doctor"}, nil},
	{"fix", "", "mend what is safe to mend, then look again", []string{"doctor"}, nil},
	{"show", "", "print the token itself", []string{"token"}, nil},
	{"verify", "", "check that no line was changed or taken away", []string{"audit"}, nil},
}

// invocation is a parsed command line.
type invocation struct {
	command *command
	values  map[string][]string
	args    []string // of a raw command, or of one that takes some

	stdin          io.Reader
	typed          *bufio.Reader // what a person types there
	stdout, stderr io.Writer
}

func (inv *invocation) has(name string) bool {
	v := inv.values[name]
	return len(v) > 0 && v[len(v)-1] != "false"
}

func (inv *invocation) all(name string) []string { return inv.values[name] }

func (inv *invocation) last(name string) string {
	if v := inv.values[name]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// parse reads a command line: the command and its flags in any order.
func parse(args []string) (*invocation, error) {
	c, rest, err := findCommand(args)
	if err != nil {
		return nil, err
	}
	inv := &invocation{command: c, values: map[string][]string{}, args: rest}
	if c.raw || c.name == "help" { // help helps even beside flags that are wrong
		return inv, nil
	}
	inv.args = nil
	for len(rest) > 0 {
		if c.takes != "" && !strings.HasPrefix(rest[0], "-") {
			inv.args, rest = append(inv.args, rest[0]), rest[1:]
			continue
		}
		if rest, err = inv.take(rest); err != nil {
			return nil, err
		}
	}
	return inv, nil
}

// findCommand returns the command and the other arguments.
func findCommand(args []string) (*command, []string, error) {
	odd := "" // the first flag that is none: what follows may be its value, and no command
	for i := 0; i < len(args); i++ {
		name, isFlag := strings.CutPrefix(args[i], "--")
		if args[i] == "-h" {
			name, isFlag = "help", true
		}
		rest := func() []string { return slices.Delete(slices.Clone(args), i, i+1) }
		if isFlag {
			if c := commandByFlag(name); c != nil {
				return c, rest(), nil
			}
			f := flagNamed(name)
			if f != nil && f.arg != "" {
				i++ // its value is no command
			}
			if before, _, _ := strings.Cut(name, "="); odd == "" && flagNamed(before) == nil {
				odd = args[i]
			}
			continue
		}
		if strings.HasPrefix(args[i], "-") {
			return nil, nil, unknownFlag(args[i], commands[0])
		}
		if c := commandNamed(args[i]); c != nil {
			// help may also be asked for behind the command.
			if slices.ContainsFunc(args[i:], isHelp) && !c.raw {
				return commandNamed("help"), nil, nil
			}
			return c, rest(), nil
		}
		if odd != "" {
			return nil, nil, unknownFlag(odd, commands[0])
		}
		return nil, nil, unknown("command", args[i], commandNames(), "", "")
	}
	return commands[0], args, nil
}

func isHelp(arg string) bool { return arg == "-h" || arg == "--help" }

func commandByFlag(name string) *command {
	for _, c := range commands {
		if c.flag != "" && c.flag == name {
			return c
		}
	}
	return nil
}

func commandNames() (names []string) {
	for _, c := range commands {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	return names
}

func flagNamed(name string) *option {
	for _, f := range flags {
		if f.name == name {
			return f
		}
	}
	return nil
}

// take reads one flag and its value, and returns the arguments behind.
func (inv *invocation) take(args []string) ([]string, error) {
	arg, rest := args[0], args[1:]
	if !strings.HasPrefix(arg, "-") {
		return nil, fmt.Errorf("%s takes no argument %q; see `chrome-mcp help`", inv.command.name, arg)
	}
	name, value, has := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	f := flagNamed(name)
	if f == nil || !strings.HasPrefix(arg, "--") {
		return nil, unknownFlag(arg, inv.command)
	}
	if !f.of(inv.command) {
		return nil, fmt.Errorf("flag --%s belongs to %s, not to %s; see `chrome-mcp help`", name, strings.Join(f.commands, " and "), inv.command.name)
	}
	if f.arg == "" {
		if !has {
			value = "true"
		}
		on, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("flag --%s is a switch and takes no value %q; give --%s alone, or --%s=false", name, value, name, name)
		}
		value = strconv.FormatBool(on)
	} else if !has {
		if len(rest) == 0 || strings.HasPrefix(rest[0], "--") {
			return nil, fmt.Errorf("flag --%s needs a value: --%s %s", name, name, f.arg)
		}
		value, rest = rest[0], rest[1:]
	}
	if f.check != nil {
		if err := f.check(value); err != nil {
			return nil, fmt.Errorf("flag --%s: %w", name, err)
		}
	}
	inv.values[name] = append(inv.values[name], value)
	return rest, nil
}

// unknownFlag is the error for an argument that looks like a flag of the command.
func unknownFlag(arg string, c *command) error {
	typed, _, _ := strings.Cut(arg, "=")
	word := strings.TrimLeft(typed, "-")
	var names []string
	for _, f := range flags {
		if f.of(c) {
			names = append(names, f.name)
		}
	}
	for _, c := range commands {
		if c.flag != "" {
			names = append(names, c.flag)
		}
	}
	return unknown("flag", word, names, strings.TrimSuffix(typed, word), "--")
}

func oneOf(values ...string) func(string) error {
	return func(s string) error {
		if slices.Contains(values, s) {
			return nil
		}
		return fmt.Errorf("%q is not one of %s", s, strings.Join(values, ", "))
	}
}

func checkPattern(s string) error {
	_, err := redact.Compile(s)
	return err
}

func checkMB(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 1 || n > 1<<20 {
		return fmt.Errorf("%q is no size; it is a number of megabytes from 1", s)
	}
	return nil
}

func checkPort(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q is no port; it is a number from 0 to 65535", s)
	}
	return nil
}
