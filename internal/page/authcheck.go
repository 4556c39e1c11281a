package page

import (
	"context"
	"fmt"
	"math"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// AuthCheckArgs are those of auth_check.
type AuthCheckArgs struct {
	TabArg
	Wall
}

// authChecked is auth_check's structured content.
type authChecked struct {
	AuthRequired bool     `json:"authRequired"`
	Confidence   float64  `json:"confidence"` // that it is required
	Signals      []string `json:"signals"`
	URL          string   `json:"url"`
	Next         string   `json:"next,omitempty"`
}

// AuthCheck is auth_check.
func AuthCheck(ctx context.Context, t *Tab, a AuthCheckArgs) (*Result, error) {
	s, answer, err := t.signs(ctx)
	if err != nil {
		return nil, err
	}
	v := s.verdict()
	if a.FailOnAuthWall && v.required() {
		return nil, t.authRequired(v)
	}
	c := authChecked{AuthRequired: v.required(), Confidence: math.Round(v.confidence*100) / 100, Signals: v.signals, URL: answer.URL}
	if c.Signals == nil {
		c.Signals = []string{}
	}
	if c.AuthRequired {
		c.Next = fmt.Sprintf("ask the user to sign in in tab %s, then go on; never ask for a password", t.ID())
	}
	return &Result{Data: c, Origin: answer.Origin, URL: answer.URL}, nil
}

// walled is the result of a navigation, or AUTH_REQUIRED when that was asked for and
// the page arrived at asks to sign in. A page that waits for a dialog cannot be asked.
func (t *Tab) walled(ctx context.Context, w Wall, r *Result, err error) (*Result, error) {
	if err != nil || !w.FailOnAuthWall {
		return r, err
	}
	if l, ok := r.Data.(landing); ok && l.Stopped == "dialog" {
		return r, nil
	}
	if err := t.noAuthWall(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// noAuthWall fails with AUTH_REQUIRED when the page asks to sign in.
func (t *Tab) noAuthWall(ctx context.Context) error {
	s, _, err := t.signs(ctx)
	if err != nil {
		return err
	}
	if v := s.verdict(); v.required() {
		return t.authRequired(v)
	}
	return nil
}

func (t *Tab) authRequired(v verdict) error {
	return browser.Errorf(browser.AuthRequired, "the page asks to sign in (%s); ask the user to sign in in tab %s, then go on", strings.Join(v.signals, ", "), t.ID())
}

// signs collects what tells a page that asks to sign in. A page that shows nothing yet
// is given a moment: many draw their form by script.
func (t *Tab) signs(ctx context.Context) (authSigns, browser.Answer, error) {
	at, err := t.where(ctx)
	if err != nil {
		return authSigns{}, browser.Answer{}, err
	}
	f, err := t.frame(ctx, "")
	if err != nil {
		return authSigns{}, browser.Answer{}, err
	}
	s := authSigns{url: at.URL, status: at.Status, asked: t.askedURL(ctx)}
	var answer browser.Answer
	for waited := slice; ; waited += slice {
		if s.SignIn, answer, err = askFrame[pagefn.SignIn](ctx, t, f, "signIn", pagefn.SignInArgs{}); err != nil {
			return s, answer, err
		}
		if s.Words > 0 || s.Fields > 0 || len(s.Buttons) > 0 || waited > readBudget || ctx.Err() != nil {
			s.url = answer.URL
			return s, answer, nil
		}
		t.pause(ctx, slice)
	}
}

// askedURL is the address that was asked for when the server led to the one that is
// shown, "" if that is not known.
func (t *Tab) askedURL(ctx context.Context) string {
	var h struct {
		Current int `json:"currentIndex"`
		Entries []struct {
			UserTypedURL string `json:"userTypedURL"`
		} `json:"entries"`
	}
	if err := t.call(ctx, "", "Page.getNavigationHistory", nil, &h); err != nil || h.Current < 0 || h.Current >= len(h.Entries) {
		return ""
	}
	return h.Entries[h.Current].UserTypedURL
}
