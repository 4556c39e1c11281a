package page

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// A click of ours must not open a window of the system that asks for files: it would take
// the user's focus, and nothing could answer it. So file choosers are events while the
// session acts, and for a moment longer, since pages open them late. After that they are
// the user's again.
const chooserTail = 3 * time.Second

// choosers is where file choosers of a tab are caught.
type choosers struct {
	mu     sync.Mutex
	busy   int                      // actions under way
	caught map[browser.FrameID]bool // by a frame of the target
	end    *time.Timer
}

const interceptChoosers = "Page.setInterceptFileChooserDialog"

// catchChoosers returns what has to be sent before an action on a frame, and what is to
// be called when the action is over.
func (t *Tab) catchChoosers(frame browser.FrameID) (first []browser.Command, over func()) {
	c := &t.choosers
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy++
	if c.end != nil {
		c.end.Stop()
	}
	if !c.caught[frame] {
		first = []browser.Command{{Frame: frame, Method: interceptChoosers, Params: map[string]any{"enabled": true}}}
		if c.caught == nil {
			c.caught = map[browser.FrameID]bool{}
		}
		c.caught[frame] = true
	}
	return first, sync.OnceFunc(func() { t.chooserOver(frame) })
}

func (t *Tab) chooserOver(frame browser.FrameID) {
	c := &t.choosers
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy--; c.busy == 0 {
		c.end = time.AfterFunc(chooserTail, t.releaseChoosers)
	}
}

// releaseChoosers gives file choosers back to the user.
func (t *Tab) releaseChoosers() {
	c := &t.choosers
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(t.s.caller(context.Background()), 2*time.Second)
	defer cancel()
	for frame := range c.caught {
		_ = t.bt.Call(ctx, frame, interceptChoosers, map[string]any{"enabled": false}, nil) // a frame that is gone has none
	}
	c.caught = nil
}

// forget is for a debugger that was away: what it was told is over.
func (c *choosers) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.caught = nil
}

// act sends input to a frame, during which no file chooser opens. over is to be called
// once it was seen what the input did.
func (t *Tab) act(ctx context.Context, frame browser.FrameID, calls []browser.Command) (over func(), err error) {
	first, over := t.catchChoosers(frame)
	if _, err = t.batch(ctx, append(first, calls...)); err != nil && first != nil {
		t.choosers.forget() // it may be that nothing was sent
	}
	return over, err
}

func (s *state) chooserOpened(ev browser.Event) {
	var p struct {
		Mode string `json:"mode"`
	}
	if json.Unmarshal(ev.Params, &p) == nil {
		s.chooser, s.several = s.seq, p.Mode == "selectMultiple"
	}
}

// chooserWords says that the page asked for files.
func (t *Tab) chooserWords(c *chooser) string {
	if c == nil {
		return ""
	}
	files := "the file"
	if c.Several {
		files = "the files"
	}
	said := "\nthe page opened a file chooser, which was closed again: give it " + files + " with upload_file and the same target"
	if flag := policy.Flag(policy.Upload); !t.s.cfg.Policy.Enabled(policy.Upload) {
		said += "; uploads are switched off, the user can start chrome-mcp with " + flag
	}
	return said
}

// chooser is a file chooser that an action opened.
type chooser struct {
	Several bool `json:"multiple,omitempty"`
}
