// Package wire is the specification of what the server and the extension say to each
// other over the loopback WebSocket, and what the extension and the native messaging
// host say to each other.
//
// Every frame is one JSON object in one text message and carries "v":1 and "type".
// The server listens and the extension dials; the extension says hello within
// HelloTimeout and nothing else is processed before welcome. A command has exactly one
// result or error. Events come in the order in which the browser told them, and an
// event that happened before a command was answered comes before that answer.
//
// The structs here are the only source; wire.gen.ts is generated from them. The
// package holds no connection and no behaviour beyond encoding and checking.
package wire

import (
	"encoding/json"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

//go:generate go run ./gen

// Protocol is the value of "v" in every frame and message.
const Protocol = 1

// Limits and times, the same on both sides.
const (
	HelloTimeout  = 5 * time.Second
	Heartbeat     = 15 * time.Second // app ping; two missed pongs close the socket
	ProbeTimeout  = 800 * time.Millisecond
	MaxFrame      = 64 << 20 // bytes of one message, either way
	MaxQueued     = 8 << 20  // bytes waiting towards the extension, then BACKPRESSURE
	DefaultPort   = 38017
	HostName      = "com.chrome_mcp.host"
	MaxHostOut    = 1 << 20  // bytes, host to extension (Chrome's limit)
	MaxHostIn     = 64 << 20 // bytes, extension to host (Chrome's limit)
	CommandTime   = 30 * time.Second
	SlowTime      = 60 * time.Second // capture, navigate, wait, download
	ReviewTime    = 65 * time.Second // the minute that the user has, and a little
	IdleDetach    = 20 * time.Second // the debugger leaves a tab that no command has used for so long
	CloseReplaced = 4000             // close code: the same browser dialled again
	CloseStopped  = 4001             // close code: the user pressed Stop in the extension
	CloseRefused  = 4401             // close code after unauthorized
)

// Header is what every frame has.
type Header struct {
	V    int    `json:"v"`
	Type string `json:"type"`
}

// Frame types.
const (
	TypeHello        = "hello"
	TypeWelcome      = "welcome"
	TypeUnauthorized = "unauthorized"
	TypeCommand      = "command"
	TypeResult       = "result"
	TypeError        = "error"
	TypeEvent        = "event"
	TypePing         = "ping"
	TypePong         = "pong"
)

// Hello is the extension's first frame.
type Hello struct {
	Header
	Token string  `json:"token"`
	Ext   ExtInfo `json:"ext"`
}

// ExtInfo says which extension in which browser.
type ExtInfo struct {
	ID          string `json:"id"`
	Version     string `json:"version"`
	Chrome      string `json:"chrome"`   // Chrome's version
	Instance    string `json:"instance"` // random, kept per profile
	Run         string `json:"run"`      // random, kept until the browser ends: tab numbers mean something only within it
	ProfileName string `json:"profileName,omitempty"`
	Bundle      string `json:"bundle"` // SHA-256 of the page bundle, hex
}

// Welcome opens the session.
type Welcome struct {
	Header
	ServerVersion string        `json:"serverVersion"`
	SessionID     string        `json:"sessionId"`
	HeartbeatMS   int           `json:"heartbeatMs"`
	Client        string        `json:"client"` // MCP client's name and version, for the user
	PID           int           `json:"pid"`
	Policy        policy.Policy `json:"policy"`
}

// Unauthorized refuses the dialler; the socket closes with CloseRefused.
type Unauthorized struct {
	Header
	Reason  string `json:"reason"`            // bad_token, bad_version, bad_bundle or timeout
	Message string `json:"message,omitempty"` // for the user: both versions and the remedy
}

// Command asks the extension for one thing.
type Command struct {
	Header
	ID        string          `json:"id"` // ULID
	Method    Method          `json:"method"`
	Params    json.RawMessage `json:"params,omitempty"`
	TabID     int             `json:"tabId,omitempty"` // Chrome's tab id
	Tool      string          `json:"tool,omitempty"`
	Call      string          `json:"call,omitempty"`    // the tool call that it is a part of; what is granted once is for one
	Session   string          `json:"session,omitempty"` // whose tabs
	TimeoutMS int             `json:"timeoutMs"`
}

// Result answers a command.
type Result struct {
	Header
	ID   string          `json:"id"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Error answers a command that failed.
type Error struct {
	Header
	ID    string        `json:"id"`
	Error browser.Error `json:"error"`
}

// Event tells what happened unasked. Name is "cdp" (Data is CDPEvent), EventGrants
// (Data is GrantsEvent) or one of package browser's own events (tab.created,
// tab.removed, tab.updated, tab.detached …).
type Event struct {
	Header
	Name  string          `json:"event"`
	TabID int             `json:"tabId,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// EventGrants is sent after welcome, before all else, and whenever the grants change.
const EventGrants = "grants"

// GrantsEvent has all that the user granted to the server's client. There is no frame
// with which a server could add to it.
type GrantsEvent struct {
	Grants []policy.Grant `json:"grants"`
}

// CDPEvent is a DevTools event of a tab.
type CDPEvent struct {
	Frame  string          `json:"frame,omitempty"` // root frame of the child target; "" is the tab's main target
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Ping is the heartbeat; either side may ping.
type Ping struct {
	Header
	TS int64 `json:"ts"` // milliseconds since the epoch
}

// Pong answers Ping.
type Pong struct {
	Header
	TS int64 `json:"ts"` // the ping's
}

// Method is a command's method.
type Method string

// The methods. The router in the extension has a case for each, and a test holds that.
const (
	TabsList  Method = "tabs_list"  // → TabsResult; with a tabId only that tab
	TabNew    Method = "tab_new"    // TabNewParams → Tab
	TabClose  Method = "tab_close"  //
	TabSelect Method = "tab_select" // → Tab
	TabGroup  Method = "tab_group"  // TabGroupParams: name the session's group
	Release   Method = "release"    // the session of the command has ended
	PingProbe Method = "ping_probe" // → {}
	CDP       Method = "cdp"        // CDPParams → the command's result
	CDPBatch  Method = "cdp_batch"  // BatchParams → BatchResult
	Page      Method = "page"       // PageParams → PageResult
	Frames    Method = "frames"     // → FramesResult
	Attach    Method = "attach"     //
	Detach    Method = "detach"     //
	Capture   Method = "capture"    // CaptureParams → CaptureResult
	Download  Method = "download"   // DownloadParams → DownloadState
	Refused   Method = "refused"    // RefusedParams: what the user may be asked for
)

// Methods lists them all.
var Methods = []Method{TabsList, TabNew, TabClose, TabSelect, TabGroup, Release, PingProbe, CDP, CDPBatch, Page, Frames, Attach, Detach, Capture, Download, Refused,
	ExtPortOpen, ExtPortMessage, ExtPortClose, ExtProbe, ExtReview, ExtReport}

// RefusedParams says what a tool call was refused for want of a grant, so that the
// extension can show it to the user. It grants nothing.
type RefusedParams struct {
	Site     string        `json:"site,omitempty"`     // as in policy.Grant; "" is the site of the command's tab
	Access   policy.Access `json:"access"`             // read or act
	PageTool string        `json:"pageTool,omitempty"` // as in policy.Grant
}

// Tab is a tab as chrome.tabs tells it.
type Tab struct {
	ID        int    `json:"id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Active    bool   `json:"active"`
	Focused   bool   `json:"focused,omitempty"` // in the window that has focus
	Window    int    `json:"windowId"`
	Index     int    `json:"index"`
	Owner     string `json:"owner,omitempty"` // session
	Opener    int    `json:"openerTabId,omitempty"`
	Loading   bool   `json:"loading,omitempty"`
	Discarded bool   `json:"discarded,omitempty"`
}

// TabsResult lists the tabs.
type TabsResult struct {
	Tabs []Tab `json:"tabs"`
}

// TabNewParams opens a tab for the command's session, in its group.
type TabNewParams struct {
	URL    string `json:"url,omitempty"`
	Active bool   `json:"active,omitempty"`
	Group  string `json:"group,omitempty"` // title of the session's tab group
}

// TabGroupParams renames the session's group; "" ungroups.
type TabGroupParams struct {
	Title string `json:"title"`
}

// CDPParams is one DevTools command for the target that hosts Frame.
type CDPParams struct {
	Frame  string          `json:"frame,omitempty"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// BatchParams runs commands in order and stops at the first error.
type BatchParams struct {
	Calls []BatchCall `json:"calls"`
}

// BatchCall is a CDPParams with a pause before it.
type BatchCall struct {
	CDPParams
	DelayMS int `json:"delayMs,omitempty"`
}

// BatchResult has the results up to the first error.
type BatchResult struct {
	Results []json.RawMessage `json:"results"`
	Error   *browser.Error    `json:"error,omitempty"`
}

// PageParams calls a named page function in the isolated world of Frame.
type PageParams struct {
	Frame string          `json:"frame,omitempty"`
	Fn    string          `json:"fn"`
	Args  json.RawMessage `json:"args,omitempty"`
	Nodes []int64         `json:"nodes,omitempty"` // backend node ids
}

// PageResult is what the bundle answers: who answered, and either a value or an error. A
// value of many parts comes as JSON in a string, see lists in the bundle's main.ts.
type PageResult struct {
	URL      string          `json:"url"`
	Origin   string          `json:"origin"`
	Document string          `json:"document"`
	Value    json.RawMessage `json:"value,omitempty"`
	JSON     string          `json:"json,omitempty"`
	Node     int64           `json:"node,omitempty"` // backend node id of the element that the answer points at
	Error    *browser.Error  `json:"error,omitempty"`
}

// FramesResult lists the frame tree, parents first.
type FramesResult struct {
	Frames []browser.Frame `json:"frames"`
}

// CaptureParams takes a picture, hidden tab or not.
type CaptureParams struct {
	Format  string        `json:"format"`
	Quality int           `json:"quality,omitempty"`
	Clip    *browser.Rect `json:"clip,omitempty"`
	Scale   float64       `json:"scale,omitempty"`
	Beyond  bool          `json:"beyond,omitempty"`
}

// CaptureResult is the picture.
type CaptureResult struct {
	Data string `json:"data"` // base64
	MIME string `json:"mime"`
}
