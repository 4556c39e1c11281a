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
	Part   bool   // Whole is not all either
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
	TabID browser.TabID `json:"tabId,omitempty" doc:"Default: the session's current tab."`
}

// FrameArg narrows a target to a frame. The words for it stand in the guide, as those for
// TabArg do.
type FrameArg struct {
	FrameID   browser.FrameID `json:"frameId,omitempty" doc:"Frame to look in, from frames_list; default: the main frame, then the others." rare:"true"`
	AllFrames bool            `json:"allFrames,omitempty" doc:"Look in all frames at once." rare:"true"`
}

// Target names an element: exactly one of selector, ref, or role with name.
type Target struct {
	Selector string `json:"selector,omitempty" doc:"CSS selector."`
	Ref      string `json:"ref,omitempty" desc:"As e12." doc:"Reference from snapshot or find, as e12."`
	Role     string `json:"role,omitempty" desc:"With name." doc:"ARIA role; with name."`
	Name     string `json:"name,omitempty" desc:"Accessible name." doc:"Whole accessible name."`
	Nth      *int   `json:"nth,omitempty" desc:"From 0." doc:"Which of several matches, from 0." min:"0" rare:"true"`
	FrameArg
}

// After asks for what an action changed, and for an error when it ended at a sign-in.
type After struct {
	SnapshotAfter bool `json:"snapshotAfter,omitempty" doc:"Add what changed on the page."`
	Wall
}

// Wall makes it an error to end at a page that asks to sign in.
type Wall struct {
	FailOnAuthWall bool `json:"failOnAuthWall,omitempty" doc:"Make it an error to end at a page that asks to sign in." rare:"true"`
}
