package cdpfallback

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
)

// twoSites is one server under two names: 127.0.0.1 is allowed, localhost is not.
type twoSites struct {
	base, denied string
	mu           sync.Mutex
	asked        []string // paths that were asked for under the denied name
}

func newTwoSites(t *testing.T) *twoSites {
	s := &twoSites{}
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	s.base, s.denied = server.URL, "http://localhost:"+port
	return s
}

func (s *twoSites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Host, "localhost") && r.URL.Path != "/favicon.ico" {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/away":
		http.Redirect(w, r, s.denied+"/redirected", http.StatusFound)
	case "/framed":
		_, _ = fmt.Fprintf(w, `<title>framed</title><iframe src="%s/frame"></iframe>`, s.denied)
	default:
		_, _ = fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
	}
}

func (s *twoSites) allow(url string) bool { return strings.HasPrefix(url, s.base) }

func (s *twoSites) left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// startFor starts a browser for one test.
func startFor(t *testing.T, cfg Config) *Backend {
	t.Helper()
	cfg.Headless, cfg.Bundle, cfg.World = true, tinyBundle, "test"
	b, err := Start(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Shutdown(context.Background()) })
	return b
}

// openIn opens a blank tab for a session.
func openIn(t *testing.T, b browser.Backend, session string) (context.Context, browser.Tab) {
	t.Helper()
	ctx := browser.WithCaller(testContext(t), browser.Caller{Session: session})
	info, err := b.Open(ctx, browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tab, err := b.Tab(info.ID)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, tab
}

// script runs JavaScript in the page with a user's gesture.
func script(t *testing.T, ctx context.Context, tab browser.Tab, expression string) string {
	t.Helper()
	var answer struct {
		Result struct{ Value any }
	}
	params := map[string]any{"expression": expression, "userGesture": true, "awaitPromise": true, "returnByValue": true}
	if err := tab.Call(ctx, "", "Runtime.evaluate", params, &answer); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return fmt.Sprint(answer.Result.Value)
}

// blockedIn waits until a navigation of the tab has failed.
func blockedIn(t *testing.T, ctx context.Context, tab browser.Tab) {
	t.Helper()
	for ctx.Err() == nil {
		// The error page answers in the name of the site that it stands for.
		answer, err := tab.Run(ctx, browser.RunRequest{Fn: "title"}, nil)
		if err == nil && strings.HasPrefix(answer.URL, "http://localhost") {
			if frames, err := tab.Frames(ctx); err != nil || !strings.HasPrefix(frames[0].URL, "http://localhost") {
				t.Errorf("the error page stands for %+v, %v", frames, err)
			}
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the navigation did not fail")
}

func TestEgress(t *testing.T) {
	sites := newTwoSites(t)
	b := startFor(t, Config{Allow: sites.allow})
	ways := map[string]func(t *testing.T, ctx context.Context, tab browser.Tab){
		"navigate": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			var nav struct{ ErrorText string }
			if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": sites.denied + "/direct"}, &nav); err != nil || nav.ErrorText != "net::ERR_BLOCKED_BY_CLIENT" {
				t.Errorf("direct navigation: %q, %v", nav.ErrorText, err)
			}
		},
		"redirect": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			var nav struct{ ErrorText string }
			if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": sites.base + "/away"}, &nav); err != nil || nav.ErrorText != "net::ERR_BLOCKED_BY_CLIENT" {
				t.Errorf("redirect: %q, %v", nav.ErrorText, err)
			}
		},
		"script": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			script(t, ctx, tab, "void (location.href = '"+sites.denied+"/script')")
			blockedIn(t, ctx, tab)
		},
		"form": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			script(t, ctx, tab, `document.body.innerHTML = '<form method=post action="`+sites.denied+`/form"><input name=secret value=1></form>'; document.forms[0].submit()`)
			blockedIn(t, ctx, tab)
		},
		"popup": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			popup(t, ctx, b, tab, "void window.open('"+sites.denied+"/popup')")
		},
		"popup without opener": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			popup(t, ctx, b, tab, "void window.open('"+sites.denied+"/noopener', '', 'noopener')")
		},
		"link to a new tab": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			popup(t, ctx, b, tab, `document.body.innerHTML = '<a target=_blank href="`+sites.denied+`/blank">x</a>'; document.links[0].click()`)
		},
		"popup that goes on": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			popup(t, ctx, b, tab, "{const w = window.open('about:blank'); w.location = '"+sites.denied+"/later'}")
		},
		"hidden popup": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			popup(t, ctx, b, tab, "{const w = window.open('"+blankSide+"'); w.location = '"+sites.denied+"/hidden'}")
		},
		"middle button": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			script(t, ctx, tab, `document.body.innerHTML = '<a href="`+sites.denied+`/middle" style="position:fixed;inset:0">x</a>'`)
			popupBy(t, ctx, b, tab, func() {
				clicks := press(50, 50)
				for _, c := range clicks[1:] {
					c.Params.(map[string]any)["button"] = "middle"
				}
				if _, err := tab.Batch(ctx, clicks); err != nil {
					t.Fatal(err)
				}
			})
		},
		"after a crash": func(t *testing.T, ctx context.Context, tab browser.Tab) {
			crashed := expect(t, tab, "Inspector.targetCrashed")
			go func() { _ = tab.Call(ctx, "", "Page.crash", nil, nil) }()
			crashed(ctx)
			_ = tab.Call(ctx, "", "Page.navigate", map[string]string{"url": sites.denied + "/crashed"}, nil)
			blockedIn(t, ctx, tab)
		},
	}
	for name, leave := range ways {
		t.Run(name, func(t *testing.T) {
			ctx, tab := openIn(t, b, "s1")
			load(t, ctx, tab, sites.base+"/start")
			leave(t, ctx, tab)
			if left := sites.left(); left != nil {
				t.Errorf("asked for %q", left)
			}
		})
	}
	t.Run("a frame is loaded", func(t *testing.T) {
		ctx, tab := openIn(t, b, "s1")
		load(t, ctx, tab, sites.base+"/framed")
		if left := sites.left(); !slices.Equal(left, []string{"/frame"}) {
			t.Errorf("asked for %q", left)
		}
	})
	t.Run("a tab of nobody is free", func(t *testing.T) {
		ctx, tab := openIn(t, b, "s2")
		load(t, ctx, tab, sites.base+"/start")
		if err := b.Release(ctx, "s2"); err != nil {
			t.Fatal(err)
		}
		load(t, context.WithoutCancel(browser.WithCaller(ctx, browser.Caller{})), tab, sites.denied+"/free")
	})
}

