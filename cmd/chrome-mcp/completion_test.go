package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                                 "serve install uninstall doctor config status revoke demo token audit extension-path print-pairing completion man version help",
		"st":                               "status",
		"--enable-m":                       "--enable-mutations",
		"doctor ":                          "",
		"doctor -":                         "--json --fix",
		"doctor --json -":                  "--fix",
		"doctor --json --f":                "--fix",
		"--port 1 --toolset ":              "core read full",
		"serve --backend=":                 "--backend=auto --backend=extension --backend=cdp",
		"serve --backend=c":                "--backend=cdp",
		"serve --backend = c":              "cdp", // as bash cuts it
		"serve --backend =":                "auto extension cdp",
		"install --browser chrom":          "chrome chrome-beta chrome-dev chrome-canary chrome-for-testing chromium chrome-flatpak chromium-flatpak chromium-snap",
		"install --browser chrome --brow":  "--browser",
		"install --client all":             "all-found",
		"install --user-data-dir ":         ":dirs",
		"serve --policy ":                  ":files",
		"config zed --allow-d":             "--allow-domain",
		"config ze":                        "zed",
		"completion ":                      "bash zsh fish powershell",
		"--allow-domain status --enable-e": "", // status is a value, and eval is not spelled so
		"nonsense ":                        "serve install uninstall doctor config status revoke demo token audit extension-path print-pairing completion man version help",
	} {
		words := strings.Fields(line)
		if line == "" || strings.HasSuffix(line, " ") {
			words = append(words, "")
		}
		var got []string
		for _, c := range complete(words) {
			word, _, _ := strings.Cut(c, "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: offered %q; want %q", line, got, want)
		}
	}
}

// Every command and flag is offered, so that a new row in a table needs nothing else.
func TestCompletionIsWhole(t *testing.T) {
	for _, c := range commands {
		if offered := slices.ContainsFunc(complete([]string{""}), func(s string) bool { return strings.HasPrefix(s, c.name+"\t") }); offered == c.hidden {
			t.Errorf("%s: offered is %v", c.name, offered)
		}
	}
	for _, f := range flags {
		for _, name := range f.commands {
			if !slices.Contains(complete([]string{name, "--" + f.name}), "--"+f.name+"\t"+f.help) {
				t.Errorf("--%s is not offered to %s", f.name, name)
			}
		}
	}
	for name := range choices {
		if flagNamed(name) == nil {
			t.Errorf("choices for --%s, which is no flag", name)
		}
	}
}

// TestBash completes in a real bash, the shell that is everywhere our tests are.
func TestBash(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the shell there is PowerShell
	}
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, "chrome-mcp")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.json", "new folder/x"} {
		path := filepath.Join(dir, "work", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Each line is what bash makes of a command line: words cut at its word breaks.
	const script = `
source <(chrome-mcp completion bash)
complete -p chrome-mcp >/dev/null || exit 1
try() {
	COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
	_chrome_mcp
	echo "${COMPREPLY[*]}"
}
cd work
IFS='|'
try chrome-mcp doc
try chrome-mcp serve --backend = ex
try chrome-mcp install --client clau
try chrome-mcp serve --policy n
try chrome-mcp serve --uploads-dir ""
try chrome-mcp serve --policy ""
try ~/chrome-mcp completion ""
`
	cmd := exec.Command("bash", "--norc", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{asMain + "=1", "HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH"), noRaceSleep}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bash: %v\n%s%s", err, out, &said)
	}
	want := "doctor\nextension\nclaude-code|claude-desktop\nnew folder|notes.json\nnew folder\nnew folder|notes.json\nbash|zsh|fish|powershell\n"
	lines := strings.Split(string(out), "\n")
	for i, line := range lines { // compgen's order is the system's
		words := strings.Split(line, "|")
		if i >= 3 && i <= 5 {
			slices.Sort(words)
		}
		lines[i] = strings.Join(words, "|")
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("completed\n%s\nwant\n%s%s", got, want, &said)
	}
}

func TestShells(t *testing.T) {
	for _, shell := range shells {
		var out bytes.Buffer
		if code := run([]string{"completion", shell}, nil, &out, os.Stderr); code != 0 || !strings.Contains(out.String(), "complete") {
			t.Errorf("%s: exit %d, %s", shell, code, out.String())
		}
	}
	var said bytes.Buffer
	if code := run([]string{"completion", "tcsh"}, nil, os.Stdout, &said); code != 2 || !strings.Contains(said.String(), "bash, zsh, fish, powershell") {
		t.Errorf("exit %d, %s", code, said.String())
	}
}

func TestMan(t *testing.T) {
	var out bytes.Buffer
	if code := run([]string{"man"}, nil, &out, os.Stderr); code != 0 {
		t.Fatalf("exit %d", code)
	}
	golden := filepath.Join("testdata", "chrome-mcp.1")
	if *update {
		os.WriteFile(golden, out.Bytes(), 0o644)
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s is stale (%v); run with -update", golden, err)
	}
	for _, c := range []struct{ text, want string }{
		{`a\b`, `a\eb`}, {".SH", `\&.SH`}, {"'x", `\&'x`}, {"--x", `\-\-x`}, {"`x`", `\(gax\(ga`},
	} {
		if got := roff(c.text); got != c.want {
			t.Errorf("roff(%q) = %q; want %q", c.text, got, c.want)
		}
	}
}
