package cdpfallback

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chrome-mcp/internal/browser"
)

var _ browser.Downloader = (*Tab)(nil)

// downloading says what is to become of downloads that pages begin. Chrome saves them
// under their id, so that no name of a page's choosing is ever used.
func (b *Backend) downloading(ctx context.Context) error {
	if b.cfg.LeaveDownloads {
		return nil
	}
	params := map[string]any{"behavior": "deny"}
	if dir := b.cfg.Downloads; dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return browser.Errorf(browser.LaunchFailed, "no folder for downloads: %v; make it writable", err)
		}
		params = map[string]any{"behavior": "allowAndName", "downloadPath": dir}
	}
	return b.conn.call(ctx, "", "Browser.setDownloadBehavior", params, nil)
}

// Downloaded is where Chrome saved a download that the page began.
func (t *Tab) Downloaded(_ context.Context, guid, url string) (browser.Download, error) {
	if t.b.attached() { // where that browser saves files is its user's business
		return browser.Download{}, browser.Errorf(browser.DownloadFailed, "the browser is only attached to and saved the file itself, where it saves all; use download_file with the file's url")
	}
	dir := t.b.cfg.Downloads
	if t.b.attached() || t.b.cfg.LeaveDownloads {
		return browser.Download{}, browser.Errorf(browser.DownloadFailed, "this browser was not started by chrome-mcp and saved the file in its own downloads folder; to have it here, call download_file with url %s", url)
	}
	if dir == "" {
		return browser.Download{}, browser.Errorf(browser.DownloadFailed, "this browser was started without downloads; the user can start chrome-mcp with --enable-downloads")
	}
	file := filepath.Join(dir, filepath.Base(guid))
	fi, err := os.Stat(file)
	if err != nil {
		return browser.Download{}, browser.Errorf(browser.DownloadFailed, "the browser says that the download is complete, but its file is gone: %v; download it again", err)
	}
	return browser.Download{Path: file, URL: url, Bytes: fi.Size(), Forget: func(context.Context) {}}, nil
}

// Download loads the URL in a target of its own that is never shown, and takes the body
// of the answer before Chrome decides what to do with it. So the page is not left, the
// cookies and the certificate are the browser's, and each redirect is seen before it is
// followed. It works with a browser on another machine, too.
func (t *Tab) Download(ctx context.Context, o browser.DownloadOptions) (browser.Download, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	side, err := t.b.aside(ctx)
	if err != nil {
		return browser.Download{}, err
	}
	defer side.close()
	answer, err := side.load(ctx, o)
	if err != nil {
		return browser.Download{}, err
	}
	if answer.unsure() && t.b.saves() {
		return side.saveByChrome(ctx, o, answer)
	}
	return side.save(ctx, o, answer)
}

// paused is a request that Chrome holds back until we say what to do.
type paused struct {
	ID      string `json:"requestId"`
	Frame   string `json:"frameId"`
	Request struct {
		URL string `json:"url"`
	} `json:"request"`
	Type    string   `json:"resourceType"`
	Error   string   `json:"responseErrorReason"`
	Status  int      `json:"responseStatusCode"`
	Headers []header `json:"responseHeaders"`
}

