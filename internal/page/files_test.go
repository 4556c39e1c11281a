package page_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

// filer is a session that keeps files, and a tab.
type filer struct {
	open
	work *task.Work
	data string
}

func keeper(t *testing.T, change func(*policy.Policy), max int64) filer {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	work := task.Open(data, "", max)
	p := everything
	p.Downloads, p.Uploads = true, true
	if change != nil {
		change(&p)
	}
	s := page.NewSession(page.Config{ID: t.Name(), Title: t.Name(), Policy: p, Tasks: work,
		Backend: func(context.Context) (browser.Backend, error) { return shared.backend, nil }})
	f := filer{open{t, s}, work, data}
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
	return f
}

func (f filer) download(a page.DownloadArgs) (got struct {
	Path, MimeType, SuggestedName, URL string
	Bytes                              int64
	text                               string
}, err error) {
	f.Helper()
	r, err := page.DownloadFile(f.ctx(), f.s, a)
	if err != nil {
		return got, err
	}
	raw, _ := json.Marshal(r.Data)
	if err := json.Unmarshal(raw, &got); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(got.Path)
	if err != nil || int64(len(b)) != got.Bytes || !strings.HasPrefix(got.Path, filepath.Join(f.data, "tasks")) {
		f.Errorf("%+v: %d bytes there, %v", got, len(b), err)
	}
	got.text = string(b)
	return got, nil
}

