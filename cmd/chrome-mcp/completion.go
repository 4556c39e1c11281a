package main

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chrome-mcp/installer"
)

// The scripts ask this program, so that what they offer is what this release knows.
//
//go:embed completion
var scripts embed.FS

// shells have a script each.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func runCompletion(inv *invocation) int {
	if len(inv.args) != 1 || !slices.Contains(shells, inv.args[0]) {
		return inv.usage(fmt.Errorf("completion takes the name of a shell: %s", strings.Join(shells, ", ")))
	}
	b, err := scripts.ReadFile("completion/" + inv.args[0])
	if err != nil {
		return inv.fail(err)
	}
	inv.stdout.Write(b)
	return 0
}

// runComplete answers a script: one candidate a line, with a tab and what it means, or
// :files or :dirs where the shell knows better. Behind "--" stand the words of the line;
// the last is the one to complete, and is left out, as an empty one, with "next".
func runComplete(inv *invocation) int {
	i := slices.Index(inv.args, "--")
	if i < 0 {
		return inv.usage(errors.New("complete is for the scripts that `chrome-mcp completion` prints"))
	}
	words := inv.args[i+1:]
	if slices.Contains(inv.args[:i], "next") || len(words) == 0 {
		words = append(words, "")
	}
	for _, c := range complete(words) {
		fmt.Fprintln(inv.stdout, c)
	}
	return 0
}

// complete returns what the last word could become.
func complete(words []string) []string {
	before, current := words[:len(words)-1], words[len(words)-1]
	if f, prefix, value := valueFlag(before, current); f != nil {
		return offer(value, f.offers(), prefix)
	}
	c, given := commandOf(before)
	switch {
	case strings.HasPrefix(current, "-"):
		return offer(current, flagsFor(orServe(c), given), "")
	case c == nil:
		return offer(current, commandsFor(), "")
	case c.offers != nil:
		return offer(current, c.offers(), "")
	}
	return nil
}

// offer keeps the candidates that the word could become. prefix is put before them.
func offer(word string, candidates []string, prefix string) (kept []string) {
	for _, c := range candidates {
		switch {
		case strings.HasPrefix(c, ":"):
			kept = append(kept, c)
		case strings.HasPrefix(c, word):
			kept = append(kept, prefix+c)
		}
	}
	return kept
}

// valueFlag tells whether the current word is the value of a flag, and how it is
// spelled. Bash cuts --flag=value at the sign.
func valueFlag(before []string, current string) (f *option, prefix, value string) {
	if name, value, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "--") {
		if f := taking(name); f != nil {
			return f, name + "=", value
		}
	}
	n := len(before)
	switch {
	case n > 0 && current == "=":
		return taking(before[n-1]), "", ""
	case n > 1 && before[n-1] == "=":
		return taking(before[n-2]), "", current
	case n > 0:
		return taking(before[n-1]), "", current
	}
	return nil, "", ""
}

// taking is the flag of that spelling, if it takes a value.
func taking(word string) *option {
	name, ok := strings.CutPrefix(word, "--")
	if f := flagNamed(name); ok && f != nil && f.arg != "" {
		return f
	}
	return nil
}

// commandOf finds the command in a line, and the flags that it has.
func commandOf(words []string) (c *command, given []string) {
	for i, w := range words {
		name, isFlag := strings.CutPrefix(w, "--")
		switch {
		case isFlag:
			name, _, _ = strings.Cut(name, "=")
			given = append(given, name)
		case w == "=", i > 0 && (words[i-1] == "=" || taking(words[i-1]) != nil):
		case c == nil:
			c = commandNamed(w)
		}
	}
	return c, given
}

func orServe(c *command) *command {
	if c == nil {
		return commands[0]
	}
	return c
}

func commandsFor() (list []string) {
	for _, c := range commands {
		if !c.hidden {
			list = append(list, c.name+"\t"+c.summary)
		}
	}
	return list
}

// flagsFor are the flags that a command takes and that are not there, or may be there
// more than once.
func flagsFor(c *command, given []string) (list []string) {
	for _, f := range flags {
		if f.of(c) && (f.repeatable() || !slices.Contains(given, f.name)) {
			list = append(list, "--"+f.name+"\t"+f.help)
		}
	}
	return list
}

func (f *option) repeatable() bool { return strings.Contains(f.help, "repeatable") }

// choices are the values of flags that have a few.
var choices = map[string][]string{
	"toolset": {"core", "read", "full"},
	"backend": {"auto", "extension", "cdp"},
	"prefer":  {"extension", "cdp"},
}

// offers are the values that the flag may have.
func (f *option) offers() []string {
	switch {
	case f.name == "browser":
		return browserNames()
	case f.name == "client":
		return append(clientOffers(), installer.AllClients+"\tevery client that is found")
	case f.arg == "FILE", f.arg == "PATH":
		return []string{":files"}
	case f.arg == "DIR":
		return []string{":dirs"}
	}
	return choices[f.name]
}

func browserNames() (list []string) {
	for _, b := range installer.Browsers {
		list = append(list, b.Name+"\t"+b.Title)
	}
	return list
}

func clientOffers() (list []string) {
	for _, c := range installer.Clients {
		list = append(list, c.Name+"\t"+c.Title)
	}
	return list
}