type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (p paused) header(name string) string {
	for _, h := range p.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// load asks for the URL and returns the answer that has the bytes.
func (s *side) load(ctx context.Context, o browser.DownloadOptions) (paused, error) {
	pattern := []map[string]any{{"urlPattern": "*", "requestStage": "Request"}, {"urlPattern": "*", "requestStage": "Response"}}
	err := s.b.conn.all(ctx, s.session, []browser.Command{
		{Method: "Page.enable"},
		{Method: "Network.enable"},
		// A worker of the site would answer behind our back.
		{Method: "Network.setBypassServiceWorker", Params: map[string]any{"bypass": true}},
		{Method: "Fetch.enable", Params: map[string]any{"patterns": pattern}},
	})
	if err != nil {
		return paused{}, err
	}
	s.navigation, err = s.b.conn.start(s.session, "Page.navigate", map[string]string{"url": o.URL})
	if err != nil {
		return paused{}, err
	}
	for {
		select {
		case p := <-s.paused:
			if done, err := s.decide(ctx, o, p); done || err != nil {
				return p, err
			}
		case <-s.navigation.done:
			return paused{}, s.noAnswer(o.URL)
		case <-ctx.Done():
			return paused{}, browser.Errorf(browser.Timeout, "%s did not answer in time; nothing was kept", o.URL)
		}
	}
}

// noAnswer is why a navigation ended before anything came.
func (s *side) noAnswer(url string) error {
	var r struct {
		ErrorText string `json:"errorText"`
	}
	if s.navigation.err != nil {
		return s.navigation.err
	}
	_ = json.Unmarshal(s.navigation.result, &r)
	if r.ErrorText == "" {
		r.ErrorText = "it answered without content"
	}
	return browser.Errorf(browser.DownloadFailed, "%s could not be downloaded: %s; open it with navigate to see why", url, r.ErrorText)
}

// decide lets a request go on, refuses it, or recognises the answer.
func (s *side) decide(ctx context.Context, o browser.DownloadOptions, p paused) (done bool, err error) {
	answered := p.Status != 0 || p.Error != ""
	switch {
	case p.Type != "Document":
		return false, s.fail(ctx, p)
	case !answered:
		if o.Judge != nil {
			if err := o.Judge(p.Request.URL); err != nil {
				return false, errors.Join(err, s.fail(ctx, p))
			}
		}
		return false, s.b.conn.call(ctx, s.session, "Fetch.continueRequest", map[string]string{"requestId": p.ID}, nil)
	case p.Error != "", p.Status == 204, p.Status == 205, redirect(p.Status) && p.header("Location") != "":
		return false, s.b.conn.call(ctx, s.session, "Fetch.continueRequest", map[string]string{"requestId": p.ID}, nil)
	case p.Status >= 400:
		return false, browser.Errorf(browser.DownloadFailed, "%s answered with HTTP %d; open it with navigate to see why", p.Request.URL, p.Status)
	}
	return true, nil
}

func redirect(status int) bool { return slices.Contains([]int{301, 302, 303, 307, 308}, status) }

func (s *side) fail(ctx context.Context, p paused) error {
	return s.b.conn.call(ctx, s.session, "Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "Aborted"}, nil)
}

// piece is how many bytes are read at once.
const piece = 1 << 20

// save writes the answer's body into a file.
func (s *side) save(ctx context.Context, o browser.DownloadOptions, p paused) (d browser.Download, err error) {
	total, _ := strconv.ParseInt(p.header("Content-Length"), 10, 64)
	if o.MaxBytes > 0 && total > o.MaxBytes {
		return d, tooBig(p.Request.URL, o.MaxBytes)
	}
	var stream struct{ Stream string }
	if err := s.b.conn.call(ctx, s.session, "Fetch.takeResponseBodyAsStream", map[string]string{"requestId": p.ID}, &stream); err != nil {
		return d, err
	}
	dir := s.b.cfg.Downloads
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return d, browser.Errorf(browser.DownloadFailed, "no folder for downloads: %v; make it writable", err)
		}
	}
	f, err := os.CreateTemp(dir, "download-*")
	if err != nil {
		return d, browser.Errorf(browser.DownloadFailed, "no file for the download: %v; make the folder writable", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = browser.Errorf(browser.DownloadFailed, "the download cannot be written: %v; free space there", cerr)
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if p.header("Content-Encoding") != "" {
		total = 0 // it is of the packed bytes, and these are not
	}
	n, err := s.copy(ctx, f, stream.Stream, total, o)
	if err != nil {
		return d, err
	}
	return browser.Download{
		Path: f.Name(), Name: fileName(p), MIME: mediaType(p), URL: p.Request.URL, Bytes: n,
		Forget: func(context.Context) {},
	}, nil
}

func (s *side) copy(ctx context.Context, f *os.File, stream string, total int64, o browser.DownloadOptions) (n int64, err error) {
	for {
		var chunk struct {
			Base64 bool   `json:"base64Encoded"`
			Data   string `json:"data"`
			EOF    bool   `json:"eof"`
		}
		if err := s.b.conn.call(ctx, s.session, "IO.read", map[string]any{"handle": stream, "size": piece}, &chunk); err != nil {
			return n, browser.Errorf(browser.DownloadFailed, "the download broke off after %d bytes: %v; try again", n, err)
		}
		b := []byte(chunk.Data)
		if chunk.Base64 {
			if b, err = base64.StdEncoding.DecodeString(chunk.Data); err != nil {
				return n, browser.Errorf(browser.CDPError, "the browser sent bytes that cannot be decoded: %v; try again", err)
			}
		}
		if n += int64(len(b)); o.MaxBytes > 0 && n > o.MaxBytes {
			return n, tooBig(o.URL, o.MaxBytes)
		}
		if _, err := f.Write(b); err != nil {
			return n, browser.Errorf(browser.DownloadFailed, "the download cannot be written: %v; free space there", err)
		}
		if o.Progress != nil {
			o.Progress(n, total)
		}
		if chunk.EOF && n < total {
			return n, browser.Errorf(browser.DownloadFailed, "the download broke off after %d of %d bytes; try again", n, total)
		}
		if chunk.EOF {
			return n, nil
		}
	}
}

func tooBig(url string, max int64) error {
	return browser.Errorf(browser.DownloadFailed, "%s has more than %d MB; nothing was kept, the user can raise that with --max-file-mb", url, max>>20)
}

// mediaType is the type that the server says.
func mediaType(p paused) string {
	kind, _, _ := mime.ParseMediaType(p.header("Content-Type"))
	return kind
}

// fileName is what the server calls the file, else the last part of its path.
func fileName(p paused) string {
	if name := dispositionName(p.header("Content-Disposition")); name != "" {
		return name
	}
	u, err := url.Parse(p.Request.URL)
	if err != nil {
		return ""
	}
	if name := path.Base(u.Path); name != "/" && name != "." {
		return name
	}
	return "index"
}

// side is a target beside the tabs, which nobody sees and tabs_list does not know.
type side struct {
	b       *Backend
	target  string
	session string
	paused  chan paused
	saving  saving

	navigation *call // that asks for the file
}

// blankSide is the address that such a target is made with, by which it is told from tabs.
const blankSide = "about:blank#chrome-mcp"

// aside makes a target.
func (b *Backend) aside(ctx context.Context) (*side, error) {
	var made struct {
		Target string `json:"targetId"`
	}
	params := map[string]any{"url": blankSide, "background": true, "hidden": true}
	if err := b.conn.call(ctx, "", "Target.createTarget", params, &made); err != nil {
		return nil, err
	}
	s := &side{b: b, target: made.Target, paused: make(chan paused, 16), saving: saving{changed: make(chan struct{}, 1)}}
	b.mu.Lock()
	b.sides[s.target] = s
	b.mu.Unlock()
	var attached struct {
		Session string `json:"sessionId"`
	}
	if err := b.conn.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": s.target, "flatten": true}, &attached); err != nil {
		s.close()
		return nil, err
	}
	s.session = attached.Session
	b.mu.Lock()
	b.sideSessions[s.session] = s
	b.mu.Unlock()
	return s, nil
}

// event takes what Chrome tells of the target. It must not block.
func (s *side) event(method string, params json.RawMessage) {
	if strings.HasPrefix(method, "Page.download") {
		s.saving.event(method, params)
	}
	if method != "Fetch.requestPaused" {
		return
	}
	var p paused
	if json.Unmarshal(params, &p) != nil {
		return
	}
	select {
	case s.paused <- p:
	default: // a page that asks for so much is no file
	}
}

func (s *side) close() {
	_, _ = s.b.conn.start("", "Target.closeTarget", map[string]string{"targetId": s.target})
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	delete(s.b.sideSessions, s.session)
	delete(s.b.sides, s.target)
}

// isSide says whether a target is one of these, or one that is just being made.
func (b *Backend) isSide(tg target) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sides[tg.ID] != nil || tg.Opener == "" && strings.HasPrefix(tg.URL, blankSide)
}
