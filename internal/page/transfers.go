package page

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

// transfer is a download that a page of the tab began. Chrome saves it; we take it from
// there into the task's folder.
type transfer struct {
	at              int // seq of the tab's state when it began
	guid, url, name string
	page, origin    string // of the document that began it
	done, total     int64
	state           string        // inProgress, completed or canceled
	ended           chan struct{} // closed when it is over

	told  bool          // an action's result names it
	taken bool          // somebody keeps it
	kept  chan struct{} // closed when it is kept, or cannot be
	file  task.File
	mime  string
	err   error
}

// transfers are the downloads of a tab, and what else its events say about them.
type transfers struct {
	mu      sync.Mutex
	list    []*transfer
	window  mark          // last window.open of the page
	changed chan struct{} // closed at the next change
}

// keepFor bounds how long a download may take once nobody waits for it any more.
const keepFor = 2 * time.Hour

// downloadEvent takes what an event says of downloads, before the tab's state counts it:
// whoever is woken by the event finds the download here. It must not block.
func (t *Tab) downloadEvent(ev browser.Event) {
	if !strings.HasPrefix(ev.Method, "Page.download") && ev.Method != "Page.windowOpen" {
		return
	}
	var p struct {
		GUID     string `json:"guid"`
		URL      string `json:"url"`
		Name     string `json:"suggestedFilename"`
		Total    int64  `json:"totalBytes"`
		Received int64  `json:"receivedBytes"`
		State    string `json:"state"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	now := t.state.now() + 1
	page, origin := t.shownNow()
	l := &t.transfers
	l.mu.Lock()
	defer l.mu.Unlock()
	switch ev.Method {
	case "Page.windowOpen":
		l.window = mark{now, p.URL}
	case "Page.downloadWillBegin":
		l.list = keep(l.list, &transfer{at: now, guid: p.GUID, url: p.URL, name: p.Name, page: page, origin: origin, state: "inProgress", ended: make(chan struct{}), kept: make(chan struct{})}, maxHappened)
	default:
		for _, d := range l.list {
			if d.guid != p.GUID || d.state != "inProgress" {
				continue
			}
			d.done, d.total, d.state = p.Received, p.Total, p.State
			if p.State != "inProgress" {
				close(d.ended)
			}
		}
	}
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// wait returns when ok does, which is asked under the lock and after every change.
func (l *transfers) wait(ctx context.Context, d time.Duration, ok func() bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		l.mu.Lock()
		if ok() {
			l.mu.Unlock()
			return true
		}
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// begun are the downloads that began after a mark and that nobody has taken.
func (l *transfers) begun(from int) []*transfer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.list), func(d *transfer) bool { return d.at <= from || d.taken })
}

// news is a download that nobody has taken or was told of; from now on it is told.
func (l *transfers) news() *transfer {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.list {
		if !d.taken && !d.told {
			d.told = true
			return d
		}
	}
	return nil
}

// progress is how far a download is.
func (t *Tab) progress(d *transfer) (done, total int64, state string) {
	t.transfers.mu.Lock()
	defer t.transfers.mu.Unlock()
	return d.done, d.total, d.state
}

// tellProgress tells the client how far a download is, until it is over.
func (t *Tab) tellProgress(ctx context.Context, d *transfer) {
	l, tell, before := &t.transfers, seldom(progress(ctx)), int64(0)
	for l.wait(ctx, keepFor, func() bool { return d.done > before || d.state != "inProgress" }) {
		done, total, state := t.progress(d)
		if state != "inProgress" {
			return
		}
		before = done
		tell(done, total)
	}
}

// keepTransfer keeps a download that the page began, however long that takes, and whether or not
// anybody waits. name is what to call it; "" is its own.
func (t *Tab) keepTransfer(ctx context.Context, d *transfer, name string) {
	t.transfers.mu.Lock()
	taken := d.taken
	d.taken = true
	t.transfers.mu.Unlock()
	if taken {
		return
	}
	end := t.s.cfg.Tasks.Begin(d.name, d.url, func() (int64, int64) {
		done, total, _ := t.progress(d)
		return done, total
	})
	ctx, cancel := context.WithTimeout(t.s.caller(context.WithoutCancel(ctx)), keepFor)
	go func() {
		defer cancel()
		defer close(d.kept)
		defer end()
		select {
		case <-d.ended:
			d.file, d.mime, d.err = t.fetchTransfer(ctx, d, name)
		case <-ctx.Done():
			d.err = browser.Errorf(browser.DownloadFailed, "the download of %s takes too long; it was left to the browser", quote(d.name, 200))
		}
	}()
}

// fetchTransfer takes the file of a download that is over.
func (t *Tab) fetchTransfer(ctx context.Context, d *transfer, name string) (task.File, string, error) {
	if _, _, state := t.progress(d); state != "completed" {
		return task.File{}, "", browser.Errorf(browser.DownloadFailed, "the download of %s was cancelled, or the browser refused it (downloads may be switched off or blocked there); try again, or ask the user to look", quote(d.name, 200))
	}
	from, ok := t.bt.(browser.Downloader)
	if !ok {
		return task.File{}, "", browser.Errorf(browser.DownloadFailed, "this browser keeps its downloads to itself; use download_file with the address")
	}
	got, err := from.Downloaded(ctx, d.guid, d.url)
	if err != nil {
		return task.File{}, "", err
	}
	if denied := t.judgeTransfer(d); denied != nil {
		_ = os.Remove(got.Path)
		got.Forget(ctx)
		return task.File{}, "", denied
	}
	if name == "" {
		name = d.name
	}
	return t.s.keepFile(ctx, got, name)
}

// mayKeep says why a download that a page began is left to the browser, or nil.
func (t *Tab) mayKeep(d *transfer) error {
	if t.s.cfg.Tasks == nil {
		return noTasks()
	}
	if _, ok := t.bt.(browser.Downloader); !ok {
		return browser.Errorf(browser.DownloadFailed, "this browser keeps its downloads to itself; use download_file with the address")
	}
	return t.judgeTransfer(d)
}

// judgeTransfer asks the gate about where a download comes from. What is in a data:
// address the page has made.
func (t *Tab) judgeTransfer(d *transfer) error {
	if strings.HasPrefix(d.url, "data:") {
		return t.s.Judge(d.page, d.origin, policy.Download)
	}
	return t.s.Judge(d.url, blobOrigin(d.url), policy.Download)
}

// shownNow is the main frame's document as far as it is known.
func (t *Tab) shownNow() (url, origin string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) == 0 {
		return "", ""
	}
	return t.known[0].URL, t.known[0].Origin
}

// blobOrigin is the origin in a blob: address, which says whose it is.
func blobOrigin(address string) string {
	inner, ok := strings.CutPrefix(address, "blob:")
	if !ok {
		return ""
	}
	u, err := url.Parse(inner)
	if err != nil || u.Host == "" {
		return "null"
	}
	return u.Scheme + "://" + u.Host
}

// settleTime is how long an action waits for a download that it began. Small files are
// there by then; bigger ones come by themselves.
const settleTime = 1500 * time.Millisecond

// keepDownloads takes the downloads that an action began and says what became of them. A
// page may begin one a while after the action that led to it, and several one after the
// other: what nobody was told of yet is told now.
func (t *Tab) keepDownloads(ctx context.Context) []started {
	var list []started
	end := time.Now().Add(settleTime)
	for d := t.transfers.news(); d != nil; d = t.transfers.news() {
		s := started{File: d.name, URL: t.shownURL(d.url)}
		if why := t.mayKeep(d); why != nil {
			s.Note = "it is left to the browser: " + message(why)
			list = append(list, s)
			continue
		}
		t.keepTransfer(ctx, d, "")
		select {
		case <-d.kept:
			if d.err != nil {
				s.Note = message(d.err)
			} else {
				s.Path, s.Bytes = d.file.Path, d.file.Bytes
			}
		case <-time.After(time.Until(end)):
			s.Note = "it goes on, and will be in the task's folder: see task_status"
		case <-ctx.Done():
			s.Note = "it goes on, and will be in the task's folder: see task_status"
		}
		list = append(list, s)
	}
	return list
}

// message is an error's text without its code.
func message(err error) string {
	if e, ok := err.(*browser.Error); ok {
		return e.Message
	}
	return err.Error()
}
