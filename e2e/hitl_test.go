package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPersonsCheck plays the person of `make hitl`: on a terminal, in a paired browser, on
// two pages. They say yes to one changing step and no to the other.
func TestPersonsCheck(t *testing.T) {
	c := paired(t, false)
	hitl := filepath.Join(rig.dir, "hitl")
	if out, err := exec.Command("go", "build", "-o", hitl, "chrome-mcp/internal/hitl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	targets := filepath.Join(dir, "test-targets.json")
	text, err := json.Marshal(args{"sites": []args{
		{"name": "Form", "url": rig.site.base + "/form", "steps": []args{
			{"tool": "click", "args": args{"selector": "#count"}},
			{"tool": "click", "args": args{"selector": "#count"}},
			{"tool": "get_text", "args": args{"selector": "#count"}},
		}},
		{"name": "Elsewhere", "url": rig.site.alt + "/article"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(targets, text, 0o600); err != nil {
		t.Fatal(err)
	}
	// The pages are ours, so a machine may judge them even where CI is set.
	cmd := exec.CommandContext(t.Context(), "script", "-qec", strings.Join([]string{
		hitl, "-server", rig.bin, "-targets", targets, "-out", dir, "-include-mutating"}, " "), "/dev/null")
	cmd.Env = slices.DeleteFunc(environment(c.data), func(e string) bool { return strings.HasPrefix(e, "CI=") })
	looks := strings.Repeat("y\n", 5)
	cmd.Stdin = strings.NewReader(looks + "yes\ny counts\nno\ny\n" + looks)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	reports, err := filepath.Glob(filepath.Join(dir, "*", "report.md"))
	if err != nil || len(reports) != 1 {
		t.Fatalf("%v, %v\n%s", reports, err, out.String())
	}
	report, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(report), "12 right, 0 wrong, 1 skipped") || !strings.Contains(string(report), "counts") {
		t.Errorf("%s\n%s", report, out.String())
	}
	if !strings.Contains(out.String(), "| Count 1") {
		t.Errorf("the button was not pressed once:\n%s", out.String())
	}
	if pictures, _ := filepath.Glob(filepath.Join(dir, "*", "*.jpg")); len(pictures) != 2 {
		t.Errorf("pictures %v", pictures)
	}
}
