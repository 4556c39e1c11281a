package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// How long an action waits for what it has visibly set off. Nothing is waited for when
// no event says that something is under way.
const (
	leaveBudget = 8 * time.Second // for another page to come and be usable
	popupBudget = 2 * time.Second // for the id of a tab that was opened
)

// effects is what an action did beyond its target, as structured content. Handlers add
// their own fields by embedding it.
type effects struct {
	Dialog     *Dialog    `json:"dialog,omitempty"`      // opened by the action and still open
	Navigated  *moved     `json:"navigated,omitempty"`   // to another page
	NewTabs    []openedBy `json:"newTabs,omitempty"`     // opened by the action
	Downloads  []started  `json:"downloads,omitempty"`   // started by the action
	Chooser    *chooser   `json:"fileChooser,omitempty"` // that the action opened, closed again
	Note       string     `json:"note,omitempty"`        // what else the caller should know
	Changes    string     `json:"-"`                     // diff for snapshotAfter
	refusal    error      // the page arrived at is denied
	leftBehind bool       // the document of the target is gone
}

type moved struct {
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Status int    `json:"status,omitempty"`
	Within bool   `json:"sameDocument,omitempty"`
}

type openedBy struct {
	TabID browser.TabID `json:"tabId"`
	URL   string        `json:"url,omitempty"`
}

type started struct {
	File  string `json:"file"` // suggested name
	URL   string `json:"url,omitempty"`
	Path  string `json:"path,omitempty"` // where it is, once it is complete
	Bytes int64  `json:"bytes,omitempty"`
	Note  string `json:"note,omitempty"` // why it is not there
}

func (s started) String() string {
	if s.Path != "" {
		return fmt.Sprintf("downloaded %s, %d bytes: %s", quote(s.File, 200), s.Bytes, s.Path)
	}
	return fmt.Sprintf("download started: %s; %s", quote(s.File, 200), s.Note)
}

// observe says what has happened since a mark. It waits only for what has begun.
func (t *Tab) observe(ctx context.Context, from int) effects {
	var e effects
	t.followNavigation(ctx, from, &e)
	h := t.state.since(from)
	if h.windows && len(h.tabs) == 0 && h.dialog == nil {
		t.state.wait(ctx, popupBudget, func(s *state) bool { return len(s.tabs) > 0 && s.tabs[len(s.tabs)-1].seq > from })
		h = t.state.since(from)
	}
	for _, o := range h.tabs {
		url, there := t.arriving(ctx, o, from)
		if !there {
			e.Note = join(e.Note, t.vanished(o, from))
			continue
		}
		e.NewTabs = append(e.NewTabs, openedBy{o.id, t.shownURL(url)})
	}
	for _, o := range t.state.untold(from) {
		if info, err := t.infoOf(ctx, o.id); err == nil && o.id != t.s.Current() {
			e.Note = join(e.Note, strings.TrimSpace(fmt.Sprintf("tab %s was opened in the meantime %s", o.id, t.shownURL(info.URL))))
		}
	}
	if h.chooser > from {
		e.Chooser = &chooser{Several: h.several}
	}
	e.Downloads = t.keepDownloads(ctx)
	if h.dialog != nil && h.dialog.at > from {
		d := *h.dialog
		if !t.mayShow(d) {
			d.Message, d.Default, d.URL = "", "", ""
		}
		e.Dialog = &d
	}
	return e
}

// arriving waits a moment for the first document of a tab that was opened, and says where
// it is. Chrome closes a tab that was opened for what turns out to be a download.
func (t *Tab) arriving(ctx context.Context, o openedTab, from int) (url string, there bool) {
	url = o.url
	if t.openedFor(from) == "" {
		return url, true
	}
	// A tab that has just been made can look for a moment as if it had loaded.
	looks := 0
	for end := time.Now().Add(popupGrace); ; t.pause(ctx, slice/2) {
		info, err := t.infoOf(ctx, o.id)
		switch {
		case browser.CodeOf(err) == browser.TabNotFound || gone(err):
			t.s.drop(o.id)
			return url, false
		case err != nil || time.Now().After(end) || ctx.Err() != nil:
			return url, true
		}
		if url = info.URL; !info.Loading && !isBlank(url) {
			looks++
		}
		if looks == 3 {
			return url, true
		}
	}
}

func (t *Tab) infoOf(ctx context.Context, id browser.TabID) (browser.TabInfo, error) {
	bt, err := t.backend.Tab(id)
	if err != nil {
		return browser.TabInfo{}, err
	}
	return bt.Info(t.s.caller(ctx))
}

// openedFor is the address that a window was opened for since a mark, if it can be a
// download's.
func (t *Tab) openedFor(from int) string {
	t.transfers.mu.Lock()
	defer t.transfers.mu.Unlock()
	if w := t.transfers.window; w.seq > from && savable(w.url, "") {
		return w.url
	}
	return ""
}

