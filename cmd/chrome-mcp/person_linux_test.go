package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"chrome-mcp/internal/terminal/terminaltest"
)

// inTerminal runs this program as a person does, in a home of its own with Chromium and
// Cursor in it.
func inTerminal(t *testing.T, home string, env []string, args ...string) *terminaltest.Terminal {
	t.Helper()
	for _, file := range []string{".config/chromium/Local State", "snap/chromium/common/chromium/Local State", ".cursor/mcp.json"} {
		path := filepath.Join(home, file)
		if exists(path) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append([]string{asMain + "=1", "HOME=" + home, "PATH=/nowhere", "TERM=xterm", noRaceSleep}, env...)
	return terminaltest.Start(t, cmd)
}

const colour = "\x1b["

func TestInstallInTerminal(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, ".local/share/chrome-mcp")
	term := inTerminal(t, home, nil, "install")
	term.Expect("Browsers found:  Chromium, Chromium (snap)")
	term.Expect("Clients found:   Cursor")
	term.Expect("Let Cursor start chrome-mcp? [y/N] ")
	term.Type("y\n")
	term.Expect("This will be written")
	term.Expect("/chromium/NativeMessagingHosts/com.chrome_mcp.host.json")
	term.Expect("/.cursor/mcp.json")
	term.Expect("Write this? [y/N] ")
	if exists(data) {
		t.Error("something is written before the answer")
	}
	term.Type("yes\n")
	term.Expect("✓" + colour + "0m host for Chromium")
	term.Expect("Two clicks are left")
	term.Expect(data + "/extension")
	term.Expect("Waiting for you")
	term.Type("\n")
	term.Expect("chrome-extension://")
	term.Type("\x03")
	term.Expect("Restart Cursor")
	if status := term.End(); status != 0 {
		t.Errorf("exit %d", status)
	}
	for line := range strings.Lines(term.Screen()) {
		line = strings.NewReplacer(colour+"0m", "", colour+"1m", "", colour+"2m", "", colour+"32m", "").Replace(strings.TrimRight(line, "\n"))
		if utf8.RuneCountInString(line) > 80 && !strings.Contains(line, home) {
			t.Errorf("wider than the terminal: %q", line)
		}
	}

	// Again: what is there is said, the client is not asked about, a no writes nothing.
	term = inTerminal(t, home, []string{"NO_COLOR=1"}, "install")
	term.Expect("Chromium (installed before)")
	term.Expect("Cursor (starts chrome-mcp)")
	term.Expect("Write this? [y/N] ")
	term.Type("\n")
	term.Expect("nothing was changed")
	if status := term.End(); status != 1 || strings.Contains(term.Screen(), colour) {
		t.Errorf("exit %d; with NO_COLOR:\n%q", status, term.Screen())
	}
}

// Colours are for people only.
func TestColours(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		env  string
		want bool
	}{{"X=1", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}} {
		term := inTerminal(t, home, []string{c.env}, "doctor")
		if term.End(); strings.Contains(term.Screen(), colour) != c.want {
			t.Errorf("%s: %q", c.env, term.Screen())
		}
	}
	cmd := newRunning(filepath.Join(home, "data"), "doctor")
	if out, _ := cmd.Output(); strings.Contains(string(out), colour) || len(out) == 0 {
		t.Errorf("into a pipe: %q", out)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
