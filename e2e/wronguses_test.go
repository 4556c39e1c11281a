package e2e

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWrongUses holds that each wrong use is answered with an error of its own, which
// says what to do.
func TestWrongUses(t *testing.T) {
	t.Parallel()                // it mostly waits for a promise
	said := map[string]string{} // text → the use
	alone := func(t *testing.T, text string) {
		t.Helper()
		t.Log(clip(text))
		if other, again := said[text]; again {
			t.Errorf("%s is told the same as %s", t.Name(), other)
		}
		said[text] = t.Name()
	}
	t.Run("files and values", func(t *testing.T) { wrongFiles(t, alone) })
	t.Run("browsers", func(t *testing.T) { wrongBrowsers(t, alone) })
}

func wrongFiles(t *testing.T, alone func(*testing.T, string)) {
	flags := append(allowHosts("127.0.0.1"), "--backend", "cdp", "--headless", "--max-file-mb", "1")
	s := serveIn(t, t.TempDir(), flags...)
	large := httptest.NewServer(http.HandlerFunc(bigThings))
	t.Cleanup(large.Close)
	s.open(t, `<input id=i type=file><p id=p>words</p>`)
	for _, use := range []struct {
		name, tool string
		a          args
		words      []string
	}{
		{"a download refused by policy", "download_file", args{"url": rig.site.alt + "/attach/a.csv"}, []string{"POLICY_DENIED", "localhost", "--allow-domain"}},
		{"more than the size cap", "download_file", args{"url": large.URL + "/download"}, []string{"DOWNLOAD_FAILED", "more than 1 MB", "--max-file-mb"}},
		{"nothing there to download", "download_file", args{"url": rig.site.base + "/missing"}, []string{"DOWNLOAD_FAILED", "404", "navigate"}},
		{"an upload from outside", "upload_file", args{"selector": "#i", "files": "/etc/hostname"}, []string{"UPLOAD_FAILED", "--uploads-dir", "ask the user"}},
		{"an upload of what is missing", "upload_file", args{"selector": "#i", "files": "none.txt"}, []string{"UPLOAD_FAILED", "no file", "a.txt"}},
		{"an upload to what is no input", "upload_file", args{"selector": "#p", "files": "a.txt"}, []string{"UPLOAD_FAILED", "no file input", "input[type=file]"}},
		{"a promise that never settles", "eval", args{"expression": "new Promise(() => {})"}, []string{"TIMEOUT", "never settles"}},
	} {
		t.Run(use.name, func(t *testing.T) {
			alone(t, s.refuse(t, use.tool, use.a, use.words...).text)
		})
	}
	// What a page throws or has no JSON form is an answer, and says what to return instead.
	for _, use := range []struct {
		name, expression string
		words            []string
	}{
		{"code that throws", "throw new RangeError('too far')", []string{"the page threw", "RangeError: too far"}},
		{"an element", "document.body", []string{"an element cannot be sent; return"}},
		{"a cycle", "const c = {}; c.c = c; c", []string{"refers to itself", "return the parts you need"}},
		{"a BigInt", "12345678901234567890n", []string{"12345678901234567890", "given as text"}},
	} {
		t.Run(use.name, func(t *testing.T) {
			r := s.call(t, "eval", args{"expression": use.expression})
			for _, w := range use.words {
				if !strings.Contains(r.text, w) {
					t.Errorf("it does not say %q: %s", w, r.text)
				}
			}
		})
	}
}

func wrongBrowsers(t *testing.T, alone func(*testing.T, string)) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	_ = closed.Close()
	website := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>welcome")) }))
	t.Cleanup(website.Close)
	for _, use := range []struct {
		name  string
		flags []string
		words []string
	}{
		{"no such Chrome", []string{"--backend", "cdp", "--headless", "--chrome", "/no/such/chrome"}, []string{"LAUNCH_FAILED", "/no/such/chrome", "correct it"}},
		{"an endpoint where nobody listens", []string{"--backend", "cdp", "--cdp-endpoint", "http://" + nobody}, []string{"NO_BACKEND", "nothing listens", "--remote-debugging-port"}},
		{"an endpoint that is a website", []string{"--backend", "cdp", "--cdp-endpoint", website.URL}, []string{"NO_BACKEND", "no DevTools endpoint", "--remote-debugging-port"}},
	} {
		t.Run(use.name, func(t *testing.T) {
			s, err := startServer(t.Context(), t.TempDir(), t.Name(), append(use.flags, "--unsafe-all-domains")...)
			if err != nil {
				t.Fatal(err)
			}
			defer s.stop()
			alone(t, s.refuse(t, "navigate", args{"url": rig.site.base}, use.words...).text)
			if r := s.do(context.Background(), "chrome_status", nil); r.failed {
				t.Errorf("the server does not go on: %s", r.text)
			}
		})
	}
}
