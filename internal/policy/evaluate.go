package policy

import (
	"fmt"
	"strings"
)

// Evaluate decides whether access to the document at url is allowed.
//
// origin is the security origin of the document where it is known. It judges blob:,
// about:blank and about:srcdoc documents, whose URL does not say who made them: ""
// is unknown, "null" is opaque. A destination of a navigation has the origin "", and
// so has a tab's own about:blank that no page opened: nobody's content is in it.
//
// Hosts are those that the browser's own URL rules find, IP addresses in any spelling
// included. A deny rule wins over every allow rule. A rule that is not understood
// allows nothing, and denies everything.
func Evaluate(url, origin string, access Access, p Policy) Decision {
	if !p.Enabled(access) {
		return Decision{Rule: string(access), Reason: switchedOff(access)}
	}
	s, err := siteOf(url, origin)
	if err != nil {
		return Decision{Reason: err.Error()}
	}
	if s == blank {
		return Decision{Allow: true, Rule: "about:blank"}
	}
	if glob, denied := deniedBy(p.DenyDomains, s); denied {
		return refusedBy(glob, s)
	}
	for _, glob := range p.AllowDomains {
		if r, ok := compiled(glob); ok && r.matches(s) {
			return Decision{Allow: true, Rule: glob}
		}
	}
	return Decision{Reason: fmt.Sprintf("%s is not among the allowed sites; the user can start chrome-mcp with --allow-domain %s", s, s)}
}

func refusedBy(glob string, s site) Decision {
	return Decision{Rule: glob, Reason: fmt.Sprintf("%s is denied by the user's rule %q", s, glob)}
}

func deniedBy(deny []string, s site) (string, bool) {
	other, disguised := s.disguised()
	for _, glob := range deny {
		r, ok := compiled(glob)
		if !ok || r.matches(s) || disguised && r.matches(other) {
			return glob, true
		}
	}
	return "", false
}

// switches are the flags that turn access classes on.
var switches = map[Access]struct {
	flag string
	on   func(Policy) bool
}{
	Read:     {"", func(Policy) bool { return true }},
	Act:      {"--enable-mutations", func(p Policy) bool { return p.Mutations }},
	Eval:     {"--unsafe-enable-eval", func(p Policy) bool { return p.Eval }},
	Download: {"--enable-downloads", func(p Policy) bool { return p.Downloads }},
	Upload:   {"--enable-uploads", func(p Policy) bool { return p.Uploads }},
	Observe:  {"--enable-observers", func(p Policy) bool { return p.Observers }},
}

// Enabled says whether the access class is switched on, wherever it may be used.
func (p Policy) Enabled(a Access) bool {
	s, known := switches[a]
	return known && s.on(p)
}

// Flag is the command line flag that switches the access class on; "" for Read.
func Flag(a Access) string { return switches[a].flag }

func switchedOff(a Access) string {
	flag := Flag(a)
	if flag == "" {
		return fmt.Sprintf("access %q does not exist", string(a))
	}
	return fmt.Sprintf("%s is switched off; the user can start chrome-mcp with %s", a, flag)
}

// Validate says what is wrong with the policy's rules, all of it.
func (p Policy) Validate() error {
	var wrong []string
	for _, list := range [][]string{p.AllowDomains, p.DenyDomains} {
		for _, glob := range list {
			if err := CheckGlob(glob); err != nil {
				wrong = append(wrong, err.Error())
			}
		}
	}
	for _, text := range p.PageTools {
		if err := CheckPageTool(text); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(wrong, "\n"))
}
