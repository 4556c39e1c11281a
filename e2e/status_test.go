package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
)

// TestStatus asks from a terminal who works in the browser, while two clients do.
func TestStatus(t *testing.T) {
	c := newChrome(t, chromeOptions{})
	first := c.serve(t)
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.stop()
	one, two := c.serve(t), c.serve(t)
	one.open(t, "<title>First of one</title>")
	one.open(t, "<title>Second of one</title>")
	two.open(t, "<title>Page of two</title>")
	run := func(flags ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), rig.bin, append([]string{"status"}, flags...)...)
		cmd.Env = environment(c.data)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		rig.log.add("status", string(out))
		return string(out)
	}
	var report struct {
		Connected []struct {
			Name     string
			Tabs     int
			Sessions []struct {
				Client string
				Tabs   []browser.TabInfo
			}
		}
	}
	if err := json.Unmarshal([]byte(run("--json")), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Connected) != 1 || len(report.Connected[0].Sessions) != 2 {
		t.Fatalf("connected: %+v", report)
	}
	if one, two := report.Connected[0].Sessions[0], report.Connected[0].Sessions[1]; len(one.Tabs)+len(two.Tabs) != 3 ||
		len(one.Tabs) == 3 || !strings.HasPrefix(one.Client, t.Name()) || !strings.HasPrefix(two.Client, t.Name()) {
		t.Errorf("the tabs are not with their clients: %+v", report)
	}
	text := run()
	for _, want := range []string{"Connected now", t.Name() + " works in 2 tabs: " + rig.site.base, t.Name() + " works in 1 tab: " + rig.site.base} {
		if !strings.Contains(text, want) {
			t.Errorf("status does not say %q:\n%s", want, text)
		}
	}
	one.call(t, "tabs_list", nil) // the others did not notice
}