// vanished says what to make of a tab that was opened and closed itself at once.
func (t *Tab) vanished(o openedTab, from int) string {
	url := t.shownURL(t.openedFor(from))
	if url == "" {
		return fmt.Sprintf("tab %s was opened and closed itself again", o.id)
	}
	return fmt.Sprintf("tab %s was opened for %s and closed itself again, as for a download, which went where the browser puts the user's: get the file with download_file and that url", o.id, quote(url, 300))
}

// shownURL is the URL if its site may be read.
func (t *Tab) shownURL(url string) string {
	if t.s.Judge(url, "", policy.Read) != nil {
		return ""
	}
	return url
}

// followNavigation waits for a page that the action has set off, so that the next call
// finds it. A navigation that turns out to be a download or nothing at all ends it.
func (t *Tab) followNavigation(ctx context.Context, from int, e *effects) {
	begun := false
	done := t.state.wait(ctx, leaveBudget, func(s *state) bool {
		pending := s.pendingURL(from) != ""
		begun = begun || max(s.asked.seq, s.started) > from
		if s.announced() != nil || s.gone != "" {
			return true
		}
		return !pending && (s.commit.seq <= from || s.restored || s.phases["DOMContentLoaded"])
	})
	h := t.state.since(from)
	switch {
	case h.dialog != nil:
	case h.committed:
		e.leftBehind = true
		t.arrived(ctx, e)
	case !done && h.pending != "":
		e.Note = fmt.Sprintf("leaving for %s, which has not answered yet", quote(t.shownURL(h.pending), 300))
	case begun && len(h.downloads) == 0:
		t.state.wait(ctx, abortGrace, func(s *state) bool {
			return len(s.downloads) > 0 && s.downloads[len(s.downloads)-1].seq > from
		})
		if len(t.state.since(from).downloads) == 0 && h.within == "" {
			e.Note = "a navigation began and ended without a page (no content, or it was cancelled); the page is unchanged"
		}
	}
	if h.within != "" {
		e.Navigated = &moved{URL: t.shownURL(h.within), Within: true}
	}
}

// arrived says where a navigation ended; the gate judges the new document.
func (t *Tab) arrived(ctx context.Context, e *effects) {
	l, err := t.where(ctx)
	switch {
	case err == nil:
		e.Navigated = &moved{URL: l.URL, Title: l.Title, Status: l.Status}
	case browser.CodeOf(err) == browser.PolicyDenied:
		e.refusal = err
		e.Note = "the page went on to one that may not be read. " + err.Error()
	default:
		e.Note = "another page was opened; it does not answer yet"
	}
}

// words says the effects in our words, a line each.
func (e effects) words(t *Tab) string {
	var b strings.Builder
	if e.Dialog != nil {
		fmt.Fprintf(&b, "\n%s; answer it with dialogs {\"action\": \"accept\"} or {\"action\": \"dismiss\"}%s", t.describe(*e.Dialog), promptHint(e.Dialog.Type))
	}
	if m := e.Navigated; m != nil {
		verb := "now at"
		if m.Within {
			verb = "address is now"
		}
		fmt.Fprintf(&b, "\n%s %s", verb, m.URL)
		if m.Title != "" {
			fmt.Fprintf(&b, " %s", quote(m.Title, 200))
		}
		if m.Status >= 400 {
			fmt.Fprintf(&b, " HTTP %d", m.Status)
		}
	}
	for _, n := range e.NewTabs {
		fmt.Fprintf(&b, "\nopened tab %s %s", n.TabID, n.URL)
	}
	for _, d := range e.Downloads {
		fmt.Fprintf(&b, "\n%v", d)
	}
	b.WriteString(t.chooserWords(e.Chooser))
	if e.Note != "" {
		fmt.Fprintf(&b, "\n%s", e.Note)
	}
	return b.String()
}

// files are the paths of what the action downloaded.
func (e effects) files() (paths []string) {
	for _, d := range e.Downloads {
		if d.Path != "" {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// openedDialog says whether err is that a dialog opened during the action, which then
// did what it was to do.
func (t *Tab) openedDialog(err error, from int) bool {
	if browser.CodeOf(err) != browser.DialogOpen {
		return false
	}
	d, _ := t.state.dialogOpen()
	return d != nil && d.at > from
}

// finish makes the result of an action: our words, its data, and what changed if asked.
func (t *Tab) finish(ctx context.Context, said string, e effects, after After, data any) (*Result, error) {
	r := &Result{Text: said + e.words(t), Data: data, Refusal: e.refusal, Files: e.files()}
	if e.Navigated != nil {
		r.URL = e.Navigated.URL
	}
	if after.FailOnAuthWall && e.Dialog == nil && e.refusal == nil {
		if err := t.noAuthWall(ctx); err != nil {
			return nil, err
		}
	}
	if after.SnapshotAfter && e.Dialog == nil && e.refusal == nil {
		if err := t.addChanges(ctx, r); err != nil {
			r.Text += "\nno snapshot: " + err.Error()
		}
	}
	return r, nil
}
