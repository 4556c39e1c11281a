package page

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// upload is a file that may be uploaded.
type upload struct {
	path     string // as the browser is given it: in the uploads folder by its name
	name     string
	bytes    int64
	modified time.Time
	dir      bool
}

// uploads judges the files by where they really are: links out of the uploads folder are
// followed to their end before the answer.
func (s *Session) uploads(files []string) ([]upload, error) {
	dir := s.cfg.Policy.UploadsDir
	if dir == "" {
		return nil, browser.Errorf(browser.UploadFailed, "there is no folder to upload from; the user can start chrome-mcp with --uploads-dir DIR")
	}
	if len(files) == 0 {
		return nil, browser.Errorf(browser.BadArgs, "files is empty; name at least one file in %s", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, browser.Errorf(browser.UploadFailed, "the uploads folder %s cannot be used: %v; the user can make it, or name another with --uploads-dir", dir, err)
	}
	list := make([]upload, len(files))
	for i, f := range files {
		if list[i], err = uploadOf(dir, real, f); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func uploadOf(dir, real, file string) (u upload, err error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	outside := browser.Errorf(browser.UploadFailed, "%s is not in %s, the only folder that files may be uploaded from (--uploads-dir); ask the user to put it there", file, dir)
	at, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := inside(dir, filepath.Clean(file)); err != nil {
			if _, err := inside(real, filepath.Clean(file)); err != nil {
				return u, outside // whether it exists is not said
			}
		}
		return u, browser.Errorf(browser.UploadFailed, "there is no file %s%s", file, neighbours(dir))
	}
	if err != nil {
		return u, browser.Errorf(browser.UploadFailed, "%s cannot be read: %v; name another, or ask the user to make it readable", file, err)
	}
	rel, err := inside(real, at)
	if err != nil {
		return u, outside
	}
	fi, err := os.Stat(at)
	switch {
	case err != nil:
		return u, browser.Errorf(browser.UploadFailed, "%s cannot be read: %v; name another, or ask the user to make it readable", file, err)
	case !fi.IsDir() && !fi.Mode().IsRegular():
		return u, browser.Errorf(browser.UploadFailed, "%s is neither a file nor a folder; name another", file)
	}
	return upload{path: filepath.Join(dir, rel), name: fi.Name(), bytes: fi.Size(), modified: fi.ModTime(), dir: fi.IsDir()}, nil
}

// inside is the path below dir, or an error for one that is not.
func inside(dir, path string) (string, error) {
	rel, err := filepath.Rel(dir, path)
	if err == nil && (rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))) {
		err = errors.New("outside")
	}
	return rel, err
}

// neighbours names some of what is there.
func neighbours(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return fmt.Sprintf("; %s is empty", dir)
	}
	var names []string
	for _, e := range entries[:min(len(entries), 10)] {
		names = append(names, e.Name())
	}
	more := ""
	if len(entries) > 10 {
		more = " …"
	}
	return fmt.Sprintf("; in %s are %s%s", dir, strings.Join(names, ", "), more)
}

// accepts judges a name by an input's accept attribute. What cannot be told is let
// through: the page looks for itself.
func accepts(accept, name string) bool {
	ending := strings.ToLower(filepath.Ext(name))
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(ending))
	unsure := false
	rules := 0
	for rule := range strings.SplitSeq(strings.ToLower(accept), ",") {
		rule = strings.TrimSpace(rule)
		if rule == "" {
			continue
		}
		rules++
		family, any := strings.CutSuffix(rule, "/*")
		switch {
		case strings.HasPrefix(rule, "."):
			if strings.HasSuffix(strings.ToLower(name), rule) {
				return true
			}
		case kind == "":
			unsure = true
		case any && (family == "*" || strings.HasPrefix(kind, family+"/")), rule == kind:
			return true
		}
	}
	return rules == 0 || unsure
}

const (
	uploadPiece = 1 << 20   // bytes of a file that are sent at once
	maxSent     = 200 << 20 // bytes of one upload that are sent to the page
)

// sendFiles hands the bytes of the files to the page, which makes files of them.
func (t *Tab) sendFiles(ctx context.Context, in fileInput, list []upload) ([]pagefn.FileEntry, error) {
	const permit = "the user can permit that for the extension: chrome://extensions, chrome-mcp, Details, Allow access to file URLs"
	var size int64
	for _, u := range list {
		if u.dir {
			return nil, browser.Errorf(browser.UploadFailed, "the browser may not open the folder %s by itself; %s", u.path, permit)
		}
		size += u.bytes
	}
	if size > maxSent {
		return nil, browser.Errorf(browser.UploadFailed, "%d MB are too much to hand over unless the browser may open files by itself; %s", size>>20, permit)
	}
	last := pagefn.SetFilesArgs{Transfer: ulid.Make().String(), Drop: in.zone != nil}
	for i, u := range list {
		if err := t.sendFile(ctx, in, pagefn.SetFilesArgs{Transfer: last.Transfer, Drop: last.Drop, File: i}, u.path); err != nil {
			return nil, err
		}
		kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(strings.ToLower(filepath.Ext(u.name))))
		last.Files = append(last.Files, pagefn.FileMeta{Name: u.name, Type: kind, Modified: u.modified.UnixMilli()})
	}
	v, err := t.sendPiece(ctx, in, last)
	return v.Files, err
}

func (t *Tab) sendFile(ctx context.Context, in fileInput, piece pagefn.SetFilesArgs, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return browser.Errorf(browser.UploadFailed, "%s cannot be read: %v; name another, or ask the user to make it readable", path, err)
	}
	defer f.Close()
	b := make([]byte, uploadPiece)
	for {
		n, err := io.ReadFull(f, b)
		if n > 0 {
			piece.Data = base64.StdEncoding.EncodeToString(b[:n])
			if _, err := t.sendPiece(ctx, in, piece); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return browser.Errorf(browser.UploadFailed, "%s cannot be read: %v; name another, or ask the user to make it readable", path, err)
		}
	}
}

func (t *Tab) sendPiece(ctx context.Context, in fileInput, a pagefn.SetFilesArgs) (pagefn.Files, error) {
	v, _, err := run[pagefn.Files](ctx, t, browser.RunRequest{Frame: in.frame.ID, Fn: "setFiles", Args: a, Nodes: []int64{in.node}})
	return v, err
}
