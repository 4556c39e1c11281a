package page

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// signInPath is how sites name the page that asks to sign in.
var signInPath = regexp.MustCompile(`(?i)(^|[/._-])(log-?in|sign-?in|sso|oauth2?|authorize|session/new|auth)([/._-]|$)`)

// authWall says why the page in the main frame looks like a request to sign in, or ""
// if it does not: one strong sign, or two weak ones.
func (t *Tab) authWall(ctx context.Context) (string, error) {
	at, err := t.where(ctx)
	if err != nil {
		return "", err
	}
	if at.Status == 401 || at.Status == 407 {
		return fmt.Sprintf("the server asks to sign in (HTTP %d)", at.Status), nil
	}
	field, _, err := run[pagefn.Wait](ctx, t, browser.RunRequest{Fn: "waitFor", Args: pagefn.WaitArgs{
		Target: &pagefn.Locator{Selector: "input[type=password]:not([autocomplete=new-password])", Now: true}}})
	if err != nil {
		return "", err
	}
	u, err := url.Parse(at.URL)
	named := err == nil && (signInPath.MatchString(u.Path) || signInPath.MatchString(strings.SplitN(u.Host, ".", 2)[0]))
	switch {
	case field.Matched:
		return "the page shows a password field", nil
	case named && at.Status == 403:
		return "the page is named after signing in and answers HTTP 403", nil
	}
	return "", nil
}

// noAuthWall fails with AUTH_REQUIRED when the page asks to sign in.
func (t *Tab) noAuthWall(ctx context.Context) error {
	why, err := t.authWall(ctx)
	if err != nil || why == "" {
		return err
	}
	return browser.Errorf(browser.AuthRequired, "%s; ask the user to sign in in tab %s, then go on", why, t.ID())
}
