package mcpserver

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func TestTasks(t *testing.T) {
	cfg := testConfig()
	cfg.DataDir = filepath.Join(t.TempDir(), "data")
	long := onSession("long_text", policy.Read, "A test's tool.", func(context.Context, *page.Session, noArgs) (*page.Result, error) {
		return &page.Result{Page: strings.Repeat("words ", maxResultText), Origin: "https://example.com", URL: "https://example.com/"}, nil
	})
	c := serve(t, newTestServer(t, cfg, append(table(), long)...))
	c.initialize("2025-11-25")
	ask := func(tool, args string, words ...string) string {
		t.Helper()
		c.call(1, tool, args)
		said, _ := text(c.answer())
		for _, w := range words {
			if !strings.Contains(said, w) {
				t.Errorf("%s %s says\n%.400s\nwithout %q", tool, args, said, w)
			}
		}
		return said
	}
	ask("tasks_list", "{}", "no tasks yet")
	ask("task_status", "{}", "no task yet")
	if _, err := os.Stat(cfg.DataDir); err == nil {
		t.Error("the data folder is there before anything was kept")
	}
	ask("type", `{"selector":"#none","text":"hunter2"}`)
	said := ask("long_text", "{}", "all of the text", "[cut: ")
	path := regexp.MustCompile(`is in (.*\.txt)`).FindStringSubmatch(said)
	if path == nil {
		t.Fatalf("no path in %.300s", said)
	}
	if b, err := os.ReadFile(path[1]); err != nil || len(b) != 6*maxResultText {
		t.Errorf("%d bytes put aside: %v", len(b), err)
	}
	ask("task_new", `{"name":"Taxes 2026"}`, "Taxes 2026", cfg.DataDir)
	ask("task_status", "{}", "Taxes 2026", "0 files")
	ask("tasks_list", "{}", "Taxes 2026 (current)", "1 files")
	history, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(path[1])), "history.jsonl"))
	if err != nil || !strings.Contains(string(history), `"tool":"type"`) || strings.Contains(string(history), "hunter2") {
		t.Errorf("history: %v\n%s", err, history)
	}
	ask("profile_use", `{"name":"Work"}`, "BAD_ARGS")
}

// chooserBackend reaches two browsers.
type chooserBackend struct {
	fakeBackend
	used, renamed string
}

func (b *chooserBackend) Use(_ context.Context, session, name string) (browser.BrowserStatus, error) {
	b.used = session + " " + name
	return browser.BrowserStatus{Name: name, Version: "156.0"}, nil
}

func (b *chooserBackend) Rename(_ context.Context, name, to string) error {
	b.renamed = name + " " + to
	return nil
}

func (b *chooserBackend) Used(string) string { return "" }

func TestProfiles(t *testing.T) {
	cfg, b := testConfig(), &chooserBackend{}
	cfg.Backend = b
	c := serve(t, newTestServer(t, cfg))
	c.initialize("2025-11-25")
	c.call(1, "profile_use", `{"name":"Work"}`)
	if said, failed := text(c.next()); failed || !strings.Contains(said, "new tabs open in Work") || b.used != "S Work" {
		t.Errorf("%s %s", said, b.used)
	}
	c.call(2, "profile_rename", `{"name":"Work","to":"Office"}`)
	if said, failed := text(c.next()); failed || b.renamed != "Work Office" {
		t.Errorf("%s %s", said, b.renamed)
	}
	c.call(3, "task_status", `{}`)
	if said, failed := text(c.next()); !failed || !strings.Contains(said, "CHROME_MCP_DATA") {
		t.Errorf("without a data folder: %s", said)
	}
}
