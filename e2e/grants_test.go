package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
)

// world is a web of several hosts that remembers what it was asked for. Chrome resolves
// every name under localhost to this machine.
type world struct {
	port string
	mu   sync.Mutex
	seen []string
}

func newWorld(t testing.TB) *world {
	w := &world{}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	_, w.port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return w
}

func (w *world) at(host, path string) string { return "http://" + w.host(host) + path }

func (w *world) host(host string) string { return host + ".localhost:" + w.port }

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ".")
	w.mu.Lock()
	w.seen = append(w.seen, host+r.URL.Path)
	w.mu.Unlock()
	if to := r.URL.Query().Get("to"); r.URL.Path == "/redirect" {
		http.Redirect(out, r, to, http.StatusFound)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	markup := r.URL.Query().Get("html")
	fmt.Fprintf(out, "<!doctype html><title>%s</title><p>words of %s</p><button id=b onclick=\"this.textContent='pressed'\">press</button>%s", host, host, markup)
}

// asked counts the requests that a host got.
func (w *world) asked(host string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.seen {
		if strings.HasPrefix(s, host+"/") {
			n++
		}
	}
	return n
}

const popup = "chrome-extension://" + extension.ID + "/popup.html"

// openPopup opens the popup as a page; tab is Chrome's number of the one that it is
// about, 0 for none.
func (c *chrome) openPopup(t *testing.T, tab int) browser.Tab {
	t.Helper()
	url := popup
	if tab != 0 {
		url += fmt.Sprintf("?tab=%d", tab)
	}
	p, err := c.open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background(), p.ID()) })
	return p
}

// say presses in the popup what the user has to say of a site to the client "agent".
func (c *chrome) say(t *testing.T, p browser.Tab, site, level, until string) {
	t.Helper()
	// What has just moved is not pressed: see watchMoves.
	row := fmt.Sprintf("body[data-still] li[data-client=agent][data-site=%q] ", site)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, selector := range []string{row + fmt.Sprintf("label:has([value=%q])", level), row + fmt.Sprintf("button[value=%q]", until)} {
		if level == "" && strings.Contains(selector, "label") {
			continue
		}
		if err := c.pressOn(ctx, p, selector); err != nil {
			var shown string
			_ = c.eval(t.Context(), p, "document.body.innerText", &shown)
			t.Fatalf("press %s: %v; the popup shows\n%s", selector, err, shown)
		}
	}
}

// shows waits until an expression is true in a page.
func (c *chrome) shows(t *testing.T, p browser.Tab, expression string) {
	t.Helper()
	var ok bool
	err := c.eval(t.Context(), p, fmt.Sprintf(`new Promise(done => {
		const look = () => (%s) ? done(true) : undefined;
		look();
		new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
		setTimeout(() => done(false), 5000);
	})`, expression), &ok)
	if err != nil || !ok {
		var shown string
		_ = c.eval(t.Context(), p, "document.body.innerText", &shown)
		t.Fatalf("%s never came true (%v); the page shows\n%s", expression, err, shown)
	}
}

func (c *chrome) badge(t *testing.T) (text string) {
	t.Helper()
	if err := c.worker(t.Context(), "chrome.action.getBadgeText({})", &text); err != nil {
		t.Fatal(err)
	}
	return text
}

