package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"chrome-mcp/installer"
	"chrome-mcp/internal/terminal"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
)

func runInstall(inv *invocation) int {
	if user := os.Getenv("SUDO_USER"); user != "" && os.Geteuid() == 0 {
		return inv.fail(fmt.Errorf("this would install for root; run it as %s, without sudo", user))
	}
	o, err := installOptions()
	if err != nil {
		return inv.fail(err)
	}
	o.Browsers, o.Force = inv.all("browser"), inv.has("force")
	for _, dir := range inv.all("user-data-dir") {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return inv.fail(err)
		}
		o.UserDataDirs = append(o.UserDataDirs, abs)
	}
	if err := inv.forClients(&o); err != nil {
		return inv.usage(err)
	}
	s := installer.ThisSystem()
	person := inv.person()
	if person != nil {
		person.welcome(s, &o)
	}
	plan, err := installer.NewPlan(s, o)
	if err != nil {
		return inv.fail(err)
	}
	if person != nil {
		person.show(plan)
	} else {
		fmt.Fprintf(inv.stdout, "chrome-mcp %s installs\n%s", version.Version, plan)
	}
	if !inv.has("yes") || inv.has("dry-run") {
		fmt.Fprint(inv.stdout, plan.Diff())
	}
	if inv.has("dry-run") {
		return 0
	}
	if err := inv.agree("Write this?"); err != nil {
		return inv.fail(err)
	}
	exe, err := os.Executable()
	if err != nil {
		return inv.fail(fmt.Errorf("cannot find this program: %w", err))
	}
	if person != nil {
		plan.Done = person.done
	}
	err = installer.Apply(plan, exe)
	for _, w := range plan.Warnings {
		fmt.Fprintln(inv.stderr, "chrome-mcp:", w)
	}
	if err != nil {
		return inv.fail(err)
	}
	if person != nil {
		person.pair(plan)
	} else {
		inv.installed(plan)
	}
	return 0
}

// installed says what is left to do after an install.
func (inv *invocation) installed(p *installer.Plan) {
	s, o := p.System, p.Options
	fmt.Fprint(inv.stdout, "\nDone.")
	if !o.ProgramOnly {
		fmt.Fprintf(inv.stdout, ` Two clicks are left, in the browser:
  1. Open chrome://extensions, switch on Developer mode, press "Load unpacked" and choose
     %s
  2. On the extension's options page press Pair.`, o.Extension(s))
	}
	fmt.Fprintln(inv.stdout)
	if len(o.Clients) == 0 {
		fmt.Fprintf(inv.stdout, "Let your MCP client start\n     %s\nor install again with --client, which tells it.\n", o.Program(s))
		return
	}
	inv.clientsDone(p)
}

func installOptions() (installer.Options, error) {
	data, err := dataDir()
	return installer.Options{Data: data, Host: wire.HostName}, err
}

func runUninstall(inv *invocation) int {
	if inv.has("client") {
		return inv.uninstallClients()
	}
	data, err := dataDir()
	if err != nil {
		return inv.fail(err)
	}
	what, err := installer.Undo(data, true)
	if err != nil {
		return inv.fail(err)
	}
	if len(what.Removed)+len(what.Left) == 0 {
		fmt.Fprintln(inv.stdout, "Nothing is installed in", data)
		return 0
	}
	fmt.Fprintf(inv.stdout, "chrome-mcp removes\n%s", lines(what.Removed))
	if inv.has("dry-run") {
		return 0
	}
	if err := inv.agree("Remove this?"); err != nil {
		return inv.fail(err)
	}
	what, err = installer.Undo(data, false)
	if len(what.Left) > 0 {
		fmt.Fprintf(inv.stdout, "Left as they are:\n%s", lines(what.Left))
	}
	if err != nil {
		return inv.fail(err)
	}
	fmt.Fprintln(inv.stdout, "Done. Remove the extension at chrome://extensions.")
	if entries, err := os.ReadDir(data); err == nil && len(entries) > 0 {
		fmt.Fprintf(inv.stdout, "%s still has what running servers wrote (pairings, logs); delete it if you like.\n", data)
	}
	return 0
}

func lines(list []string) string {
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintln(&b, " ", l)
	}
	return b.String()
}

// agree asks the person at the terminal, unless --yes was given.
func (inv *invocation) agree(question string) error {
	if inv.has("yes") {
		return nil
	}
	f, ok := inv.stdin.(*os.File)
	if !ok || !terminal.Is(f) {
		return errors.New("nobody is there to ask; give --yes to go on, or --dry-run to only look")
	}
	if inv.ask(question) {
		return nil
	}
	return errors.New("nothing was changed")
}

// ask puts a question to the person at the terminal; all but a yes is a no.
func (inv *invocation) ask(question string) bool {
	fmt.Fprintf(inv.stderr, "%s [y/N] ", question)
	switch strings.ToLower(strings.TrimSpace(inv.line())) {
	case "y", "yes":
		return true
	}
	return false
}

// line reads what the person types next.
func (inv *invocation) line() string {
	if inv.typed == nil {
		inv.typed = bufio.NewReader(inv.stdin)
	}
	text, _ := inv.typed.ReadString('\n')
	return text
}

func runExtensionPath(inv *invocation) int {
	o, err := installOptions()
	if err != nil {
		return inv.fail(err)
	}
	path, err := installer.Unpack(installer.ThisSystem(), o)
	if err != nil {
		return inv.fail(err)
	}
	fmt.Fprintln(inv.stdout, path)
	return 0
}
