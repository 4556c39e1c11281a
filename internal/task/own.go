package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoFile is the error for a file that is not one of this session's.
var ErrNoFile = errors.New("no such file in the tasks of this session")

// OnKept makes fn the function that is called each time a file was kept, on the
// goroutine of whoever kept it.
func (w *Work) OnKept(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = fn
}

func (w *Work) tell() {
	w.mu.Lock()
	fn := w.kept
	w.mu.Unlock()
	if fn != nil {
		fn()
	}
}

// Files lists the files of this session's tasks, the latest first. What other sessions
// and earlier runs kept is not among them.
func (w *Work) Files() ([]Entry, error) {
	w.mu.Lock()
	own := slices.Clone(w.own)
	w.mu.Unlock()
	var list []Entry
	for _, name := range own {
		files, err := w.files(name)
		if err != nil {
			return nil, err
		}
		list = append(list, files...)
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.Changed.Compare(a.Changed) })
	return list, nil
}

// Lookup describes a kept file by its path. It is ErrNoFile for all others.
func (w *Work) Lookup(path string) (Entry, error) {
	rel, err := filepath.Rel(w.data.Path("tasks"), path)
	if err != nil {
		return Entry{}, ErrNoFile
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	if len(parts) != 3 {
		return Entry{}, ErrNoFile
	}
	f, e, err := w.Open(parts[0], Kind(parts[1]), parts[2])
	if err != nil {
		return Entry{}, err
	}
	return e, f.Close()
}

// Open opens a file of this session's tasks. Each part is a name, never a path, and no
// link is followed out of the task's folder.
func (w *Work) Open(task string, k Kind, name string) (*os.File, Entry, error) {
	w.mu.Lock()
	own := slices.Contains(w.own, task)
	w.mu.Unlock()
	if !own || !slices.Contains(Kinds, k) || !isName(name) {
		return nil, Entry{}, ErrNoFile
	}
	dir := w.data.Path("tasks", task, string(k))
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, Entry{}, noFile(err)
	}
	defer root.Close()
	fi, err := root.Lstat(name) // to open a pipe would wait for its other end
	if err != nil || !fi.Mode().IsRegular() {
		return nil, Entry{}, noFile(err)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, Entry{}, noFile(err)
	}
	if fi, err = f.Stat(); err != nil || !fi.Mode().IsRegular() {
		_ = f.Close()
		return nil, Entry{}, noFile(err)
	}
	return f, Entry{Path: filepath.Join(dir, name), Kind: k, Bytes: fi.Size(), Changed: fi.ModTime(), Task: task}, nil
}

func noFile(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return ErrNoFile
	}
	return fmt.Errorf("%w: %w", ErrNoFile, err)
}

// isName says whether s is one element of a path, on every system.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00:")
}
