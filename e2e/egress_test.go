package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// on is a page of a host with that markup.
func (w *world) on(host, markup string) string {
	return w.at(host, "/?html="+url.QueryEscape(markup))
}

// TestNoRequestLeaves has pages of an allowed site lead elsewhere, in the user's browser.
func TestNoRequestLeaves(t *testing.T) {
	w := newWorld(t)
	c := pairedAlone(t, chromeOptions{})
	s := c.client(t, "agent", append(capabilities(), "--allow-domain", w.host("good"))...)
	w.noRequestLeaves(t, s)
	t.Run("granted", func(t *testing.T) {
		p := c.openPopup(t, 0)
		c.say(t, p, w.host("evil"), "read", "session")
		c.shows(t, p, `document.querySelector('#asked').hidden`)
		s.call(t, "navigate", args{"url": w.on("good", `<a id=go href="`+w.at("evil", "/14")+`">go</a>`)})
		s.call(t, "click", args{"selector": "#go"})
		if r := s.call(t, "get_text", nil); !strings.Contains(r.text, "words of evil") {
			t.Errorf("get_text says %s", r.text)
		}
	})
}

// noRequestLeaves leads elsewhere in every way there is, and counts what the other site
// hears.
func (w *world) noRequestLeaves(t *testing.T, s *server) {
	away := func(i int) string { return w.at("evil", fmt.Sprintf("/%d?data=secret", i)) }
	unheard := func(t *testing.T) {
		t.Helper()
		if n := w.asked("evil"); n > 0 {
			t.Fatalf("the denied site heard %d requests: %v", n, w.seen)
		}
	}

	t.Run("redirect", func(t *testing.T) {
		s.refuse(t, "navigate", args{"url": w.at("good", "/redirect?to="+url.QueryEscape(away(1)))}, "POLICY_DENIED", w.host("evil"))
		s.refuse(t, "tab_new", args{"url": w.at("good", "/redirect?to="+url.QueryEscape(away(2)))}, "POLICY_DENIED", w.host("evil"))
		unheard(t)
	})
	for name, markup := range map[string]string{
		"link":    `<a id=go href="` + away(3) + `">go</a>`,
		"script":  `<button id=go onclick="location.href='` + away(4) + `'">go</button>`,
		"form":    `<form method=post action="` + away(5) + `"><button id=go>go</button></form>`,
		"refresh": `<button id=go onclick="document.head.innerHTML='<meta http-equiv=refresh content=&quot;0;url=` + away(6) + `&quot;>'">go</button>`,
		"hop":     `<a id=go href="` + w.at("good", "/redirect?to="+url.QueryEscape(away(7))) + `">go</a>`,
	} {
		t.Run(name, func(t *testing.T) {
			s.call(t, "navigate", args{"url": w.on("good", markup)})
			r := s.do(t.Context(), "click", args{"selector": "#go"})
			if name != "refresh" && (!strings.Contains(r.text, "POLICY_DENIED") || !strings.Contains(r.text, w.host("evil"))) {
				t.Errorf("click says %s", r.text)
			}
			until(t, func() bool { return s.do(t.Context(), "get_text", nil).failed }, "the page has left")
			unheard(t)
			s.refuse(t, "get_text", nil, "POLICY_DENIED", w.host("evil"))
		})
	}
	for name, markup := range map[string]string{
		"window.open":   `<button id=go onclick="window.open('` + away(8) + `')">go</button>`,
		"noopener":      `<a id=go target=_blank rel=noopener href="` + away(9) + `">go</a>`,
		"popup window":  `<button id=go onclick="window.open('` + away(10) + `','','width=300,height=300')">go</button>`,
		"popup, a hop":  `<a id=go target=_blank href="` + w.at("good", "/redirect?to="+url.QueryEscape(away(11))) + `">go</a>`,
		"popup, script": `<button id=go onclick="const w=window.open('about:blank');w.location.href='` + away(12) + `'">go</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			s.call(t, "navigate", args{"url": w.on("good", markup)})
			for range 5 {
				s.call(t, "click", args{"selector": "#go"})
			}
			time.Sleep(200 * time.Millisecond) // a request that must not come has no event
			unheard(t)
		})
	}
	t.Run("modifier", func(t *testing.T) {
		s.call(t, "navigate", args{"url": w.on("good", `<a id=go href="`+away(13)+`">go</a>`)})
		s.do(t.Context(), "click", args{"selector": "#go", "button": "middle"})
		time.Sleep(200 * time.Millisecond)
		unheard(t)
	})
}

// TestEgressIsForSessionsOnly leaves the user's own tabs alone, and a session's when it
// is given back.
func TestEgressIsForSessionsOnly(t *testing.T) {
	w := newWorld(t)
	c := pairedAlone(t, chromeOptions{})
	one := c.client(t, "one", append(capabilities(), "--allow-domain", w.host("a"))...)
	two := c.client(t, "two", append(capabilities(), "--allow-domain", w.host("b"))...)
	one.call(t, "navigate", args{"url": w.at("a", "/")})
	two.call(t, "navigate", args{"url": w.at("b", "/")})
	mine, err := c.open(t.Context(), w.at("c", "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context(), mine.ID())
	if w.asked("c") == 0 {
		t.Error("the user's own tab goes nowhere")
	}
	for _, s := range []*server{one, two} {
		s.do(t.Context(), "eval", args{"expression": "location.href = '" + w.at("d", "/") + "'"})
	}
	var rules []struct {
		Condition struct{ TabIDs []int }
	}
	if err := c.worker(t.Context(), "chrome.declarativeNetRequest.getSessionRules()", &rules); err != nil {
		t.Fatal(err)
	}
	tabs := map[int]bool{}
	for _, r := range rules {
		for _, id := range r.Condition.TabIDs {
			tabs[id] = true
		}
	}
	if len(tabs) != 2 {
		t.Errorf("%d tabs have rules, want the sessions' two", len(tabs))
	}
	if n := w.asked("d"); n != 0 {
		t.Errorf("the denied site heard %d requests", n)
	}
	// A link that the user follows into a new tab, from a page of the same site as the
	// session's, is held up until it is known whose tab that is.
	one.call(t, "navigate", args{"url": w.at("a", "/")})
	mine, err = c.open(t.Context(), w.on("a", `<a id=go target=_blank href="`+w.at("e", "/")+`">go</a>`))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context(), mine.ID())
	if err := c.pressOn(t.Context(), mine, "#go"); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return w.asked("e") > 0 }, "the user's own link opens")
	one.do(t.Context(), "eval", args{"expression": "location.href = '" + w.at("d", "/") + "'"})
	until(t, func() bool { return one.do(t.Context(), "get_text", nil).failed }, "the session's page has left")
	// The user takes the tab of one back from its popup, and goes where they like.
	var number int
	if err := c.worker(t.Context(), "chrome.tabs.query({}).then(all => all.find(t => t.url.includes('//d.') && t.groupId >= 0).id)", &number); err != nil {
		t.Fatal(err)
	}
	p := c.openPopup(t, number)
	c.shows(t, p, `!document.querySelector('#here').hidden && document.querySelector('#here-text').textContent.includes('one works in this tab')`)
	if err := c.pressOn(t.Context(), p, "body[data-still] #free"); err != nil {
		t.Fatal(err)
	}
	c.shows(t, p, `document.querySelector('#here').hidden`)
	until(t, func() bool { return w.asked("d") > 0 }, "the tab given back loads what was stopped")
	// What ends with its server goes free.
	two.stop()
	until(t, func() bool {
		var n int
		return c.worker(t.Context(), "chrome.declarativeNetRequest.getSessionRules().then(r => r.length)", &n) == nil && n == 0
	}, "no rules are left")
}

// until polls what has no event.
func until(t *testing.T, ok func() bool, what string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 5 s: %s", what)
		}
	}
}
