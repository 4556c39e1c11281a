package page

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// state is what the events of a tab have told so far. Waiters look at it again after
// every event.
type state struct {
	mu      sync.Mutex
	seq     int           // counts events
	changed chan struct{} // closed at the next event

	frames int // changes to the frame tree or to a frame's URL

	main     string          // id of the main frame
	loader   string          // its loader
	phases   map[string]bool // lifecycle of that loader
	restored bool            // that document came out of the back/forward cache
	commit   mark            // last new document in the main frame
	within   mark            // last navigation within the document
	asked    mark            // last navigation asked for by the page or by us
	started  int             // seq of the main frame's last start of loading
	stopped  int             // and of its last end

	dialog  *Dialog
	opened  chan struct{} // closed when a dialog opens
	dialogs []Dialog
	lastSeq int // number of the last dialog

	offers map[string]int // tools that documents registered, by frame id

	chooser   int // seq of the last file chooser that was caught
	several   bool
	windows   int // seq of the last window.open
	tabs      []openedTab
	told      int // seq up to which an action has told of opened tabs
	downloads []download
	drag      json.RawMessage // data of the last intercepted drag
	gone      string          // why the tab is gone, "" while it is there
}

// mark is something that happened, where and when.
type mark struct {
	seq int
	url string
}

// Dialog is a JavaScript dialog.
type Dialog struct {
	Seq     int    `json:"seq"`
	Type    string `json:"type"` // alert, confirm, prompt, beforeunload
	Message string `json:"message"`
	Default string `json:"defaultPrompt,omitempty"`
	URL     string `json:"url"`
	Open    bool   `json:"open"`
	Result  string `json:"result,omitempty"` // accepted or dismissed
	Input   string `json:"userInput,omitempty"`

	frame browser.FrameID
	at    int // seq of the state
}

type openedTab struct {
	seq int
	id  browser.TabID
	url string
}

type download struct {
	seq  int
	name string
	url  string
}

// Bounds of the lists.
const (
	maxDialogs  = 100
	maxHappened = 32
)

func (s *state) init() {
	s.changed = make(chan struct{})
	s.opened = make(chan struct{})
	s.phases = map[string]bool{}
}

// now is the number of events so far; what comes later has a greater one.
func (s *state) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq
}

func (s *state) frameChanges() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frames
}

func (s *state) setMain(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.main = id
}

func (s *state) mainFrame() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.main
}

// dialogOpen returns the open dialog, unless a standing policy is answering it, and a
// channel that closes when one opens.
func (s *state) dialogOpen() (*Dialog, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.announced(), s.opened
}

func (s *state) announced() *Dialog {
	select {
	case <-s.opened:
	default:
		return nil
	}
	if s.dialog == nil {
		return nil
	}
	d := *s.dialog
	return &d
}

// wait returns when ok does, which is asked under the lock and after every event. It
// returns false when the context ends or d has passed.
func (s *state) wait(ctx context.Context, d time.Duration, ok func(*state) bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		s.mu.Lock()
		if ok(s) {
			s.mu.Unlock()
			return true
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// happened is what the events since a mark say.
type happened struct {
	dialog    *Dialog
	tabs      []openedTab
	windows   bool
	chooser   int // seq of the last file chooser
	several   bool
	downloads []download
	committed bool
	within    string // URL of a navigation within the document
	pending   string // URL of a navigation that has neither committed nor ended
}

func (s *state) since(seq int) happened {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := happened{dialog: s.announced(), windows: s.windows > seq, chooser: s.chooser, several: s.several, committed: s.commit.seq > seq, pending: s.pendingURL(seq)}
	if s.within.seq > seq && !h.committed {
		h.within = s.within.url
	}
	for _, o := range s.tabs {
		if o.seq > seq {
			h.tabs = append(h.tabs, o)
		}
	}
	for _, d := range s.downloads {
		if d.seq > seq {
			h.downloads = append(h.downloads, d)
		}
	}
	return h
}

// untold are the tabs that were opened after what one action observed and before the mark
// of the next one. They are told once.
func (s *state) untold(from int) []openedTab {
	s.mu.Lock()
	defer s.mu.Unlock()
	var late []openedTab
	for _, o := range s.tabs {
		if o.seq > s.told && o.seq <= from {
			late = append(late, o)
		}
	}
	s.told = s.seq
	return late
}

// pendingURL is the navigation that began after seq and still goes on.
func (s *state) pendingURL(seq int) string {
	begun := max(s.asked.seq, s.started)
	if begun <= seq || begun < max(s.commit.seq, s.stopped, s.within.seq) {
		return ""
	}
	if s.asked.url == "" {
		return "another page"
	}
	return s.asked.url
}

// keep appends and drops the oldest.
func keep[T any](list []T, v T, limit int) []T {
	list = append(list, v)
	if len(list) > limit {
		list = slices.Delete(list, 0, len(list)-limit)
	}
	return list
}
