package page

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	urlpath "path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

// DownloadArgs are those of download_file.
type DownloadArgs struct {
	TabArg
	Target
	URL           string `json:"url,omitempty" desc:"What to download; or give a target, a link or button that starts it."`
	SuggestedName string `json:"suggestedName,omitempty" desc:"Name to keep it under."`
}

// downloaded is download_file's structured content.
type downloaded struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	MIME  string `json:"mimeType,omitempty"`
	Name  string `json:"suggestedName,omitempty"`
	URL   string `json:"url,omitempty"`
}

// How long download_file waits.
const (
	startBudget    = 15 * time.Second  // for a download to begin: servers make reports on demand
	downloadBudget = 120 * time.Second // for its end; what takes longer goes on by itself
)

// DownloadFile is download_file. It finds its tab itself, because it does not keep the
// tab from other calls while bytes are coming.
func DownloadFile(ctx context.Context, s *Session, a DownloadArgs) (*Result, error) {
	switch {
	case s.cfg.Tasks == nil:
		return nil, noTasks()
	case a.URL == "" && !a.Target.given():
		return nil, browser.Errorf(browser.BadArgs, "say what to download: a url, or a target (selector, ref, or role with name) whose click starts it")
	case a.URL != "" && a.Target.given():
		return nil, browser.Errorf(browser.BadArgs, "give url or a target, not both")
	case a.URL != "":
		return s.downloadURL(ctx, a)
	}
	return s.downloadTarget(ctx, a)
}

// downloadURL downloads an address without touching the page.
func (s *Session) downloadURL(ctx context.Context, a DownloadArgs) (*Result, error) {
	if strings.HasPrefix(a.URL, "data:") {
		return s.downloadData(a)
	}
	t, err := s.forNavigation(ctx, a.TabID)
	if err != nil {
		return nil, err
	}
	unlock, err := t.Lock(ctx) // what was asked for earlier may be a sign-in
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(a.URL, "blob:") {
		defer unlock()
		return t.downloadBlob(ctx, a)
	}
	a.URL, err = t.absolute(ctx, a.URL)
	unlock()
	if err != nil {
		return nil, err
	}
	return t.downloadAddress(ctx, a)
}

// absolute is an address as navigate takes it, or relative to the page.
func (t *Tab) absolute(ctx context.Context, to string) (string, error) {
	if !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, ".") && !strings.HasPrefix(to, "?") {
		return address(to)
	}
	if err := t.Judge(ctx, policy.Download); err != nil {
		return "", err
	}
	frames, err := t.frames(ctx)
	if err != nil {
		return "", err
	}
	base, err := url.Parse(frames[0].URL)
	if err == nil {
		base, err = base.Parse(to)
	}
	if err != nil {
		return "", browser.Errorf(browser.BadArgs, "%s is no address on this page: %v; give a whole URL", quote(to, 200), err)
	}
	return base.String(), nil
}

// downloadAddress lets the browser download what is at an address.
func (t *Tab) downloadAddress(ctx context.Context, a DownloadArgs) (*Result, error) {
	s := t.s
	judge := func(url string) error { return s.Judge(url, blobOrigin(url), policy.Download) }
	if err := judge(a.URL); err != nil {
		return nil, err
	}
	from, ok := t.bt.(browser.Downloader)
	if !ok {
		return nil, browser.Errorf(browser.DownloadFailed, "this browser cannot download; read the page instead, or ask the user to download it")
	}
	var done, total atomic.Int64
	end := s.cfg.Tasks.Begin(urlpath.Base(a.URL), a.URL, func() (int64, int64) { return done.Load(), total.Load() })
	tell := seldom(progress(ctx))
	return detached(ctx, "the download of "+quote(a.URL, 200), func(ctx context.Context) (*Result, error) {
		defer end()
		d, err := from.Download(s.caller(ctx), browser.DownloadOptions{
			URL: a.URL, MaxBytes: s.cfg.Tasks.Max(), Judge: judge,
			Progress: func(n, of int64) { done.Store(n); total.Store(of); tell(n, of) },
		})
		if err != nil {
			return nil, err
		}
		f, kind, err := s.keepFile(ctx, d, a.SuggestedName)
		if err != nil {
			return nil, err
		}
		return downloadResult(f, downloaded{MIME: kind, Name: d.Name, URL: d.URL}), nil
	})
}