// files serves what is downloaded.
func files(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/report":
			w.Header().Set("Content-Type", "text/csv")
			w.Header().Set("Content-Disposition", `attachment; filename="report Q3.csv"`)
			_, _ = w.Write([]byte("a,b\n"))
		case "/inline.html":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<title>inline</title>"))
		case "/away":
			_, port, _ := net.SplitHostPort(r.Host)
			http.Redirect(w, r, "http://localhost:"+port+"/report", http.StatusFound)
		case "/slow":
			w.Header().Set("Content-Disposition", "attachment; filename=slow.bin")
			for range 5 {
				_, _ = w.Write(make([]byte, 1<<16))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(100 * time.Millisecond)
			}
		case "/broken": // nobody says how long it is
			w.Header().Set("Content-Disposition", "attachment; filename=broken.bin")
			_, _ = w.Write([]byte("half"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "/cut":
			w.Header().Set("Content-Disposition", "attachment; filename=cut.bin")
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("half"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!doctype html>"+r.URL.Query().Get("html"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestDownloadAddress(t *testing.T) {
	f := keeper(t, nil, 1<<20)
	base := files(t)
	d, err := f.download(page.DownloadArgs{URL: base + "/report"})
	if err != nil || filepath.Base(d.Path) != "report Q3.csv" || d.MimeType != "text/csv" || d.text != "a,b\n" || d.URL != base+"/report" {
		t.Errorf("%+v %v", d, err)
	}
	if d, err = f.download(page.DownloadArgs{URL: base + "/report", SuggestedName: "mine"}); err != nil || filepath.Base(d.Path) != "mine.csv" {
		t.Errorf("with a name: %+v %v", d, err)
	}
	if d, err = f.download(page.DownloadArgs{URL: base + "/away"}); err != nil || !strings.Contains(d.URL, "localhost") {
		t.Errorf("redirected: %+v %v", d, err)
	}
	f.navigate(base + "/?html=here")
	if d, err = f.download(page.DownloadArgs{URL: "/inline.html"}); err != nil || d.text != "<title>inline</title>" || d.MimeType != "text/html" {
		t.Errorf("relative: %+v %v", d, err)
	}
	f.want("document.body.textContent", `"here"`)
	d, err = f.download(page.DownloadArgs{URL: "data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte("hello")), SuggestedName: "greeting.txt"})
	if err != nil || d.text != "hello" || filepath.Base(d.Path) != "greeting.txt" {
		t.Errorf("data: %+v %v", d, err)
	}
	_, err = f.download(page.DownloadArgs{URL: base + "/none"})
	refused(t, err, browser.DownloadFailed, "404")
	_, err = f.download(page.DownloadArgs{URL: "https://elsewhere.example/x"})
	refused(t, err, browser.PolicyDenied, "elsewhere.example")
	_, err = f.download(page.DownloadArgs{})
	refused(t, err, browser.BadArgs, "target")
	_, err = f.download(page.DownloadArgs{URL: base + "/cut"})
	refused(t, err, browser.DownloadFailed, "broke off")
	_, err = f.download(page.DownloadArgs{URL: base + "/broken"})
	refused(t, err, browser.DownloadFailed, "broke off")
}

func TestDownloadLimits(t *testing.T) {
	base := files(t)
	f := keeper(t, nil, 1<<16)
	_, err := f.download(page.DownloadArgs{URL: base + "/slow"})
	refused(t, err, browser.DownloadFailed, "--max-file-mb")
	f.navigate(base + "/?html=" + escape(`<a href=/slow>Slow</a>`))
	_, err = f.download(page.DownloadArgs{Target: css("a")})
	refused(t, err, browser.DownloadFailed, "--max-file-mb")
	narrow := keeper(t, func(p *policy.Policy) { p.AllowDomains = []string{"127.0.0.1"} }, 0)
	_, err = narrow.download(page.DownloadArgs{URL: base + "/away"})
	refused(t, err, browser.PolicyDenied, "localhost")
	narrow.navigate(base + "/?html=" + escape(`<a href=/away>Away</a>`))
	_, err = narrow.download(page.DownloadArgs{Target: css("a")})
	refused(t, err, browser.PolicyDenied, "localhost")
	for _, w := range []*task.Work{f.work, narrow.work} {
		if _, list, err := w.Current(); err != nil || len(list) != 0 {
			t.Errorf("kept: %v %v", list, err)
		}
	}
}

func TestDownloadTarget(t *testing.T) {
	f := keeper(t, nil, 0)
	base := files(t)
	for name, c := range map[string]struct{ html, want, text string }{
		"attachment":   {`<a id=x href=/report>Report</a>`, "report Q3.csv", "a,b\n"},
		"page":         {`<a id=x href=/inline.html>Inline</a>`, "inline.html", "<title>inline</title>"},
		"other site":   {`<a id=x target=_blank href=/away>Away</a>`, "report Q3.csv", "a,b\n"},
		"button":       {`<button id=x onclick="location.href='/report'">Export</button>`, "report Q3.csv", "a,b\n"},
		"blob":         {`<button id=x onclick="const a=document.createElement('a');a.href=window.URL.createObjectURL(new Blob(['made']));a.download='made.txt';a.click()">Save</button>`, "made.txt", "made"},
		"data":         {`<a id=x href="data:text/plain,hi" download=hi.txt>Hi</a>`, "hi.txt", "hi"},
		"later":        {`<button id=x onclick="setTimeout(()=>location.href='/report',700)">Export</button>`, "report Q3.csv", "a,b\n"},
		"own handling": {`<a id=x href=/none onclick="event.preventDefault();location.href='/report'">Export</a>`, "report Q3.csv", "a,b\n"},
		"window":       {`<button id=x onclick="window.open('/report')">Export</button>`, "report Q3.csv", "a,b\n"},
		"form":         {`<form method=post action=/report><button id=x>Export</button></form>`, "report Q3.csv", "a,b\n"},
	} {
		f.navigate(base + "/?html=" + escape(c.html))
		d, err := f.download(page.DownloadArgs{Target: css("#x")})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stem, _, _ := strings.Cut(c.want, ".")
		if !strings.HasPrefix(filepath.Base(d.Path), stem) || d.text != c.text {
			t.Errorf("%s: %+v, want %s", name, d, c.want)
		}
		if at := f.eval("location.pathname"); at != `"/"` {
			t.Errorf("%s: the tab is at %s", name, at)
		}
	}
	f.navigate(base + "/?html=" + escape(`<script>blob=URL.createObjectURL(new Blob([new Uint8Array(5000000)],{type:'image/png'}))</script>`))
	var blob string
	_ = json.Unmarshal([]byte(f.eval("blob")), &blob)
	if d, err := f.download(page.DownloadArgs{URL: blob}); err != nil || d.Bytes != 5000000 || d.MimeType != "image/png" || filepath.Ext(d.Path) != ".png" {
		t.Errorf("blob by address: %d bytes %s %s %v", d.Bytes, d.MimeType, d.Path, err)
	}
	_, err := f.download(page.DownloadArgs{URL: "blob:" + base + "/no-such"})
	refused(t, err, browser.DownloadFailed)
}

func TestActionsKeepDownloads(t *testing.T) {
	f := keeper(t, nil, 0)
	base := files(t)
	f.navigate(base + "/?html=" + escape(`<a id=x href=/report>Report</a><a id=s href=/slow>Slow</a>`))
	r := must(f.open, page.Click, page.ClickArgs{Target: css("#x")})
	says(t, r.Text, "downloaded", "report Q3.csv", filepath.Join(f.data, "tasks"))
	r = f.navigate(base + "/report")
	says(t, r.Text, "downloaded", "report Q3 (2).csv", "still shows the page before")
	// What begins later, and several, are told of by the next action.
	f.navigate(base + "/?html=" + escape(`<button id=x onclick="for (const [i, n] of ['one', 'two'].entries()) setTimeout(() => {
		const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['x'])); a.download = n + '.txt'; a.click() }, 400 + 100 * i)">Later</button><button id=y>Next</button>`))
	must(f.open, page.Click, page.ClickArgs{Target: css("#x")})
	f.eval("new Promise(d => setTimeout(d, 900))")
	r = must(f.open, page.Click, page.ClickArgs{Target: css("#y")})
	says(t, r.Text, "one.txt", "two.txt")
	if r = must(f.open, page.Click, page.ClickArgs{Target: css("#y")}); strings.Contains(r.Text, "one.txt") {
		t.Errorf("a download is told of twice: %s", r.Text)
	}
	off := keeper(t, func(p *policy.Policy) { p.Downloads = false }, 0)
	off.navigate(base + "/?html=" + escape(`<a id=x href=/report>Report</a>`))
	r = must(off.open, page.Click, page.ClickArgs{Target: css("#x")})
	says(t, r.Text, "download started", "report Q3.csv", "--enable-downloads")
	_, err := page.DownloadFile(off.ctx(), off.s, page.DownloadArgs{URL: base + "/report"})
	refused(t, err, browser.PolicyDenied, "--enable-downloads")
}

func TestPrintPDF(t *testing.T) {
	f := keeper(t, nil, 0)
	f.navigate(shared.base + "/pages/pdf-print-css.html")
	print := func(a page.PDFArgs) (box string, pages float64) {
		t.Helper()
		r := must(f.open, page.PrintPDF, a)
		raw, _ := json.Marshal(r.Data)
		var d map[string]any
		_ = json.Unmarshal(raw, &d)
		b, err := os.ReadFile(d["path"].(string))
		if err != nil || !strings.HasPrefix(string(b), "%PDF") {
			t.Fatalf("%v: %v", d, err)
		}
		return string(regexp.MustCompile(`/MediaBox \[[^]]*\]`).Find(b)), d["pages"].(float64)
	}
	if box, pages := print(page.PDFArgs{}); pages != 2 || !regexp.MustCompile(`14[12]\.?\d* 19[89]`).MatchString(box) {
		t.Errorf("by the page's own size: %s, %v pages", box, pages)
	}
	f.want("/^before media:true after/.test(__result)", "true")
	if box, _ := print(page.PDFArgs{PaperWidth: 5, PaperHeight: 7}); !strings.Contains(box, "360 504") {
		t.Errorf("by a paper size: %s", box)
	}
	if _, pages := print(page.PDFArgs{PageRanges: "2"}); pages != 1 {
		t.Errorf("%v pages of one", pages)
	}
	_, err := do(f.open, page.PrintPDF, page.PDFArgs{PageRanges: "two"})
	refused(t, err, browser.BadArgs, "1-3,5")
	_, err = do(f.open, page.PrintPDF, page.PDFArgs{PageRanges: "99"})
	refused(t, err, browser.BadArgs, "pageRanges")
	narrow := keeper(t, func(p *policy.Policy) { p.AllowDomains = []string{"127.0.0.1"} }, 0)
	narrow.navigate(html(`<title>Frames</title><iframe style="color:red" src="{alt}/secret"></iframe>`))
	r := must(narrow.open, page.PrintPDF, page.PDFArgs{})
	says(t, r.Text, "1 frames are left blank", "Frames.pdf")
	narrow.want("document.querySelector('iframe').getAttribute('style')", `"color:red"`)
}
