package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// free finds a name in dir that nothing has, case aside, and makes it with fn, which
// must fail with fs.ErrExist when somebody was quicker. It returns the path.
func free(dir, name string, fn func(path string) error) (string, error) {
	taken := map[string]bool{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		taken[strings.ToLower(e.Name())] = true
	}
	for n, try := 2, name; n < 10_000; n++ {
		if !taken[strings.ToLower(try)] {
			path := filepath.Join(dir, try)
			if err := fn(path); !errors.Is(err, fs.ErrExist) {
				return path, err
			}
		}
		try = shorten(name, fmt.Sprintf(" (%d)", n))
	}
	return "", fmt.Errorf("there are too many files called %s", name)
}

// Writer is a file that is being written. It counts only after Close; what Abort or an
// error ends is taken away.
type Writer struct {
	work *Work
	f    *os.File
	path string
	n    int64
	max  int64
	err  error
}

// Create begins a file. name is anybody's suggestion.
func (w *Work) Create(k Kind, name string) (*Writer, error) {
	dir, err := w.Dir(k)
	if err != nil {
		return nil, err
	}
	out := &Writer{work: w, max: w.max}
	out.path, err = free(dir, Base(name), func(path string) (err error) {
		out.f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		return err
	})
	if err != nil {
		return nil, cannot("write in", dir, err)
	}
	return out, nil
}

// Write adds bytes, up to the most that a file may have.
func (w *Writer) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.n+int64(len(b)) > w.max {
		w.err = tooBig(w.max)
		return 0, w.err
	}
	n, err := w.f.Write(b)
	w.n += int64(n)
	if err != nil {
		w.err = cannot("write", w.path, err)
	}
	return n, w.err
}

// Close ends the file and returns where it is.
func (w *Writer) Close() (File, error) {
	if err := w.f.Close(); err != nil && w.err == nil {
		w.err = cannot("write", w.path, err)
	}
	if w.err != nil {
		_ = os.Remove(w.path)
		return File{}, w.err
	}
	w.work.tell()
	return File{Path: w.path, Bytes: w.n}, nil
}

// Abort ends the file and takes it away.
func (w *Writer) Abort() {
	_ = w.f.Close()
	_ = os.Remove(w.path)
}

// File is a file that is kept.
type File struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Save keeps bytes as a file.
func (w *Work) Save(k Kind, name string, b []byte) (File, error) {
	out, err := w.Create(k, name)
	if err != nil {
		return File{}, err
	}
	_, _ = out.Write(b) // Close tells
	return out.Close()
}

// Adopt moves a file here that a browser has saved. It must be a plain file, not a link.
func (w *Work) Adopt(k Kind, name, from string) (File, error) {
	fi, err := os.Lstat(from)
	switch {
	case err != nil:
		return File{}, fmt.Errorf("the browser saved %s, but it cannot be read here: %w; does the browser run on another machine or in a sandbox (snap, flatpak)?", from, err)
	case !fi.Mode().IsRegular():
		return File{}, fmt.Errorf("%s is not a plain file; it was left there", from)
	case fi.Size() > w.max:
		return File{}, tooBig(w.max)
	}
	dir, err := w.Dir(k)
	if err != nil {
		return File{}, err
	}
	path, err := free(dir, Base(name), func(path string) error { return move(from, path) })
	if err != nil {
		return File{}, cannot("keep a file in", dir, err)
	}
	w.tell()
	return File{Path: path, Bytes: fi.Size()}, nil
}

// move renames without replacing: a link fails where a name is taken, a rename does not.
// Between file systems, and where there are no links, the bytes are copied.
func move(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err != nil {
		if err := copyFile(from, to); err != nil {
			return err
		}
	}
	if err := os.Chmod(to, 0o600); err != nil {
		return err
	}
	return os.Remove(from)
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(to)
		}
	}()
	_, err = io.Copy(out, in)
	return err
}

func tooBig(max int64) error {
	return fmt.Errorf("%w: it has more than %d MB; the user can raise that with --max-file-mb", ErrTooBig, max>>20)
}
