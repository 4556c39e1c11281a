package task

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Info describes a task.
type Info struct {
	Name    string    `json:"name"`
	Path    string    `json:"path"`
	Current bool      `json:"current,omitempty"`
	Changed time.Time `json:"changed"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
}

// List describes all tasks of the user, the latest first.
func (w *Work) List() ([]Info, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	root := w.data.Path("tasks")
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannot("read", root, err)
	}
	list := []Info{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		i, err := w.info(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken away meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b Info) int { return b.Changed.Compare(a.Changed) })
	return list, nil
}

// Entry is a file of a task.
type Entry struct {
	Path    string    `json:"path"`
	Kind    Kind      `json:"kind"`
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`

	Task string `json:"-"` // name of the task
}

// Name is the file's name in its folder.
func (e Entry) Name() string { return filepath.Base(e.Path) }

// Current describes the current task and its files, the latest first. Before the first
// task there is none.
func (w *Work) Current() (Info, []Entry, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.name == "" {
		return Info{}, nil, nil
	}
	i, err := w.info(w.name)
	if err != nil {
		return Info{}, nil, err
	}
	files, err := w.files(w.name)
	return i, files, err
}

// info describes a task. w.mu is held.
func (w *Work) info(name string) (Info, error) {
	i := Info{Name: name, Path: w.data.Path("tasks", name), Current: name == w.name}
	fi, err := os.Stat(i.Path)
	if err != nil {
		return i, err
	}
	i.Changed = fi.ModTime()
	if fi, err := os.Stat(filepath.Join(i.Path, history)); err == nil {
		i.Changed = fi.ModTime()
	}
	files, err := w.files(name)
	for _, f := range files {
		i.Files++
		i.Bytes += f.Bytes
		if f.Changed.After(i.Changed) {
			i.Changed = f.Changed
		}
	}
	return i, err
}

func (w *Work) files(name string) ([]Entry, error) {
	list := []Entry{}
	for _, k := range Kinds {
		dir := w.data.Path("tasks", name, string(k))
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, cannot("read", dir, err)
		}
		for _, e := range entries {
			if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
				list = append(list, Entry{Path: filepath.Join(dir, e.Name()), Kind: k, Bytes: fi.Size(), Changed: fi.ModTime(), Task: name})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.Changed.Compare(a.Changed) })
	return list, nil
}
