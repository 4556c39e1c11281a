package task

import (
	"slices"
	"time"
)

// Running is a file that is on its way.
type Running struct {
	Name  string    `json:"name"`
	URL   string    `json:"url,omitempty"`
	Since time.Time `json:"since"`
	Done  int64     `json:"done"`            // bytes
	Total int64     `json:"total,omitempty"` // 0 is unknown
}

// Begin notes that a file is on its way; look says how far it is, and end takes it off
// the list again.
func (w *Work) Begin(name, url string, look func() (done, total int64)) (end func()) {
	r := &running{Running: Running{Name: name, URL: url, Since: time.Now()}, look: look}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = append(w.running, r)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running = slices.DeleteFunc(w.running, func(o *running) bool { return o == r })
	}
}

type running struct {
	Running
	look func() (done, total int64)
}

// Running lists the files that are on their way, the oldest first.
func (w *Work) Running() []Running {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := []Running{}
	for _, r := range w.running {
		now := r.Running
		now.Done, now.Total = r.look()
		list = append(list, now)
	}
	return list
}
