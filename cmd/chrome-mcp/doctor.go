package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"chrome-mcp/installer"
	"chrome-mcp/internal/doctor"
)

// runDoctor exits with 0 only if a call would work now.
func runDoctor(inv *invocation) int {
	o, err := installOptions()
	if err != nil {
		return inv.fail(err)
	}
	exe, err := os.Executable()
	if err != nil {
		return inv.fail(fmt.Errorf("cannot find this program: %w", err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	examine := doctor.Run
	if inv.has("fix") {
		examine = doctor.Fix
	}
	r := examine(ctx, doctor.Config{System: installer.ThisSystem(), Options: o, Program: exe})
	if inv.has("json") {
		enc := json.NewEncoder(inv.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false) // commands stay as they are typed
		if err := enc.Encode(r); err != nil {
			return inv.fail(err)
		}
	} else {
		printReport(newPaper(inv.stdout), r)
	}
	if !r.OK {
		return 1
	}
	return 0
}

// marks are how a finding is shown.
var marks = map[doctor.State]struct{ sign, colour string }{
	doctor.OK:   {"✓", green},
	doctor.Warn: {"!", yellow},
	doctor.Fail: {"✗", red},
}

// findingIndent is where the text of a finding begins.
const findingIndent = 4

func printReport(p paper, r doctor.Report) {
	fmt.Fprintf(p, "chrome-mcp %s, data in %s\n\n", r.Version, r.DataDir)
	if len(r.Fixed) > 0 {
		p.para(p.paint(green, "Mended: "), 8, plain, strings.Join(r.Fixed, ", ")+"; looked again:")
		fmt.Fprintln(p)
	}
	for _, f := range r.Findings {
		printFinding(p, f)
	}
	fmt.Fprintln(p)
	switch first := firstFault(r); {
	case r.OK:
		fmt.Fprintln(p, p.paint(green, "A call works now."))
	case first.Fix != "":
		fmt.Fprintln(p, p.paint(red, "A call would not work now.")+" What to do first:")
		p.para("  ", 2, bold, first.Fix)
	default:
		fmt.Fprintln(p, p.paint(red, "A call would not work now."))
	}
}

func printFinding(p paper, f doctor.Finding) {
	mark, pad := marks[f.State], strings.Repeat(" ", findingIndent)
	p.para("  "+p.paint(mark.colour, mark.sign)+" ", findingIndent, plain, f.What)
	if f.Evidence != "" {
		p.para(pad, findingIndent, faint, f.Evidence)
	}
	if f.Fix != "" && f.State != doctor.OK {
		p.para(pad+p.paint(bold, "fix: "), findingIndent+5, plain, f.Fix)
	}
}

// firstFault is what to mend first: the walk is in the order in which things depend on
// each other.
func firstFault(r doctor.Report) doctor.Finding {
	for _, f := range r.Findings {
		if f.State == doctor.Fail {
			return f
		}
	}
	return doctor.Finding{}
}
