package page

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// Tab is one tab as a session uses it.
type Tab struct {
	s       *Session
	backend browser.Backend
	bt      browser.Tab
	queue   queue
	state   state
	cancel  func()

	observer  *observer // nil unless the user lets it record
	transfers transfers
	choosers  choosers

	mu       sync.Mutex
	known    []browser.Frame // last frame tree
	seen     int             // state.frames when known was read
	read     time.Time       // when known was last confirmed by use
	shown    *shown          // last snapshot
	scale    float64         // picture pixels per CSS pixel of the last screenshot
	viewport browser.Rect    // its size at the last picture, CSS px; zero is not known
	unlike   browser.Rect    // size of a viewport that pictures of the window do not show exactly
	policy   string          // standing answer to dialogs: "", "accept" or "dismiss"
	prompt   *string         // and to prompts that are accepted; nil is the page's own
}

func newTab(s *Session, b browser.Backend, bt browser.Tab) *Tab {
	t := &Tab{s: s, backend: b, bt: bt, scale: 1}
	t.state.init()
	if s.cfg.Policy.Observers {
		t.observer = newObserver(t)
	}
	leave := bt.Subscribe(t.event)
	t.cancel = sync.OnceFunc(func() {
		leave()
		t.observer.close()
	})
	return t
}

// ID is the tab's id.
func (t *Tab) ID() browser.TabID { return t.bt.ID() }

// Lock waits for the calls that came before; calls of a tab run in the order of Lock.
func (t *Tab) Lock(ctx context.Context) (unlock func(), err error) { return t.queue.lock(ctx) }

// Judge asks the gate about the document that the tab shows now.
func (t *Tab) Judge(ctx context.Context, a policy.Access) error {
	frames, err := t.frames(ctx)
	if err != nil {
		return err
	}
	return t.s.Judge(frames[0].URL, frames[0].Origin, a)
}

// attached is how long after the last command the debugger is surely still attached,
// so that no event can have been missed. Backends detach after an idle of 20 s.
const attached = 5 * time.Second

// frames lists the frames, main frame first. The list is kept until an event says that
// something about frames has changed.
func (t *Tab) frames(ctx context.Context) ([]browser.Frame, error) {
	changes := t.state.frameChanges()
	t.mu.Lock()
	if t.known != nil && t.seen == changes && time.Since(t.read) < attached {
		defer t.mu.Unlock()
		t.read = time.Now()
		return t.known, nil
	}
	t.mu.Unlock()
	list, err := race(ctx, t, t.bt.Frames)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, browser.Errorf(browser.TargetGone, "tab %s shows no document; reload it or open another with tab_new", t.ID())
	}
	t.state.setMain(string(list[0].ID))
	list = withOrigins(list)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.seen, t.read = list, changes, time.Now()
	return list, nil
}

// withOrigins gives blank and srcdoc frames the origin of the page around them. Chrome
// computes origins from URLs, which say nothing there.
func withOrigins(list []browser.Frame) []browser.Frame {
	out := slices.Clone(list)
	origin := map[browser.FrameID]string{}
	for i := range out {
		f := &out[i]
		if strings.HasPrefix(f.URL, "about:") && !strings.Contains(f.Origin, "://") || f.Origin == "://" {
			f.Origin = origin[f.Parent]
		}
		origin[f.ID] = f.Origin
	}
	return out
}

// queue is a fair lock: whoever asks first gets it first.
type queue struct {
	mu      sync.Mutex
	held    bool
	waiting []chan struct{}
}

func (q *queue) lock(ctx context.Context) (func(), error) {
	q.mu.Lock()
	if !q.held {
		q.held = true
		q.mu.Unlock()
		queued(ctx)
		return sync.OnceFunc(q.unlock), nil
	}
	turn := make(chan struct{})
	q.waiting = append(q.waiting, turn)
	q.mu.Unlock()
	queued(ctx)
	select {
	case <-turn:
		return sync.OnceFunc(q.unlock), nil
	case <-ctx.Done():
		q.leave(turn)
		return nil, ended(ctx, "waiting for earlier calls of this tab")
	}
}

// leave takes a waiter out, or passes the turn on if it has just come.
func (q *queue) leave(turn chan struct{}) {
	q.mu.Lock()
	for i, w := range q.waiting {
		if w == turn {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			q.mu.Unlock()
			return
		}
	}
	q.mu.Unlock()
	q.unlock()
}

func (q *queue) unlock() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.held = false
		return
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	close(next)
}