// popup runs a script that opens a tab and waits until that tab's navigation has failed.
func popup(t *testing.T, ctx context.Context, b *Backend, tab browser.Tab, expression string) {
	t.Helper()
	popupBy(t, ctx, b, tab, func() { script(t, ctx, tab, expression) })
}

func popupBy(t *testing.T, ctx context.Context, b *Backend, tab browser.Tab, open func()) {
	t.Helper()
	created := expect(t, tab, "tab.created")
	open()
	var p struct{ TabID browser.TabID }
	if err := json.Unmarshal(created(ctx).Params, &p); err != nil {
		t.Fatal(err)
	}
	other, err := b.Tab(p.TabID)
	if err != nil {
		t.Fatal(err)
	}
	blockedIn(t, ctx, other)
}

// BenchmarkNavigate shows what the guard costs: the two take turns, because the machine
// is never as busy as it was.
func BenchmarkNavigate(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>x</title>")
	}))
	defer server.Close()
	ctx := browser.WithCaller(b.Context(), browser.Caller{Session: "s"})
	var tabs [2]browser.Tab
	for i, allow := range []func(string) bool{nil, func(string) bool { return true }} {
		be, err := Start(ctx, Config{Headless: true, Bundle: tinyBundle, World: "test", Allow: allow})
		if err != nil {
			b.Fatal(err)
		}
		defer be.Shutdown(context.Background())
		info, err := be.Open(ctx, browser.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		tabs[i], _ = be.Tab(info.ID)
	}
	var took [2][]time.Duration
	for b.Loop() {
		for i, tab := range tabs {
			begin := time.Now()
			if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": server.URL}, nil); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(begin))
		}
	}
	for i, name := range []string{"free-ms", "guarded-ms"} {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds())/1000, name)
	}
}
