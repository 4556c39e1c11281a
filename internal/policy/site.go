package policy

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// site is what a document is judged by.
type site struct {
	scheme string // http, https or file
	host   string
	port   int
}

func (s site) String() string {
	switch {
	case s.scheme == "file":
		return "file:"
	case s.port == 80 && s.scheme == "http", s.port == 443 && s.scheme == "https":
		return s.host
	}
	return s.host + ":" + strconv.Itoa(s.port)
}

// maxURL is Chrome's own limit.
const maxURL = 2 << 20

// blank is the site of a document that nobody made: it needs no rule.
var blank = site{scheme: "about"}

// siteOf finds what judges a document. The error says why nothing can permit it.
func siteOf(url, origin string) (site, error) {
	if len(url)+len(origin) > maxKnown {
		return findSite(url, origin)
	}
	key := document{url, origin}
	if found, ok := sites.get(key); ok {
		return found.site, found.err
	}
	s, err := findSite(url, origin)
	sites.put(key, foundSite{s, err})
	return s, err
}

// sites remembers what judges a document, because each is asked about several times a
// call and a URL takes long to parse. It depends on nothing but its key.
var sites = memo[document, foundSite]{most: 512}

// maxKnown bounds the addresses that are remembered.
const maxKnown = 2048

type document struct{ url, origin string }

type foundSite struct {
	site site
	err  error
}

func findSite(url, origin string) (site, error) {
	if url == "" {
		return site{}, fmt.Errorf("the address of the page is not known")
	}
	u, err := parse(url)
	if err != nil {
		return site{}, err
	}
	switch scheme := u.Scheme(); scheme {
	case "http", "https":
		return httpSite(u)
	case "file":
		return fileSite(u)
	case "about":
		switch {
		case u.OpaquePath() && u.Pathname() == "blank" && origin == "":
			return blank, nil
		case u.OpaquePath() && (u.Pathname() == "blank" || u.Pathname() == "srcdoc"):
			return originSite(origin)
		}
	case "blob":
		return blobSite(u, origin)
	}
	return site{}, fmt.Errorf("%s: pages are never read or driven", strings.TrimSuffix(u.Scheme(), ":"))
}

func parse(url string) (*whatwg.Url, error) {
	if len(url) > maxURL {
		return nil, fmt.Errorf("the address is longer than Chrome takes")
	}
	u, err := parser.Parse(url)
	if err != nil || isIPv4(u) && !writtenAsIPv4(url) {
		return nil, fmt.Errorf("the address is not one that a browser understands; give a whole URL such as https://example.com/")
	}
	return u, nil
}

// parser follows the browser but for what whatwg-url v0.6.2 gets wrong: it takes any
// number of brackets around an IPv6 address.
var parser = whatwg.NewParser(whatwg.WithPreParseHostFunc(func(_ *whatwg.Url, host string) string {
	if strings.Count(host, "[") > 1 || strings.Count(host, "]") > 1 {
		return "["
	}
	return host
}))

// named shows what a host is before numbers in it are taken for an address.
var named = whatwg.NewParser(whatwg.WithPreParseHostFunc(func(_ *whatwg.Url, host string) string {
	return strings.TrimSuffix(host, ".") + ".name"
}))

func isIPv4(u *whatwg.Url) bool {
	return u.IsSpecialScheme() && isIP(u.Hostname()) && u.Hostname()[0] != '['
}

// writtenAsIPv4 refuses numbers with a sign, which whatwg-url v0.6.2 takes for an
// address and the browser for a name.
func writtenAsIPv4(url string) bool {
	u, err := named.Parse(url)
	return err == nil && !strings.ContainsAny(u.Hostname(), "+-")
}

func httpSite(u *whatwg.Url) (site, error) {
	host, err := cleanHost(u.Hostname())
	if err != nil {
		return site{}, fmt.Errorf("the address has no valid host name")
	}
	s := site{scheme: u.Scheme(), host: host, port: 443}
	if s.scheme == "http" {
		s.port = 80
	}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil {
			return site{}, fmt.Errorf("the address has no valid port")
		}
	}
	return s, nil
}

// fileSite refuses files of other computers: opening one hands them the user's login.
func fileSite(u *whatwg.Url) (site, error) {
	if u.Hostname() != "" {
		return site{}, fmt.Errorf("files of other computers are never opened")
	}
	return site{scheme: "file"}, nil
}

// originSite judges a document by who made it.
func originSite(origin string) (site, error) {
	switch origin {
	case "":
		return site{}, fmt.Errorf("it is not known which site made this page")
	case "null", "://":
		return site{}, fmt.Errorf("this page hides which site made it (opaque origin)")
	}
	u, err := parse(origin)
	if err != nil {
		return site{}, err
	}
	switch u.Scheme() {
	case "http", "https":
		return httpSite(u)
	case "file":
		return fileSite(u)
	}
	return site{}, fmt.Errorf("%s: pages are never read or driven", u.Scheme())
}

// blobSite judges by the origin that a blob: URL spells out, and where the document's
// own origin is known they have to agree.
func blobSite(u *whatwg.Url, origin string) (site, error) {
	inner := u.Pathname()
	if inner == "null" || strings.HasPrefix(inner, "null/") {
		return originSite("null")
	}
	in, err := parse(inner)
	if err != nil {
		return site{}, err
	}
	if in.Scheme() != "http" && in.Scheme() != "https" {
		return site{}, fmt.Errorf("%s: pages are never read or driven", in.Scheme())
	}
	s, err := httpSite(in)
	if err != nil || origin == "" {
		return s, err
	}
	by, err := originSite(origin)
	if err == nil && by != s {
		err = fmt.Errorf("the page's address and its origin name different sites")
	}
	return s, err
}

// disguised is the IPv4 address that an IPv6 one stands for, so that a deny rule for
// the former holds for the latter too.
func (s site) disguised() (site, bool) {
	if !strings.HasPrefix(s.host, "[") {
		return site{}, false
	}
	a, err := netip.ParseAddr(strings.Trim(s.host, "[]"))
	if err != nil {
		return site{}, false
	}
	nat64 := netip.MustParsePrefix("64:ff9b::/96")
	b := a.As16()
	if !a.Is4In6() && !nat64.Contains(a) {
		return site{}, false
	}
	s.host = netip.AddrFrom4([4]byte(b[12:])).String()
	return s, true
}
