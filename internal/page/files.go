package page

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"os"
	urlpath "path"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/task"
)

// Keep saves what is too long for an answer in the session's task folder and returns the
// path. Reading tools may always do that: the folder is ours.
func (s *Session) Keep(k task.Kind, name string, b []byte) (string, error) {
	if s.cfg.Tasks == nil {
		return "", noTasks()
	}
	f, err := s.cfg.Tasks.Save(k, name, b)
	if err != nil {
		return "", kept(err)
	}
	return f.Path, nil
}

// putAside is how much text is put aside for an answer that has a part of it.
const putAside = 8 << 20

// reach is how much a read asks the page for: what the answer leaves out goes into a
// file, and the page is not read again for it.
func (t *Tab) reach(limit int) int {
	if t.s.cfg.Tasks == nil {
		return limit
	}
	return max(limit, putAside)
}

// keepFile moves a file that the browser saved into the task's folder.
func (s *Session) keepFile(ctx context.Context, d browser.Download, name string) (f task.File, kind string, err error) {
	name = named(cmp.Or(name, d.Name), cmp.Or(urlpath.Ext(task.Base(d.Name)), extension(d.MIME)))
	f, err = s.cfg.Tasks.Adopt(task.Downloads, name, d.Path)
	if err != nil {
		_ = os.Remove(d.Path)
	}
	d.Forget(ctx)
	if err != nil {
		return f, "", kept(err)
	}
	return f, typeOf(d.MIME, f.Path), nil
}

// usual are the extensions that people expect; the system's table has several for most.
var usual = map[string]string{
	"text/html": ".html", "text/plain": ".txt", "text/csv": ".csv", "application/json": ".json", "application/xml": ".xml", "text/xml": ".xml",
	"image/jpeg": ".jpg", "image/png": ".png", "image/svg+xml": ".svg", "application/pdf": ".pdf", "application/zip": ".zip", "audio/mpeg": ".mp3", "video/mp4": ".mp4",
}

// extension is the one for a MIME type, "" if none is known.
func extension(kind string) string {
	if e := usual[kind]; e != "" || kind == "application/octet-stream" {
		return e
	}
	if list, err := mime.ExtensionsByType(kind); err == nil && len(list) > 0 {
		return list[0]
	}
	return ""
}

// typeOf is the MIME type of a file: the browser's word, its name's, or its first bytes'.
func typeOf(told, file string) string {
	named, _, _ := mime.ParseMediaType(mime.TypeByExtension(strings.ToLower(urlpath.Ext(file))))
	if told != "" && told != "application/octet-stream" || named == "" && told != "" {
		return told
	}
	if named != "" {
		return named
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := f.Read(head)
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(head[:n]))
	return kind
}

// FileType is the MIME type of a kept file, by its name or its first bytes.
func FileType(file string) string {
	if strings.HasSuffix(file, ".har") {
		return "application/json"
	}
	return typeOf("", file)
}

func noTasks() error {
	return browser.Errorf(browser.DownloadFailed, "this server has no data folder to keep files in; the user can set HOME or CHROME_MCP_DATA and restart it")
}

// kept is the error of a file that could not be kept: it says itself what to do.
func kept(err error) error {
	var e *browser.Error
	if errors.As(err, &e) {
		return e
	}
	return browser.Errorf(browser.DownloadFailed, "%v", err)
}
