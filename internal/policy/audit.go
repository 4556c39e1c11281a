package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Entry is what the audit log tells of one tool call. It never holds arguments, page
// text or a URL beyond its origin.
type Entry struct {
	Time       time.Time `json:"time"`
	Session    string    `json:"session"`
	Client     string    `json:"client,omitempty"`
	Caller     string    `json:"caller,omitempty"` // id of the extension that called, as Chrome says
	Tool       string    `json:"tool"`
	Tab        string    `json:"tab,omitempty"`
	Origin     string    `json:"origin,omitempty"` // that was judged
	Verdict    string    `json:"verdict"`          // allow or deny
	Rule       string    `json:"rule,omitempty"`
	Outcome    string    `json:"outcome"` // ok, or the error's code
	MS         float64   `json:"ms"`
	Bytes      int       `json:"bytes"` // of the answer
	Redactions int       `json:"redactions,omitempty"`
	Args       string    `json:"args,omitempty"` // Digest of the arguments
}

// line is an Entry in its chain.
type line struct {
	Seq int `json:"seq"` // from 1, over all parts of a session
	Entry
	Prev string `json:"prev"` // SHA-256 of the line before, "" for the first
}

// Audit is the audit log of one server. Each server has files of its own, so that
// servers which run at the same time cannot break each other's chain: a line holds the
// hash of the one before it. Nothing is written before the first Record.
type Audit struct {
	dir, name string

	mu   sync.Mutex
	f    *os.File
	size int64
	part int
	seq  int
	prev string
}

const (
	maxPart  = 8 << 20  // bytes of a file, then the next part begins
	maxAudit = 64 << 20 // bytes of all files, then the oldest go
	keepFor  = 24 * time.Hour
)

// NewAudit makes the log of a session in dir.
func NewAudit(dir, session string) *Audit {
	name := time.Now().UTC().Format("20060102T150405Z") + "-" + fileSafe(session)
	return &Audit{dir: dir, name: name}
}

// Record appends an entry. An entry is complete or not there.
func (a *Audit) Record(e Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	e.Time = e.Time.UTC().Round(time.Millisecond)
	text, err := json.Marshal(line{Seq: a.seq + 1, Entry: e, Prev: a.prev})
	if err != nil {
		return fmt.Errorf("audit entry cannot be encoded: %w", err)
	}
	if a.f == nil || a.size+int64(len(text))+1 > maxPart {
		if err := a.next(); err != nil {
			return fmt.Errorf("audit log cannot be kept: %w; free space in %s or make it writable", err, a.dir)
		}
	}
	if _, err := a.f.Write(append(text, '\n')); err != nil {
		a.f.Truncate(a.size)
		return fmt.Errorf("audit log cannot be written: %w; free space in %s", err, a.dir)
	}
	a.size += int64(len(text)) + 1
	a.seq++
	a.prev = hash(text)
	return nil
}

// next begins the next part.
func (a *Audit) next() error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(a.dir, fmt.Sprintf("%s.%04d.jsonl", a.name, a.part+1))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if a.f != nil {
		a.f.Close()
	}
	a.f, a.size, a.part = f, 0, a.part+1
	return a.prune()
}

// prune removes the oldest files while there is too much. Files of the last day stay:
// they may belong to servers that run.
func (a *Audit) prune() error {
	files, err := auditFiles(a.dir)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, path := range slices.Backward(files) { // newest first
		fi, err := os.Stat(path)
		if err != nil {
			continue
		}
		total += fi.Size()
		ours := strings.HasPrefix(filepath.Base(path), a.name+".")
		if total > maxAudit-maxPart && (ours || time.Since(fi.ModTime()) > keepFor) {
			os.Remove(path)
		}
	}
	return nil
}

// Close ends the log.
func (a *Audit) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.f == nil {
		return nil
	}
	err := a.f.Close()
	a.f = nil
	return err
}

// auditFiles lists the files of a folder, oldest first: their names begin with the
// session's start and end with the part.
func auditFiles(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	slices.Sort(files)
	return files, err
}

func hash(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

func fileSafe(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), 64)]
}

// Digest is the SHA-256 of arguments in canonical form: keys sorted, no white space,
// numbers as JavaScript writes them. Equal arguments have equal digests.
func Digest(args json.RawMessage) (string, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return "", errors.New("arguments are not JSON")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return hash(text), nil
}
