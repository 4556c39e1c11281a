// Package browser is the waist of chrome-mcp: what a browser has to offer so that
// the page actions above it can be written once.
//
// Two backends implement it: bridge (the user's Chrome, through the extension) and
// cdpfallback (a Chrome of ours). It holds contracts, values and errors only; it
// knows no tool, no page logic and no transport.
package browser

import (
	"context"
	"encoding/json"
	"time"
)

// Kind names a backend in tab ids, status and logs.
type Kind string

// The two backends.
const (
	Extension Kind = "ext"
	CDP       Kind = "cdp"
)

// TabID is the handle that a client sees: "ext:<browser>:<n>" or "cdp:<session>:<n>".
// <browser> is a short code of the browser's run, the same in every server. It is opaque
// above the waist. A handle of another backend or of a run that ended answers STALE_TAB.
type TabID string

// FrameID is Chrome's frame id. The empty FrameID means the main frame.
type FrameID string

// Backend is one way to reach browsers. All methods are safe for concurrent use,
// honour the context's deadline and return *Error.
type Backend interface {
	Kind() Kind
	// Status reports what is known without any I/O.
	Status() Status
	// Ping returns nil if a browser answers before the context ends.
	Ping(ctx context.Context) error
	// Tabs lists the tabs of all browsers, the user's and the sessions'.
	Tabs(ctx context.Context) ([]TabInfo, error)
	// Open opens a tab for the caller's session, in the background unless Active.
	// It answers when the tab exists; it does not wait for the page.
	Open(ctx context.Context, o OpenOptions) (TabInfo, error)
	Close(ctx context.Context, id TabID) error
	// Activate brings the tab to the front of its window and gives that window focus.
	Activate(ctx context.Context, id TabID) error
	// Tab returns the tab without I/O; an unknown id answers TAB_NOT_FOUND or STALE_TAB.
	Tab(id TabID) (Tab, error)
	// Release tells the browsers that the session has ended: its tabs lose their owner.
	Release(ctx context.Context, session string) error
	// Shutdown disconnects. It ends a browser only if this backend started it.
	Shutdown(ctx context.Context) error
}

// Tab is one browser tab. The backend attaches to it on first use and detaches when
// it is idle; callers never see that. Every call carries a Caller in its context.
type Tab interface {
	ID() TabID
	// Info is the tab's state as the browser (not the page) tells it.
	Info(ctx context.Context) (TabInfo, error)
	// Frames lists the frame tree, main frame first, parents before children,
	// cross-origin frames included at any depth.
	Frames(ctx context.Context) ([]Frame, error)
	// Call sends one CDP command to the target that hosts the frame. params and
	// result are JSON values or structs; result may be nil. What enables Network,
	// Runtime or Log in the main frame's target does so for targets that come later.
	Call(ctx context.Context, frame FrameID, method string, params, result any) error
	// Batch sends commands in order in one round trip and stops at the first error,
	// which comes back as the error beside the results so far.
	Batch(ctx context.Context, calls []Command) ([]json.RawMessage, error)
	// Run calls a named page function in the isolated world of one frame and decodes
	// its value into result. The Answer says which document answered.
	Run(ctx context.Context, r RunRequest, result any) (Answer, error)
	// Capture takes a picture without scrolling, activating or focusing the tab, also
	// when it is hidden.
	Capture(ctx context.Context, o CaptureOptions) (Image, error)
	// Subscribe delivers the tab's events in order, on one goroutine, until cancel.
	// The function must not block and must not call the tab.
	Subscribe(fn func(Event)) (cancel func())
}

// Caller is who a command is sent for: the gate, the audit and the user see it.
type Caller struct {
	Session string // MCP session id, the owner of its tabs
	Tool    string // MCP tool name
	Title   string // what the session's tab group is called: client and project
	Call    string // the tool call, unique in the session; what the user granted once is for one
}

type callerKey struct{}

