package cdpfallback

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// Of an answer whose length nobody announced, the end of the stream looks the same
// whether the server was done or the connection broke: Chrome tells that to its own
// downloads only (Chromium 156). So such an answer is left to them, where Chrome saves
// for us.

// unsure says whether an answer could end early without our noticing.
func (p paused) unsure() bool {
	return p.header("Content-Length") == "" || p.header("Content-Encoding") != ""
}

// saves says whether Chrome saves downloads where we find them.
func (b *Backend) saves() bool {
	return b.cfg.Downloads != "" && !b.cfg.LeaveDownloads && !b.attached()
}

// saving is a download of Chrome's own, as the events of a side target tell it.
type saving struct {
	mu          sync.Mutex
	guid        string
	done, total int64
	state       string        // "" until it has begun
	changed     chan struct{} // has a word when something has changed
}

// event takes an event. It must not block.
func (s *saving) event(method string, params json.RawMessage) {
	var p struct {
		GUID     string  `json:"guid"`
		Total    float64 `json:"totalBytes"`
		Received float64 `json:"receivedBytes"`
		State    string  `json:"state"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == "Page.downloadWillBegin" && s.guid == "":
		s.guid, s.state = p.GUID, "inProgress"
	case method == "Page.downloadProgress" && p.GUID == s.guid && s.state == "inProgress":
		s.done, s.total, s.state = int64(p.Received), int64(p.Total), p.State
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *saving) now() (guid string, done, total int64, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.guid, s.done, s.total, s.state
}

// saveByChrome lets Chrome save an answer, whatever its type, and takes the file.
func (s *side) saveByChrome(ctx context.Context, o browser.DownloadOptions, p paused) (d browser.Download, err error) {
	headers := []header{{"Content-Disposition", "attachment"}}
	for _, h := range p.Headers {
		if !strings.EqualFold(h.Name, "Content-Disposition") {
			headers = append(headers, h)
		}
	}
	params := map[string]any{"requestId": p.ID, "responseCode": p.Status, "responseHeaders": headers}
	if err := s.b.conn.call(ctx, s.session, "Fetch.continueResponse", params, nil); err != nil {
		return d, err
	}
	done, err := s.follow(ctx, o)
	guid, _, _, _ := s.saving.now()
	file := filepath.Join(s.b.cfg.Downloads, filepath.Base(guid))
	if err != nil {
		s.giveUp(ctx, guid, file)
		return d, err
	}
	fi, err := os.Stat(file)
	if err != nil {
		return d, browser.Errorf(browser.DownloadFailed, "the browser says that the download is complete, but its file is gone: %v; try again", err)
	}
	if o.Progress != nil {
		o.Progress(fi.Size(), max(done, fi.Size()))
	}
	return browser.Download{
		Path: file, Name: fileName(p), MIME: mediaType(p), URL: p.Request.URL, Bytes: fi.Size(),
		Forget: func(context.Context) {},
	}, nil
}

// beginGrace is how long the news of a download may come after its navigation ended.
const beginGrace = time.Second

// follow waits for the end of the download and says how many bytes it has.
func (s *side) follow(ctx context.Context, o browser.DownloadOptions) (int64, error) {
	left := s.navigation.done // ends when the download begins, or when it cannot
	var none <-chan time.Time
	for {
		_, done, total, state := s.saving.now()
		switch {
		case o.MaxBytes > 0 && done > o.MaxBytes:
			return done, tooBig(o.URL, o.MaxBytes)
		case state == "completed":
			return done, nil
		case state == "canceled":
			return done, browser.Errorf(browser.DownloadFailed, "the download broke off after %d bytes; try again", done)
		case o.Progress != nil && done > 0:
			o.Progress(done, total)
		}
		select {
		case <-s.saving.changed:
		case p := <-s.paused: // Chrome holds an answer back again when it breaks off
			if err := s.b.conn.call(ctx, s.session, "Fetch.continueRequest", map[string]string{"requestId": p.ID}, nil); err != nil {
				return done, err
			}
		case <-left:
			left = nil
			if state == "" {
				none = time.After(beginGrace)
			}
		case <-none:
			if _, _, _, state := s.saving.now(); state == "" {
				return done, browser.Errorf(browser.DownloadFailed, "the download broke off before anything came; try again")
			}
		case <-ctx.Done():
			return done, browser.Errorf(browser.Timeout, "%s did not end in time; nothing was kept, try again", o.URL)
		}
	}
}

// giveUp ends a download that is not wanted any more.
func (s *side) giveUp(ctx context.Context, guid, file string) {
	if guid == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = s.b.conn.call(ctx, "", "Browser.cancelDownload", map[string]string{"guid": guid}, nil) // it may have ended
	_ = os.Remove(file)
}
