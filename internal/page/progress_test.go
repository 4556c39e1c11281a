package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"chrome-mcp/internal/page"
)

// told notes what long work says of how far it is.
type told struct {
	mu          sync.Mutex
	done, total []int64
}

func (p *told) in(ctx context.Context) context.Context {
	return page.WithProgress(ctx, func(done, total int64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done, p.total = append(p.done, done), append(p.total, total)
	})
}

func (p *told) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.done)
}

func TestDownloadsTellHowFarTheyAre(t *testing.T) {
	f := keeper(t, nil, 0)
	var p *told
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/slow" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<a href="/slow">Slow</a>`)
			return
		}
		w.Header().Set("Content-Disposition", "attachment; filename=slow.bin")
		// It goes on until something was told, since Chrome tells when it likes.
		for n := 0; n < 50 && p.times() == 0; n++ {
			_, _ = w.Write(make([]byte, 1<<16))
			_ = http.NewResponseController(w).Flush()
			time.Sleep(100 * time.Millisecond)
		}
	}))
	t.Cleanup(site.Close)
	f.navigate(site.URL)
	for what, a := range map[string]page.DownloadArgs{
		"an address": {URL: site.URL + "/slow"}, "a target": {Target: css("a")},
	} {
		p = new(told)
		if _, err := page.DownloadFile(p.in(f.ctx()), f.s, a); err != nil {
			t.Fatal(err)
		}
		if n := p.times(); n == 0 || n > 10 || p.done[n-1] <= 0 || p.done[n-1] > 50<<16 {
			t.Errorf("%s: %v", what, p.done)
		}
	}
}

func TestHighPagesTellHowFarTheyAre(t *testing.T) {
	f := keeper(t, nil, 0)
	f.navigate(striped(30_000))
	tab := f.tab()
	var p told
	if _, err := page.Screenshot(p.in(f.ctx()), tab, page.ScreenshotArgs{FullPage: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(p.done); n != 2 || p.done[0] != 7 || p.done[1] != p.total[1] {
		t.Errorf("%v of %v", p.done, p.total)
	}
	p = told{}
	if _, err := page.Screenshot(p.in(f.ctx()), tab, page.ScreenshotArgs{FullPage: true, Scale: 0.1}); err != nil {
		t.Fatal(err)
	}
	if n := len(p.done); n != 4 || p.done[0] != 1 || p.done[3] != 4 || p.total[3] != 4 {
		t.Errorf("in one picture: %v of %v", p.done, p.total)
	}
}
