package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"chrome-mcp/internal/browser"
)

func (r *report) print(p paper) {
	fmt.Fprintf(p, "chrome-mcp %s, data in %s\n", r.Version, r.DataDir)
	p.section("Servers", len(r.Servers), "none runs")
	for _, s := range r.Servers {
		p.item("%s: process %d, port %d, since %s, session %s", clientName(s.Client), s.PID, s.Port, s.Since.Local().Format(time.DateTime), s.Session)
	}
	p.section("Browsers", len(r.Browsers), "none found")
	for _, b := range r.Browsers {
		p.item("%s: host %s", b.Title, b.Host)
	}
	p.section("Paired", len(r.Paired), "none yet")
	for _, b := range r.Paired {
		p.item("%s: extension %s, last %s", strings.TrimSpace("Chrome "+b.Chrome+" "+b.Profile), b.Version, b.Last.Local().Format(time.DateTime))
	}
	r.printConnected(p)
	if len(r.Problems) > 0 {
		p.section("Problems", 1, "")
		for _, problem := range r.Problems {
			p.item("%s", problem)
		}
	}
	if r.Next != "" {
		fmt.Fprintln(p)
		p.para(p.paint(bold, "Next: "), 6, plain, r.Next)
	}
}

// printConnected shows the browsers that answered and whose tabs are whose.
func (r *report) printConnected(p paper) {
	p.section("Connected now", len(r.Browser), "no browser")
	for _, b := range r.Browser {
		p.item("%s, Chrome %s: %s", b.Name, b.Version, plural(b.Tabs, "tab"))
		for _, s := range b.Sessions {
			p.para("    ", 6, plain, fmt.Sprintf("%s works in %s: %s", cmp.Or(s.Client, "session "+s.Session), plural(len(s.Tabs), "tab"), places(s.Tabs)))
		}
	}
	if s := r.LastSeen; s != nil {
		p.item("the host last heard extension %s at %s", s.Version, s.Time.Local().Format(time.DateTime))
	}
}

// places names where tabs are. Of pages that a server was not allowed, and this one was
// allowed none, the extension tells no more.
func places(tabs []browser.TabInfo) string {
	var names []string
	for _, t := range tabs {
		if name := clip(strings.TrimSuffix(t.URL, "/"), width-6); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func clientName(name string) string { return cmp.Or(name, "a client without a name") }

// section begins a part, which says in a word that it is empty.
func (p paper) section(title string, n int, empty string) {
	fmt.Fprintln(p, "\n"+p.paint(bold, title))
	if n == 0 {
		fmt.Fprintln(p, " ", empty)
	}
}

func (p paper) item(format string, a ...any) { p.para("  ", 2, plain, fmt.Sprintf(format, a...)) }

// clip makes text of pages one line that fits, without what a terminal would act on.
func clip(text string, room int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	if runes := []rune(text); len(runes) > room {
		return string(runes[:room-1]) + "…"
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
