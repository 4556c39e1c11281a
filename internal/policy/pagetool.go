package policy

import (
	"fmt"
	"slices"
	"strings"
)

// maxPageTool is the most bytes of a page tool's name.
const maxPageTool = 128

// EvaluateTool decides whether a tool that a page registered with the browser may be
// called. What it does only the page knows, so acting on the site is not enough: the
// user has to permit this tool of this origin, in Policy.PageTools or in the browser.
//
// The user's latest word in the browser comes first. A refusal that a grant could lift
// names the origin and the tool. nil grants are those of a backend that knows none, where
// the user cannot be asked.
func EvaluateTool(url, origin, tool string, p Policy, grants []Grant) Decision {
	d := Evaluate(url, origin, Act, p)
	if grants != nil {
		d = EvaluateGranted(url, origin, Act, p, grants)
	}
	if !d.Allow {
		return d
	}
	s, err := siteOf(url, origin)
	if err != nil || s.host == "" || tool == "" || len(tool) > maxPageTool {
		return Decision{Reason: "tools are called of web pages only, by a name of at most 128 bytes"}
	}
	from := s.origin()
	i := slices.IndexFunc(grants, func(g Grant) bool { return g.PageTool == tool && g.Site == from })
	switch {
	case i >= 0 && grants[i].Level == Deny:
		return Decision{Rule: "Deny in the popup", Reason: fmt.Sprintf("the user denied the tool %q of %s in Chrome; do not ask again, only they can change it, on the settings page of the extension", tool, from)}
	case slices.Contains(p.PageTools, from+"#"+tool), slices.Contains(p.PageTools, from+"#*"):
		return Decision{Allow: true, Rule: from + "#" + tool}
	case p.NoSiteGrants || grants == nil:
		return Decision{Reason: fmt.Sprintf("the tool %q of %s is not allowed; the user can start chrome-mcp with --allow-page-tool '%s#%s'", tool, from, from, tool)}
	case i >= 0 && grants[i].Level == Full:
		return Decision{Allow: true, Rule: fmt.Sprintf("granted in Chrome (%s)", grants[i].Until)}
	}
	return Decision{Site: from, PageTool: tool, Reason: fmt.Sprintf("the tool %q of %s is not allowed; ask the user to open the chrome-mcp popup in Chrome and allow it there, or to start chrome-mcp with --allow-page-tool '%s#%s'", tool, from, from, tool)}
}

// origin is the site as the browser writes origins.
func (s site) origin() string { return s.scheme + "://" + s.String() }

// CheckPageTool says what is wrong with an entry of Policy.PageTools, or returns nil. The
// form is ORIGIN#TOOL, or ORIGIN#* for all tools of an origin.
func CheckPageTool(text string) error {
	origin, tool, ok := strings.Cut(text, "#")
	s, err := siteOf(origin, "")
	switch {
	case !ok || tool == "" || len(tool) > maxPageTool:
		return fmt.Errorf("page tool %q: write ORIGIN#TOOL, as https://shop.example#add_to_cart, or ORIGIN#* for all of an origin", text)
	case err != nil || s.host == "" || s.origin() != origin:
		return fmt.Errorf("page tool %q: %q is no origin; write it as https://shop.example or http://127.0.0.1:8080, in small letters and without a path", text, origin)
	}
	return nil
}
