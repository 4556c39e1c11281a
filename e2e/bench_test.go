package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rounds is how often each thing is measured.
const rounds = 60

// row is one line of the bench: what a client waits for, and the most it may be.
type row struct {
	name  string
	limit time.Duration // for the p50; 0 is none
	once  func() error
	size  func() int // bytes of the last answer, said after the figures
	most  int        // that they may be; 0 is any number
}

// benchFlags are what the rows need; observers record all that a page does, which
// navigations pay for. Where tabs may go is bounded, as it is for users.
var benchFlags = []string{"--allow-domain", "127.0.0.1", "--enable-mutations", "--unsafe-enable-eval"}

// BenchmarkClient prints what an MCP client waits for, through the extension and through
// a browser of the server's own, beside a raw DevTools round trip. It measures by itself:
// b.N means nothing.
func BenchmarkClient(b *testing.B) {
	b.Run("extension", func(b *testing.B) { benchBackend(b, paired(b, false).data) })
	b.Run("cdp", func(b *testing.B) {
		data, err := os.MkdirTemp(rig.dir, "data-")
		if err != nil {
			b.Fatal(err)
		}
		benchBackend(b, data, "--backend", "cdp", "--headless")
	})
}

func benchBackend(b *testing.B, data string, flags ...string) {
	flags = append(flags, benchFlags...)
	s := leanClient(b, data, flags...)
	fmt.Printf("\n%-28s %9s %9s %9s\n", b.Name()[len("BenchmarkClient/"):]+", ms, n = "+fmt.Sprint(rounds), "p50", "p95", "at most")
	form := s.tab(b, "/form")
	// Row by row, as an agent that does one thing at a time; a tab that was just used is
	// still drawing, which would be charged to whoever comes next.
	for _, r := range benchRows(b, s, form, flags) {
		r.measure(b)
	}
	benchBatch(b, leanClient(b, data, flags...))
	held(b, s, form, flags)
}

func benchRows(b *testing.B, s *lean, form string, flags []string) []row {
	ctx := b.Context()
	c := paired(b, false)
	hand, err := c.open(ctx, rig.site.base+"/form")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close(context.Background(), hand.ID()) })
	big, article := s.tab(b, "/big"), s.tab(b, "/article")
	tool := func(name string, a args) func() error {
		return func() error { return s.call(name, a) }
	}
	text := func() int { return len(s.text(b)) }
	picture := func() int { return len(s.picture(b)) }
	raw := func() error {
		return hand.Call(ctx, "", "Runtime.evaluate", args{"expression": "1+1", "returnByValue": true}, nil)
	}
	openAndClose := func() error {
		if err := s.call("tab_new", args{}); err != nil {
			return err
		}
		return s.call("tab_close", args{"tabId": s.tabID(b)})
	}
	return []row{
		{"raw CDP Runtime.evaluate", 0, raw, nil, 0},
		{"eval", 3 * time.Millisecond, tool("eval", args{"tabId": form, "expression": "1+1"}), nil, 0},
		{"click", 15 * time.Millisecond, tool("click", args{"tabId": form, "selector": "#count"}), nil, 0},
		{"type 20 characters", 15 * time.Millisecond, tool("type", args{"tabId": form, "selector": "#name", "text": "twenty characters ok", "clear": true}), nil, 0},
		{"snapshot, 5,000 elements", 40 * time.Millisecond, tool("snapshot", args{"tabId": big, "interactiveOnly": true}), text, 25 << 10},
		{"get_text, 30 KB", 8 * time.Millisecond, tool("get_text", args{"tabId": article}), text, 0},
		{"screenshot", 45 * time.Millisecond, tool("screenshot", args{"tabId": form}), picture, 0},
		{"tab_new + tab_close", 110 * time.Millisecond, openAndClose, nil, 0},
		{"navigate to a form", 60 * time.Millisecond, tool("navigate", args{"tabId": form, "url": rig.site.base + "/form"}), nil, 0},
		{"spawn → initialize", 20 * time.Millisecond, spawn(b, flags), nil, 0},
	}
}

