//go:build !windows

package installer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The stand-in for Claude Code's command does to the file what the real one does.
func TestClientThroughItsCommandOnly(t *testing.T) {
	h := newClientHome(t, "claude-code")
	content := string(sample(t, h.client))
	write(t, h.file, content)
	if err := h.try(); err == nil || !strings.Contains(err.Error(), "the command `claude` was not found") || !strings.Contains(err.Error(), "claude mcp add --scope user chrome -- ") {
		t.Fatalf("error %v", err)
	}
	program := h.opts.Program(h.System)
	h.cli(t, `case "$2" in
add) sed -i 's|^    "github": {|    "chrome": {"type": "stdio", "command": "`+program+`", "args": []},\n&|' `+h.file+`;;
remove) sed -i '/^    "chrome": /d' `+h.file+`;;
esac`)
	before := tree(t, h.Home)
	if err := h.install(t); err != nil || h.state() != ClientOurs {
		t.Fatal(err, h.state())
	}
	if got, want := h.called(t), "mcp add --scope user chrome -- "+program+" --allow-domain example.com ."; got != want {
		t.Errorf("called with %q; want %q", got, want)
	}
	h.opts.Args = []string{"--headless"}
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	if got, want := h.called(t), "mcp remove --scope user chrome . mcp add --scope user chrome -- "+program+" --headless ."; got != want {
		t.Errorf("called with %q; want %q", got, want)
	}
	h.uninstall(t)
	if got := h.called(t); got != "mcp remove --scope user chrome ." {
		t.Errorf("called with %q", got)
	}
	sameTree(t, before, tree(t, h.Home))
	if h.content(t) != content {
		t.Error("the project's own entry was touched")
	}
	h.called(t)
	h.cli(t, "echo no such scope >&2; exit 3")
	if err := h.try(); err == nil || !strings.Contains(err.Error(), "exit status 3): no such scope") {
		t.Errorf("error %v", err)
	}
}

// Another program's entry is put back by the same command, when ours goes or cannot come.
func TestCommandPutsBackWhatWasThere(t *testing.T) {
	const other = `{"args":["x"],"command":"npx","env":{"K":"a b"}}`
	script := `case "$2" in
add) printf '{"mcpServers":{"chrome":{"command":"%s","args":[]}}}' "$7" >FILE;;
add-json) printf '{"mcpServers":{"chrome":%s}}' "$6" >FILE;;
remove) echo '{}' >FILE;;
esac`
	h := newClientHome(t, "claude-code")
	h.cli(t, strings.ReplaceAll(script, "FILE", h.file))
	write(t, h.file, `{"mcpServers":{"chrome":`+other+`}}`)
	if err := h.try(); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("error %v", err)
	}
	h.opts.Force = true
	if err := h.try(); err != nil || h.state() != ClientOurs {
		t.Fatal(err, h.state())
	}
	h.opts.Args = []string{"--headless"} // what was there before stays known
	if err := h.try(); err != nil {
		t.Fatal(err)
	}
	h.uninstall(t)
	if want := `{"mcpServers":{"chrome":` + other + `}}`; h.content(t) != want {
		t.Errorf("file %s; want %s", h.content(t), want)
	}
	h.cli(t, strings.Replace(strings.ReplaceAll(script, "FILE", h.file), "add)", "add) exit 1; ", 1))
	if err := h.try(); err == nil || h.content(t) != `{"mcpServers":{"chrome":`+other+`}}` {
		t.Errorf("error %v, file %s", err, h.content(t))
	}
}