// detached runs what may take longer than a call. It goes on when the call's time is
// over, and ends with the call when the client cancels that.
func detached(ctx context.Context, what string, run func(context.Context) (*Result, error)) (*Result, error) {
	type outcome struct {
		r   *Result
		err error
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	done := make(chan outcome, 1)
	go func() {
		defer cancel()
		r, err := run(own)
		done <- outcome{r, err}
	}()
	late := time.NewTimer(downloadBudget)
	defer late.Stop()
	select {
	case o := <-done:
		return o.r, o.err
	case <-late.C:
	case <-ctx.Done():
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel()
			return nil, ended(ctx, "downloading")
		}
	}
	return nil, browser.Errorf(browser.Timeout, "%s goes on: ask task_status how far it is and where it will be; do not begin it again", what)
}

func downloadResult(f task.File, d downloaded) *Result {
	d.Path, d.Bytes = f.Path, f.Bytes
	if d.Name == "" {
		d.Name = filepath.Base(f.Path)
	}
	said := fmt.Sprintf("downloaded %s, %d bytes", quote(d.Name, 200), d.Bytes)
	if d.MIME != "" {
		said += ", " + d.MIME
	}
	return &Result{Text: said + "\n" + d.Path, Data: d, URL: d.URL, Files: []string{d.Path}}
}

// downloadData keeps what is in a data: address: it comes from the caller.
func (s *Session) downloadData(a DownloadArgs) (*Result, error) {
	if !s.cfg.Policy.Enabled(policy.Download) {
		return nil, s.Judge("about:blank", "", policy.Download)
	}
	head, body, ok := strings.Cut(strings.TrimPrefix(a.URL, "data:"), ",")
	bad := browser.Errorf(browser.BadArgs, "the data: address is not whole; it is data:TYPE;base64,DATA")
	if !ok {
		return nil, bad
	}
	kind, encoded := strings.CutSuffix(head, ";base64")
	kind, _, _ = strings.Cut(kind, ";")
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, bad
	}
	b := []byte(text)
	if encoded {
		if b, err = base64.StdEncoding.WithPadding(base64.NoPadding).DecodeString(strings.TrimRight(text, "=")); err != nil {
			return nil, bad
		}
	}
	f, err := s.cfg.Tasks.Save(task.Downloads, named(a.SuggestedName, extension(kind)), b)
	if err != nil {
		return nil, kept(err)
	}
	return downloadResult(f, downloaded{MIME: typeOf(kind, f.Path)}), nil
}

// named is the suggested name, with the ending if it has none. What an ending is put
// behind must be a name already: behind the path of a folder it would be a hidden file.
func named(name, ending string) string {
	name = task.Base(name)
	if urlpath.Ext(name) == "" {
		name += ending
	}
	return name
}

// blobPiece is how many bytes of a blob come at once.
const blobPiece = 2 << 20

// downloadBlob reads a blob out of the page that made it.
func (t *Tab) downloadBlob(ctx context.Context, a DownloadArgs) (*Result, error) {
	if err := t.s.Judge(a.URL, blobOrigin(a.URL), policy.Download); err != nil {
		return nil, err
	}
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	none := browser.Errorf(browser.DownloadFailed, "no page or frame of %s is open in tab %s, and only its own pages can read a blob: address; open the page that made it, or give the button that saves it as the target", blobOrigin(a.URL), t.ID())
	err = none
	for _, f := range frames {
		if f.Origin != blobOrigin(a.URL) {
			continue
		}
		var r *Result
		if r, err = t.blobOf(ctx, f, a); err == nil {
			return r, nil
		}
	}
	return nil, err
}

func (t *Tab) blobOf(ctx context.Context, f browser.Frame, a DownloadArgs) (*Result, error) {
	var out *task.Writer
	for at := int64(0); ; {
		b, _, err := run[pagefn.Bytes](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "bytes", Args: pagefn.BytesArgs{URL: a.URL, Offset: at, Max: blobPiece}})
		if err == nil && out == nil {
			out, err = t.s.cfg.Tasks.Create(task.Downloads, named(a.SuggestedName, extension(b.Type)))
		}
		var raw []byte
		if err == nil {
			raw, err = base64.StdEncoding.DecodeString(b.Data)
		}
		if err == nil {
			_, err = out.Write(raw)
		}
		if err != nil {
			if out != nil {
				out.Abort()
			}
			return nil, kept(err)
		}
		if at += int64(len(raw)); at >= b.Total || len(raw) == 0 {
			file, err := out.Close()
			if err != nil {
				return nil, kept(err)
			}
			return downloadResult(file, downloaded{MIME: typeOf(b.Type, file.Path), URL: a.URL}), nil
		}
	}
}

