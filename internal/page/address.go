package page

import (
	"regexp"
	"strings"

	"chrome-mcp/internal/browser"
)

var (
	hasScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	hostPort  = regexp.MustCompile(`^[^/?#:]+:[0-9]{1,5}([/?#]|$)`)
	looksHost = regexp.MustCompile(`^(localhost|\[[0-9a-fA-F:.]+\]|[^\s/?#@:]+\.[^\s/?#@:]+)(:[0-9]{1,5})?([/?#]|$)`)
	local     = regexp.MustCompile(`^(localhost|[^/?#:]+\.localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?([/?#]|$)`)
)

// address completes what an agent gives as an address: a bare host gets https, and
// http when it is this machine. What it is in the end the gate decides.
func address(s string) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", browser.Errorf(browser.BadArgs, "url is empty; give an address such as https://example.com/")
	case strings.HasPrefix(s, "//"):
		return "https:" + s, nil
	case local.MatchString(s):
		return "http://" + s, nil
	case hasScheme.MatchString(s) && !hostPort.MatchString(s):
		return s, nil
	case looksHost.MatchString(s) || hostPort.MatchString(s):
		return "https://" + s, nil
	}
	return "", browser.Errorf(browser.BadArgs, "%s is no address; give a whole one such as https://example.com/path", quote(s, 200))
}
