package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"chrome-mcp/bridge"
	"chrome-mcp/extension"
	"chrome-mcp/installer"
	"chrome-mcp/internal/doctor"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/terminal"
	"chrome-mcp/internal/version"
)

// person is somebody at the terminal who installs. Scripts see none of it: they give
// --yes, or are no terminal.
type person struct {
	inv   *invocation
	paper paper
}

// person returns nil when nobody sits there, or nobody wants to be asked.
func (inv *invocation) person() *person {
	in, ok1 := inv.stdin.(*os.File)
	out, ok2 := inv.stdout.(*os.File)
	if !ok1 || !ok2 || !terminal.Is(in) || !terminal.Is(out) || inv.has("yes") || inv.has("dry-run") {
		return nil
	}
	return &person{inv, newPaper(inv.stdout)}
}

// welcome shows what is here, and asks about the clients that nobody has chosen yet.
func (p *person) welcome(s installer.System, o *installer.Options) {
	fmt.Fprintf(p.paper, "%s\n\n", p.paper.paint(bold, "chrome-mcp "+version.Version))
	var names []string
	for _, v := range installer.Look(s, *o) {
		if v.Row != nil {
			names = append(names, v.Title+map[bool]string{true: " (installed before)"}[v.Chosen])
		}
	}
	p.paper.para("Browsers found:  ", 17, plain, cmp.Or(strings.Join(names, ", "), "none"))
	var found, known, untold, ask []string
	for _, v := range installer.LookClients(s, *o) {
		switch {
		case v.State == installer.ClientOurs:
			known = append(known, v.Title+" (starts chrome-mcp)")
		case v.Installed && v.State == installer.ClientAbsent:
			untold, ask = append(untold, v.Name), append(ask, v.Title)
			found = append(found, v.Title)
		case v.Installed:
			found = append(found, v.Title)
		}
	}
	p.paper.para("Clients found:   ", 17, plain, cmp.Or(strings.Join(append(known, found...), ", "), "none"))
	fmt.Fprintln(p.paper)
	if len(o.Clients) > 0 || len(untold) == 0 {
		return
	}
	if p.inv.ask("Let " + strings.Join(ask, " and ") + " start chrome-mcp?") {
		o.Clients = untold
	}
	fmt.Fprintln(p.paper)
}

// planIndent is where the text of a line of the plan begins.
const planIndent = 13

// show shows the plan in lines that fit. Its own lines are kept, but for long notes.
func (p *person) show(plan *installer.Plan) {
	fmt.Fprintln(p.paper, "This will be written:")
	for line := range strings.Lines(plan.String()) {
		line = strings.TrimRight(line, "\n")
		if len(line) <= width || !strings.HasPrefix(line, "  note") {
			fmt.Fprintln(p.paper, line)
			continue
		}
		p.paper.para(line[:planIndent], planIndent, plain, line[planIndent:])
	}
}

// done shows one step that was carried out.
func (p *person) done(s installer.Step) {
	what := map[installer.Kind]string{
		installer.PutProgram: "program", installer.PutExtension: "extension", installer.PutManifest: "host",
		installer.SetKey: "registry", installer.PutClient: "client",
	}[s.Kind]
	if len(s.For) > 0 {
		what += " for " + strings.Join(s.For, ", ")
	}
	fmt.Fprintln(p.paper, " ", p.paper.paint(green, "✓"), what)
}

// How long the extension has to show that it is there already, and how long a person
// may take for two clicks.
const (
	knownTime  = 1500 * time.Millisecond
	clicksTime = 15 * time.Minute
	againTime  = 2 * time.Second // after a refusal
)

// pair leads through the two clicks that are left, and shows that they worked.
func (p *person) pair(plan *installer.Plan) {
	fmt.Fprintln(p.paper)
	if plan.Options.ProgramOnly {
		p.inv.installed(plan)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, clicksTime)
	defer cancel()
	answer, ok := p.known(ctx, plan.Options.Data)
	if !ok {
		p.clicks(plan)
		answer, ok = p.wait(ctx, plan)
	}
	fmt.Fprintln(p.paper)
	if ok {
		fmt.Fprintf(p.paper, "%s %s answers. All is set up.\n", p.paper.paint(green, "✓"), p.paper.paint(bold, answer.Browsers[0].Name))
	} else {
		p.paper.para("", 0, plain, "Installed. Once you have made the two clicks, `chrome-mcp doctor` shows whether all works.")
	}
	if len(plan.Options.Clients) == 0 {
		p.paper.para("", 0, plain, "Let your MCP client start "+plan.Options.Program(plan.System)+", or install again with --client, which tells it.")
		return
	}
	p.inv.clientsDone(plan)
}

