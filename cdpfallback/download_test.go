package cdpfallback

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
)

// files serves what tests download, and notes which paths were asked for.
func files(t *testing.T) (base string, asked func(path string) bool) {
	seen := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.URL.Path
		switch r.URL.Path {
		case "/attachment":
			w.Header().Set("Content-Disposition", `attachment; filename*=UTF-8''r%C3%A9port%20Q3.csv`)
			_, _ = w.Write([]byte("a,b\n" + r.Header.Get("Cookie")))
		case "/unquoted":
			w.Header().Set("Content-Disposition", `attachment; filename=my file.csv; size=3`)
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<title>inline</title><script>document.title='run'</script><img src=/never>"))
		case "/away":
			http.Redirect(w, r, "/attachment", http.StatusFound)
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/big":
			chunk := bytes.Repeat([]byte("x"), 1<<20)
			for range 20 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func(path string) bool {
		for {
			select {
			case p := <-seen:
				if p == path {
					return true
				}
			default:
				return false
			}
		}
	}
}

func TestDownload(t *testing.T) {
	base, asked := files(t)
	ctx, tab := open(t, "<title>page</title>")
	if err := tab.Call(ctx, "", "Network.setCookie", map[string]any{"name": "sid", "value": "42", "url": base, "sameSite": "Strict"}, nil); err != nil {
		t.Fatal(err)
	}
	get := func(path string, o browser.DownloadOptions) (browser.Download, string, error) {
		o.URL = base + path
		d, err := tab.(browser.Downloader).Download(ctx, o)
		if err != nil {
			return d, "", err
		}
		b, rerr := os.ReadFile(d.Path)
		if rerr != nil || int64(len(b)) != d.Bytes {
			t.Errorf("%s: %d bytes of %d: %v", path, len(b), d.Bytes, rerr)
		}
		_ = os.Remove(d.Path)
		return d, string(b), nil
	}
	d, text, err := get("/attachment", browser.DownloadOptions{})
	if err != nil || d.Name != "réport Q3.csv" || text != "a,b\nsid=42" || d.URL != base+"/attachment" {
		t.Errorf("attachment: %+v %q %v", d, text, err)
	}
	d, text, err = get("/page", browser.DownloadOptions{})
	if err != nil || d.Name != "page" || d.MIME != "text/html" || !strings.HasPrefix(text, "<title>inline") || asked("/never") {
		t.Errorf("page: %+v %q %v", d, text, err)
	}
	d, _, err = get("/unquoted", browser.DownloadOptions{})
	if err != nil || d.Name != "my file.csv" {
		t.Errorf("unquoted: %+v %v", d, err)
	}
	var hops []string
	d, _, err = get("/away", browser.DownloadOptions{Judge: func(u string) error { hops = append(hops, u); return nil }})
	if err != nil || d.URL != base+"/attachment" || len(hops) != 2 {
		t.Errorf("redirect: %+v, %v, %v", d, hops, err)
	}
	asked("")
	denied := browser.Errorf(browser.PolicyDenied, "not there")
	_, _, err = get("/away", browser.DownloadOptions{Judge: func(u string) error {
		if strings.HasSuffix(u, "/attachment") {
			return denied
		}
		return nil
	}})
	if !errors.Is(err, denied) || asked("/attachment") {
		t.Errorf("a refused redirect: %v", err)
	}
	var last, all int64
	d, _, err = get("/big", browser.DownloadOptions{Progress: func(done, total int64) { last, all = done, total }})
	if err != nil || d.Bytes != 20<<20 || last != d.Bytes {
		t.Errorf("big: %+v, progress %d of %d, %v", d, last, all, err)
	}
	for path, words := range map[string]string{"/none": "could not be downloaded", "/missing": "HTTP 404"} {
		if _, _, err := get(path, browser.DownloadOptions{}); browser.CodeOf(err) != browser.DownloadFailed || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want DOWNLOAD_FAILED with %q", path, err, words)
		}
	}
	if _, _, err := get("/big", browser.DownloadOptions{MaxBytes: 1 << 20}); browser.CodeOf(err) != browser.DownloadFailed || !strings.Contains(err.Error(), "more than 1 MB") {
		t.Errorf("beyond the limit: %v", err)
	}
	_, err = tab.(browser.Downloader).Download(ctx, browser.DownloadOptions{URL: "http://127.0.0.1:1/x"})
	if browser.CodeOf(err) != browser.DownloadFailed || !strings.Contains(err.Error(), "ERR_") {
		t.Errorf("nobody there: %v", err)
	}
	if list, err := shared.b.Tabs(ctx); err != nil || len(list) != 2 {
		t.Errorf("tabs afterwards: %v %v", list, err)
	}
	if got := title(t, ctx, tab); got != "page" {
		t.Errorf("the page is now %q", got)
	}
}

func title(t *testing.T, ctx context.Context, tab browser.Tab) (s string) {
	t.Helper()
	if _, err := tab.Run(ctx, browser.RunRequest{Fn: "title"}, &s); err != nil {
		t.Fatal(err)
	}
	return s
}
