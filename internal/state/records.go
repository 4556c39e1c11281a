package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// maxRecord bounds the small JSON records; a larger one is not ours.
const maxRecord = 1 << 20

// PairedBrowser is a browser whose extension has been welcomed by a server of this user.
type PairedBrowser struct {
	Instance string    `json:"instance"` // the extension's id of itself, one per profile
	Version  string    `json:"version"`  // of the extension
	Chrome   string    `json:"chrome,omitempty"`
	Profile  string    `json:"profile,omitempty"`
	Since    time.Time `json:"since"`
	Last     time.Time `json:"last"`
}

// maxPaired bounds paired.json: test runs with throw-away profiles pair for ever.
const maxPaired = 32

type pairedFile struct {
	V        int             `json:"v"`
	Browsers []PairedBrowser `json:"browsers"`
}

// Paired lists the browsers that have paired, latest first. None is no error.
func (s *Store) Paired() ([]PairedBrowser, error) {
	var f pairedFile
	err := s.ReadRecord("paired.json", &f)
	return f.Browsers, err
}

// SetPaired records that a browser has paired, or was seen again.
func (s *Store) SetPaired(b PairedBrowser) error {
	if err := s.Ensure(); err != nil {
		return err
	}
	return s.locked(func() error {
		// A damaged record is replaced: it only decides how long a call waits.
		old, _ := s.Paired()
		b.Last = time.Now().UTC().Truncate(time.Millisecond)
		b.Since = b.Last
		list := []PairedBrowser{b}
		for _, o := range old {
			if o.Instance == b.Instance {
				list[0].Since = o.Since
			} else if len(list) < maxPaired {
				list = append(list, o)
			}
		}
		return s.WriteRecord("paired.json", pairedFile{V: 1, Browsers: list})
	})
}

type namesFile struct {
	V     int               `json:"v"`
	Names map[string]string `json:"names"` // extension's id of itself → what the user calls that browser
}

// BrowserNames are the names that the user gave to browsers, by the extension's id of
// itself. None is no error.
func (s *Store) BrowserNames() (map[string]string, error) {
	var f namesFile
	err := s.ReadRecord("names.json", &f)
	return f.Names, err
}

// NameBrowser keeps the name that the user gives to a browser.
func (s *Store) NameBrowser(instance, name string) error {
	if err := s.Ensure(); err != nil {
		return err
	}
	return s.locked(func() error {
		names, err := s.BrowserNames()
		if err != nil {
			return err
		}
		if names == nil {
			names = map[string]string{}
		}
		names[instance] = name
		return s.WriteRecord("names.json", namesFile{V: 1, Names: names})
	})
}

// LastSeen is what the native messaging host last heard from an extension.
type LastSeen struct {
	V           int       `json:"v"`
	Time        time.Time `json:"time"`
	Extension   string    `json:"extension"` // id
	Version     string    `json:"version"`
	Instance    string    `json:"instance"`
	HostVersion string    `json:"hostVersion"`
	PID         int       `json:"pid"` // of the host
	Proc        string    `json:"proc,omitempty"`
	Problem     string    `json:"problem,omitempty"`
	Ended       time.Time `json:"ended,omitzero"` // when the browser closed the port
	Left        string    `json:"left,omitempty"` // why, if the extension said so: "stopped"
}

// Open reports whether the extension still holds the port to that host.
func (l LastSeen) Open() bool {
	return l.PID > 0 && l.Ended.IsZero() && sameProcess(l.PID, l.Proc)
}

// LastSeen returns what the host last heard; the zero value when it never ran.
func (s *Store) LastSeen() (LastSeen, error) {
	var l LastSeen
	err := s.ReadRecord("lastseen.json", &l)
	return l, err
}

// SetLastSeen records what the host heard.
func (s *Store) SetLastSeen(l LastSeen) error {
	if err := s.Ensure(); err != nil {
		return err
	}
	l.V, l.Proc = 1, processStamp(l.PID)
	return s.WriteRecord("lastseen.json", l)
}

// SetLeft records that the host of this process has lost its browser, unless another
// host has heard an extension since.
func (s *Store) SetLeft(why string) error {
	l, err := s.LastSeen()
	if err != nil || l.PID != os.Getpid() {
		return err
	}
	l.Ended, l.Left = time.Now().UTC().Truncate(time.Millisecond), why
	return s.WriteRecord("lastseen.json", l)
}

// ReadRecord decodes a private JSON file. A missing one leaves v as it is and is no error.
func (s *Store) ReadRecord(name string, v any) error {
	b, err := readPrivate(s.Path(name), maxRecord)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return &FileError{Path: s.Path(name), Fault: FaultSyntax, Detail: "is not the JSON that it should be" + where(err)}
	}
	return nil
}

// WriteRecord writes v as a private JSON file. The folder has to exist: see Ensure.
func (s *Store) WriteRecord(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s cannot be encoded: %w", name, err)
	}
	return writePrivate(s.Path(name), append(b, '\n'))
}
