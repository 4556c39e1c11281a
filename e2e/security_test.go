package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/extension"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
)

// handshakeOf is the handshake of a running server.
func handshakeOf(t *testing.T, s *server) state.Handshake {
	t.Helper()
	data := ""
	for _, e := range s.cmd.Env {
		if dir, ok := strings.CutPrefix(e, "CHROME_MCP_DATA="); ok {
			data = dir
		}
	}
	list, _ := state.Open(data).Live()
	for _, h := range list {
		if h.PID == s.cmd.Process.Pid {
			return h
		}
	}
	t.Fatal("the server published no handshake")
	return state.Handshake{}
}

func serverPort(t *testing.T, s *server) int { return handshakeOf(t, s).Port }

// TestWebPageDials has a page try the bridge: refused at the upgrade.
func TestWebPageDials(t *testing.T) {
	c := paired(t, false)
	s := c.serve(t)
	s.call(t, "tabs_list", nil)
	port := serverPort(t, s)
	tab, err := c.open(t.Context(), rig.site.page("<title>Evil</title>"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background(), tab.ID())
	var got string
	err = c.eval(t.Context(), tab, fmt.Sprintf(`new Promise(done => {
		const s = new WebSocket('ws://127.0.0.1:%d/');
		s.onopen = () => done('open'); s.onerror = () => done('refused');
		setTimeout(() => done('nothing'), 3000);
	})`, port), &got)
	if err != nil || got != "refused" {
		t.Errorf("a page that dials the bridge: %q, %v", got, err)
	}
	s.call(t, "tabs_list", nil)
}

// TestWrongToken guesses tokens: refused with 4401, and slower each time.
func TestWrongToken(t *testing.T) {
	c := paired(t, false)
	s := c.serve(t)
	s.call(t, "tabs_list", nil)
	port := serverPort(t, s)
	guess := func() (time.Duration, websocket.StatusCode) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		begin := time.Now()
		header := http.Header{"Origin": {strings.TrimSuffix(extension.Origin, "/")}}
		conn, _, err := websocket.Dial(ctx, fmt.Sprintf("ws://127.0.0.1:%d", port), &websocket.DialOptions{HTTPHeader: header})
		if err != nil {
			return time.Since(begin), 0 // turned away for a while
		}
		defer conn.CloseNow()
		hello, err := json.Marshal(wire.Hello{
			Header: wire.Header{V: wire.Protocol, Type: wire.TypeHello}, Token: strings.Repeat("A", 43),
			Ext: wire.ExtInfo{ID: extension.ID, Version: version.Version, Instance: "guess", Run: "guess"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(ctx, websocket.MessageText, hello); err != nil {
			t.Fatal(err)
		}
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return time.Since(begin), websocket.CloseStatus(err)
			}
		}
	}
	first, code := guess()
	if code != wire.CloseRefused {
		t.Errorf("a wrong token was closed with %d, want %d", code, wire.CloseRefused)
	}
	slowest := first
	for range 7 {
		took, _ := guess()
		slowest = max(slowest, took)
	}
	if slowest < first+100*time.Millisecond {
		t.Errorf("eight wrong tokens took %v at most each, the first %v: nothing slows them", slowest, first)
	}
	begin := time.Now()
	s.call(t, "tabs_list", nil)
	if took := time.Since(begin); took > time.Second {
		t.Errorf("guessing slowed the browser that is connected: %v", took)
	}
}

// TestUnreachable tries to drive the agent where it must never be.
func TestUnreachable(t *testing.T) {
	c := paired(t, false)
	s := c.serve(t)
	for _, url := range []string{
		options, "chrome-extension://" + extension.ID + "/popup.html", "chrome://settings/", "chrome://extensions/",
		"devtools://devtools/bundled/inspector.html", "view-source:" + rig.site.base + "/form", "javascript:alert(1)",
		"data:text/html,<p>x", "file:///etc/passwd", "chrome://version", "about:version",
	} {
		s.refuse(t, "navigate", args{"url": url}, "POLICY_DENIED")
		s.refuse(t, "tab_new", args{"url": url}, "POLICY_DENIED")
	}
	// A tab of the user's that shows such a page.
	tab, err := c.open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background(), tab.ID())
	for _, info := range s.tabs(t) {
		if info["active"] != true {
			continue
		}
		for _, tool := range []string{"get_text", "snapshot", "screenshot", "eval"} {
			s.refuse(t, tool, reach(tool, info["tabId"]), "POLICY_DENIED")
		}
	}
	// A page that takes its own tab there.
	s.open(t, `<a id=a href="`+options+`">Options</a>`)
	s.do(t.Context(), "click", args{"selector": "#a"})
	s.do(t.Context(), "eval", args{"expression": "location.href = '" + options + "'"})
	if r := s.do(t.Context(), "get_text", nil); !r.failed && strings.Contains(r.text, "Pair") {
		t.Errorf("the extension's page was read: %s", r.text)
	}
}

// TestDeniedSite is the default: nothing is allowed but what the user named.
func TestDeniedSite(t *testing.T) {
	s := paired(t, false).serve(t, allowHosts("127.0.0.1")...)
	s.refuse(t, "navigate", args{"url": rig.site.altPage("<p>SECRET")}, "POLICY_DENIED", "localhost")
	s.open(t, `<p>Allowed</p><iframe src="{alt}/html?<p>SECRET"></iframe>`)
	for _, tool := range []string{"get_text", "snapshot", "get_html"} {
		if r := s.call(t, tool, nil); strings.Contains(r.text, "SECRET</p>") || strings.Contains(r.text, `text "SECRET`) {
			t.Errorf("%s read a denied frame: %s", tool, r.text)
		}
	}
}

// TestSafeMode has nothing switched on.
func TestSafeMode(t *testing.T) {
	s := paired(t, false).serve(t, "--allow-domain", "127.0.0.1")
	for _, tool := range []string{"click", "type", "eval", "fill_form"} {
		if s.tools[tool] != nil {
			t.Errorf("%s is listed though its capability is off", tool)
		}
		s.refuse(t, tool, args{"selector": "body", "text": "x", "expression": "1"}, "POLICY_DENIED", "--")
	}
	s.open(t, "<p>Readable</p>")
	if r := s.call(t, "get_text", nil); !strings.Contains(r.text, "Readable") {
		t.Errorf("reading answered %s", r.text)
	}
}

// TestTokenIsNowhere works a while and then searches everything that was said, written
// and shown for the token.
func TestTokenIsNowhere(t *testing.T) {
	c := paired(t, false)
	s := c.serve(t)
	s.open(t, "<title>Token</title>")
	s.call(t, "snapshot", nil)
	s.call(t, "chrome_status", nil)
	h := handshakeOf(t, s)
	argv, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range argv {
		if raw, _ := os.ReadFile(path); strings.Contains(string(raw), h.Token) {
			t.Errorf("the token is in %s", path)
		}
	}
	var shown string
	tab, err := c.open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background(), tab.ID())
	if err := c.eval(t.Context(), tab, "document.documentElement.outerHTML", &shown); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(shown, h.Token) {
		t.Error("the token is on the options page")
	}
	s.stop()
	for _, who := range rig.log.find(h.Token) {
		t.Errorf("%s said the token", who)
	}
	for _, dir := range []string{c.data, rig.dir} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "handshake") {
				return nil
			}
			if raw, _ := os.ReadFile(path); strings.Contains(string(raw), h.Token) {
				t.Errorf("the token is in %s", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func reach(tool string, tab any) args {
	if tool == "eval" {
		return args{"tabId": tab, "expression": "1"}
	}
	return args{"tabId": tab}
}
