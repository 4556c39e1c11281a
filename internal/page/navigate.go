package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

const (
	// answerBudget is how long a server may take to send the first of a page.
	answerBudget = 20 * time.Second
	// loadBudget is how long the page may then take to load before the tool answers with
	// what is there. Many pages never finish; the agent can work with what it has.
	loadBudget = 10 * time.Second
)

// landing is where a navigation ended.
type landing struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Status  int    `json:"status,omitempty"`
	TabID   string `json:"tabId"`
	Stopped string `json:"stopped,omitempty"` // download, 204, dialog, loading
	Note    string `json:"note,omitempty"`
	File    string `json:"file,omitempty"` // name of a download that started
	Path    string `json:"path,omitempty"` // and where it is, once it is complete
}

// Navigate is navigate. Without a tab of its own the session gets one, in the background.
func Navigate(ctx context.Context, s *Session, a NavigateArgs) (*Result, error) {
	url, err := address(a.URL)
	if err != nil {
		return nil, err
	}
	if err := s.Judge(url, "", policy.Read); err != nil {
		return nil, err
	}
	t, err := s.forNavigation(ctx, a.TabID)
	if err != nil {
		return nil, err
	}
	unlock, err := t.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := t.navigate(ctx, url, a.WaitUntil)
	return t.walled(ctx, a.Wall, r, err)
}

// forNavigation returns the named tab, the current one, or a fresh one.
func (s *Session) forNavigation(ctx context.Context, id browser.TabID) (*Tab, error) {
	if id != "" {
		return s.Resolve(ctx, id, policy.Act)
	}
	if t, err := s.current(ctx); t != nil || err != nil {
		return t, err
	}
	return s.open(ctx, false)
}

// navigate loads url, which has been judged.
func (t *Tab) navigate(ctx context.Context, url, until string) (*Result, error) {
	if err := t.reachable(ctx); err != nil {
		return nil, err
	}
	from := t.state.now()
	var nav struct {
		LoaderID   string `json:"loaderId"`
		ErrorText  string `json:"errorText"`
		IsDownload bool   `json:"isDownload"`
	}
	budget, cancel := context.WithTimeout(ctx, answerBudget)
	defer cancel()
	err := t.call(budget, "", "Page.navigate", map[string]any{"url": url}, &nav)
	switch code := browser.CodeOf(err); {
	case code == browser.DialogOpen:
		return t.stoppedByDialog(from, err)
	case code == browser.Timeout && ctx.Err() == nil:
		return t.noAnswer(ctx, url)
	case err != nil && !navigated(err):
		return nil, err
	case nav.ErrorText != "":
		return t.failed(ctx, from, url, nav.ErrorText, nav.IsDownload)
	case nav.LoaderID == "" && err == nil:
		return t.land(ctx, from, "")
	}
	return t.settle(ctx, from, until)
}

// reachable attaches to the tab and learns its main frame. A crashed or stuck page is
// no reason not to leave it.
func (t *Tab) reachable(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	_, err := t.frames(short)
	switch browser.CodeOf(err) {
	case browser.TargetGone, browser.Timeout:
		return nil
	}
	return err
}

// settle waits until a navigation has committed and loaded as far as asked, and says
// where it ended.
func (t *Tab) settle(ctx context.Context, from int, until string) (*Result, error) {
	phase := phaseName(until)
	var done bool
	t.state.wait(ctx, loadBudget, func(s *state) bool {
		still := s.asked.seq > max(s.commit.seq, s.stopped, s.within.seq) // it sent us on
		done = s.commit.seq > from && (s.restored || s.phases[phase]) && !still
		return done || s.announced() != nil || s.gone != ""
	})
	if d, _ := t.state.dialogOpen(); d != nil {
		return t.stoppedByDialog(from, t.dialogError(d))
	}
	if err := ctx.Err(); err != nil {
		return nil, ended(ctx, "waiting for the page to load")
	}
	note := ""
	if !done {
		note = fmt.Sprintf("still loading after %d s; what is there can be read already", int(loadBudget/time.Second))
	}
	return t.land(ctx, from, note)
}

