package mcpserver

import (
	"strings"
	"testing"
)

// TestNotice has the news of the browser behind one result: the first that worked.
func TestNotice(t *testing.T) {
	cfg := testConfig()
	pending := "Note: this is another browser."
	cfg.Notice = func(session string) string {
		if session != cfg.SessionID {
			t.Errorf("asked for session %q", session)
		}
		defer func() { pending = "" }()
		return pending
	}
	c := serve(t, newTestServer(t, cfg))
	c.initialize("2025-06-18")
	c.call(1, "tab_close", `{"tabId": 7}`)
	if said, failed := text(c.next()); !failed || strings.Contains(said, "another browser") {
		t.Errorf("a call that fails: %s", said)
	}
	c.call(2, "tabs_list", `{}`)
	m := c.next()
	said, failed := text(m)
	data, _ := m["result"].(map[string]any)["structuredContent"].(map[string]any)
	if failed || !strings.HasSuffix(said, pending+"Note: this is another browser.") || data[noticeField] != "Note: this is another browser." || data["tabs"] == nil {
		t.Errorf("the first that works: %v", m)
	}
	c.call(3, "tabs_list", `{}`)
	if said, _ := text(c.next()); strings.Contains(said, "another browser") {
		t.Errorf("told again: %s", said)
	}
}

func TestWithField(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:      `{"note":"a \"b\""}`,
		`{"x":1}`: `{"x":1,"note":"a \"b\""}`,
		`[1]`:     `[1]`,
		``:        ``,
	} {
		if got := string(withField([]byte(in), "note", `a "b"`)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
