package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"chrome-mcp/internal/terminal/terminaltest"
)

// TestFirstRun installs as a person does, at a terminal, up to the browser's first answer.
func TestFirstRun(t *testing.T) {
	c := newChrome(t, chromeOptions{})
	install := func() *terminaltest.Terminal {
		cmd := exec.Command(rig.bin, "install", "--user-data-dir", c.profile)
		cmd.Env = append(environment(c.data), "HOME="+t.TempDir(), "NO_COLOR=1")
		term := terminaltest.Start(t, cmd)
		term.Expect("Write this? [y/N] ")
		term.Type("y\n")
		return term
	}
	ends := func(term *terminaltest.Terminal) {
		t.Helper()
		term.Expect(" answers. All is set up.")
		if status := term.End(); status != 0 {
			t.Errorf("exit %d\n%s", status, term.Screen())
		}
		rig.log.add("install", term.Screen())
	}
	term := install()
	term.Expect("Two clicks are left")
	term.Type("\n")
	term.Expect(options)
	c.press(t, "#pair")
	ends(term)

	// Again, as after an update: what works needs no clicks.
	term = install()
	ends(term)
	if strings.Contains(term.Screen(), "clicks") {
		t.Errorf("a browser that is paired is asked for clicks:\n%s", term.Screen())
	}
}
