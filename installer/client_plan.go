package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"chrome-mcp/internal/conf"
)

// AllClients stands for every client that is found.
const AllClients = "all-found"

// ClientStep is what a step of the kind PutClient does, besides the Path of the file.
type ClientStep struct {
	Client  Client
	Entry   conf.Entry
	Renews  bool      // an entry of ours
	Before  []byte    // the file as it was looked at; nil: it is not there
	Edit    conf.Edit // of the file
	Command []string  // the client's own command; then the file is only written if it fails
	First   []string  // a command before that one, which takes the old entry away
	Back    []string  // a command that puts it back, if the other one fails
	Had     string    // the entry of another program, as JSON, for a later Back
}

// clients adds a step for each client that was chosen. One that was found, but that
// cannot be served, is left out with a note; one that was named is an error.
func (p *Plan) clients() error {
	var errs []error
	for _, name := range p.Options.Clients {
		if name == AllClients {
			p.foundClients()
			continue
		}
		c, err := ClientNamed(name)
		if err == nil {
			err = p.client(c)
		}
		errs = append(errs, err)
	}
	if p.System.WSL && len(p.Options.Clients) > 0 {
		p.note("this is WSL: clients on the Windows side are not written; for those run chrome-mcp.exe install --client on Windows")
	}
	return errors.Join(errs...)
}

func (p *Plan) foundClients() {
	found := false
	for _, c := range Clients {
		if !p.System.hasClient(c) {
			continue
		}
		found = true
		if err := p.client(c); err != nil {
			p.note(fmt.Sprintf("%s: left out; %v", c.Title, err))
		}
	}
	if !found {
		p.note("no MCP client was found; name yours with --client, or see `chrome-mcp config`")
	}
}

func (p *Plan) has(c Client) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kind == PutClient && s.Client.Client.Name == c.Name })
}

// client adds the step for one client, none if nothing has to change.
func (p *Plan) client(c Client) error {
	s, o := p.System, p.Options
	if p.has(c) {
		return nil
	}
	state, have, problem := s.examine(c, o)
	switch {
	case state == ClientUnreadable:
		return fmt.Errorf("%s; nothing was changed: mend the file, or take the entry from `chrome-mcp config %s`", problem, c.Name)
	case state == ClientOther && !o.Force:
		return errors.New(problem)
	}
	args := o.Args
	entry := c.Entry.entry(o.Program(s), args)
	if state == ClientOurs {
		_, before := c.Entry.command(have)
		if args == nil || slices.Equal(args, before) {
			p.note(fmt.Sprintf("%s: starts chrome-mcp already; nothing to change", c.Title))
			return nil
		}
		entry = c.Entry.renewed(have, o.Program(s), args)
	}
	cs := &ClientStep{Client: c, Entry: entry, Renews: state == ClientOurs}
	step := Step{Kind: PutClient, Path: s.clientFile(c), For: []string{c.Title}, Client: cs}
	if err := cs.plan(p, step.Path, state, have, args); err != nil {
		return err
	}
	p.add(step)
	return nil
}

// plan decides how the entry gets into the client's configuration.
func (cs *ClientStep) plan(p *Plan, file string, state ClientState, have map[string]any, args []string) error {
	c, s, o := cs.Client, p.System, p.Options
	program := s.program(c.CLI)
	// A command adds; what is there already is replaced in the file, where it can be seen.
	if program != "" && (state == ClientAbsent || c.CLIOnly) {
		cs.Command = append([]string{program}, c.CLI.arguments(o.Program(s), args, cs.Entry)...)
		if state != ClientAbsent {
			old := conf.Entry(nil).With(have).Line()
			cs.First = append([]string{program}, c.CLI.Remove...)
			cs.Back = c.CLI.back(program, old)
			if state == ClientOther {
				cs.Had = old
			}
		}
	}
	if c.CLIOnly {
		if program == "" {
			return fmt.Errorf("the command `%s` was not found, and %s writes its file %s all the time, so that it is not edited here; run\n  %s", c.CLI.Program, c.Title, file, c.CommandLine(s, o))
		}
		return nil
	}
	b, err := s.readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = nil, nil
	}
	if err != nil {
		return err
	}
	cs.Before = b
	cs.Edit, err = conf.Set(c.Format, b, c.path(), cs.Entry)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// arguments are those of the client's own command.
func (c CLI) arguments(program string, args []string, entry conf.Entry) []string {
	var out []string
	for _, a := range c.Add {
		switch a {
		case "{command}":
			out = append(out, program)
			if c.Dashes != "" && len(args) > 0 {
				out = append(out, c.Dashes)
			}
			out = append(out, args...)
		case "{json}":
			named := append(conf.Entry{{Key: "name", Value: ServerKey}}, entry...)
			out = append(out, named.Line())
		default:
			out = append(out, a)
		}
	}
	return out
}

// back is the command that puts an entry back.
func (c CLI) back(program, entry string) []string {
	out := []string{program}
	for _, a := range c.Restore {
		out = append(out, strings.ReplaceAll(a, "{json}", entry))
	}
	return out
}

// CommandLine is the client's own command as a person types it; "" if it has none, or
// none that every shell of the system takes.
func (c Client) CommandLine(s System, o Options) string {
	if c.CLI.Program == "" {
		return ""
	}
	words := []string{c.CLI.Program}
	for _, a := range c.CLI.arguments(o.Program(s), o.Args, c.Entry.entry(o.Program(s), o.Args)) {
		if s.OS == "windows" && strings.Contains(a, `"`) {
			return ""
		}
		words = append(words, s.Quote(a))
	}
	return strings.Join(words, " ")
}

// Snippet is our entry as it stands in the client's configuration.
func (c Client) Snippet(s System, o Options) string {
	return conf.Snippet(c.Format, c.path(), c.Entry.entry(o.Program(s), o.Args))
}

// File is the client's configuration, there or not.
func (c Client) File(s System) string { return s.clientFile(c) }

// Diff shows what the plan changes in files of MCP clients.
func (p *Plan) Diff() string {
	var b bytes.Buffer
	for _, s := range p.Steps {
		if s.Kind == PutClient && s.Client.Command == nil {
			b.Write(diff.Diff(s.Path, s.Client.Before, s.Path+" (after)", s.Client.Edit.After))
		}
	}
	return b.String()
}