// downloadTarget clicks a link or button and keeps the download that begins.
func (s *Session) downloadTarget(ctx context.Context, a DownloadArgs) (*Result, error) {
	t, err := s.Resolve(ctx, a.TabID, policy.Download)
	if err != nil {
		return nil, err
	}
	d, again, err := t.start(ctx, a)
	if err != nil {
		return nil, err
	}
	if again != "" { // the page opened the address in a tab of its own
		a.URL = again
		return t.downloadAddress(ctx, a)
	}
	return detached(ctx, "the download of "+quote(d.name, 200), func(ctx context.Context) (*Result, error) {
		watch, enough := context.WithCancel(ctx)
		defer enough()
		go t.tellProgress(watch, d)
		select {
		case <-d.kept:
		case <-ctx.Done():
			return nil, ended(ctx, "waiting for the download")
		}
		if d.err != nil {
			return nil, d.err
		}
		return downloadResult(d.file, downloaded{MIME: d.mime, Name: d.name, URL: d.url}), nil
	})
}

// start clicks and waits until a download begins. A link to a site is clicked with Alt,
// which makes Chrome save what it leads to whatever that is, unless the page does
// something of its own. A window that the page opened for the download is answered with its address.
func (t *Tab) start(ctx context.Context, a DownloadArgs) (*transfer, string, error) {
	unlock, err := t.Lock(ctx)
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	if err := t.Judge(ctx, policy.Download); err != nil {
		return nil, "", err
	}
	from := t.state.now()
	p, h, err := t.prepare(ctx, a.Target, "click", false)
	if err != nil {
		return nil, "", err
	}
	x, y, err := t.toMain(ctx, h.frame, p.X, p.Y)
	if err != nil {
		return nil, "", err
	}
	click := ClickArgs{}
	if savable(p.Href, h.answer.URL) {
		click.Modifiers = []string{"Alt"}
	}
	over, err := t.act(ctx, h.frame.ID, press(x, y, click))
	defer over()
	if err != nil && !navigated(err) {
		return nil, "", err
	}
	return t.started(ctx, a, from, label(p))
}

// savable says whether a link leads to something that can be saved: not to a script, nor
// to a place on the page itself.
func savable(href, page string) bool {
	to, _, _ := strings.Cut(href, "#")
	at, _, _ := strings.Cut(page, "#")
	scheme, _, _ := strings.Cut(to, ":")
	return (scheme == "http" || scheme == "https") && to != at
}

// popupGrace is how long a window that a page opened may take to become a download.
const popupGrace = time.Second

// started waits for the download that a click began, and takes it.
func (t *Tab) started(ctx context.Context, a DownloadArgs, from int, what string) (*transfer, string, error) {
	l := &t.transfers
	_, dialog := t.state.dialogOpen()
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-dialog:
			cancel()
		case <-wait.Done():
		}
	}()
	any := func() bool { return len(l.list) > 0 && l.list[len(l.list)-1].at > from }
	window := func() bool { return any() || l.window.seq > from && l.window.url != "" }
	if l.wait(wait, startBudget, window) {
		l.wait(wait, popupGrace, any)
	}
	if list := l.begun(from); len(list) > 0 {
		d := list[0]
		if err := t.mayKeep(d); err != nil {
			return nil, "", err
		}
		t.keepTransfer(ctx, d, a.SuggestedName)
		return d, "", nil
	}
	if d, _ := t.state.dialogOpen(); d != nil {
		return nil, "", t.dialogError(d)
	}
	l.mu.Lock()
	opened := l.window
	l.mu.Unlock()
	if opened.seq > from && savable(opened.url, "") {
		return nil, opened.url, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, "", ended(ctx, "waiting for a download to begin")
	}
	e := t.observe(ctx, from)
	return nil, "", browser.Errorf(browser.DownloadFailed, "the click on %s began no download within %d s; look at the page with snapshot, or give the file's url%s", what, int(startBudget/time.Second), e.words(t))
}