// client starts a server for a named client.
func (c *chrome) client(t *testing.T, name string, flags ...string) *server {
	t.Helper()
	s, err := startServer(t.Context(), c.data, name, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// wasChanged waits until the server has said that its tools are not what they were.
func (s *server) wasChanged(t *testing.T) {
	t.Helper()
	select {
	case <-s.changed:
	case <-time.After(5 * time.Second):
		t.Fatal("the client was not told that the tools have changed")
	}
	if err := s.listTools(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// pairedAlone is a browser of the test's own, paired: what is granted would show in
// other tests.
func pairedAlone(t *testing.T, o chromeOptions) *chrome {
	t.Helper()
	c := newChrome(t, o)
	s := c.client(t, "pairing")
	defer s.stop()
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGrants is a user who allows and denies, from the first refusal to the last.
func TestGrants(t *testing.T) {
	w := newWorld(t)
	c := pairedAlone(t, chromeOptions{})
	s := c.client(t, "agent")
	other := c.client(t, "other")

	s.refuse(t, "navigate", args{"url": w.at("one", "/")}, "POLICY_DENIED", w.host("one"), "allow it there", "--allow-domain")
	if got := c.badge(t); got != "?" {
		t.Errorf("the badge is %q after a refusal", got)
	}
	p := c.openPopup(t, 0)
	c.shows(t, p, fmt.Sprintf(`document.querySelector('#asks').innerText.includes('agent was refused to read it (navigate)') && document.querySelector('#asks li').dataset.site === %q`, w.host("one")))

	t.Run("session", func(t *testing.T) {
		c.say(t, p, w.host("one"), "read", "session")
		c.shows(t, p, `document.querySelector('#asked').hidden`)
		if r := s.call(t, "navigate", args{"url": w.at("one", "/")}); !strings.Contains(r.text, "one") {
			t.Errorf("navigate says %s", r.text)
		}
		if r := s.call(t, "get_text", nil); !strings.Contains(r.text, "words of one") {
			t.Errorf("get_text says %s", r.text)
		}
		other.refuse(t, "navigate", args{"url": w.at("one", "/")}, "POLICY_DENIED")
		s.refuse(t, "click", args{"selector": "#b"}, "POLICY_DENIED", "Read and act")
	})
	t.Run("full", func(t *testing.T) {
		if s.tools["click"] != nil {
			t.Error("click is offered before acting is allowed anywhere")
		}
		c.shows(t, p, `document.querySelector('#asks').innerText.includes('agent was refused to act on it (click)')`)
		c.say(t, p, w.host("one"), "", "always") // "Read and act" is chosen, because that was asked for
		s.wasChanged(t)
		other.wasChanged(t)
		if s.tools["click"] == nil || other.tools["click"] == nil || s.tools["eval"] != nil {
			t.Error("the tools offered are not those for acting")
		}
		s.call(t, "click", args{"selector": "#b"})
		other.call(t, "navigate", args{"url": w.at("one", "/")})
		other.call(t, "click", args{"selector": "#b"})
		s.refuse(t, "eval", args{"expression": "1"}, "POLICY_DENIED")
	})
	t.Run("once", func(t *testing.T) {
		s.refuse(t, "navigate", args{"url": w.at("two", "/")}, "POLICY_DENIED")
		c.say(t, p, w.host("two"), "read", "once")
		c.shows(t, p, `document.querySelector('#asked').hidden`)
		s.call(t, "navigate", args{"url": w.at("two", "/")})
		if r := s.call(t, "get_text", nil); !strings.Contains(r.text, "words of two") {
			t.Errorf("get_text says %s", r.text)
		}
		s.refuse(t, "get_text", nil, "POLICY_DENIED", w.host("two"))
		s.refuse(t, "snapshot", nil, "POLICY_DENIED")
	})
	t.Run("deny", func(t *testing.T) {
		s.refuse(t, "navigate", args{"url": w.at("three", "/")}, "POLICY_DENIED")
		c.say(t, p, w.host("three"), "", "deny")
		c.shows(t, p, fmt.Sprintf(`!document.querySelector('#asks [data-site=%q]')`, w.host("three")))
		s.refuse(t, "navigate", args{"url": w.at("three", "/")}, "POLICY_DENIED", "the user denied", "do not ask again")
		c.shows(t, p, fmt.Sprintf(`!document.querySelector('#asks [data-site=%q]')`, w.host("three")))
	})
	t.Run("not for a server without site grants", func(t *testing.T) {
		n := c.client(t, "agent", "--no-site-grants")
		n.refuse(t, "navigate", args{"url": w.at("one", "/")}, "POLICY_DENIED", "--allow-domain")
		if n.tools["click"] != nil {
			t.Error("click is offered all the same")
		}
	})
	t.Run("the worker is stopped", func(t *testing.T) {
		s.refuse(t, "navigate", args{"url": w.at("four", "/")}, "POLICY_DENIED")
		c.say(t, p, w.host("four"), "read", "session")
		c.shows(t, p, fmt.Sprintf(`!document.querySelector('#asks [data-site=%q]')`, w.host("four")))
		if err := c.stopWorker(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.call(t, "tabs_list", nil) // a read is sent again when the socket goes with the worker
		for _, host := range []string{"one", "four"} {
			s.call(t, "navigate", args{"url": w.at(host, "/")})
			s.call(t, "get_text", nil)
		}
		s.refuse(t, "navigate", args{"url": w.at("three", "/")}, "the user denied")
	})
	t.Run("taken back in the settings", func(t *testing.T) {
		page, err := c.open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background(), page.ID())
		c.shows(t, page, `document.querySelectorAll('#grants li').length === 3`)
		s.call(t, "navigate", args{"url": w.at("one", "/")})
		if err := c.pressOn(t.Context(), page, fmt.Sprintf(`#grants li:has([aria-label^="Remove %s"]) button`, w.host("one"))); err != nil {
			t.Fatal(err)
		}
		c.shows(t, page, `document.querySelectorAll('#grants li').length === 2`)
		s.wasChanged(t)
		if s.tools["click"] != nil {
			t.Error("click is still offered")
		}
		s.refuse(t, "get_text", nil, "POLICY_DENIED")
	})
}

// TestGrantsOutliveTheBrowser: always, and Deny, are kept; session is not.
func TestGrantsOutliveTheBrowser(t *testing.T) {
	w := newWorld(t)
	c := pairedAlone(t, chromeOptions{})
	s := c.client(t, "agent")
	p := c.openPopup(t, 0)
	for host, until := range map[string]string{"always": "always", "session": "session", "denied": "deny"} {
		s.refuse(t, "navigate", args{"url": w.at(host, "/")}, "POLICY_DENIED")
		c.say(t, p, w.host(host), "", until)
		c.shows(t, p, fmt.Sprintf(`!document.querySelector('#asks [data-site=%q]')`, w.host(host)))
	}
	s.stop()
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	newChrome(t, chromeOptions{data: c.data, profile: c.profile})
	// The first call of a new server, before the browser has dialled it.
	s = c.client(t, "agent")
	s.call(t, "navigate", args{"url": w.at("always", "/")})
	s.refuse(t, "navigate", args{"url": w.at("session", "/")}, "allow it there")
	s.refuse(t, "navigate", args{"url": w.at("denied", "/")}, "the user denied")
}

// TestGrantsAreOutOfReach: an agent that may do everything can press nothing for itself.
func TestGrantsAreOutOfReach(t *testing.T) {
	w := newWorld(t)
	c := pairedAlone(t, chromeOptions{})
	p := c.openPopup(t, 0)
	s := c.client(t, "agent", append(capabilities(), "--unsafe-all-tabs", "--unsafe-all-domains", "--deny-domain", w.host("denied"))...)
	for _, tab := range s.tabs(t) {
		if strings.HasPrefix(str(tab["url"]), popup) {
			for tool, a := range map[string]args{"click": {"selector": "button"}, "get_text": {}, "screenshot": {}, "eval": {"expression": "1"}, "press": {"key": "Enter"}} {
				a["tabId"] = tab["tabId"]
				s.refuse(t, tool, a, "POLICY_DENIED")
			}
		}
	}
	// A script's press is not the user's.
	plain := c.client(t, "plain")
	plain.refuse(t, "navigate", args{"url": w.at("one", "/")}, "POLICY_DENIED")
	c.shows(t, p, `document.querySelector('#asks button')`)
	if err := c.eval(t.Context(), p, `document.querySelector('#asks button[value=always]').click()`, nil); err != nil {
		t.Fatal(err)
	}
	plain.refuse(t, "navigate", args{"url": w.at("one", "/")}, "POLICY_DENIED")
	// Nor can a page talk to the worker.
	s.call(t, "tab_new", args{"url": w.at("page", "/")})
	s.wantValue(t, "typeof chrome.runtime?.connect", "undefined")
}