func TestClientThroughItsCommand(t *testing.T) {
	cases := []struct{ client, does, argv, warning string }{
		{"codex", `printf '\n[mcp_servers.chrome]\ncommand = "%s"\nargs = []\n' "$5" >>FILE`, "mcp add chrome -- PROGRAM --allow-domain example.com .", ""},
		{"codex", "echo too old; exit 2", "mcp add chrome -- PROGRAM --allow-domain example.com .", "(exit status 2): too old; its file was written instead"},
		{"codex", "echo fine", "mcp add chrome -- PROGRAM --allow-domain example.com .", "ran, but FILE does not name chrome-mcp; its file was written instead"},
		{"gemini", `printf '{"mcpServers":{"chrome":{"command":"%s"}}}' "$6" >FILE`, "mcp add --scope user chrome PROGRAM -- --allow-domain example.com .", ""},
		{"vscode", `printf '{"servers":{"chrome":%s}}' "$2" >FILE`, `--add-mcp {"name":"chrome","type":"stdio","command":"PROGRAM","args":["--allow-domain","example.com"]} .`, ""},
	}
	for _, c := range cases {
		t.Run(c.client, func(t *testing.T) {
			h := newClientHome(t, c.client)
			fill := strings.NewReplacer("FILE", h.file, "PROGRAM", h.opts.Program(h.System))
			h.cli(t, fill.Replace(c.does))
			os.MkdirAll(filepath.Dir(h.file), 0o700)
			before := tree(t, h.Home)
			p, err := NewPlan(h.System, h.opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := Apply(p, h.source); err != nil || h.state() != ClientOurs {
				t.Fatalf("%v, state %s", err, h.state())
			}
			if got := strings.Join(p.Warnings, "\n"); (got == "") != (c.warning == "") || !strings.Contains(got, fill.Replace(c.warning)) {
				t.Errorf("warnings %q; want %q", got, c.warning)
			}
			if got := h.called(t); got != fill.Replace(c.argv) {
				t.Errorf("called with %q; want %q", got, fill.Replace(c.argv))
			}
			h.uninstall(t)
			sameTree(t, before, tree(t, h.Home))
		})
	}
}

// A command that lays the file out anew and drops comments does not get its way; one that
// changes what the file says does.
func TestCommandThatDropsComments(t *testing.T) {
	for name, extra := range map[string]string{"nothing else": "", "another setting": "[notice]\nseen = true\n"} {
		t.Run(name, func(t *testing.T) {
			h := newClientHome(t, "codex")
			content := "model = \"o\" # mine\n\n[mcp_servers.docs]\nargs = [\n  \"-y\", # without asking\n]\n"
			write(t, h.file, content)
			h.cli(t, `printf 'model = "o"\n[mcp_servers.docs]\nargs = ["-y"]\n[mcp_servers.chrome]\ncommand = "%s"\nargs = ["--allow-domain", "example.com"]\n`+extra+`' "$5" >`+h.file)
			before := tree(t, h.Home)
			if err := h.try(); err != nil || h.state() != ClientOurs {
				t.Fatal(err, h.state())
			}
			if kept := strings.HasPrefix(h.content(t), content); kept != (extra == "") {
				t.Errorf("comments kept: %v\n%s", kept, h.content(t))
			}
			h.called(t)
			h.uninstall(t)
			if extra == "" {
				sameTree(t, before, tree(t, h.Home))
			} else if got := h.content(t); !strings.Contains(got, "seen = true") || strings.Contains(got, "chrome") {
				t.Errorf("after the uninstall:\n%s", got)
			}
		})
	}
}

func TestCommandHasATime(t *testing.T) {
	start := time.Now()
	err := runWithin([]string{"/bin/sh", "-c", "echo waiting; sleep 5"}, time.Second)
	if err == nil || !strings.Contains(err.Error(), "no end after 1s): waiting") || time.Since(start) > 10*time.Second {
		t.Errorf("error %v after %s", err, time.Since(start))
	}
}

// A client that fails is told of, and the others are served.
func TestOneClientOfTwoFails(t *testing.T) {
	h := newClientHome(t, "claude-code")
	h.cli(t, "exit 1")
	h.opts.Clients = []string{"claude-code", "cursor"}
	err := h.try()
	if err == nil || !strings.Contains(err.Error(), "install: Claude Code: `claude mcp add") {
		t.Errorf("error %v", err)
	}
	if state, _, _ := h.examine(client(t, "cursor"), h.opts); state != ClientOurs {
		t.Errorf("Cursor is %s", state)
	}
	h.uninstall(t)
	if exists(filepath.Join(h.Home, ".cursor")) {
		t.Error("Cursor's folder is left")
	}
}