// known tries whether the extension was paired before.
func (p *person) known(ctx context.Context, data string) (doctor.Answer, bool) {
	if seen, err := state.Open(data).LastSeen(); err != nil || !seen.Open() {
		return doctor.Answer{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, knownTime)
	defer cancel()
	answer, err := doctor.Try(ctx, data, "chrome-mcp install")
	var refusal *bridge.Refusal
	if errors.As(err, &refusal) {
		p.reload()
	}
	return answer, err == nil
}

func (p *person) reload() {
	p.paper.para(p.paper.paint(yellow, "! "), 2, plain, "The browser still runs the extension of before: press Reload for chrome-mcp at chrome://extensions.")
}

func (p *person) clicks(plan *installer.Plan) {
	fmt.Fprintln(p.paper, p.paper.paint(bold, "Two clicks are left, in the browser"))
	p.paper.para("  1. ", 5, plain, "Open chrome://extensions, switch Developer mode on, press Load unpacked, and choose this folder:")
	fmt.Fprintf(p.paper, "     %s\n", p.paper.paint(bold, plan.Options.Extension(plan.System)))
	p.paper.para("  2. ", 5, plain, "On the extension's options page press Pair. Press Enter here to open that page, once the extension is loaded.")
	fmt.Fprintf(p.paper, "\n%s\n", p.paper.paint(faint, "Waiting for you; Ctrl-C ends the wait, what is installed stays."))
}

// wait waits for the extension, and opens its page at each Enter.
func (p *person) wait(ctx context.Context, plan *installer.Plan) (doctor.Answer, bool) {
	type outcome struct {
		answer doctor.Answer
		err    error
	}
	tried, enter := make(chan outcome), make(chan struct{})
	try := func() {
		a, err := doctor.Try(ctx, plan.Options.Data, "chrome-mcp install")
		tried <- outcome{a, err}
	}
	go try()
	go p.enters(enter)
	var refusal *bridge.Refusal
	for said := false; ; {
		select {
		case <-enter:
			p.open(plan.System)
		case o := <-tried:
			switch {
			case o.err == nil:
				return o.answer, true
			case ctx.Err() != nil:
				return o.answer, false
			case errors.As(o.err, &refusal) && !said:
				said = true
				p.reload()
			case !errors.As(o.err, &refusal):
				fmt.Fprintln(p.paper)
				p.paper.para(p.paper.paint(red, "✗ "), 2, plain, o.err.Error())
				return o.answer, false
			}
			time.AfterFunc(againTime, try)
		}
	}
}

// enters tells of each line that is typed, until there are none.
func (p *person) enters(enter chan<- struct{}) {
	for strings.HasSuffix(p.inv.line(), "\n") {
		enter <- struct{}{}
	}
}

// open opens the extension's options page in the browser that runs, else in the first
// that was installed for. Browsers take that address on their command line;
// chrome://extensions they do not.
func (p *person) open(s installer.System) {
	page := extension.Origin + "options.html"
	o, err := installOptions()
	var program []string
	var title string
	for _, v := range installer.Look(s, o) {
		if err != nil || !v.Chosen || v.Row == nil {
			continue
		}
		if words := s.Command(*v.Row); words != nil && (program == nil || doctor.Running(v.UserData)) {
			program, title = words, v.Title
		}
	}
	if program == nil || !hasScreen() {
		p.paper.para("", 0, plain, "Open this page in the browser: "+page)
		return
	}
	words := append(slices.Clone(program), page)
	cmd := exec.Command(words[0], words[1:]...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		p.paper.para("", 0, plain, fmt.Sprintf("%s cannot be started (%v); open this page in it: %s", title, err, page))
		return
	}
	go cmd.Wait()
	p.paper.para("", 0, plain, "Opened in "+title+": "+page)
}
