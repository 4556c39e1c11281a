package state

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// rewatch is how often the folder is looked at while it cannot be watched: when it was
// removed, or the user's inotify instances are used up.
const rewatch = time.Second

// Watch calls fn once as soon as the folder is watched, and again at once whenever a
// handshake file or the token of clients over HTTP appears, changes or goes. Calls do
// not overlap. It blocks until ctx
// ends.
func (s *Store) Watch(ctx context.Context, fn func()) {
	for ctx.Err() == nil {
		s.watchOnce(ctx, fn)
		select {
		case <-ctx.Done():
		case <-time.After(rewatch):
		}
	}
}

// watchOnce returns when the folder cannot be watched, or no longer.
func (s *Store) watchOnce(ctx context.Context, fn func()) {
	defer func() {
		if ctx.Err() == nil {
			fn()
		}
	}()
	if s.Ensure() != nil {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return
	}
	defer w.Close()
	if w.Add(s.dir) != nil {
		return
	}
	fn()
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-w.Events:
			if !ok {
				return
			}
			if filepath.Clean(ev.Name) == filepath.Clean(s.dir) && ev.Has(fsnotify.Remove|fsnotify.Rename) {
				return
			}
			if name := filepath.Base(ev.Name); isHandshakeName(name) || name == httpTokenName {
				fn()
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
			fn() // the queue ran over: something was lost
		}
	}
}
