//go:build !windows

package installer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chrome-mcp/internal/conf"
)

// clientHome is a home folder in which one client has its file.
type clientHome struct {
	home
	client Client
	file   string
}

func newClientHome(t *testing.T, name string) clientHome {
	t.Helper()
	h := clientHome{home: newHome(t), client: client(t, name)}
	h.Read, h.List = os.ReadFile, list
	h.PATH = []string{filepath.Join(h.Home, "bin")}
	write(t, h.source, "#!/bin/sh\n")
	h.opts.ProgramOnly = true
	h.opts.Clients, h.opts.Args = []string{name}, []string{"--allow-domain", "example.com"}
	h.file = h.clientFile(h.client)
	return h
}

// try installs and returns the error of plan or apply.
func (h clientHome) try() error {
	p, err := NewPlan(h.System, h.opts)
	if err != nil {
		return err
	}
	return Apply(p, h.source)
}

// cli puts a command on PATH: a script that notes its arguments and then does as told.
func (h clientHome) cli(t *testing.T, does string) {
	t.Helper()
	path := filepath.Join(h.Home, "bin", h.client.CLI.Program)
	write(t, path, "#!/bin/sh\nfor a; do echo \"$a\" >>"+h.Home+"/called; done\necho . >>"+h.Home+"/called\n"+does+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (h clientHome) called(t *testing.T) string {
	t.Helper()
	b, _ := os.ReadFile(filepath.Join(h.Home, "called"))
	os.Remove(filepath.Join(h.Home, "called"))
	return strings.ReplaceAll(strings.TrimSuffix(string(b), "\n"), "\n", " ")
}

func (h clientHome) state() ClientState {
	state, _, _ := h.examine(h.client, h.opts)
	return state
}

func (h clientHome) content(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(h.file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// uninstall is `chrome-mcp uninstall` on this system.
func (h clientHome) uninstall(t *testing.T) Removal {
	t.Helper()
	u := &undoer{reg: noRegistry{}, sys: h.System, opts: h.opts, run: runCommand}
	what, err := u.all(h.opts.Data)
	if err != nil {
		t.Fatal(err)
	}
	return what
}

// TestClientsThereAndBack installs, installs again and uninstalls for every client whose
// file is written, in every state that the file can be in.
func TestClientsThereAndBack(t *testing.T) {
	for _, c := range Clients {
		if c.CLIOnly {
			continue
		}
		states := map[string][]byte{"sample": sample(t, c), "no file": nil, "empty": {}}
		if c.Format == conf.JSON {
			states["object"] = []byte("{}")
		}
		for state, content := range states {
			t.Run(c.Name+"/"+state, func(t *testing.T) {
				h := newClientHome(t, c.Name)
				if content != nil {
					write(t, h.file, string(content))
					os.Chmod(h.file, 0o640)
				}
				before := tree(t, h.Home)
				h.thereAndBack(t, content)
				sameTree(t, before, tree(t, h.Home))
			})
		}
	}
}

func (h clientHome) thereAndBack(t *testing.T, content []byte) {
	t.Helper()
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	b := []byte(h.content(t))
	if h.state() != ClientOurs {
		t.Errorf("state %s after the install:\n%s", h.state(), b)
	}
	if content != nil {
		if fi, _ := os.Stat(h.file); fi.Mode().Perm() != 0o640 {
			t.Errorf("mode %v", fi.Mode())
		}
		if kept, err := os.ReadFile(h.file + backupSuffix); err != nil || !bytes.Equal(kept, content) {
			t.Errorf("backup: %v %q", err, kept)
		}
	}
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	h.opts.Args = nil // and without saying how
	if err := h.install(t); err != nil || h.content(t) != string(b) {
		t.Errorf("installing again changed the file: %v", err)
	}
	// Another command line, and once more.
	h.opts.Args = []string{"--enable-mutations"}
	for range 2 {
		if err := h.install(t); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(h.content(t), "--enable-mutations") || strings.Contains(h.content(t), "example.com") {
		t.Errorf("the command line is not the new one:\n%s", h.content(t))
	}
	h.uninstall(t)
}

// What others write meanwhile stays, and only our entry goes.
func TestClientEditedMeanwhile(t *testing.T) {
	edits := map[string][2]string{
		"claude-desktop": {`"Ctrl+Space"`, `"Alt+Space"`},
		"cursor":         {`"docker"`, `"podman"`},
		"vscode":         {"// the hosted one", "// ours"},
		"codex":          {`"gpt-5"`, `"gpt-6" # newer`},
		"gemini":         {"GitHub", "Ayu"},
		"windsurf":       {"uvx", "pipx"},
		"zed":            {"One Dark", "Ayu"},
		"junie":          {"db.jar", "other.jar"},
		"goose":          {"anthropic   # or openai", "openai"},
		"cline":          {`"timeout": 60`, `"timeout": 90`},
		"opencode":       {"tokyonight", "nord"},
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			h := newClientHome(t, name)
			content := string(sample(t, h.client))
			write(t, h.file, content)
			if err := h.install(t); err != nil {
				t.Fatal(err)
			}
			write(t, h.file, strings.ReplaceAll(h.content(t), edit[0], edit[1]))
			what := h.uninstall(t)
			if want := strings.ReplaceAll(content, edit[0], edit[1]); h.content(t) != want || len(what.Left) > 0 {
				t.Errorf("left %v, file\n%s\nwant\n%s", what.Left, h.content(t), want)
			}
		})
	}
}

// A client that lays its file out anew, with a server more, loses our entry only.
func TestClientLaidOutAnew(t *testing.T) {
	h := newClientHome(t, "cursor")
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	write(t, h.file, `{"mcpServers":{"chrome":{"args":[],"command":"`+h.opts.Program(h.System)+`"},"new":{"command":"x"}}}`)
	h.uninstall(t)
	if got := h.content(t); got != `{"mcpServers":{"new":{"command":"x"}}}` {
		t.Errorf("file %s", got)
	}
}

func TestClientOfAnotherProgram(t *testing.T) {
	h := newClientHome(t, "cursor")
	content := "{\n  \"mcpServers\": {\n    \"chrome\": { \"command\": \"npx\", \"args\": [\"x\"], \"env\": {\"K\": \"v\"} }\n  }\n}\n"
	write(t, h.file, content)
	before := tree(t, h.Home)
	if err := h.try(); err == nil || !strings.Contains(err.Error(), `"chrome" starts another program, npx; `+"`chrome-mcp install --client cursor --force` replaces it") {
		t.Fatalf("error %v", err)
	}
	sameTree(t, before, tree(t, h.Home))
	if what, err := UndoClients(h.System, h.opts, []string{"cursor"}, false); err != nil || len(what.Left) != 1 {
		t.Errorf("uninstall: %+v %v", what, err)
	}
	h.opts.Force = true
	if err := h.install(t); err != nil || h.state() != ClientOurs || strings.Contains(h.content(t), "env") {
		t.Fatalf("forced: %v\n%s", err, h.content(t))
	}
	h.uninstall(t)
	sameTree(t, before, tree(t, h.Home))
}

func TestClientFileThatMakesNoSense(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"cursor": {"{\n  \"mcpServers\": {,}\n}", "line 2, column 18: "},
		"codex":  {"a = 1\nb = \n", "line 2, column 5: "},
		"goose":  {"a: 1\n  b: 2\n", "line 2, column 3: "},
		"zed":    {"{\"context_servers\": []}", `line 1, column 21: "context_servers" is no object`},
		"junie":  {`{"mcpServers": {}, "mcpServers": {}}`, `line 1, column 20: "mcpServers" stands here a second time`},
	} {
		t.Run(name, func(t *testing.T) {
			h := newClientHome(t, name)
			write(t, h.file, c.content)
			before := tree(t, h.Home)
			if err := h.try(); err == nil || !strings.Contains(err.Error(), h.file+": "+c.want) {
				t.Errorf("error %v; want %q", err, c.want)
			}
			sameTree(t, before, tree(t, h.Home))
			h.opts.Clients = []string{AllClients} // leaves it out and says so
			p, err := NewPlan(h.System, h.opts)
			if err != nil || !strings.Contains(p.String(), "left out; "+h.file) {
				t.Errorf("%v, plan\n%s", err, p)
			}
		})
	}
}

// Those who keep their files elsewhere have links to them.
func TestClientFileIsALink(t *testing.T) {
	h := newClientHome(t, "cursor")
	real := filepath.Join(h.Home, "dotfiles/mcp.json")
	write(t, real, "{}\n")
	os.MkdirAll(filepath.Dir(h.file), 0o700)
	if err := os.Symlink("../dotfiles/mcp.json", h.file); err != nil {
		t.Fatal(err)
	}
	before := tree(t, h.Home)
	if err := h.install(t); err != nil || h.state() != ClientOurs {
		t.Fatal(err, h.state())
	}
	if fi, _ := os.Lstat(h.file); fi.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is a file now")
	}
	h.uninstall(t)
	sameTree(t, before, tree(t, h.Home))

	os.Remove(real)
	if err := h.try(); err == nil || !strings.Contains(err.Error(), "is a link to nothing") {
		t.Errorf("error %v", err)
	}
}

func TestClientFileThatChangesMeanwhile(t *testing.T) {
	h := newClientHome(t, "cursor")
	write(t, h.file, "{}")
	p, err := NewPlan(h.System, h.opts)
	if err != nil {
		t.Fatal(err)
	}
	write(t, h.file, `{"a":1}`)
	if err := Apply(p, h.source); err == nil || !strings.Contains(err.Error(), "run it again") || h.content(t) != `{"a":1}` {
		t.Errorf("error %v, file %s", err, h.content(t))
	}
}

func TestUninstallOneClient(t *testing.T) {
	h := newClientHome(t, "cursor")
	h.opts.Clients = []string{"cursor", "junie"}
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	if what, err := UndoClients(h.System, h.opts, []string{"cursor"}, true); err != nil || len(what.Removed) != 1 || h.state() != ClientOurs {
		t.Errorf("dry: %+v %v", what, err)
	}
	what, err := UndoClients(h.System, h.opts, []string{"cursor"}, false)
	if err != nil || len(what.Removed) != 1 || exists(filepath.Dir(h.file)) {
		t.Errorf("%+v %v", what, err)
	}
	if !exists(h.opts.Program(h.System)) || !exists(filepath.Join(h.Home, ".junie/mcp/mcp.json")) {
		t.Error("more was removed")
	}
	if what, err := UndoClients(h.System, h.opts, []string{AllClients}, false); err != nil || len(what.Removed) != 1 {
		t.Errorf("all: %+v %v", what, err)
	}
	if _, err := UndoClients(h.System, h.opts, []string{"netscape"}, false); err == nil || !strings.Contains(err.Error(), "known are claude-code, ") {
		t.Errorf("unknown: %v", err)
	}
	h.uninstall(t)
	if _, err := os.Stat(h.opts.Data); !errors.Is(err, os.ErrNotExist) {
		t.Error("the data folder is left")
	}
}

// An entry that somebody pasted goes when it is asked for by name, and is told of else.
func TestClientWrittenByHand(t *testing.T) {
	h := newClientHome(t, "cursor")
	h.opts.Clients = nil
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	write(t, h.file, h.client.Snippet(h.System, h.opts))
	h.opts.Clients = []string{"cursor", AllClients}
	p, err := NewPlan(h.System, h.opts)
	if err != nil || strings.Contains(p.String(), "Cursor, Cursor") {
		t.Fatalf("%v\n%s", err, p)
	}
	if what, err := UndoClients(h.System, h.opts, []string{"cursor"}, true); err != nil || len(what.Removed) != 1 {
		t.Errorf("dry: %+v %v", what, err)
	}
	what := h.uninstall(t)
	if len(what.Left) != 1 || !strings.Contains(what.Left[0], "`chrome-mcp uninstall --client cursor` takes it out") {
		t.Errorf("left %q", what.Left)
	}
}
