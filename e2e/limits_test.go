package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// mostMemory is what the server may hold, in MB, whatever pages are like.
const mostMemory = 80

// TestLimits works on pages that are larger than any should be, with both backends.
// Each call ends in time, what it answers is capped and says how to get the rest, and
// the server stays small.
func TestLimits(t *testing.T) {
	big := httptest.NewServer(http.HandlerFunc(bigThings))
	t.Cleanup(big.Close)
	for _, backend := range []struct {
		name  string
		serve func(t *testing.T) *server
	}{
		{"extension", func(t *testing.T) *server { return paired(t, false).serve(t) }},
		{"cdp", func(t *testing.T) *server { return serveIn(t, t.TempDir(), own("--backend", "cdp")...) }},
	} {
		t.Run(backend.name, func(t *testing.T) {
			t.Parallel()
			s := backend.serve(t)
			peak := watchMemory(t, s.cmd.Process.Pid)
			for _, l := range limits {
				t.Run(l.name, func(t *testing.T) {
					begin := time.Now()
					l.do(t, s, big.URL)
					t.Logf("%v, the server held %.0f MB at most", time.Since(begin).Round(time.Millisecond), peak())
				})
			}
			if mb := peak(); mb > mostMemory {
				t.Errorf("the server held %.1f MB, at most %d", mb, mostMemory)
			}
		})
	}
}

// limits are run one after the other in one server.
var limits = []struct {
	name string
	do   func(t *testing.T, s *server, big string)
}{
	{"a page of 21,000 px", tallPage},
	{"2 MB of text", longText},
	{"a form of 300 fields", wideForm},
	{"a download of 100 MB", largeDownload},
	{"50 ops over 10 tabs", wideBatch},
	{"10,000 lines of log", longLog},
}

// bigThings serves what is too large to keep in a source file.
func bigThings(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/download":
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="large.bin"`)
		w.Header().Set("Content-Length", strconv.Itoa(100<<20))
		piece := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		for range 100 {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	case "/text":
		w.Header().Set("Content-Type", "text/html")
		line := "<p>" + strings.Repeat("words in a row ", 66) + "</p>\n"
		fmt.Fprint(w, "<!doctype html><title>Long</title>", strings.Repeat(line, 2000), "<p id=end>The end</p>")
	case "/article":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, articlePage(40_000))
	case "/form":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Wide</title><form>`)
		for i := range 300 {
			fmt.Fprintf(w, "<label>Field %d <input id=f%d></label><br>", i, i)
		}
	}
}

func tallPage(t *testing.T, s *server, _ string) {
	s.open(t, `<style>body { margin: 0 } div { height: 7000px }</style>
		<div style="background: red"></div><div style="background: lime"></div><div style="background: blue"></div>`)
	for _, a := range []args{{"fullPage": true}, {"fullPage": true, "scale": 1}, {"fullPage": true, "scale": 0.5, "format": "png"}, {"selector": "body"}} {
		r := s.call(t, "screenshot", a)
		img, data := stacked(t, r)
		size := img.Bounds()
		if a["scale"] == nil && size.Dx() < 600 {
			t.Errorf("%v is %d px wide, which nobody can read", a, size.Dx())
		}
		scale, _ := r.data["scale"].(float64)
		if got := float64(size.Dy()) / scale; got < 20_950 || got > 21_050 || data > 800<<10 {
			t.Errorf("%v shows %.0f px in %d bytes: %s", a, got, data, r.text)
		}
		for i, at := range []float64{0.1, 0.9, 1.1, 1.9, 2.1, 2.4, 2.9} { // in thirds
			red, green, blue, _ := img.At(size.Dx()/2, int(at*float64(size.Dy())/3)).RGBA()
			if most := []uint32{red, green, blue}[int(at)]; most < 0xf000 || red+green+blue > most+0x2000 {
				t.Errorf("%v: point %d is %x %x %x", a, i, red, green, blue)
			}
		}
	}
}

// stacked puts the pictures of a result into one, from top to bottom.
func stacked(t *testing.T, r result) (all *image.RGBA, bytesOf int) {
	t.Helper()
	all = image.NewRGBA(image.Rectangle{})
	for _, part := range r.images {
		img, _, err := image.Decode(bytes.NewReader(part.Data))
		if err != nil {
			t.Fatal(err)
		}
		bytesOf += len(part.Data)
		size := img.Bounds()
		next := image.NewRGBA(image.Rect(0, 0, size.Dx(), all.Rect.Dy()+size.Dy()))
		draw.Draw(next, all.Rect, all, image.Point{}, draw.Src)
		draw.Draw(next, image.Rect(0, all.Rect.Dy(), size.Dx(), next.Rect.Dy()), img, size.Min, draw.Src)
		all = next
	}
	return all, bytesOf
}