// WithCaller returns a context that carries c.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the Caller of the context, or the zero Caller.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// TabInfo describes a tab. URL is "" when the browser does not tell it: such a tab
// is refused by the gate.
type TabInfo struct {
	ID        TabID  `json:"tabId"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Active    bool   `json:"active"`           // frontmost in its window
	Window    int    `json:"window,omitempty"` // browser's window id
	Index     int    `json:"index"`            // position in its window, from 0
	Owner     string `json:"owner,omitempty"`  // session that owns it; "" for the user's own
	Opener    TabID  `json:"opener,omitempty"` // tab whose page opened it
	Loading   bool   `json:"loading,omitempty"`
	Discarded bool   `json:"discarded,omitempty"`
	Browser   string `json:"browser,omitempty"` // name of the browser, when there are several
}

// OpenOptions says how to open a tab. The owner is the context's Caller.
type OpenOptions struct {
	URL     string // "" is about:blank
	Active  bool   // bring it to the front: only when the user's agent asked for it
	Browser string // which browser, by name; "" is the session's or the only one
}

// Frame is one frame of a tab.
type Frame struct {
	ID      FrameID `json:"frameId"`
	Parent  FrameID `json:"parentId,omitempty"`
	URL     string  `json:"url"`
	Origin  string  `json:"origin,omitempty"` // security origin; it judges blob:, about: and srcdoc
	Name    string  `json:"name,omitempty"`
	Process bool    `json:"outOfProcess,omitempty"`
}

// Command is one CDP command of a batch.
type Command struct {
	Frame  FrameID       `json:"frame,omitempty"`
	Method string        `json:"method"`
	Params any           `json:"params,omitempty"`
	Delay  time.Duration `json:"-"` // pause before this command; 1 ms steps
}

// RunRequest names a page function and what it works on.
type RunRequest struct {
	Frame FrameID
	Fn    string  // a name of package pagefn
	Args  any     // JSON object
	Nodes []int64 // CDP backend node ids, handed to the function as DOM nodes
}

// Answer says which document answered a page function.
type Answer struct {
	URL      string // document.URL at the moment of answering
	Origin   string // self.origin, which judges blob:, about: and srcdoc documents
	Document string // random id of the document; another id is another document
	Node     int64  // backend node id of the element that the answer points at, 0 for none
}

// CaptureOptions says what to capture, in CSS pixels of the page.
type CaptureOptions struct {
	Format  string  // "jpeg" or "png"
	Quality int     // 1 to 100, jpeg only
	Clip    *Rect   // nil: the viewport
	Scale   float64 // picture pixels per CSS pixel; 0 is 1
	Beyond  bool    // Clip may lie outside the viewport
}

// Rect is in CSS pixels.
type Rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Image is an encoded picture.
type Image struct {
	Data []byte
	MIME string
}

// Event is a CDP event of the tab or of one of its frames' targets, or one of ours:
//
//	tab.created {tabId, url, opener}   a page of this tab opened that tab
//	tab.removed {}                     the tab is gone
//	tab.detached {reason}              the debugger was detached: "canceled_by_user" is the user's stop
//	tab.updated {url, title, status}
//	events.lost {}                     the connection was away for a while, and events with it
type Event struct {
	Frame  FrameID // target's root frame when it is not the main target
	Method string
	Params json.RawMessage
}

// Status is what a backend knows of itself.
type Status struct {
	Kind     Kind            `json:"backend"`
	Ready    bool            `json:"ready"`
	Detail   string          `json:"detail,omitempty"` // why not ready, with the next step
	Browsers []BrowserStatus `json:"browsers,omitempty"`
	Events   []StatusEvent   `json:"events,omitempty"` // displacement, heartbeat loss, refusals: newest last, bounded
}

// BrowserStatus is one extension instance or started Chrome.
type BrowserStatus struct {
	Name    string    `json:"name"`
	Version string    `json:"version,omitempty"` // Chrome's version
	Profile string    `json:"profile,omitempty"`
	Since   time.Time `json:"since"`
	PingMS  float64   `json:"pingMs,omitempty"`
	Mode    string    `json:"mode,omitempty"` // "extension", "started", "attached"
}

// StatusEvent is something a user would want to know.
type StatusEvent struct {
	Time time.Time `json:"time"`
	What string    `json:"what"`
}
