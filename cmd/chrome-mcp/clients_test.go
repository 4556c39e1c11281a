package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What install puts into an entry is what serve understands, for every flag of serve.
func TestEntryTakesTheFlagsOfServe(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("profile", 0o700); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{
		"HOST": "example.com", "N": "7", "DIR": "sub", "RE": "x|y", "FILE": "f.log", "NAMES": "click,hover",
		"PATH": "bin/chrome", "ARG": "--lang=de", "URLS": "profile", "LINE": "A: b", "NAME": "",
		"ID": "abcdefghijklmnopabcdefghijklmnop", "TOOL": "https://shop.example#add",
	}
	named := map[string]string{"toolset": "core", "backend": "auto", "prefer": "extension"}
	var alone []string
	for _, f := range flags {
		if !slices.Contains(f.commands, "serve") || strings.Contains(f.name, "http") || f.name == "policy" {
			continue
		}
		line := []string{"install", "--client", "cursor", "--" + f.name}
		if f.arg != "" {
			value, known := values[f.arg]
			if value == "" {
				value, known = named[f.name], named[f.name] != ""
			}
			if !known {
				t.Errorf("--%s %s: the test does not know what to give it", f.name, f.arg)
			}
			line[len(line)-1] += "=" + value
		}
		if f.name == "cdp-header" || f.name == "cdp-endpoint" {
			alone = append(alone, line[len(line)-1])
			continue // they go together
		}
		sameForServe(t, line)
	}
	sameForServe(t, append([]string{"install", "--client", "cursor"}, alone...))
}

func sameForServe(t *testing.T, line []string) {
	t.Helper()
	inv, err := parse(line)
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	args, err := inv.entryArgs()
	if err != nil || len(args) == 0 {
		t.Errorf("%q: entry %q, %v", line, args, err)
		return
	}
	served, err := parse(args)
	if err != nil || served.command.name != "serve" {
		t.Errorf("%q: serve does not understand %q: %v", line, args, err)
		return
	}
	delete(inv.values, "client")
	for name, list := range inv.values {
		if f := flagNamed(name); f.arg == "FILE" || f.arg == "DIR" || f.arg == "PATH" || f.arg == "URLS" {
			list[0], _ = filepath.Abs(list[0])
		}
	}
	if !maps.EqualFunc(inv.values, served.values, slices.Equal) {
		t.Errorf("%q: serve reads %v from %q", line, served.values, args)
	}
}

func TestEntryArgs(t *testing.T) {
	for _, c := range []struct{ line, want, err string }{
		{line: "install --client cursor", want: ""},
		{line: "--headless install --client cursor --headless=false", want: ""},
		{line: "install --chrome chromium --client cursor", want: "--chrome chromium"},
		{line: "install --client cursor --cdp-endpoint http://127.0.0.1:9222", want: "--cdp-endpoint http://127.0.0.1:9222"},
		{line: "config cursor --chrome-arg=--lang=de --allow-domain b.test --allow-domain a.test", want: "--allow-domain b.test --allow-domain a.test --chrome-arg=--lang=de"},
		{line: "config cursor --backend extension --headless", err: "contradict"},
		{line: "config cursor --policy missing.json", err: "missing.json"},
		{line: "config cursor --http 127.0.0.1:0", err: "starts its server itself"},
	} {
		inv, err := parse(strings.Fields(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		args, err := inv.entryArgs()
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v; want %q", c.line, err, c.err)
			}
		case err != nil || strings.Join(args, " ") != c.want:
			t.Errorf("%s: %q, %v; want %q", c.line, args, err, c.want)
		}
	}
}
