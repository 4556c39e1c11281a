package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAudit reads the audit log of a session that did what sessions do: it verifies,
// holds nothing of what was typed, run or read, and shows each change to it.
func TestAudit(t *testing.T) {
	data := t.TempDir()
	s := serveIn(t, data, own("--backend", "cdp")...)
	const secret = "kept-to-myself"
	tab := s.open(t, `<title>`+secret+`-title</title><form onsubmit="event.preventDefault()"><label>Name <input id=a></label><label>Word <input id=b type=password></label>
		<select id=c><option>`+secret+`-one<option>`+secret+`-two</select><button>Send</button></form><p>`+secret+`-words</p><a href="/attach/`+secret+`.csv">Get</a>`)
	s.call(t, "type", args{"selector": "#a", "text": secret})
	s.call(t, "fill_form", args{"fields": []args{{"selector": "#a", "value": secret}, {"selector": "#b", "value": secret}}})
	s.call(t, "select_option", args{"selector": "#c", "values": secret + "-two"})
	s.call(t, "press", args{"key": "Enter"})
	s.call(t, "click", args{"role": "button", "name": "Send", "snapshotAfter": true})
	s.call(t, "get_text", nil)
	s.call(t, "find", args{"text": secret})
	s.call(t, "eval", args{"expression": "'" + secret + "'"})
	s.call(t, "storage", args{"op": "set", "key": secret, "value": secret})
	s.call(t, "screenshot", nil)
	r := s.call(t, "download_file", args{"role": "link", "name": "Get"})
	s.call(t, "batch", args{"ops": []args{{"tool": "type", "args": args{"tabId": tab, "selector": "#a", "text": secret}}, {"tool": "console_logs"}}})
	s.refuse(t, "click", args{"selector": "#" + secret}, "SELECTOR_NOT_FOUND")
	s.refuse(t, "type", args{"selektor": "#a", "text": secret}, "BAD_ARGS")
	links := 0
	list, err := s.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range list.Resources {
		if strings.HasPrefix(res.URI, "chrome-mcp://") && strings.Contains(res.URI, "/downloads/") {
			got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: res.URI})
			if err != nil || !strings.Contains(got.Contents[0].Text, "a,b") {
				t.Errorf("%s: %v", res.URI, err)
			}
			links++
		}
	}
	if links != 1 {
		t.Errorf("%d downloads are resources: %s", links, r.text)
	}
	s.stop()

	files, err := filepath.Glob(filepath.Join(data, "audit", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("logs %v: %v", files, err)
	}
	log, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"tab_new", "type", "fill_form", "select_option", "press", "click", "eval", "storage", "download_file", "batch", "console_logs", "resources/read"} {
		if !strings.Contains(string(log), `"tool":"`+tool+`"`) {
			t.Errorf("the log has no %s", tool)
		}
	}
	for _, outcome := range []string{"SELECTOR_NOT_FOUND", "BAD_ARGS"} {
		if !strings.Contains(string(log), `"outcome":"`+outcome+`"`) {
			t.Errorf("the log has no %s", outcome)
		}
	}
	if strings.Contains(string(log), secret) {
		t.Errorf("the log tells what was typed or read:\n%s", regexp.MustCompile(`.*`+secret+`.*`).FindString(string(log)))
	}
	if out, ok := verifyAudit(t, data); !ok || !strings.Contains(out, " 0 faults") {
		t.Errorf("as it is: %s", out)
	}
	lines := strings.SplitAfter(string(log), "\n")
	for name, change := range map[string]string{
		"a changed line": strings.Replace(string(log), `"tool":"fill_form"`, `"tool":"find_form"`, 1),
		"a line less":    strings.Join(append(append([]string{}, lines[:3]...), lines[4:]...), ""),
		"two exchanged":  strings.Join(append([]string{lines[1], lines[0]}, lines[2:]...), ""),
		"a line doubled": lines[0] + string(log),
	} {
		if err := os.WriteFile(files[0], []byte(change), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, ok := verifyAudit(t, data); ok || !strings.Contains(out, "FAULT: ") || !strings.Contains(out, filepath.Base(files[0])) {
			t.Errorf("%s is not found: %s", name, out)
		}
	}
}

// verifyAudit runs what a user runs.
func verifyAudit(t *testing.T, data string) (said string, ok bool) {
	t.Helper()
	cmd := exec.Command(rig.bin, "audit", "--verify")
	cmd.Env = environment(data)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}
