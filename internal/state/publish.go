package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"chrome-mcp/internal/version"
)

// Published is a handshake file that this process wrote and will remove.
type Published struct {
	store *Store

	mu      sync.Mutex
	path    string
	h       Handshake
	removed bool
}

// Publish writes the handshake file of a server. The caller gives Port, SessionID,
// Client and ExpectedExtensionID; the rest is filled in, with a fresh token unless one
// is given. The name is handshake.json, or handshake.<pid>.json while another live
// server holds the first. It fails rather than leave a file that others can read.
func (s *Store) Publish(h Handshake) (*Published, error) {
	if err := s.Ensure(); err != nil {
		return nil, err
	}
	h.V, h.PID, h.Version = handshakeVersion, os.Getpid(), version.Version
	h.Proc = processStamp(h.PID)
	if h.Token == "" {
		h.Token = NewToken()
	}
	if h.TS == 0 {
		h.TS = time.Now().UnixMilli()
	}
	p := &Published{store: s, h: h}
	if err := s.locked(p.write); err != nil {
		return nil, err
	}
	return p, nil
}

// Handshake returns what is published now.
func (p *Published) Handshake() Handshake {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.h
}

// Path returns the file's path.
func (p *Published) Path() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.path
}

// Rotate replaces the token, in memory and in the file, and returns the new one.
func (p *Published) Rotate() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed {
		return "", errors.New("the handshake is withdrawn; publish a new one")
	}
	p.h.Token = NewToken()
	return p.h.Token, p.store.locked(p.write)
}

// Remove deletes the file if it is still ours. It may be called more than once.
func (p *Published) Remove() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed {
		return nil
	}
	p.removed = true
	if _, err := os.Lstat(p.path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return p.store.locked(func() error {
		if !p.intact() {
			return nil
		}
		return os.Remove(p.path)
	})
}

// Guard calls revoked each time the file is gone or changed by another hand, which is
// how `chrome-mcp revoke` and a user's rm reach a server. It blocks until ctx ends.
func (p *Published) Guard(ctx context.Context, revoked func()) {
	p.store.Watch(ctx, func() {
		p.mu.Lock()
		lost := !p.removed && !p.intact()
		p.mu.Unlock()
		if lost {
			revoked()
		}
	})
}

// intact reports whether the file is there and says what we wrote.
func (p *Published) intact() bool {
	h, err := readHandshake(p.path)
	return err == nil && h.SessionID == p.h.SessionID && TokenEqual(h.Token, p.h.Token)
}

// write picks the name and writes the file. The folder's lock is held, so that two
// servers which start together see each other's file. A name that was lost by revoke
// may be another server's by now.
func (p *Published) write() error {
	p.path = p.store.freeName(p.h)
	p.h.Path = p.path
	b, err := json.Marshal(p.h)
	if err != nil {
		return fmt.Errorf("handshake cannot be encoded: %w", err)
	}
	return writePrivate(p.path, append(b, '\n'))
}

// freeName returns the first handshake name that no other live server holds, preferring
// the one that h has.
func (s *Store) freeName(h Handshake) string {
	names := []string{"handshake.json", fmt.Sprintf("handshake.%d.json", h.PID)}
	if h.Path != "" {
		names = append([]string{filepath.Base(h.Path)}, names...)
	}
	// One process may run several bridges; each has a session of its own.
	for n := 2; n < 100; n++ {
		names = append(names, fmt.Sprintf("handshake.%d.%d.json", h.PID, n))
	}
	for _, name := range names {
		got, err := readHandshake(s.Path(name))
		if err != nil || got.SessionID == h.SessionID || !got.Alive() {
			return s.Path(name)
		}
	}
	return s.Path(fmt.Sprintf("handshake.%d.%s.json", h.PID, NewToken()[:8]))
}
