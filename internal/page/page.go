// Package page is what the tools do to pages, written once over the waist of package
// browser: targets, clicks, typing, navigation, snapshots, reads and pictures.
//
// Nothing of a document leaves this package before the gate has judged the URL of the
// document that answered. The package knows no transport and no MCP: mcpserver reads
// the tags of its argument structs and wraps its results.
//
// Handlers come in two kinds. Some take the session: tabs_list, tab_new, tab_select,
// tab_close, navigate, back, forward, reload and dialogs find, judge and queue for their
// tab themselves, because they open tabs, must be able to leave a denied page, or may
// not wait in a queue. The others take a tab that is resolved, judged and locked.
package page

import "chrome-mcp/internal/browser"

// Result is what a tool has to say.
type Result struct {
	Text   string // our own words
	Page   string // text of the page: untrusted, shown between boundaries
	Origin string // origin of Page
	Whole  string // all of the text that Page is a part of; "" when it is not kept
	Data   any    // structured content, a JSON object; nil for none
	Images []browser.Image
	Files  []string // paths of the files that the call kept in the session's tasks
	URL    string   // the URL that was judged last, for the audit
	// Refusal is why the page that an action led to may not be read; the action itself
	// was done.
	Refusal error
}

// TabArg names the tab of a call, by default the session's current one. Nearly every tool
// has it and every client reads all of them, so the words for it stand in the guide.
type TabArg struct {
	TabID browser.TabID `json:"tabId,omitempty"`
}

// FrameArg narrows a target to a frame.
type FrameArg struct {
	FrameID   browser.FrameID `json:"frameId,omitempty" desc:"Default: the main frame, then the others."`
	AllFrames bool            `json:"allFrames,omitempty" desc:"Search all at once."`
}

// Target names an element: exactly one of selector, ref, or role with name.
type Target struct {
	Selector string `json:"selector,omitempty"`
	Ref      string `json:"ref,omitempty" desc:"As e12."`
	Role     string `json:"role,omitempty" desc:"With name."`
	Name     string `json:"name,omitempty" desc:"Whole accessible name."`
	Nth      *int   `json:"nth,omitempty" desc:"Which match, from 0." min:"0"`
	FrameArg
}

// After asks for what an action changed, and for an error when it ended at a sign-in.
type After struct {
	SnapshotAfter bool `json:"snapshotAfter,omitempty" desc:"Add what changed on the page."`
	Wall
}

// Wall makes it an error to end at a page that asks to sign in.
type Wall struct {
	FailOnAuthWall bool `json:"failOnAuthWall,omitempty" desc:"Fail at a sign-in page."`
}