// measure does the row's thing again and again and prints how long it took.
func (r row) measure(b *testing.B) {
	b.Helper()
	var times []time.Duration
	for round := range rounds + 5 {
		begin := time.Now()
		if err := r.once(); err != nil {
			b.Fatal(err)
		}
		if round >= 5 { // the first ones warm up
			times = append(times, time.Since(begin))
		}
	}
	slices.Sort(times)
	p50, p95 := times[len(times)/2], times[len(times)*95/100]
	limit, said := "", ""
	if r.size != nil {
		said = fmt.Sprintf("%d bytes", r.size())
		if r.most > 0 && r.size() > r.most {
			b.Errorf("%s has %s, at most %d", r.name, said, r.most)
		}
	}
	if r.limit > 0 {
		limit = fmt.Sprintf("%9.0f", ms(r.limit))
		if p50 > r.limit {
			said += "  TOO SLOW"
			b.Errorf("%s takes %v, at most %v", r.name, p50, r.limit)
		}
	}
	fmt.Printf("%-28s %9.2f %9.2f %9s  %s\n", r.name, ms(p50), ms(p95), limit, said)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// spawn starts the program and waits for the answer to initialize.
func spawn(b *testing.B, flags []string) func() error {
	data := b.TempDir()
	return func() error {
		s := startRaw(b, environment(data), flags...)
		if _, err := s.in.Write([]byte(strings.SplitAfter(handshake, "\n")[0])); err != nil {
			return err
		}
		s.answer(b, 1)
		_ = s.in.Close()
		return nil
	}
}

// held shows what the server holds: idle, after 1,000 calls and after 10,000.
func held(b *testing.B, s *lean, tab string, flags []string) {
	after := rss(b, s.cmd.Process.Pid)
	fresh := leanClient(b, b.TempDir(), flags...)
	idle := rss(b, fresh.cmd.Process.Pid)
	_ = fresh.in.Close()
	fmt.Printf("%-28s %9.1f %9s %9d\n", "MB RSS, idle", idle, "", 25)
	calls := func(n int) {
		for i := range n {
			name, a := "eval", args{"tabId": tab, "expression": fmt.Sprint(i)}
			switch i % 10 {
			case 3:
				name, a = "snapshot", args{"tabId": tab}
			case 6:
				name, a = "click", args{"tabId": tab, "selector": "#count"}
			}
			if err := s.call(name, a); err != nil {
				b.Fatal(err)
			}
		}
	}
	calls(1000)
	thousand := rss(b, s.cmd.Process.Pid)
	fmt.Printf("%-28s %9.1f %9s %9d\n", "MB RSS, after 1,000 calls", thousand, "", 40)
	calls(9000)
	all := rss(b, s.cmd.Process.Pid)
	fmt.Printf("%-28s %9.1f\n", "MB RSS, after 10,000 calls", all)
	fmt.Printf("%-28s %9.1f\n", "MB RSS, after the bench", after)
	if idle > 25 {
		b.Errorf("%.1f MB when idle, at most 25", idle)
	}
	if thousand > 40 {
		b.Errorf("%.1f MB after 1,000 calls, at most 40", thousand)
	}
	if all > thousand*1.2+2 {
		b.Errorf("it grew from %.1f to %.1f MB between 1,000 and 10,000 calls", thousand, all)
	}
}

func rss(b *testing.B, pid int) float64 {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		b.Fatal(err)
	}
	kb, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kb) / 1024
}

// TestToolListSize holds tools/list to what it may cost a model.
func TestToolListSize(t *testing.T) {
	for _, list := range []struct {
		flags []string
		most  int
	}{{nil, 12 << 10}, {allowAll(), 28 << 10}} {
		s, err := startServer(t.Context(), t.TempDir(), t.Name(), list.flags...)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, tool := range s.tools {
			raw, err := json.Marshal(tool)
			if err != nil {
				t.Fatal(err)
			}
			size += len(raw)
		}
		s.stop()
		t.Logf("%d tools, %d bytes with %v", len(s.tools), size, list.flags)
		if size > list.most {
			t.Errorf("tools/list has %d bytes with %v, at most %d", size, list.flags, list.most)
		}
	}
}

// TestDemo runs the demo as a user does, and lets a step of it fail.
func TestDemo(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "demo.jpg")
	s := startRaw(t, environment(t.TempDir()), "demo", "--yes", "--headless", "--screenshot", picture)
	out := s.all()
	if err := <-s.exited; err != nil || !strings.Contains(out, "Thank you, Ada") || !strings.Contains(out, "All of it worked") {
		t.Errorf("demo: %v\n%s\n%s", err, out, s.stderr)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 5000 {
		t.Errorf("the screenshot: %v", err)
	}
	s = startRaw(t, append(environment(t.TempDir()), "CHROME_PATH=/nowhere/chromium"), "demo", "--yes")
	s.all()
	if err := <-s.exited; err == nil || !strings.Contains(s.stderr.String(), "CHROME_PATH") {
		t.Errorf("demo without a browser: %v\n%s", err, s.stderr)
	}
}

// all reads until the program ends.
func (s *rawServer) all() string {
	var b strings.Builder
	for line := range s.lines {
		b.WriteString(line)
	}
	return b.String()
}
