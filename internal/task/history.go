package task

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxPending bounds the history that waits for a task.
const maxPending = 1000

// Line is what the history tells of one call: never its arguments, never page text.
type Line struct {
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Tab     string    `json:"tab,omitempty"`
	Origin  string    `json:"origin,omitempty"`
	Outcome string    `json:"outcome"` // ok, or the error's code
	MS      float64   `json:"ms"`
	Files   []string  `json:"files,omitempty"` // kept by the call
}

// Log adds a call to the history. Without a task it is remembered until there is one.
func (w *Work) Log(l Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.name == "" {
		w.pending = append(w.pending, l)
		if over := len(w.pending) - maxPending; over > 0 {
			w.pending = slices.Delete(w.pending, 0, over)
		}
		return nil
	}
	return w.append(l)
}

// append writes a line. w.mu is held.
func (w *Work) append(l Line) error {
	l.Time = l.Time.UTC().Round(time.Millisecond)
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	path := w.data.Path("tasks", w.name, history)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the user took the folder away
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		}
	}
	if err != nil {
		return cannot("write", path, err)
	}
	_, err = f.Write(append(text, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return cannot("write", path, err)
	}
	return nil
}