// phaseName is the lifecycle event that ends a wait.
func phaseName(until string) string {
	switch until {
	case "domcontentloaded":
		return "DOMContentLoaded"
	case "networkidle":
		return "networkIdle"
	default:
		return "load"
	}
}

// land reads where the tab is now. A page that the gate denies yields its refusal only.
// A dialog may open just behind the load event, when the page is asked where it is.
func (t *Tab) land(ctx context.Context, from int, note string) (*Result, error) {
	l, err := t.where(ctx)
	if browser.CodeOf(err) == browser.DialogOpen {
		return t.stoppedByDialog(from, err)
	}
	if err != nil {
		return nil, err
	}
	if note != "" {
		l.Note, l.Stopped = note, "loading"
	}
	return t.landed(l), nil
}

// where probes the main frame; a document that is just being replaced is asked again.
func (t *Tab) where(ctx context.Context) (landing, error) {
	for try := 0; ; try++ {
		p, a, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}})
		if err == nil {
			return landing{URL: a.URL, Title: p.Title, Status: p.Status, TabID: string(t.ID())}, nil
		}
		if !navigated(err) || try == 5 {
			return landing{}, err
		}
		t.state.wait(ctx, time.Second, func(s *state) bool { return s.phases["DOMContentLoaded"] })
	}
}

func (t *Tab) landed(l landing) *Result {
	var b strings.Builder
	switch {
	case l.File != "" || l.Stopped == "204":
		b.WriteString(l.Note)
	default:
		fmt.Fprintf(&b, "%s", l.URL)
		if l.Title != "" {
			fmt.Fprintf(&b, " %s", quote(l.Title, 200))
		}
		if l.Status != 0 {
			fmt.Fprintf(&b, " HTTP %d", l.Status)
		}
		if l.Note != "" {
			fmt.Fprintf(&b, "\n%s", l.Note)
		}
	}
	fmt.Fprintf(&b, "\ntab %s", l.TabID)
	r := &Result{Text: b.String(), Data: l, URL: l.URL}
	if l.Path != "" {
		r.Files = []string{l.Path}
	}
	return r
}

// stoppedByDialog answers for a dialog that opened on the way: a leave dialog of the
// old page or an alert of the new one. Neither is a failure of the call.
func (t *Tab) stoppedByDialog(from int, err error) (*Result, error) {
	d, _ := t.state.dialogOpen()
	if d == nil || d.at <= from {
		return nil, err
	}
	l := landing{TabID: string(t.ID()), Stopped: "dialog", Note: err.(*browser.Error).Message}
	return &Result{Text: l.Note, Data: l}, nil
}

// noAnswer is for a server that accepts and then says nothing.
func (t *Tab) noAnswer(ctx context.Context, url string) (*Result, error) {
	_ = t.call(ctx, "", "Page.stopLoading", nil, nil)
	return nil, browser.Errorf(browser.NavigationFailed, "%s did not answer within %d s; loading was stopped and the tab still shows the page before", quote(url, 300), int(answerBudget/time.Second))
}

// failed explains an error of Page.navigate.
func (t *Tab) failed(ctx context.Context, from int, url, text string, isDownload bool) (*Result, error) {
	if text == "net::ERR_ABORTED" {
		return t.aborted(ctx, from, isDownload)
	}
	if text == blocked {
		if err := t.stoppedAt(ctx, from); err != nil {
			return nil, err
		}
	}
	why := "it failed; check the address, then try again"
	for _, e := range netErrors {
		if strings.HasPrefix(text, "net::ERR_"+e[0]) {
			why = e[1]
			break
		}
	}
	return nil, browser.Errorf(browser.NavigationFailed, "%s could not be opened: %s (%s)", quote(url, 300), why, text)
}

