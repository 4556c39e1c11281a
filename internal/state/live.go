package state

import (
	"errors"
	"os"
	"sort"
	"strings"
	"time"
)

// isHandshakeName tells handshake files from the temp files beside them.
func isHandshakeName(name string) bool {
	return name == "handshake.json" ||
		strings.HasPrefix(name, "handshake.") && strings.HasSuffix(name, ".json")
}

// Live returns the handshakes of all live servers, oldest first, and an error for
// each file that cannot be trusted or understood. Files of dead processes are removed.
func (s *Store) Live() ([]Handshake, []error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{&FileError{Path: s.dir, Fault: FaultUnreadable, Detail: "cannot be listed", Err: err}}
	}
	var live []Handshake
	var errs []error
	for _, e := range entries {
		path := s.Path(e.Name())
		if !isHandshakeName(e.Name()) {
			sweep(path, e)
			continue
		}
		h, err := readHandshake(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			errs = append(errs, err)
		case h.Alive():
			live = append(live, h)
		default:
			s.prune(path)
		}
	}
	sort.SliceStable(live, func(i, j int) bool { return live[i].TS < live[j].TS })
	return live, errs
}

// sweep removes the temp file of a writer that was killed, which may hold a token.
func sweep(path string, e os.DirEntry) {
	if !strings.HasPrefix(e.Name(), tempPrefix) {
		return
	}
	if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > time.Minute {
		os.Remove(path)
	}
}

// prune removes a dead server's file. It looks again under the lock, because a new
// server may have taken the name meanwhile. A folder that cannot be written (a sandbox)
// keeps its dead files; they are not reported as live all the same.
func (s *Store) prune(path string) {
	_ = s.locked(func() error {
		if h, err := readHandshake(path); err == nil && !h.Alive() {
			return os.Remove(path)
		}
		return nil
	})
}

// Revoke removes every handshake file. Each live server notices, drops its
// connections and publishes a new token. It returns the servers that were live.
func (s *Store) Revoke() ([]Handshake, error) {
	live, _ := s.Live()
	if _, err := os.Stat(s.dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return live, s.locked(func() error {
		entries, err := os.ReadDir(s.dir)
		errs := []error{err}
		for _, e := range entries {
			if !isHandshakeName(e.Name()) {
				continue
			}
			if err := os.Remove(s.Path(e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

// readHandshake opens, checks and parses one file.
func readHandshake(path string) (Handshake, error) {
	b, err := readPrivate(path, MaxHandshake)
	if err != nil {
		return Handshake{}, err
	}
	h, ferr := parseHandshake(b)
	if ferr != nil {
		ferr.Path = path
		return Handshake{}, ferr
	}
	h.Path = path
	return h, nil
}
