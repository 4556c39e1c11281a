package page_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/policy"
)

// One browser and one server for the package; every test has tabs of its own.
var shared struct {
	backend *cdpfallback.Backend
	base    string // http://127.0.0.1:port
	alt     string // the same server as another site
}

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	server := httptest.NewServer(http.HandlerFunc(fixture))
	defer server.CloseClientConnections()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	shared.base, shared.alt = "http://127.0.0.1:"+port, "http://localhost:"+port
	downloads, err := os.MkdirTemp("", "chrome-mcp-downloads-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(downloads)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	b, err := cdpfallback.Start(ctx, cdpfallback.Config{Headless: true, Bundle: bundle.Source, World: bundle.World, ExtraArgs: []string{"--site-per-process"}, Downloads: downloads})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = b.Shutdown(context.Background()) }()
	shared.backend = b
	return m.Run()
}

// fixture serves /t/<anything>?html=…, with header=Name: value and status=code where
// asked, the pages of the cases, and answers that are no pages.
func fixture(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/pages/"):
		http.ServeFile(w, r, filepath.Join("../../e2e/testdata/cases/pages", filepath.Base(path)))
	case path == "/nocontent":
		w.WriteHeader(http.StatusNoContent)
	case path == "/hang":
		<-r.Context().Done()
	case path == "/slow":
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>slow</title><p>first words</p>")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case path == "/secret":
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>Secret</title><p>Secret words</p><button>Go</button>")
	case path == "/missing":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, "<title>none</title>no such page")
	case path == "/file":
		w.Header().Set("Content-Disposition", `attachment; filename="report Q3.csv"`)
		_, _ = fmt.Fprint(w, "a,b\n")
	case path == "/redirect":
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for _, h := range r.URL.Query()["header"] {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		if code, err := strconv.Atoi(r.URL.Query().Get("status")); err == nil {
			w.WriteHeader(code)
		}
		_, port, _ := net.SplitHostPort(r.Host)
		html := strings.NewReplacer("{alt}", "http://localhost:"+port, "{base}", "http://127.0.0.1:"+port).Replace(r.URL.Query().Get("html"))
		_, _ = fmt.Fprint(w, "<!doctype html><meta charset=utf-8>"+html)
	}
}

// html is the address of a page with that markup.
func html(markup string) string { return shared.base + "/t?html=" + escape(markup) }

func escape(s string) string {
	return strings.NewReplacer("%", "%25", "&", "%26", "#", "%23", "+", "%2B", " ", "%20", "\n", "%0A", ";", "%3B", `"`, "%22").Replace(s)
}

// open is what a test works with: a session, and a tab if the test opened a page.
type open struct {
	*testing.T
	s *page.Session
}

var everything = policy.Policy{AllowDomains: []string{"127.0.0.1", "localhost"}, Mutations: true, Eval: true}

func session(t *testing.T, p policy.Policy) open {
	t.Helper()
	return sessionOver(t, p, shared.backend)
}

func sessionOver(t *testing.T, p policy.Policy, b browser.Backend) open {
	t.Helper()
	s := page.NewSession(page.Config{ID: t.Name(), Title: t.Name(), Policy: p,
		Backend: func(context.Context) (browser.Backend, error) { return b, nil }})
	o := open{t, s}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		for s.Current() != "" {
			if _, err := page.TabClose(ctx, s, page.TabCloseArgs{TabID: s.Current()}); err != nil {
				break
			}
		}
		s.Close(ctx)
	})
	return o
}

// visit opens a page in a session that may do everything.
func visit(t *testing.T, url string) open {
	t.Helper()
	o := session(t, everything)
	o.navigate(url)
	return o
}

func (o open) ctx() context.Context {
	ctx, cancel := context.WithTimeout(o.Context(), 30*time.Second)
	o.Cleanup(cancel)
	return ctx
}

func (o open) navigate(url string) *page.Result {
	o.Helper()
	r, err := page.Navigate(o.ctx(), o.s, page.NavigateArgs{URL: url})
	if err != nil {
		o.Fatalf("navigate: %v", err)
	}
	return r
}

func (o open) tab() *page.Tab {
	o.Helper()
	t, err := o.s.Resolve(o.ctx(), "", policy.Act)
	if err != nil {
		o.Fatalf("resolve: %v", err)
	}
	return t
}

// do runs a handler of a tab as the server does.
func do[A any](o open, h func(context.Context, *page.Tab, A) (*page.Result, error), a A) (*page.Result, error) {
	o.Helper()
	ctx := o.ctx()
	t := o.tab()
	unlock, err := t.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return h(ctx, t, a)
}

// must is do for calls that are to succeed.
func must[A any](o open, h func(context.Context, *page.Tab, A) (*page.Result, error), a A) *page.Result {
	o.Helper()
	r, err := do(o, h, a)
	if err != nil {
		o.Fatalf("%T: %v", a, err)
	}
	return r
}

// eval returns the value of an expression as JSON.
func (o open) eval(expression string) string {
	o.Helper()
	r := must(o, page.Eval, page.EvalArgs{Expression: expression})
	return r.Page
}

// want compares an expression's JSON value.
func (o open) want(expression, json string) {
	o.Helper()
	if got := o.eval(expression); got != json {
		o.Errorf("%s is %s, want %s", expression, got, json)
	}
}

func css(s string) page.Target { return page.Target{Selector: s} }

// refused holds that a call failed with a code, and with words that help.
func refused(t *testing.T, err error, code browser.Code, words ...string) {
	t.Helper()
	if browser.CodeOf(err) != code {
		t.Fatalf("error is %v, want code %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error is %q, without %q", err, w)
		}
	}
}

// says holds that a text has all the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("text is %q, without %q", text, w)
		}
	}
}