// blocked is Chrome's name for a navigation that our own rules stopped before the request
// left, or those of a content blocker.
const blocked = "net::ERR_BLOCKED_BY_CLIENT"

// stoppedAt is the refusal of the site that a navigation was stopped at, which is where
// the error page stands. It is nil if that site is allowed: it was not we who stopped it.
func (t *Tab) stoppedAt(ctx context.Context, from int) error {
	t.state.wait(ctx, abortGrace, func(s *state) bool { return s.commit.seq > from })
	frames, err := t.frames(ctx)
	if err != nil {
		return err
	}
	err = t.judgeFrame(frames[0], policy.Read)
	var e *browser.Error
	if errors.As(err, &e) {
		told := *e
		told.Message = "stopped before the site was asked: " + e.Message
		return &told
	}
	return err
}

// netErrors says in words what Chrome's error names mean; the first prefix that fits
// counts.
var netErrors = [][2]string{
	{"CERT_", "its certificate is not valid; the user can look at it in a tab and decide"},
	{"SSL_", "the secure connection could not be made; perhaps it speaks only http"},
	{"NAME_NOT_RESOLVED", "there is no such host (DNS); check the spelling"},
	{"CONNECTION_REFUSED", "nothing listens there; is the server running, and the port right?"},
	{"CONNECTION_", "the connection broke; try again"},
	{"INTERNET_DISCONNECTED", "the browser is offline; the user can look at the network"},
	{"ADDRESS_UNREACHABLE", "the address cannot be reached from here; check it, and the network"},
	{"TOO_MANY_REDIRECTS", "it redirects in a circle; perhaps its cookies are blocked"},
	{"EMPTY_RESPONSE", "the server closed the connection without an answer; try again"},
	{"INVALID_URL", "the address is not valid; correct it"},
	{"UNSAFE_PORT", "the browser refuses that port; use another"},
	{"TIMED_OUT", "the server did not answer; try again later"},
	{"UNKNOWN_URL_SCHEME", "the browser knows no such scheme; use http or https"},
	{"HTTP_RESPONSE_CODE", "the server answered with an error and no page; try again later"},
	{"FILE_NOT_FOUND", "there is no such file; check the path"},
	{"PROXY_", "the proxy could not be used; the user can look at the network settings"},
	{"TUNNEL_", "the proxy could not be used; the user can look at the network settings"},
	{"BLOCKED_BY_CLIENT", "an extension of the browser blocked it, such as a content blocker; the user can let it through"},
	{"BLOCKED_BY_", "the browser blocked it; the user can open it by hand to see why"},
}

// aborted is what Chrome says when a navigation ends without a document: a download,
// no content, or a page that left for elsewhere meanwhile.
func (t *Tab) aborted(ctx context.Context, from int, isDownload bool) (*Result, error) {
	t.state.wait(ctx, abortGrace, func(s *state) bool {
		return s.commit.seq > from || len(s.downloads) > 0 && s.downloads[len(s.downloads)-1].seq > from
	})
	h := t.state.since(from)
	if h.committed || h.pending != "" {
		return t.settle(ctx, from, "")
	}
	l := landing{TabID: string(t.ID())}
	if before, err := t.where(ctx); err == nil {
		l.URL, l.Title = before.URL, before.Title
	}
	switch {
	case len(h.downloads) > 0:
		l.Stopped, l.File = "download", h.downloads[0].name
		for _, d := range t.keepDownloads(ctx) {
			l.Path, l.Note = d.Path, l.Note+d.String()+"\n"
		}
		l.Note += "that was a download; the tab still shows the page before"
	case isDownload:
		l.Stopped, l.File = "download", "?"
		l.Note = "a download started; the tab still shows the page before"
	default:
		l.Stopped = "204"
		l.Note = "the server sent no content (204 or the like); the page is unchanged"
	}
	return t.landed(l), nil
}

// abortGrace is how long the news of a download may come after the abort.
const abortGrace = 300 * time.Millisecond
