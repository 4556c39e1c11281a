package policy

import "fmt"

// Grant is what the user said about one site in the extension's popup. The extension
// keeps it; a server is told and cannot make one.
type Grant struct {
	// Site is the host, with its port unless that is the usual one of http or https. It
	// is no glob: the user allowed what they saw.
	Site  string `json:"site"`
	Level Level  `json:"level"`
	Until Until  `json:"until"`
	// PageTool is a tool that pages of Site register with the browser: the grant is for
	// calling that one, and Site is their whole origin. "" is a grant for a site.
	PageTool string `json:"pageTool,omitempty"`
}

// Level is how much a grant permits.
type Level string

// The levels. Whatever the user grants, it is never eval, downloads, uploads or observers.
const (
	ReadOnly Level = "read"
	Full     Level = "full" // reading and acting
	Deny     Level = "deny" // nothing, even if the policy allows it
)

// Until is how long a grant holds.
type Until string

// The ends. The extension keeps the time; SECURITY.md says exactly what "once" is.
const (
	Once    Until = "once"
	Session Until = "session" // until the browser ends
	Always  Until = "always"
)

// EvaluateGranted is Evaluate with what the user granted in the browser added. Of
// several grants for a site the first counts, which is the user's latest word. A denied
// site stays denied, by whichever side; a grant adds reading, or reading and acting.
//
// A refusal that a grant could lift names the site to ask the user for.
func EvaluateGranted(url, origin string, access Access, p Policy, grants []Grant) Decision {
	d := Evaluate(url, origin, access, p)
	s, err := siteOf(url, origin)
	if err != nil || s == blank {
		return d
	}
	g := granted(s, grants)
	if g.Level == Deny {
		return Decision{Rule: "Deny in the popup", Reason: fmt.Sprintf("the user denied %s in Chrome; do not ask again, only they can change it, on the settings page of the extension", s)}
	}
	if d.Allow || access != Read && access != Act {
		return d
	}
	if glob, denied := deniedBy(p.DenyDomains, s); denied {
		return refusedBy(glob, s)
	}
	if p.NoSiteGrants || s.scheme == "file" {
		return d
	}
	if g.Level == Full || g.Level == ReadOnly && access == Read {
		return Decision{Allow: true, Rule: fmt.Sprintf("granted in Chrome (%s)", g.Until)}
	}
	readable := g.Level == ReadOnly || access == Act && Evaluate(url, origin, Read, p).Allow
	return ask(d, s, access, readable)
}

// granted is the grant that counts for a site, or none. A Deny holds for an address in
// disguise too.
func granted(s site, grants []Grant) Grant {
	name, other := s.String(), ""
	if d, ok := s.disguised(); ok {
		other = d.String()
	}
	for _, g := range grants {
		if g.PageTool != "" {
			continue
		}
		if g.Site == name || g.Level == Deny && g.Site == other {
			return g
		}
	}
	return Grant{}
}

// ask makes a refusal say how the user can lift it in the browser.
func ask(d Decision, s site, access Access, readable bool) Decision {
	what, flag := fmt.Sprintf("%s is not among the allowed sites", s), fmt.Sprintf("--allow-domain %s", s)
	press := "allow it there"
	if access == Act {
		press = `allow "Read and act" there`
		if readable {
			what, flag = fmt.Sprintf("acting on %s is not allowed", s), Flag(Act)
		}
	}
	d.Site = s.String()
	d.Reason = fmt.Sprintf("%s; ask the user to open the chrome-mcp popup in Chrome and %s, or to start chrome-mcp with %s", what, press, flag)
	return d
}
