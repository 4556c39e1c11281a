package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// waited is wait_for's structured content.
type waited struct {
	Matched  bool   `json:"matched"`
	Ref      string `json:"ref,omitempty"`
	WaitedMS int64  `json:"waitedMs"`
	URL      string `json:"url,omitempty"`
}

// Bounds of wait_for.
const (
	waitDefault = 10 * time.Second
	waitMax     = 60 * time.Second
	waitStep    = 1000 // ms that one document is watched before frames are looked at again
)

// WaitFor is wait_for. The page may go through any number of documents meanwhile.
func WaitFor(ctx context.Context, t *Tab, a WaitForArgs) (*Result, error) {
	conditions := 0
	for _, c := range []string{a.Selector, a.TextContains, a.URL} {
		if c != "" {
			conditions++
		}
	}
	if conditions != 1 {
		return nil, browser.Errorf(browser.BadArgs, "give exactly one of selector, textContains and url to wait for")
	}
	budget := waitDefault
	if a.TimeoutMS > 0 {
		budget = min(time.Duration(a.TimeoutMS)*time.Millisecond, waitMax)
	}
	start := time.Now()
	end := start.Add(budget)
	if dl, ok := ctx.Deadline(); ok && dl.Add(-500*time.Millisecond).Before(end) {
		end = dl.Add(-500 * time.Millisecond)
	}
	for {
		w, err := t.waitOnce(ctx, a, end)
		w.WaitedMS = time.Since(start).Milliseconds()
		switch {
		case err == nil && w.Matched:
			return w.result(a), nil
		case err != nil && !navigated(err) && !gone(err):
			return nil, err
		case ctx.Err() != nil:
			return nil, ended(ctx, "waiting for "+a.what())
		case !time.Now().Before(end):
			return nil, browser.Errorf(browser.Timeout, "%s within %d ms; look at the page with snapshot, or wait longer with timeoutMs", a.missed(), w.WaitedMS)
		}
		t.pause(ctx, min(slice, time.Until(end)))
	}
}

func (a WaitForArgs) what() string {
	switch {
	case a.Selector != "":
		return "selector " + quote(a.Selector, 120)
	case a.URL != "":
		return "the address " + quote(a.URL, 120)
	default:
		return "text " + quote(a.TextContains, 120)
	}
}

func (a WaitForArgs) missed() string {
	if a.Gone {
		return a.what() + " did not go away"
	}
	return a.what() + " did not appear"
}

func (w waited) result(a WaitForArgs) *Result {
	said := a.what() + " is there"
	if a.Gone {
		said = a.what() + " is gone"
	}
	if w.Ref != "" {
		said += " [" + w.Ref + "]"
	}
	return &Result{Text: fmt.Sprintf("%s after %d ms", said, w.WaitedMS), Data: w, URL: w.URL}
}

// waitOnce looks once, or watches for a while where there is one document only.
func (t *Tab) waitOnce(ctx context.Context, a WaitForArgs, end time.Time) (waited, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return waited{}, err
	}
	if a.URL != "" {
		if err := t.judgeFrame(frames[0], policy.Read); err != nil {
			return waited{}, err
		}
		return waited{Matched: urlMatches(frames[0].URL, a.URL) != a.Gone, URL: frames[0].URL}, nil
	}
	if a.FrameID != "" {
		f, err := t.frame(ctx, a.FrameID)
		if err != nil {
			return waited{Matched: a.Gone}, nil
		}
		t.wake(ctx, a.FrameID)
		if f.URL == "" {
			return waited{Matched: a.Gone}, nil
		}
		frames = []browser.Frame{f}
	}
	return t.waitIn(ctx, frames, a, end)
}

// waitIn asks the frames in turn. Something is there when it is in one of them, and
// gone when it is in none.
func (t *Tab) waitIn(ctx context.Context, frames []browser.Frame, a WaitForArgs, end time.Time) (waited, error) {
	step := 0
	if len(frames) == 1 {
		step = min(waitStep, int(max(0, time.Until(end)).Milliseconds()))
	}
	args := pagefn.WaitArgs{TextContains: a.TextContains, Gone: a.Gone, TimeoutMS: step}
	if a.Selector != "" {
		args.Target = &pagefn.Locator{Selector: a.Selector, Now: true}
	}
	for i, f := range frames {
		if err := t.judgeFrame(f, policy.Read); err != nil {
			if i == 0 {
				return waited{}, err
			}
			continue
		}
		own, cancel := forFrame(ctx, i)
		w, answer, err := run[pagefn.Wait](own, t, browser.RunRequest{Frame: f.ID, Fn: "waitFor", Args: args})
		cancel()
		if err != nil && i > 0 && (gone(err) || browser.CodeOf(err) == browser.Timeout && ctx.Err() == nil) {
			continue
		}
		if err != nil {
			return waited{}, err
		}
		if w.Matched != a.Gone {
			out := waited{Matched: w.Matched, URL: answer.URL}
			if w.Node != 0 {
				out.Ref = t.s.refs.mint(element{t.ID(), f.ID, answer.Document, w.Node}, "")
			}
			return out, nil
		}
	}
	return waited{Matched: a.Gone, URL: frames[0].URL}, nil
}

// urlMatches compares an address with a part of it, or with a pattern with stars.
func urlMatches(url, pattern string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.Contains(url, pattern)
	}
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(url, parts[0]) {
		return false
	}
	rest := url[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
