package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// httpClients work at once; each makes so many calls, with -long the whole.
const (
	httpClients   = 20
	httpCalls     = 15
	httpCallsLong = 1000
	httpMemory    = 120 // MB

	// thinking is the pause between the calls of a client that is quicker than any model.
	thinking = 200 * time.Millisecond
)

// TestHTTPManyClients has twenty clients of both revisions work at once, each in a tab of
// its own, and compares with one that is alone: at the pace of agents, and as fast as they
// can.
func TestHTTPManyClients(t *testing.T) {
	calls := httpCalls
	if *long {
		calls = httpCallsLong
	}
	c := paired(t, false)
	s := c.serveHTTP(t, allowAll()...)
	peak := watchMemory(t, s.cmd.Process.Pid)
	workers := []*httpWorker{s.worker(t, 0)}
	single := together(t, workers, max(calls/10, 2*httpCalls), thinking)
	hasty := together(t, workers, calls, 0)
	for i := 1; i < httpClients; i++ {
		workers = append(workers, s.worker(t, i))
	}
	many := together(t, workers, calls, thinking)
	// With few calls on a machine that does other things, the ratio says little.
	if *long && many > 10*single || many > 2*time.Second {
		t.Errorf("p95 is %v, of one alone %v", many, single)
	}
	manyHasty := together(t, workers, calls, 0)
	if *long && manyHasty > 10*hasty {
		t.Errorf("without pauses p95 is %v, of one alone %v", manyHasty, hasty)
	}
	t.Logf("%.1f times as long with %d clients, %.1f times without pauses; the server held %.0f MB at most",
		float64(many)/float64(single), len(workers), float64(manyHasty)/float64(hasty), peak())
	if peak() > httpMemory {
		t.Errorf("the server held %.0f MB, at most %d", peak(), httpMemory)
	}
	for _, w := range workers {
		w.check(t)
	}
}

// together has clients work at once and returns the 95th percentile of all their calls.
func together(t *testing.T, workers []*httpWorker, calls int, pause time.Duration) time.Duration {
	t.Helper()
	times := make([][]time.Duration, len(workers))
	var all sync.WaitGroup
	begin := time.Now()
	for i, w := range workers {
		all.Go(func() {
			time.Sleep(pause * time.Duration(i) / time.Duration(len(workers))) // people do not work in step
			times[i] = w.work(t, calls, pause)
		})
	}
	all.Wait()
	took, sorted := time.Since(begin), slices.Concat(times...)
	slices.Sort(sorted)
	if len(sorted) == 0 {
		t.Fatal("no call was made")
	}
	p50, p95 := sorted[len(sorted)/2], sorted[len(sorted)*95/100]
	t.Logf("%2d clients, %d calls each, %v between them: p50 %v, p95 %v, %.0f calls a second", len(workers), calls, pause,
		p50.Round(10*time.Microsecond), p95.Round(10*time.Microsecond), float64(len(sorted))/took.Seconds())
	return p95
}

// httpWorker is a client that works in a tab of its own.
type httpWorker struct {
	*server
	number      int
	title       string
	tab         string
	clicked     int
	typed       string
	mismatching int
}

func (s *httpServer) worker(t *testing.T, i int) *httpWorker {
	c, _ := s.client(t, fmt.Sprint("worker ", i), revision(i))
	w := &httpWorker{server: c, number: i, title: fmt.Sprintf("Page of %d", i)}
	w.tab = w.open(t, fmt.Sprintf(`<title>%s</title><h1>%[1]s</h1><input id=i><button onclick="window.n = (window.n ?? 0) + 1">Add</button>`, w.title))
	return w
}

// work makes n calls as an agent does, reading more than acting, and says how long each
// took. Every answer has to be of this client's own page.
func (w *httpWorker) work(t *testing.T, n int, pause time.Duration) []time.Duration {
	times := make([]time.Duration, 0, n)
	for i := range n {
		tool, a, want := "", args{}, ""
		switch (w.number + i) % 6 {
		case 0:
			tool, a["selector"] = "click", "button"
			w.clicked++
		case 1:
			w.typed = fmt.Sprint(w.title, " ", i)
			tool, a["selector"], a["text"], a["clear"] = "type", "#i", w.typed, true
		case 2:
			tool, a["expression"], want = "eval", "document.title + ' ' + (window.n ?? 0)", fmt.Sprint(w.title, " ", w.clicked)
		case 3:
			tool, want = "get_text", w.title
		case 4:
			tool, want = "snapshot", w.title
		case 5:
			tool, a["expression"], want = "eval", "document.querySelector('#i').value", w.typed
		}
		r := w.do(t.Context(), tool, a)
		if r.failed || !strings.Contains(r.text, want) {
			t.Errorf("%s: call %d, %s %v, wants %q:\n%s", w.title, i, tool, a, want, clip(r.text))
			if w.mismatching++; w.mismatching > 3 {
				return times
			}
		}
		times = append(times, r.took)
		time.Sleep(pause)
	}
	return times
}

// check looks at what the page has come to.
func (w *httpWorker) check(t *testing.T) {
	t.Helper()
	w.wantValue(t, "document.title + '|' + (window.n ?? 0) + '|' + document.querySelector('#i').value", fmt.Sprintf("%s|%d|%s", w.title, w.clicked, w.typed))
	if own := w.ownTabs(t); len(own) != 1 || own[0] != w.tab {
		t.Errorf("%s owns the tabs %v, want %s", w.title, own, w.tab)
	}
}
