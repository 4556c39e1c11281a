package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// publicTransports bundles an extension on @mcp-b/transports.
func publicTransports(t testing.TB) (dir, id string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(webDir, "node_modules", "@mcp-b", "transports")); err != nil {
		t.Fatalf("the packages of e2e/testdata/web are not installed: %v; run make setup", err)
	}
	file := filepath.Join(t.TempDir(), "worker.js")
	bundle := exec.Command("go", "tool", "esbuild", "--bundle", "--format=iife", "--platform=browser", "--log-level=error",
		"--outfile="+file, filepath.Join(webDir, "transports", "worker.js"))
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("bundle the extension: %v\n%s", err, out)
	}
	worker, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return writeExtension(t, "Todo-App", string(worker))
}

// TestPublicTransports has an extension that knows nothing of us, built on the public
// browser transports and MCP's own SDK, use our tools and serve us its own.
func TestPublicTransports(t *testing.T) {
	dir, id := publicTransports(t)
	c, _, desk := calling(t, dir)
	todo := c.beside(t, id)

	// It uses our tools. It sends no probe: that it opened a port is its question.
	s := c.serve(t, append(allowHosts("127.0.0.1"), "--ext-provider", id)...)
	desk.serve(true, true, false)
	if a := todo.ask(t, args{"type": "tools"}); !strings.Contains(a.Error, "waiting for the user’s approval") {
		t.Errorf("before the user's word: %+v", a)
	}
	desk.say(id, "allow")
	desk.await(`document.querySelector('#callers [data-field=word]').textContent === 'allowed'`)
	var tools []struct{ Name string }
	a := todo.ask(t, args{"type": "tools"})
	if err := json.Unmarshal(a.Result, &tools); err != nil || len(tools) == 0 || len(tools) > 64 {
		t.Fatalf("%d tools: %+v", len(tools), a)
	}
	if got := todo.use(t, "navigate", args{"url": counter()}); !strings.Contains(got, "Counter") {
		t.Error(got)
	}
	if got := todo.use(t, "click", args{"role": "button", "name": "Count 0", "snapshotAfter": true}); !strings.Contains(got, "Count 1") {
		t.Error(got)
	}

	// It serves its own, under what it calls itself, and keeps its worker awake with
	// messages that are no MCP.
	s.untilTool(t, "todo-app_create")
	for i := range 3 {
		if r := s.call(t, "todo-app_create", args{"text": "Buy milk"}); !strings.Contains(r.text, "Todo created: Buy milk") {
			t.Error(r.text)
		}
		eventually(t, "signs of life have been sent", func() bool {
			var alive float64
			return c.workerOf(t.Context(), id, `transport.getConnectionInfo().uptime`, &alive) == nil && alive > float64(i)*1200
		})
	}
	if r := s.call(t, "todo-app_count", nil); !strings.Contains(r.text, "3 todos") {
		t.Error(r.text)
	}
	s.refuse(t, "todo-app_create", args{"text": 7}, "todo-app_create", "text")
	if r := s.call(t, "ext_probe", args{"provider": id}); !strings.Contains(r.text, fmt.Sprintf(`todo-app "Todo-App" %s: connected, 2 tools`, id)) {
		t.Error(r.text)
	}
	// A namespace of the user's own.
	named := c.serve(t, "--ext-provider", id+"=todo", "--enable-mutations")
	named.untilTool(t, "todo_count")
}
