package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// rule is a parsed glob.
type rule struct {
	scheme string // "" is http and https
	any    bool   // every host
	below  bool   // hosts below host, at any depth, but not host itself
	host   string // as the browser serialises it, without a trailing dot
	port   int    // 0 is any
}

// CheckGlob says what is wrong with a glob, or returns nil. The forms are
//
//	example.com            that host
//	*.example.com          hosts below it at any depth, not itself
//	*                      every host
//	[scheme://]…[:port]    only that scheme, only that port
//	file:                  files of this computer
func CheckGlob(text string) error {
	_, err := parseGlob(text)
	return err
}

func parseGlob(text string) (rule, error) {
	r, err := splitGlob(text)
	if err != nil {
		return rule{}, fmt.Errorf("site rule %q: %w; write example.com, *.example.com, https://example.com:8443, [::1], file: or *", text, err)
	}
	return r, nil
}

func splitGlob(text string) (rule, error) {
	var r rule
	if isFileGlob(text) {
		return rule{scheme: "file"}, nil
	}
	host := text
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		r.scheme, host = strings.ToLower(scheme), rest
		if r.scheme != "http" && r.scheme != "https" {
			return rule{}, fmt.Errorf("sites of the scheme %q cannot be allowed or denied by name", scheme)
		}
	}
	if i := strings.IndexFunc(host, badInGlob); i >= 0 {
		return rule{}, fmt.Errorf("%q has no place in it (a rule names a host, not a path or a user)", host[i:i+1])
	}
	host, port, err := splitPort(host)
	if err != nil {
		return rule{}, err
	}
	r.port = port
	if host == "*" {
		r.any = true
		return r, nil
	}
	host, r.below = strings.CutPrefix(host, "*.")
	if strings.Contains(host, "*") {
		return rule{}, errors.New("a * stands alone or in front of a dot at the beginning")
	}
	u, err := parse("https://" + host + "/")
	if err != nil {
		return rule{}, fmt.Errorf("%q is not a host name", host)
	}
	if r.host, err = cleanHost(u.Hostname()); err != nil {
		return rule{}, fmt.Errorf("%q is not a host name", host)
	}
	if r.below && isIP(r.host) {
		return rule{}, errors.New("an address is only matched whole")
	}
	return r, nil
}

func isFileGlob(text string) bool {
	switch strings.ToLower(text) {
	case "file:", "file://", "file:///", "file://*", "file:///*":
		return true
	}
	return false
}

// badInGlob are the characters with which a URL's host could end or be disguised.
func badInGlob(c rune) bool {
	return c <= ' ' || c == 0x7f || strings.ContainsRune(`/\?#@%`, c)
}

func splitPort(s string) (host string, port int, err error) {
	if strings.HasPrefix(s, "[") && !strings.Contains(s, "]") {
		return "", 0, errors.New("the bracket of an IPv6 address is not closed")
	}
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 || strings.HasSuffix(s, "]") {
		return s, 0, nil
	}
	if strings.Count(s, ":") > 1 && !strings.HasPrefix(s, "[") {
		return "", 0, errors.New("an IPv6 address goes between brackets")
	}
	digits := s[colon+1:]
	for _, c := range digits {
		if c < '0' || c > '9' {
			return "", 0, fmt.Errorf("%q is not a port", digits)
		}
	}
	port, err = strconv.Atoi(digits)
	if err != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("%q is not a port", digits)
	}
	return s[:colon], port, nil
}

var errHost = errors.New("not a valid host")

// cleanHost takes a host as the parser serialised it, removes the one dot that stands
// for the root, and refuses empty labels and anything that no real host is made of.
func cleanHost(host string) (string, error) {
	if strings.HasPrefix(host, "[") {
		return host, nil
	}
	host = strings.TrimSuffix(host, ".")
	for label := range strings.SplitSeq(host, ".") {
		if label == "" {
			return "", errHost
		}
	}
	for _, c := range []byte(host) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return "", errHost
		}
	}
	return host, nil
}

// isIP tells an address from a name. The URL parser makes every host whose last label
// is a number an IPv4 address or an error, so a last label of digits is one.
func isIP(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// matches says whether the rule covers a site.
func (r rule) matches(s site) bool {
	if r.scheme != s.scheme && (r.scheme != "" || s.scheme == "file") {
		return false
	}
	if r.scheme == "file" {
		return true
	}
	if r.port != 0 && r.port != s.port {
		return false
	}
	switch {
	case r.any:
		return true
	case r.below:
		return !isIP(s.host) && strings.HasSuffix(s.host, "."+r.host)
	}
	return s.host == r.host
}

// globs remembers parsed globs, because a policy's are judged by several times a call.
// A user's list is far shorter than what it holds.
var globs = memo[string, parsedGlob]{most: 4096}

type parsedGlob struct {
	rule rule
	ok   bool
}

func compiled(text string) (rule, bool) {
	g, known := globs.get(text)
	if !known {
		r, err := parseGlob(text)
		g = parsedGlob{r, err == nil}
		globs.put(text, g)
	}
	return g.rule, g.ok
}