func longText(t *testing.T, s *server, big string) {
	s.call(t, "navigate", args{"url": big + "/text"})
	for _, tool := range []string{"get_text", "read_as_markdown", "get_html", "snapshot"} {
		r := s.call(t, tool, nil)
		if len(r.text) > 55_000 || !(strings.Contains(r.text, "truncated") || strings.Contains(r.text, "[cut: ") || strings.Contains(r.text, "more texts; find")) {
			t.Errorf("%s answers %d bytes: …%s", tool, len(r.text), r.text[max(0, len(r.text)-300):])
		}
	}
	if r := s.call(t, "get_text", args{"maxBytes": 900_000}); len(r.text) < 800_000 || len(r.text) > 1_000_000 {
		t.Errorf("%d bytes when more is asked for", len(r.text))
	}
	if r := s.call(t, "get_text", args{"selector": "#end"}); !strings.Contains(r.text, "The end") {
		t.Errorf("a part of it: %s", clip(r.text))
	}
}

func wideForm(t *testing.T, s *server, big string) {
	s.call(t, "navigate", args{"url": big + "/form"})
	var fields []args
	for i := range 300 {
		fields = append(fields, args{"selector": fmt.Sprintf("#f%d", i), "value": fmt.Sprint("value ", i)})
	}
	r := s.call(t, "fill_form", args{"fields": fields})
	if r.took > 60*time.Second {
		t.Errorf("it took %v", r.took)
	}
	s.wantValue(t, "[...document.querySelectorAll('input')].filter((f, i) => f.value === 'value ' + i).length", float64(300))
}

func largeDownload(t *testing.T, s *server, big string) {
	r := s.call(t, "download_file", args{"url": big + "/download"})
	path := str(r.data["path"])
	info, err := os.Stat(path)
	if err != nil || info.Size() != 100<<20 {
		t.Errorf("%v: %v", r.data, err)
	}
	_ = os.Remove(path)
}

func wideBatch(t *testing.T, s *server, big string) {
	var ops []args
	for range 10 {
		tab := str(s.call(t, "tab_new", args{"url": big + "/article"}).data["tabId"])
		t.Cleanup(func() { s.do(context.Background(), "tab_close", args{"tabId": tab}) })
		for range 5 {
			ops = append(ops, args{"tool": "get_text", "args": args{"tabId": tab}})
		}
	}
	r := s.call(t, "batch", args{"mode": "parallel", "ops": ops})
	if results, _ := r.data["results"].([]any); len(results) != 50 || len(r.text) > 1_000_000 || !strings.Contains(r.text, "[cut: ") {
		t.Errorf("%d results, %d bytes, %s", len(results), len(r.text), clip(r.text))
	}
}

func longLog(t *testing.T, s *server, _ string) {
	s.open(t, "<script>for (let i = 0; i < 10000; i++) console.log('line ' + i + ' ' + 'x'.repeat(200))</script>")
	r := s.wantEventually(t, "console_logs", args{"limit": 100}, "line 9999", "older entries were dropped")
	if len(r.text) > 60_000 {
		t.Errorf("%d bytes of log", len(r.text))
	}
	// More than an answer holds: the newest are there, and the way to the others is named.
	r = s.call(t, "console_logs", args{"limit": 1000})
	if !strings.Contains(r.text, "line 9999 ") || !strings.Contains(r.text, "do not fit into one answer: sinceSeq ") || strings.Contains(r.text, "[cut: ") {
		t.Errorf("%d bytes of log, beginning with %s", len(r.text), clip(r.text))
	}
}

// watchMemory looks at what a process holds until the test ends. peak is the most so
// far, in MB.
func watchMemory(t *testing.T, pid int) (peak func() float64) {
	t.Helper()
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		t.Fatal(err)
	}
	var most atomic.Uint64
	look := func() {
		if m, err := p.MemoryInfo(); err == nil && m.RSS > most.Load() {
			most.Store(m.RSS)
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				look()
			case <-over:
				return
			}
		}
	}()
	t.Cleanup(func() { tick.Stop(); close(over) })
	return func() float64 { return float64(most.Load()) / (1 << 20) }
}

// TestManyTabs lists the tabs of a user who has 200.
func TestManyTabs(t *testing.T) {
	c := newChrome(t, chromeOptions{})
	s := c.serve(t)
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Discarded at once, tabs cost the machine nothing.
	if err := c.worker(t.Context(), `(async () => {
		for (let i = 0; i < 200; i++) {
			const tab = await chrome.tabs.create({ url: 'about:blank#' + i, active: false });
			await chrome.tabs.discard(tab.id).catch(() => {});
		}
	})()`, nil); err != nil {
		t.Fatal(err)
	}
	own := s.open(t, "<title>Own</title>")
	r := s.call(t, "tabs_list", nil)
	t.Logf("tabs_list took %v for %d bytes", r.took, len(r.text))
	list, _ := r.data["tabs"].([]any)
	if len(list) != 100 || str(list[0].(map[string]any)["tabId"]) != own || !strings.Contains(r.text, "more tabs of the user are not shown") {
		t.Errorf("%d tabs: %s", len(list), clip(r.text))
	}
	if r.took > time.Second || len(r.text) > 30_000 {
		t.Errorf("%v, %d bytes", r.took, len(r.text))
	}
	if mine := s.ownTabs(t); len(mine) != 1 {
		t.Errorf("own tabs %v", mine)
	}
}
