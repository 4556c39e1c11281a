package page

import (
	"context"
	"fmt"
	"slices"
	"time"

	"chrome-mcp/internal/policy"
)

// CookiesArgs are those of get_cookies.
type CookiesArgs struct {
	TabArg
	URL    string `json:"url,omitempty" desc:"Default: the page and its allowed frames."`
	Values bool   `json:"values,omitempty" desc:"Show values; else they are masked."`
}

// cookie is a cookie as get_cookies shows it.
type cookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Domain   string `json:"domain"`
	Path     string `json:"path"`
	Expires  string `json:"expires,omitempty"` // "" for a cookie of the browser's session
	HTTPOnly bool   `json:"httpOnly,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
	SameSite string `json:"sameSite,omitempty"`
	Bytes    int    `json:"bytes"` // of the value
}

// GetCookies is get_cookies. Chrome is told whose cookies are meant: left to itself it
// would add those of every frame, also of sites that are not allowed.
func GetCookies(ctx context.Context, t *Tab, a CookiesArgs) (*Result, error) {
	urls, err := t.cookieURLs(ctx, a.URL)
	if err != nil {
		return nil, err
	}
	var got struct {
		Cookies []struct {
			Name, Value, Domain, Path, SameSite string
			Expires                             float64
			HTTPOnly                            bool `json:"httpOnly"`
			Secure, Session                     bool
		}
	}
	if err := t.call(ctx, "", "Network.getCookies", map[string]any{"urls": urls}, &got); err != nil {
		return nil, err
	}
	list := []cookie{}
	for _, c := range got.Cookies {
		shown := cookie{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite, Bytes: len(c.Value)}
		if !c.Session && c.Expires > 0 {
			shown.Expires = time.Unix(int64(c.Expires), 0).UTC().Format(time.RFC3339)
		}
		if !a.Values {
			shown.Value = masked(c.Value)
		}
		list = append(list, shown)
	}
	data := map[string]any{"cookies": list, "urls": urls, "masked": !a.Values}
	return &Result{Data: data, Origin: urls[0], URL: urls[0]}, nil
}

// masked says of a secret only that there is one.
func masked(value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("[masked, %d bytes]", len(value))
}

// cookieURLs are the addresses whose cookies are asked for, each judged.
func (t *Tab) cookieURLs(ctx context.Context, asked string) ([]string, error) {
	if asked != "" {
		url, err := address(asked)
		if err != nil {
			return nil, err
		}
		return []string{url}, t.s.Judge(url, "", policy.Observe)
	}
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.judgeFrame(frames[0], policy.Observe); err != nil {
		return nil, err
	}
	urls := []string{frames[0].URL}
	for _, f := range frames[1:] {
		if t.s.Judge(f.URL, "", policy.Observe) == nil && !slices.Contains(urls, f.URL) {
			urls = append(urls, f.URL)
		}
	}
	return urls, nil
}
