package installer

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chrome-mcp/internal/conf"
)

// sample is a file of the client as people have it: with comments where it allows them,
// other servers, tabs, CRLF or a byte order mark.
func sample(t *testing.T, c Client) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "clients", c.Name+"."+strings.ToLower(string(c.Format))))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withFiles is a system on which these files are, and others that programs are.
func withFiles(goos string, files map[string][]byte, programs ...string) System {
	var paths []string
	for p := range files {
		paths = append(paths, strings.ReplaceAll(p, `\`, "/"))
	}
	s := testSystem(goos, append(paths, programs...)...)
	exists := s.Exists
	s.Exists = func(p string) bool { return exists(strings.ReplaceAll(p, `\`, "/")) }
	if goos == "windows" {
		s.Roaming = `C:\Users\Two Words\AppData\Roaming`
	}
	s.Read = func(p string) ([]byte, error) {
		if b, ok := files[p]; ok {
			return b, nil
		}
		return nil, fs.ErrNotExist
	}
	return s
}

func TestClientTableIsSound(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Clients {
		if names[c.Name] || c.Name == "" || c.Title == "" || c.Name != strings.ToLower(c.Name) || c.Name == AllClients {
			t.Errorf("row %q is doubled or incomplete", c.Name)
		}
		names[c.Name] = true
		for _, files := range []Files{c.Linux, c.Darwin, c.Windows} {
			if len(files) == 0 {
				t.Errorf("%s has no file on one system", c.Name)
			}
			for _, f := range files {
				if !strings.HasPrefix(f, "~") || strings.Contains(f, `\`) {
					t.Errorf("%s: path %q", c.Name, f)
				}
			}
		}
		if c.Format == "" || len(c.Under) == 0 {
			t.Errorf("%s: format %q, key %q", c.Name, c.Format, c.Under)
		}
		if c.CLIOnly && (len(c.CLI.Add) == 0 || len(c.CLI.Remove) == 0) {
			t.Errorf("%s: its file is not written, and there is no command", c.Name)
		}
		program, args := c.Entry.command(decoded(t, c.Entry.entry("/p", []string{"-a", "b"})))
		if program != "/p" || !slices.Equal(args, []string{"-a", "b"}) {
			t.Errorf("%s: its entry reads back as %q %q", c.Name, program, args)
		}
	}
}

// decoded is an entry as it is read from a file.
func decoded(t *testing.T, e conf.Entry) map[string]any {
	t.Helper()
	m, _, err := conf.Get(conf.JSON, []byte(`{"e":`+e.Line()+`}`), []string{"e"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestClientsGolden plans an entry in a file of every client on every system.
func TestClientsGolden(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			var out strings.Builder
			for _, c := range Clients {
				bare := withFiles(goos, nil)
				file := bare.clientFile(c)
				cli := bare.join(bare.Home, "bin", c.CLI.Program)
				if goos == "windows" {
					cli += ".exe"
				}
				s := withFiles(goos, map[string][]byte{file: sample(t, c)})
				o := testOptions(goos)
				o.ProgramOnly, o.Clients = true, []string{c.Name}
				o.Args = []string{"--allow-domain", "example.com", "--enable-mutations"}
				fmt.Fprintf(&out, "== %s: %s\n", c.Title, file)
				if line := c.CommandLine(s, o); line != "" {
					fmt.Fprintf(&out, "%s\n", line)
				}
				if c.CLIOnly {
					s = withFiles(goos, map[string][]byte{file: sample(t, c)}, strings.ReplaceAll(cli, `\`, "/"))
					s.PATH = []string{s.join(s.Home, "bin")}
				}
				p, err := NewPlan(s, o)
				if err != nil {
					t.Errorf("%s: %v", c.Name, err)
					continue
				}
				diff := strings.ReplaceAll(p.Diff(), "\r\n", "␍\n")
				fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(diff, "\ufeff", "<BOM>"))
			}
			golden(t, "clients-"+goos+".txt", out.String())
		})
	}
}

func TestClientFiles(t *testing.T) {
	desktop, codex, cline, opencode, claude := client(t, "claude-desktop"), client(t, "codex"), client(t, "cline"), client(t, "opencode"), client(t, "claude-code")
	const home, appdata = `C:\Users\Two Words`, `C:\Users\Two Words\AppData\Roaming`
	store := `C:\Users\Two Words\AppData\Local\Packages\Claude_x1\LocalCache\Roaming\Claude\claude_desktop_config.json`
	list := func(string) []string { return []string{"Other", "Claude_x1"} }
	env := func(name string) string {
		return map[string]string{"CODEX_HOME": "/cfg/codex", "CLAUDE_CONFIG_DIR": "/cfg/claude"}[name]
	}
	cases := []struct {
		name  string
		c     Client
		s     System
		there string
		want  string
	}{
		{"the usual place", desktop, withFiles("windows", nil), "", appdata + `\Claude\claude_desktop_config.json`},
		{"from the Store", desktop, System{List: list}, "", store},
		{"with a variable", codex, System{Env: env}, "", "/cfg/codex/config.toml"},
		{"with a variable, in the home folder else", claude, System{Env: env}, "", "/cfg/claude/.claude.json"},
		{"the new place", cline, System{}, "", "/home/u/.cline/data/settings/cline_mcp_settings.json"},
		{"the place before, if it is there", cline, System{}, "/home/u/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "/home/u/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		{"the other name", opencode, System{}, "/home/u/.config/opencode/opencode.jsonc", "/home/u/.config/opencode/opencode.jsonc"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			goos := "linux"
			if strings.HasPrefix(c.want, home) {
				goos = "windows"
			}
			s := withFiles(goos, nil, c.there)
			s.List, s.Env = c.s.List, c.s.Env
			if got := s.clientFile(c.c); got != c.want {
				t.Errorf("file %s; want %s", got, c.want)
			}
		})
	}
}

func client(t *testing.T, name string) Client {
	t.Helper()
	c, err := ClientNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClientsFound(t *testing.T) {
	cases := []struct {
		goos, there string
		path        []string
		want        string
	}{
		{goos: "linux", there: "/home/u/.cursor", want: "cursor"},
		{goos: "linux", there: "/home/u/.claude.json", want: "claude-code"},
		{goos: "linux", there: "/home/u/.local/bin/claude", want: "claude-code"},
		{goos: "linux", there: "/usr/bin/codex", want: "codex"},
		{goos: "darwin", there: "/Applications/Zed.app", want: "zed"},
		{goos: "darwin", there: "/Users/u/Library/Application Support/Claude/claude_desktop_config.json", want: "claude-desktop"},
		{goos: "windows", there: `C:/Users/Two Words/AppData/Local/Programs/cursor/Cursor.exe`, want: "cursor"},
		{goos: "linux", there: "/home/u/other", want: ""},
	}
	for _, c := range cases {
		s := withFiles(c.goos, nil, c.there)
		var got []string
		for _, v := range LookClients(s, testOptions(c.goos)) {
			if v.Installed {
				got = append(got, v.Name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: found %v; want %q", c.there, got, c.want)
		}
	}
	wsl := withFiles("linux", nil, "/mnt/c/bin/code")
	wsl.WSL, wsl.PATH = true, []string{"/mnt/c/bin"}
	if wsl.hasClient(client(t, "vscode")) {
		t.Error("in WSL the Windows side's command counts")
	}
}
