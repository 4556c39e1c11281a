package policy

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// vectorGroup is a policy and what it decides. The extension's policy.test.ts reads
// the same file.
type vectorGroup struct {
	Name   string
	Policy Policy
	// Grants are those of the browser; nil is a backend that knows none.
	Grants []Grant
	Cases  []struct {
		URL, Origin  string
		Access       *Access
		Allow        bool
		Rule, Reason string
		Site         string
		Tool         string // a page's: EvaluateTool decides
	}
}

func vectors(t testing.TB) []vectorGroup {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups []vectorGroup
	if err := json.Unmarshal(b, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

func TestVectors(t *testing.T) {
	for _, g := range vectors(t) {
		t.Run(g.Name, func(t *testing.T) {
			for _, c := range g.Cases {
				access := Read
				if c.Access != nil {
					access = *c.Access
				}
				d := Evaluate(c.URL, c.Origin, access, g.Policy)
				if g.Grants != nil {
					d = EvaluateGranted(c.URL, c.Origin, access, g.Policy, g.Grants)
				}
				if c.Tool != "" {
					d = EvaluateTool(c.URL, c.Origin, c.Tool, g.Policy, g.Grants)
				}
				if d.Allow != c.Allow {
					t.Errorf("%q (origin %q, %s): allow %v by %q, %s", c.URL, c.Origin, access, d.Allow, d.Rule, d.Reason)
				}
				if c.Rule != "" && d.Rule != c.Rule {
					t.Errorf("%q: rule %q, want %q", c.URL, d.Rule, c.Rule)
				}
				if c.Reason != "" && d.Reason != c.Reason {
					t.Errorf("%q: reason %q, want %q", c.URL, d.Reason, c.Reason)
				}
				if d.Site != c.Site {
					t.Errorf("%q: site to ask for %q, want %q", c.URL, d.Site, c.Site)
				}
				if d.Allow == (d.Reason != "") {
					t.Errorf("%q: a refusal has a reason and a permission none: %+v", c.URL, d)
				}
			}
		})
	}
}

func TestCheckPageTool(t *testing.T) {
	for _, ok := range []string{"https://shop.example#add", "http://127.0.0.1:8080#a b", "https://shop.example#*", "https://a.test#x#y"} {
		if err := CheckPageTool(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"", "#add", "shop.example#add", "https://shop.example", "https://shop.example#", "https://shop.example/#add", "https://SHOP.example#add",
		"https://shop.example:443#add", "https://*.example#add", "file:#add", "https://u@shop.example#add", "https://shop.example#" + strings.Repeat("x", 129)} {
		if err := CheckPageTool(bad); err == nil || !strings.Contains(err.Error(), "https://shop.example") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestCheckGlob(t *testing.T) {
	for _, ok := range []string{"*", "example.com", "*.example.com", "*.com", "https://example.com", "HTTPS://Example.com:8443", "*:8080", "[::1]", "[::1]:80", "127.0.0.1", "0x7f.1", "localhost", "bücher.de", "file:", "file:///", "example.com.", "a_b.test"} {
		if err := CheckGlob(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for glob, want := range map[string]string{
		"":                  "not a host name",
		"https://a.b/path":  `"/" has no place`,
		"me@a.b":            `"@" has no place`,
		"a b":               `" " has no place`,
		"127.*":             "stands alone or in front of a dot",
		"*.0.0.1":           "an address is only matched whole",
		"::1":               "between brackets",
		"http://[::1":       "is not closed",
		"a.b:70000":         "not a port",
		"a.b:x":             "not a port",
		"chrome://settings": `scheme "chrome" cannot be allowed`,
		"a..b":              "not a host name",
	} {
		if err := CheckGlob(glob); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", glob, err, want)
		}
	}
}

func TestValidateNamesAllThatIsWrong(t *testing.T) {
	err := Policy{AllowDomains: []string{"a.b", "c*d"}, DenyDomains: []string{"*.1"}}.Validate()
	if err == nil || !strings.Contains(err.Error(), `"c*d"`) || !strings.Contains(err.Error(), `"*.1"`) {
		t.Error(err)
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, g := range vectors(f) {
		for _, c := range g.Cases {
			f.Add(c.URL, c.Origin)
		}
	}
	p := Policy{AllowDomains: []string{"example.com", "*.example.com", "127.0.0.1"}}
	f.Fuzz(func(t *testing.T, url, origin string) {
		if !Evaluate(url, origin, Read, p).Allow {
			return
		}
		s, err := siteOf(url, origin)
		if err != nil {
			t.Fatalf("allowed what has no site: %q", url)
		}
		if s != blank && s.host != "example.com" && s.host != "127.0.0.1" && !strings.HasSuffix(s.host, ".example.com") {
			t.Fatalf("allowed %q, whose host is %q", url, s.host)
		}
		if d := Evaluate(url, origin, Read, Policy{AllowDomains: []string{"*"}, DenyDomains: p.AllowDomains}); d.Allow && s != blank {
			t.Fatalf("%q is allowed and not denied by the same rules", url)
		}
	})
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*", "*.example.com", "https://[::1]:8080", "file:", "bücher.de:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, glob string) {
		r, err := parseGlob(glob)
		if err != nil || r.any || r.below || r.scheme == "file" {
			return
		}
		if _, err := cleanHost(r.host); err != nil {
			t.Fatalf("%q parsed to the host %q", glob, r.host)
		}
	})
}

func BenchmarkEvaluate(b *testing.B) {
	p := Policy{AllowDomains: []string{"a.test", "*.b.test", "example.com"}}
	for b.Loop() {
		Evaluate("https://example.com/a/path?and=query", "", Read, p)
	}
}
