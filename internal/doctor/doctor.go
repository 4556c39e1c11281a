// Package doctor walks the path of a call, from this program to a command in a browser,
// and says for each step what it saw and, where it is wrong, which command mends it.
//
// It judges by trying: it starts the host as a browser does, and a server as a client
// does, and lets the extension dial it. It mends only what is ours and only when asked,
// never changes what a browser or a user chose, and never shows a token.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"chrome-mcp/installer"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
)

// State is how a step went.
type State string

// The states of a finding.
const (
	OK   State = "ok"
	Warn State = "warn" // calls work all the same
	Fail State = "fail" // this keeps calls from working
)

// Finding is what one step saw. The ids of good steps are single words; those of faults
// are the step, a dot and the fault. They only grow.
type Finding struct {
	ID       string `json:"id"`
	State    State  `json:"state"`
	What     string `json:"what"`
	Evidence string `json:"evidence"`
	Fix      string `json:"fix"`     // a command, or what a person has to do; "" when nothing has to be
	Fixable  bool   `json:"fixable"` // `chrome-mcp doctor --fix` does it

	mend func() error
}

// Report is the whole walk.
type Report struct {
	OK       bool      `json:"ok"` // a call would work now
	Version  string    `json:"version"`
	DataDir  string    `json:"dataDir"`
	Findings []Finding `json:"findings"`
	Fixed    []string  `json:"fixed,omitempty"` // ids of what was mended before this walk
}

// Config says whose set-up is examined.
type Config struct {
	System  installer.System
	Options installer.Options
	Program string // this one
	Etc     string // where managed policies are, on Linux; "" is /etc
	// Wait is how long the extension has to dial. 0 is 3 s.
	Wait time.Duration
	// Patience is the same after something was mended. 0 is 35 s: an extension that did
	// not find the host tries again by itself each half minute.
	Patience time.Duration
}

// Run walks the path. It changes nothing but that handshake files of dead servers go,
// as with everyone who reads them.
func Run(ctx context.Context, c Config) Report { return walk(ctx, c, false) }

// Fix walks the path, mends what is safe to mend, and walks it again.
func Fix(ctx context.Context, c Config) Report {
	r := Run(ctx, c)
	var fixed []string
	var failed []Finding
	for _, f := range r.Findings {
		if f.mend == nil {
			continue
		}
		if err := f.mend(); err != nil {
			failed = append(failed, Finding{ID: "fix", State: Fail, What: "mending " + f.ID + " failed", Evidence: err.Error(), Fix: f.Fix})
			continue
		}
		fixed = append(fixed, f.ID)
	}
	if fixed != nil {
		r = walk(ctx, c, true)
		r.Fixed = fixed
	}
	r.Findings = append(r.Findings, failed...)
	return r
}

// exam is one walk.
type exam struct {
	Config
	store    *state.Store
	record   installer.Record
	views    []installer.View
	profiles []profile
	trial    *trial
	mended   bool
	list     []Finding
}

func walk(ctx context.Context, c Config, mended bool) Report {
	c.Wait = cmp.Or(c.Wait, 3*time.Second)
	c.Patience = cmp.Or(c.Patience, 35*time.Second)
	c.Etc = cmp.Or(c.Etc, "/etc")
	e := &exam{Config: c, store: state.Open(c.Options.Data), mended: mended}
	e.views = installer.Look(c.System, c.Options)
	e.profiles = e.lookForProfiles()
	e.folder()
	e.handshakes()
	e.tryCall(ctx) // it waits for a browser meanwhile
	e.installed()
	for _, v := range e.views {
		e.browser(ctx, v)
	}
	e.host(ctx)
	e.extension()
	e.servers(ctx)
	works := e.call()
	e.fallback()
	e.clients()
	return Report{OK: works, Version: version.Version, DataDir: c.Options.Data, Findings: e.judged(works)}
}

// judged makes faults that did not keep a call from working warnings.
func (e *exam) judged(works bool) []Finding {
	for i := range e.list {
		if works && e.list[i].State == Fail {
			e.list[i].State = Warn
		}
	}
	return e.list
}

func (e *exam) fine(id, what, format string, a ...any) {
	e.list = append(e.list, Finding{ID: id, State: OK, What: what, Evidence: fmt.Sprintf(format, a...)})
}

func (e *exam) warn(id, what, evidence, fix string) {
	e.list = append(e.list, Finding{ID: id, State: Warn, What: what, Evidence: evidence, Fix: fix})
}

func (e *exam) fail(id, what, evidence, fix string) {
	e.list = append(e.list, Finding{ID: id, State: Fail, What: what, Evidence: evidence, Fix: fix})
}

// fixCommand is what the user runs where doctor can mend it.
const fixCommand = "chrome-mcp doctor --fix"

// fixable is fail with a remedy of our own.
func (e *exam) fixable(id, what, evidence string, mend func() error) {
	e.list = append(e.list, Finding{ID: id, State: Fail, What: what, Evidence: evidence, Fix: fixCommand, Fixable: true, mend: mend})
}

func (e *exam) found(id string) bool {
	return slices.ContainsFunc(e.list, func(f Finding) bool { return f.ID == id })
}

// program is where this program was installed.
func (e *exam) program() string { return e.Options.Program(e.System) }
