package bridge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

func TestUseAndRename(t *testing.T) {
	f := start(t, nil)
	ctx := browser.WithCaller(t.Context(), browser.Caller{Session: "s"})
	opened := func(who string) func(wire.Command) any {
		return func(c wire.Command) any { return wire.Tab{ID: 1, Title: who} }
	}
	home := f.connect(func(i *wire.ExtInfo) { i.ProfileName = "Home" })
	home.serve(opened("home"))
	work := f.connect(func(i *wire.ExtInfo) { i.Instance, i.Run, i.ProfileName = "two", "run2", "Work" })
	work.serve(opened("work"))
	if _, err := f.Use(ctx, "s", "Nowhere"); browser.CodeOf(err) != browser.BadArgs || !strings.Contains(err.Error(), `"Home", "Work"`) {
		t.Errorf("a browser that is not there: %v", err)
	}
	if s, err := f.Use(ctx, "s", "work"); err != nil || s.Name != "Work" || f.Used("s") != "Work" {
		t.Errorf("%+v %v", s, err)
	}
	if tab, err := f.Open(ctx, browser.OpenOptions{}); err != nil || tab.Title != "work" {
		t.Errorf("opened %+v %v", tab, err)
	}
	if err := f.Rename(ctx, "Work", "home"); browser.CodeOf(err) != browser.BadArgs {
		t.Errorf("a name that is taken: %v", err)
	}
	if err := f.Rename(ctx, "Work", "  "); browser.CodeOf(err) != browser.BadArgs {
		t.Errorf("no name: %v", err)
	}
	if err := f.Rename(ctx, "Work", "Office"); err != nil || f.Used("s") != "Office" {
		t.Errorf("renamed: %q %v", f.Used("s"), err)
	}
	work.ws.CloseNow()
	for end := time.Now().Add(5 * time.Second); len(f.Status().Browsers) == 2 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if tab, err := f.Open(ctx, browser.OpenOptions{}); browser.CodeOf(err) != browser.NoBackend || !strings.Contains(err.Error(), "Office") || !strings.Contains(err.Error(), "profile_use") {
		t.Errorf("with its browser away the session opened %+v, %v", tab, err)
	}
	// The name stays with the browser, in later servers too.
	other := startIn(t, f.dir, nil)
	other.connect(func(i *wire.ExtInfo) { i.Instance, i.Run, i.ProfileName = "two", "run3", "Work" })
	if got := other.Status().Browsers[0].Name; got != "Office" {
		t.Errorf("a later server calls it %q", got)
	}
}

func TestDownload(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	steps := []wire.DownloadState{
		{ID: 3, State: "in_progress", URL: "https://a.example/f", Total: 10},
		{ID: 3, State: "in_progress", URL: "https://b.example/f", Bytes: 5, Total: 10},
		{ID: 3, State: "complete", URL: "https://b.example/f", Bytes: 10, File: "/d/f.csv", MIME: "text/csv"},
	}
	got := make(chan wire.DownloadParams, 10)
	next := 0
	e.serve(func(c wire.Command) any {
		var p wire.DownloadParams
		_ = json.Unmarshal(c.Params, &p)
		got <- p
		if p.URL != "" || p.Page != "" {
			next = 0
		}
		s := steps[min(next, len(steps)-1)]
		next++
		return s
	})
	tab := f.tab(7).(browser.Downloader)
	ctx := t.Context()
	var done []int64
	d, err := tab.Download(ctx, browser.DownloadOptions{URL: "https://a.example/f", Progress: func(n, _ int64) { done = append(done, n) }})
	if err != nil || d.Path != "/d/f.csv" || d.Name != "f.csv" || d.Bytes != 10 || d.URL != "https://b.example/f" || len(done) != 2 {
		t.Errorf("%+v %v %v", d, done, err)
	}
	d.Forget(ctx)
	last := func() (p wire.DownloadParams) {
		for {
			select {
			case p = <-got:
			case <-time.After(50 * time.Millisecond):
				return p
			}
		}
	}
	if p := last(); p.ID != 3 || !p.Forget {
		t.Errorf("forgot with %+v", p)
	}
	for name, c := range map[string]struct {
		o     browser.DownloadOptions
		code  browser.Code
		words string
	}{
		"denied":  {browser.DownloadOptions{Judge: func(u string) error { return denyB(u) }}, browser.PolicyDenied, "b.example"},
		"too big": {browser.DownloadOptions{MaxBytes: 9}, browser.DownloadFailed, "--max-file-mb"},
	} {
		c.o.URL = "https://a.example/f"
		if _, err := tab.Download(ctx, c.o); browser.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
		if p := last(); p.ID != 3 || !p.Cancel {
			t.Errorf("%s: given up with %+v", name, p)
		}
	}
	steps = []wire.DownloadState{{ID: 4, State: "interrupted", URL: "https://a.example/f", Error: "FILE_NO_SPACE"}}
	if _, err := tab.Downloaded(ctx, "guid", "https://a.example/f"); browser.CodeOf(err) != browser.DownloadFailed || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("disk full: %v", err)
	}
	steps = []wire.DownloadState{{ID: 5, State: "in_progress", URL: "https://a.example/f.exe", Held: "file"}}
	if _, err := tab.Download(ctx, browser.DownloadOptions{URL: "https://a.example/f.exe"}); browser.CodeOf(err) != browser.DownloadFailed || !strings.Contains(err.Error(), "dangerous") {
		t.Errorf("held back: %v", err)
	}
}

func denyB(url string) error {
	if strings.Contains(url, "b.example") {
		return browser.Errorf(browser.PolicyDenied, "b.example is not allowed")
	}
	return nil
}
