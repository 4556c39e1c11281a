package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/doctor"
	"chrome-mcp/internal/version"
)

// examine runs `chrome-mcp doctor` for a data folder and returns what it found.
func examine(t *testing.T, data string, flags ...string) doctor.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, rig.bin, append([]string{"doctor", "--json"}, flags...)...)
	cmd.Env = environment(data)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	rig.log.add("doctor", string(out)+said.String())
	var r doctor.Report
	if jsonErr := json.Unmarshal(out, &r); jsonErr != nil || r.OK != (err == nil) || cmd.ProcessState.ExitCode() > 1 {
		t.Fatalf("doctor: %v (%v)\n%s%s", err, jsonErr, out, &said)
	}
	return r
}

// diagnosis is what keeps calls from working.
func diagnosis(r doctor.Report) (ids []string) {
	for _, f := range r.Findings {
		if f.State == doctor.Fail {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// finds examines until doctor finds that one thing to be wrong. What browsers write of
// extensions and profiles, they write some ten seconds late.
func (c *chrome) finds(t *testing.T, id, fix string) {
	t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for {
		r := examine(t, c.data)
		for _, f := range r.Findings {
			if f.ID != id {
				continue
			}
			if r.OK || f.State != doctor.Fail || f.Evidence == "" || !strings.Contains(f.Fix, fix) {
				t.Errorf("found %+v (ok: %v); want a fix with %q", f, r.OK, fix)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not found, but %+v", id, r.Findings)
		}
		wait(t.Context(), 500*time.Millisecond)
	}
}

// healthy examines a set-up in which calls work, and nothing is wrong with it.
func (c *chrome) healthy(t *testing.T) {
	t.Helper()
	begin := time.Now()
	r := examine(t, c.data)
	if ids := diagnosis(r); !r.OK || ids != nil {
		t.Fatalf("ok: %v, wrong: %v\n%+v", r.OK, ids, r.Findings)
	}
	for _, f := range r.Findings {
		if f.ID == "call" {
			t.Logf("%s (doctor took %v)", f.Evidence, time.Since(begin))
			return
		}
	}
	t.Errorf("no call was tried: %+v", r.Findings)
}

// TestDoctor lets doctor judge one browser in the states that a user brings it into.
func TestDoctor(t *testing.T) {
	t.Parallel() // it mostly waits for doctor to try
	c := newChrome(t, chromeOptions{})
	ctx := t.Context()
	if r := examine(t, c.data); r.OK {
		t.Errorf("a call would work before the browser has paired: %+v", r.Findings)
	}
	s := c.serve(t)
	if _, err := c.pair(ctx); err != nil {
		t.Fatal(err)
	}
	s.call(t, "tabs_list", nil)
	c.healthy(t)
	s.call(t, "tabs_list", nil) // goes on beside doctor's own server
	s.stop()
	c.healthy(t)

	tab, err := c.open(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	press := func(what string) {
		t.Helper()
		if err := c.pressOn(ctx, tab, what); err != nil {
			t.Fatal(err)
		}
	}
	press("#stop")
	c.finds(t, "extension.stopped", "Resume")
	press("#stop")
	c.healthyAgain(t)

	// Developer's switch of the same browser: the extension off, and on.
	manager, err := c.open(ctx, "chrome://extensions")
	if err != nil {
		t.Fatal(err)
	}
	turn := func(on string) {
		t.Helper()
		if err := c.eval(ctx, manager, `chrome.management.setEnabled("`+extension.ID+`", `+on+`)`, nil); err != nil {
			t.Fatal(err)
		}
	}
	turn("false")
	c.finds(t, "extension.disabled", "switch chrome-mcp on")
	turn("true")
	c.healthyAgain(t)

	if err := c.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	c.finds(t, "browser.closed", "start ")

	// Another profile of the same browser is open: the extension is in the first.
	newChrome(t, chromeOptions{data: c.data, profile: c.profile, args: []string{"--profile-directory=Profile 2", "--load-extension="}})
	c.finds(t, "extension.profile", "open the profile")
}

// healthyAgain waits for the extension, which connects by itself.
func (c *chrome) healthyAgain(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for r := examine(t, c.data); !r.OK && time.Now().Before(deadline); r = examine(t, c.data) {
		wait(t.Context(), 100*time.Millisecond)
	}
	c.healthy(t)
}

// TestDoctorSkew loads another build or release of the extension.
func TestDoctorSkew(t *testing.T) {
	t.Parallel() // it mostly waits for doctor to try
	for id, change := range map[string]struct{ file, from, to string }{
		"extension.version": {"manifest.json", `"version": "` + version.Version + `"`, `"version": "0.0.9"`},
		"extension.bundle":  {"page.js", "__chromeMcp", "__chromeMcp /* changed */"},
	} {
		t.Run(id, func(t *testing.T) {
			copied := t.TempDir()
			if err := extension.Unpack(copied); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(copied, change.file)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(string(b), change.from, change.to, 1)
			if text == string(b) {
				t.Fatalf("%s has no %q", change.file, change.from)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := newChrome(t, chromeOptions{args: []string{"--load-extension=" + copied}})
			c.press(t, "#pair")
			c.finds(t, id, "press Reload")
		})
	}
}

// press presses something on the options page.
func (c *chrome) press(t *testing.T, selector string) {
	t.Helper()
	tab, err := c.open(t.Context(), options)
	if err == nil {
		err = c.pressOn(t.Context(), tab, selector)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDoctorMends a set-up whose manifest is gone: the extension finds the host without
// another click.
func TestDoctorMends(t *testing.T) {
	t.Parallel() // it mostly waits for doctor to try
	c := newChrome(t, chromeOptions{})
	manifest := filepath.Join(c.profile, "NativeMessagingHosts", "com.chrome_mcp.host.json")
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	c.press(t, "#pair")
	c.finds(t, "manifest.missing", "chrome-mcp doctor --fix")
	r := examine(t, c.data, "--fix")
	if !r.OK || strings.Join(r.Fixed, " ") != "manifest.missing" {
		t.Errorf("ok: %v, fixed %v, wrong: %v", r.OK, r.Fixed, diagnosis(r))
	}
	c.healthy(t)
}
