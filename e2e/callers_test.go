package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chrome-mcp/extension"
)

// counter is a page whose button counts.
func counter() string {
	return rig.site.page(`<title>Counter</title><button onclick="this.textContent = 'Count ' + (++window.n)">Count 0</button><script>n = 0</script>`)
}

// TestHostUsesOurTools has the example host find out what keeps it from our tools, have
// the user mend it step by step, and use them.
func TestHostUsesOurTools(t *testing.T) {
	t.Parallel() // in a browser of its own
	c, host, desk := calling(t)
	probe := func(want string) {
		t.Helper()
		if got := host.probe(t); !strings.HasPrefix(got, want) {
			t.Fatalf("the host reads %q, want %q", got, want)
		}
	}
	probe("agent access is switched off in the provider")
	if got := host.ask(t, args{"type": "tools"}); !strings.HasPrefix(got.Error, "agent access is switched off") {
		t.Errorf("%+v", got)
	}
	desk.serve(true, false, true)
	probe("waiting for your approval in the provider")
	var badge string
	if err := c.worker(t.Context(), `chrome.action.getBadgeText({})`, &badge); err != nil || badge != "?" {
		t.Errorf("badge %q %v", badge, err)
	}
	desk.await(fmt.Sprintf(`document.querySelector('[data-caller="%s"] [data-field=name]')?.textContent === '“Example host”'`, host.id))
	desk.say(host.id, "deny")
	desk.await(`document.querySelector('#callers [data-field=word]').textContent === 'denied'`)
	probe("this caller is not on the allowlist")
	desk.say(host.id, "allow")
	desk.await(`document.querySelector('#callers [data-field=word]').textContent === 'allowed'`)
	probe("no chrome-mcp server runs; the user has to start an MCP client that uses chrome-mcp")

	s := c.serve(t)
	desk.await(`/^connected$/.test(document.querySelector('#status').textContent)`)
	probe("connected")
	tools := host.ask(t, args{"type": "tools"})
	var list []struct{ Name string }
	if err := json.Unmarshal(tools.Result, &list); err != nil || len(list) == 0 || len(list) > 64 {
		t.Fatalf("%d tools, %+v", len(list), tools)
	}
	if strings.Contains(string(tools.Result), `"click"`) {
		t.Error("tools that write are listed while writes are off")
	}

	if got := host.use(t, "navigate", args{"url": counter()}); !strings.Contains(got, "Counter") {
		t.Fatal(got)
	}
	if got := host.use(t, "snapshot", nil); !strings.Contains(got, `button "Count 0"`) {
		t.Fatal(got)
	}
	if r := s.call(t, "chrome_status", nil); !strings.Contains(r.text, fmt.Sprintf("used by Example host (extension %.8s), as the user allowed", host.id)) {
		t.Error(r.text)
	}
	click := args{"selector": "button", "snapshotAfter": true}
	if got := host.use(t, "click", click); !strings.HasPrefix(got, "POLICY_DENIED: other extensions may only read") {
		t.Error(got)
	}

	// Each write waits for the user.
	desk.serve(true, true, true)
	host.run(t, fmt.Sprintf(`void (globalThis.said = chrome.runtime.sendMessage({type: 'call', id: %q, tool: 'click', args: {selector: 'button'}}).then(a => JSON.stringify(a)))`, extension.ID), nil)
	desk.await(`document.querySelector('#reviews [data-field=what]')?.textContent.startsWith('“Example host” wants to use click on 127.0.0.1')`)
	// What keeps no order goes on; what does would see the page before the click.
	if got := host.use(t, "tabs_list", nil); !strings.Contains(got, "Counter") {
		t.Error("no answer while a write waits:", got)
	}
	desk.press(`#reviews [data-field=allow]`)
	var said string
	host.run(t, `said`, &said)
	if strings.Contains(said, `"isError":true`) || strings.Contains(said, "NOT_APPROVED") {
		t.Error(said)
	}
	if got := host.use(t, "snapshot", nil); !strings.Contains(got, "Count 1") {
		t.Error(got)
	}
	host.run(t, fmt.Sprintf(`void (globalThis.said = chrome.runtime.sendMessage({type: 'call', id: %q, tool: 'click', args: {selector: 'button'}}).then(a => JSON.stringify(a)))`, extension.ID), nil)
	desk.press(`#reviews [data-field=deny]`)
	host.run(t, `said`, &said)
	if !strings.Contains(said, "NOT_APPROVED: click was not done: the user denied it") {
		t.Error(said)
	}
	desk.serve(true, true, false)
	if got := host.use(t, "click", click); !strings.Contains(got, "Count 2") {
		t.Error(got)
	}

	// A switch works at once, and the port of a caller that may not come any more is shut.
	desk.serve(true, false, false)
	if got := host.use(t, "click", click); !strings.HasPrefix(got, "POLICY_DENIED") {
		t.Error(got)
	}
	desk.serve(false, false, false)
	if got := host.use(t, "snapshot", nil); !strings.Contains(got, "agent access is switched off") {
		t.Error(got)
	}
	desk.serve(true, false, false)
	if got := host.use(t, "snapshot", nil); strings.HasPrefix(got, "error") {
		t.Error(got)
	}
	callersAudit(t, c, host.id)
}

// callersAudit looks for what the log has to say of a caller, and for what it must not.
func callersAudit(t *testing.T, c *chrome, id string) {
	t.Helper()
	text := auditLog(t, c)
	for _, want := range []string{
		`"tool":"click"[^\n]*"outcome":"ok"`, `"tool":"click"[^\n]*"outcome":"NOT_APPROVED"`, `"tool":"click"[^\n]*"outcome":"POLICY_DENIED"`,
	} {
		found := false
		for line := range strings.Lines(text) {
			parts := strings.Split(want, `[^\n]*`)
			found = found || strings.Contains(line, parts[0]) && strings.Contains(line, parts[1]) &&
				strings.Contains(line, `"caller":"`+id+`"`) && strings.Contains(line, `"args":"`)
		}
		if !found {
			t.Errorf("the audit log has no %s of %s:\n%s", want, id, text)
		}
	}
}

func auditLog(t *testing.T, c *chrome) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.data, "audit", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
