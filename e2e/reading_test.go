package e2e

import (
	"strings"
	"testing"
)

// What the tools that read and keep state say to a client; what they make of pages is
// tested in internal/page.

func readAsMarkdown(t *testing.T, s *server) {
	s.open(t, `<nav>Menu</nav><main><h1>Head</h1><p>Some <b>bold</b> words.</p><iframe src="{alt}/html?<ul><li>framed</ul>"></iframe></main>`)
	s.call(t, "wait_for", args{"textContains": "framed"})
	r := s.call(t, "read_as_markdown", nil)
	for _, want := range []string{"# Head\n\nSome **bold** words.", "- framed", "left out: nav"} {
		if !strings.Contains(r.text, want) {
			t.Errorf("the Markdown has no %q:\n%s", want, r.text)
		}
	}
	s.refuse(t, "read_as_markdown", args{"selector": "#nowhere"}, "SELECTOR_NOT_FOUND")
}

func extractLinks(t *testing.T, s *server) {
	s.open(t, `<a href="/a?b=1">One</a><a href="https://other.test/">Two</a><a href="javascript:x()">Three</a>`)
	r := s.call(t, "extract_links", args{"sameOriginOnly": true})
	links, _ := r.data["links"].([]any)
	if len(links) != 1 || r.data["total"] != 1.0 || !strings.Contains(r.text, "/a?b=1") {
		t.Errorf("the links are %v\n%s", r.data, r.text)
	}
}

func authCheck(t *testing.T, s *server) {
	s.open(t, `<title>Log in</title><form><input name=user><input type=password><button>Log in</button></form>`)
	if r := s.call(t, "auth_check", nil); r.data["authRequired"] != true {
		t.Errorf("a form to log in is %s", r.text)
	}
	s.refuse(t, "auth_check", args{"failOnAuthWall": true}, "AUTH_REQUIRED", "ask the user")
	s.refuse(t, "reload", args{"failOnAuthWall": true}, "AUTH_REQUIRED")
	s.open(t, `<a href="/login">Log in</a><p>Some words.</p>`)
	if r := s.call(t, "auth_check", nil); r.data["authRequired"] != false {
		t.Errorf("a link to log in is %s", r.text)
	}
}

func getCookies(t *testing.T, s *server) {
	s.open(t, `<script>document.cookie = "made=" + "val" + "ue"</script>`)
	if r := s.call(t, "get_cookies", nil); !strings.Contains(r.text, "made") || strings.Contains(r.text, `"value":"value"`) {
		t.Errorf("the cookies are %s", r.text)
	}
	if r := s.call(t, "get_cookies", args{"values": true}); !strings.Contains(r.text, `"value":"value"`) {
		t.Errorf("the cookies with values are %s", r.text)
	}
	s.refuse(t, "get_cookies", args{"url": "file:///etc/hosts"}, "POLICY_DENIED")
}

func storage(t *testing.T, s *server) {
	s.open(t, `<p>x</p>`)
	s.call(t, "storage", args{"op": "set", "key": "k", "value": "v"})
	s.wantValue(t, "localStorage.k", "v")
	if r := s.call(t, "storage", args{"op": "get", "key": "k"}); !strings.Contains(r.text, `"value":"v"`) {
		t.Errorf("the entry is %s", r.text)
	}
	s.call(t, "storage", args{"op": "clear"})
	s.wantValue(t, "localStorage.length", 0.0)
}
