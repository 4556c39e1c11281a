package bridge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

var _ browser.Downloader = (*Tab)(nil)

// Download lets the browser download a URL, and answers when its file is complete. The
// file is where Chrome saves downloads, until the caller moves it.
func (t *Tab) Download(ctx context.Context, o browser.DownloadOptions) (browser.Download, error) {
	s, err := t.download(ctx, wire.DownloadParams{URL: o.URL})
	if err != nil {
		return browser.Download{}, err
	}
	return t.complete(ctx, s, o)
}

// Downloaded finds the file of a download that the page began.
func (t *Tab) Downloaded(ctx context.Context, _, url string) (browser.Download, error) {
	s, err := t.download(ctx, wire.DownloadParams{Page: url})
	if err != nil {
		return browser.Download{}, err
	}
	return t.complete(ctx, s, browser.DownloadOptions{URL: url})
}

func (t *Tab) download(ctx context.Context, p wire.DownloadParams) (s wire.DownloadState, err error) {
	err = t.call(ctx, wire.Download, p, &s)
	return s, err
}

// complete follows a download to its end. One that is given up is cancelled.
func (t *Tab) complete(ctx context.Context, s wire.DownloadState, o browser.DownloadOptions) (d browser.Download, err error) {
	defer func() {
		if err != nil {
			t.giveUp(ctx, s.ID)
		}
	}()
	judged := ""
	for {
		if o.Judge != nil && s.URL != judged {
			if err := o.Judge(s.URL); err != nil {
				return d, err
			}
			judged = s.URL
		}
		switch {
		case o.MaxBytes > 0 && max(s.Bytes, s.Total) > o.MaxBytes:
			return d, browser.Errorf(browser.DownloadFailed, "%s has more than %d MB; nothing was kept, the user can raise that with --max-file-mb", s.URL, o.MaxBytes>>20)
		case s.Held != "":
			return d, browser.Errorf(browser.DownloadFailed, "Chrome takes %s for dangerous (%s) and wants the user to decide; it was given up, the user can download it by hand", s.URL, s.Held)
		case s.State == "complete":
			return t.saved(s), nil
		case s.State == "interrupted":
			return d, browser.Errorf(browser.DownloadFailed, "the download of %s was interrupted: %s; try again, or open it with navigate to see why", s.URL, interruption(s.Error))
		}
		if o.Progress != nil {
			o.Progress(s.Bytes, s.Total)
		}
		if s, err = t.next(ctx, s); err != nil {
			return d, err
		}
	}
}

// next asks for a change. What is known stays when the asking fails.
func (t *Tab) next(ctx context.Context, s wire.DownloadState) (wire.DownloadState, error) {
	n, err := t.download(ctx, wire.DownloadParams{ID: s.ID, Wait: true})
	if err != nil {
		return s, err
	}
	return n, nil
}

func (t *Tab) saved(s wire.DownloadState) browser.Download {
	name := s.Name
	if name == "" {
		name = filepath.Base(s.File)
	}
	return browser.Download{
		Path: s.File, Name: name, MIME: s.MIME, URL: s.URL, Bytes: s.Bytes,
		Forget: func(ctx context.Context) {
			t.after(ctx, wire.DownloadParams{ID: s.ID, Forget: true})
			if dir := filepath.Dir(s.File); filepath.Base(dir) == waitingFolder {
				_ = os.Remove(dir) // only when it is empty
			}
		},
	}
}

func (t *Tab) giveUp(ctx context.Context, id int) {
	t.after(ctx, wire.DownloadParams{ID: id, Cancel: true})
}

// after does what belongs to a download that is over, also when its call has ended.
func (t *Tab) after(ctx context.Context, p wire.DownloadParams) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if _, err := t.download(ctx, p); err != nil {
		t.b.log.Warn("a download was not tidied up", "error", err)
	}
}

// waitingFolder is the folder in the user's downloads in which the extension lets files
// of ours wait.
const waitingFolder = "chrome-mcp"

// interruptions says what Chrome's words mean; the first that is a prefix counts.
var interruptions = [][2]string{
	{"FILE_NO_SPACE", "the disk is full; free space there"},
	{"FILE_ACCESS_DENIED", "Chrome may not write in its downloads folder; the user can choose another in Chrome's settings"},
	{"FILE_TOO_LARGE", "the file is too large for that disk"},
	{"FILE_VIRUS_INFECTED", "a virus was found in it"},
	{"FILE_BLOCKED", "a rule of the administrator or a setting of Chrome forbids it"},
	{"FILE_SECURITY_CHECK_FAILED", "a security check refused it"},
	{"FILE_", "it could not be saved; is the disk in order?"},
	{"NETWORK_", "the connection broke; try again"},
	{"SERVER_UNAUTHORIZED", "the server wants a sign-in; open the site with navigate"},
	{"SERVER_FORBIDDEN", "the server forbids it"},
	{"SERVER_BAD_CONTENT", "the server has no such file"},
	{"SERVER_", "the server sent an error; open the address with navigate to see it"},
	{"USER_CANCELED", "the user cancelled it in Chrome"},
	{"USER_SHUTDOWN", "Chrome was closed"},
	{"CRASH", "Chrome crashed"},
}

func interruption(word string) string {
	for _, i := range interruptions {
		if strings.HasPrefix(word, i[0]) {
			return i[1] + " (" + word + ")"
		}
	}
	return word
}
