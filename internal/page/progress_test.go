package page_test

import (
	"context"
	"sync"
	"testing"

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

func TestDownloadsTellHowFarTheyAre(t *testing.T) {
	f := keeper(t, nil, 0)
	base := files(t)
	f.navigate(base + `/?html=<a href="/slow">Slow</a>`)
	for what, a := range map[string]page.DownloadArgs{
		"an address": {URL: base + "/slow"}, "a target": {Target: css("a")},
	} {
		var p told
		if _, err := page.DownloadFile(p.in(f.ctx()), f.s, a); err != nil {
			t.Fatal(err)
		}
		if n := len(p.done); n == 0 || n > 10 || p.done[n-1] <= 0 || p.done[n-1] > 5<<16 {
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
