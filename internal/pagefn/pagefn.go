// Package pagefn is the contract between the page actions in Go and the page bundle
// in TypeScript: the table of named page functions with their access, and the
// arguments and results of each.
//
// The server sends a name and arguments, never code; so this table is what a server
// can make a page do when eval is off. The TypeScript types are generated from here.
package pagefn

import "chrome-mcp/internal/policy"

// Functions maps every page function to the access that the gate asks for.
var Functions = map[string]policy.Access{
	"probe":      policy.Read, // ProbeArgs → Probe
	"snapshot":   policy.Read, // SnapshotArgs → Snapshot
	"find":       policy.Read, // FindArgs → Snapshot
	"text":       policy.Read, // TextArgs → Text
	"html":       policy.Read, // HTMLArgs → Text
	"waitFor":    policy.Read, // WaitArgs → Wait
	"box":        policy.Read, // BoxArgs → Box
	"frameOwner": policy.Read, // FrameOwnerArgs, nodes[0] the owner element → FramePoint
	"prepare":    policy.Act,  // PrepareArgs → Prepared
	"outcome":    policy.Act,  // OutcomeArgs → Outcome
	"focus":      policy.Act,  // FocusArgs → Editable
	"paste":      policy.Act,  // PasteArgs → Pasted
	"setValue":   policy.Act,  // SetValueArgs → Editable
	"value":      policy.Act,  // ValueArgs → Editable (reads back what an action did)
	"select":     policy.Act,  // SelectArgs → Selected
	"scroll":     policy.Act,  // ScrollArgs → Scrolled
	"content":    policy.Read, // ContentArgs → Content
	"links":      policy.Read, // LinksArgs → Links
	"signIn":     policy.Read, // SignInArgs → SignIn
	"storage":    policy.Read, // StorageArgs → Storage
	"setStorage": policy.Act,  // SetStorageArgs → Storage
	"webmcpList": policy.Read, // PageToolsArgs → PageTools
	"webmcpCall": policy.Act,  // PageToolArgs → PageToolCalled; its tool is judged, too

	"fileInput": policy.Upload,   // FileInputArgs, or nodes[0] → FileInput
	"setFiles":  policy.Upload,   // SetFilesArgs, nodes[0] the input or what they are dropped on → Files
	"files":     policy.Upload,   // FilesArgs, nodes[0] the input → Files
	"bytes":     policy.Download, // BytesArgs → Bytes
	"veil":      policy.Read,     // VeilArgs, nodes the owner elements of frames → Veiled
}

// Acts says whether a function may change something.
func Acts(name string) bool { return Functions[name] != policy.Read }

// Locator is a target inside one frame: exactly one of Node, Selector or Role is set.
// Selectors and roles look through open and known closed shadow roots.
type Locator struct {
	Node     int    `json:"node,omitempty"`     // the bundle's number for an element of this document
	Document string `json:"document,omitempty"` // with Node: the document it was given out in
	ShownAs  string `json:"shownAs,omitempty"`  // with Node: "role name" as it was shown; another one now → expired
	Selector string `json:"selector,omitempty"`
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"` // whole accessible name, white space folded; case counts only if it decides
	Nth      *int   `json:"nth,omitempty"`  // 0-based, picks among several matches of selector or role
	// Now says not to wait for the element to appear: a miss fails at once, since it may
	// be in another frame. The function's timeoutMs still holds for what is there.
	Now bool `json:"now,omitempty"`
}

// Failure is how a page function says no: its value is {"error": Failure}.
type Failure struct {
	Code    string `json:"code"` // a browser.Code
	Message string `json:"message"`
}

// ProbeArgs asks for the state of the document.
type ProbeArgs struct {
	Drawn bool `json:"drawn,omitempty"` // once it has been drawn anew
}

// Probe is the state of the document.
type Probe struct {
	Title      string  `json:"title"`
	ReadyState string  `json:"readyState"`
	Width      float64 `json:"width"`  // layout viewport, CSS px, without scroll bars
	Height     float64 `json:"height"` //
	ScrollX    float64 `json:"scrollX"`
	ScrollY    float64 `json:"scrollY"`
	FullWidth  float64 `json:"fullWidth"` // scrollable size of the document
	FullHeight float64 `json:"fullHeight"`
	DPR        float64 `json:"dpr"`
	Active     string  `json:"active,omitempty"` // "role name" of the focused element
	Status     int     `json:"status,omitempty"` // HTTP status of the document (responseStatus of its navigation entry)
}

// SnapshotArgs limits a snapshot.
type SnapshotArgs struct {
	InteractiveOnly bool     `json:"interactiveOnly,omitempty"`
	Root            *Locator `json:"root,omitempty"`
	Depth           int      `json:"depth,omitempty"` // levels of shown nodes below the root; 0 is all
	Max             int      `json:"max,omitempty"`   // nodes at most; 0 is 20,000
}

// Snapshot is the accessible tree of one frame, folded: generic wrappers are gone and
// text is merged. Nodes are in document order.
type Snapshot struct {
	Nodes     []Node `json:"nodes"`
	Truncated int    `json:"truncated,omitempty"` // nodes left out by Max or Depth
}

// Node is one line of a snapshot.
type Node struct {
	Depth  int      `json:"d"`
	Role   string   `json:"r"` // "text" for plain text
	Name   string   `json:"n,omitempty"`
	Value  string   `json:"v,omitempty"` // never of a password field
	States []string `json:"s,omitempty"` // disabled, checked, mixed, expanded, collapsed, selected, required, invalid, readonly, focused, level=2, hidden …
	Node   int      `json:"e,omitempty"` // the bundle's number; set on what can be acted on or pointed at
	URL    string   `json:"u,omitempty"` // of a link, when it is short enough to be useful
	Frame  int      `json:"f,omitempty"` // for a frame: 1-based index among the frame owners of this document, see FrameOwnerArgs
	Act    bool     `json:"a,omitempty"` // interactive: offered with InteractiveOnly
}

// FindArgs looks for elements by text or pattern, and role.
type FindArgs struct {
	Text    string `json:"text,omitempty"`    // part of name, text or value; case does not count
	Pattern string `json:"pattern,omitempty"` // JavaScript regular expression
	Role    string `json:"role,omitempty"`
	Max     int    `json:"max,omitempty"`
}

// TextArgs reads what a person sees of an element or of the page.
type TextArgs struct {
	Target    *Locator `json:"target,omitempty"`
	MaxBytes  int      `json:"maxBytes,omitempty"`
	TimeoutMS int      `json:"timeoutMs,omitempty"` // wait for the target
}

// HTMLArgs reads markup.
type HTMLArgs struct {
	Target    *Locator `json:"target,omitempty"`
	Outer     bool     `json:"outer,omitempty"`
	MaxBytes  int      `json:"maxBytes,omitempty"`
	TimeoutMS int      `json:"timeoutMs,omitempty"`
}

// Text is text, cut on a character boundary. Password values are never in it.
type Text struct {
	Text  string `json:"text"`
	Total int    `json:"total"` // UTF-8 bytes before the cut
	Cut   bool   `json:"cut,omitempty"`
}

// WaitArgs waits until one thing holds, or with Gone no longer holds.
type WaitArgs struct {
	Target       *Locator `json:"target,omitempty"` // visible
	TextContains string   `json:"textContains,omitempty"`
	Gone         bool     `json:"gone,omitempty"`
	TimeoutMS    int      `json:"timeoutMs"`
}

// Wait is the outcome of WaitArgs; a time-out is not a Failure.
type Wait struct {
	Matched bool `json:"matched"`
	Node    int  `json:"node,omitempty"` // of Target
}

// BoxArgs asks where an element is.
type BoxArgs struct {
	Target Locator `json:"target"`
	Into   bool    `json:"into,omitempty"` // scroll it into view first
}

// Box is in CSS pixels relative to the frame's viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// FrameOwnerArgs maps a point of a child frame into this frame. The owner element
// comes as nodes[0].
type FrameOwnerArgs struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Into bool    `json:"into,omitempty"` // scroll the point into view in this frame first
	Wake bool    `json:"wake,omitempty"` // scroll a frame that loads when it is in view there
}

// FramePoint is the point in this frame's viewport; Covered names what a pointer there
// would hit instead of the frame. Selector is a CSS selector of the owner element.
type FramePoint struct {
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
	Covered  string  `json:"covered,omitempty"`
	Selector string  `json:"selector,omitempty"`
	Index    int     `json:"index"`            // same number as Node.Frame
	Hidden   bool    `json:"hidden,omitempty"` // nobody sees the frame
	Moved    bool    `json:"moved,omitempty"`  // it was scrolled for this
}

// PrepareArgs waits until the target can be acted on, scrolls it into view and finds
// a point of it that receives the pointer.
type PrepareArgs struct {
	Target    Locator  `json:"target"`
	For       string   `json:"for"` // "click", "hover", "drag", "drop", "type", "scroll"
	TimeoutMS int      `json:"timeoutMs"`
	Watch     bool     `json:"watch,omitempty"` // watch where the next press lands; a press elsewhere is stopped
	Offset    *FromTop `json:"offset,omitempty"`
}

// FromTop is a point relative to an element's top left corner.
type FromTop struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Prepared describes the target and the point, relative to the frame's viewport.
type Prepared struct {
	Node     int     `json:"node"`
	Role     string  `json:"role"`
	Name     string  `json:"name"`
	Tag      string  `json:"tag"`
	Type     string  `json:"type,omitempty"`
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
	Editable bool    `json:"editable,omitempty"`
	Option   bool    `json:"option,omitempty"` // an <option> of a collapsed <select>: use select_option
	Href     string  `json:"href,omitempty"`
	WaitedMS int     `json:"waitedMs,omitempty"`
	Checked  *bool   `json:"checked,omitempty"`
	// States as in Node, before the action: what Outcome.States is compared with.
	States   []string `json:"states,omitempty"`
	ReadOnly bool     `json:"readOnly,omitempty"` // a field that takes no text now; some give way once they have the focus
	// Label is set when the pointer goes to the label of a control that is hidden itself.
	Label bool `json:"label,omitempty"`
}

// OutcomeArgs asks what the watched press did.
type OutcomeArgs struct {
	Node int `json:"node"`
}

// Outcome is what the page saw.
type Outcome struct {
	Landed  bool     `json:"landed"`            // a trusted press reached the target; false with no Instead: no press came at all
	Instead string   `json:"instead,omitempty"` // what it would have hit; it was stopped
	Slipped bool     `json:"slipped,omitempty"` // the press moved the focus and with it the target, so that the release missed it
	Gone    bool     `json:"gone,omitempty"`    // the element has left the document
	Checked *bool    `json:"checked,omitempty"`
	States  []string `json:"states,omitempty"`
}

// FocusArgs focuses an editable target, and selects its content when Clear is set.
type FocusArgs struct {
	Target    Locator `json:"target"`
	Clear     bool    `json:"clear,omitempty"`
	End       bool    `json:"end,omitempty"` // caret behind the content even if the target had the focus before (after a click into it)
	TimeoutMS int     `json:"timeoutMs"`
}

// PasteArgs hands text to a code editor that has the focus, in one piece.
type PasteArgs struct {
	Target Locator `json:"target"`
	Text   string  `json:"text"`
}

// Pasted says whether the editor took the text. If not, nothing was changed.
type Pasted struct {
	Taken bool `json:"taken"`
}

// SetValueArgs sets the value of a control that is not typed into (date, time, month,
// week, datetime-local, color, range, checkbox, radio) with input and change events.
type SetValueArgs struct {
	Target    Locator `json:"target"`
	Value     string  `json:"value"`
	TimeoutMS int     `json:"timeoutMs"`
}

// ValueArgs reads an editable back.
type ValueArgs struct {
	Target Locator `json:"target"`
	Left   bool    `json:"left,omitempty"` // also of a node that has left the page
}

// Editable describes a control and what it holds now.
type Editable struct {
	Node      int     `json:"node"`
	Kind      string  `json:"kind"` // "text" (input, textarea), "rich" (contenteditable), "set" (SetValue kinds), "select", "checkbox", "radio", "file", "none"
	Type      string  `json:"type,omitempty"`
	Role      string  `json:"role"`
	Name      string  `json:"name"`
	Value     string  `json:"value"`  // "" for a password
	Length    int     `json:"length"` // of the value in UTF-16 units, also of a password
	Password  bool    `json:"password,omitempty"`
	MaxLength int     `json:"maxLength,omitempty"`
	Multiline bool    `json:"multiline,omitempty"`
	Focused   bool    `json:"focused,omitempty"`
	Checked   *bool   `json:"checked,omitempty"`
	Mixed     bool    `json:"mixed,omitempty"` // neither checked nor unchecked
	X         float64 `json:"x"`               // a point of it, as in Prepared
	Y         float64 `json:"y"`
	ReadOnly  bool    `json:"readOnly,omitempty"`
	Disabled  bool    `json:"disabled,omitempty"`
	// Code is set for editors of programs. They change lines that are typed (indent them,
	// close brackets) and show only the lines in view, which is all that Value then holds.
	Code bool `json:"code,omitempty"`
	// SelectAll is set when Clear could not select the content from inside the page,
	// because the editor keeps a selection of its own: press Ctrl+A (Meta+A) first.
	SelectAll bool `json:"selectAll,omitempty"`
	// ToEnd is set when the caret could not be put behind the content for the same reason:
	// press Ctrl+End (Meta+ArrowDown on a Mac) first.
	ToEnd bool `json:"toEnd,omitempty"`
	// AtCaret is set when the text goes to where caret or selection were, not to the end.
	AtCaret bool `json:"atCaret,omitempty"`
	// Boxes is the number of one-character fields that this one is the first of, as for
	// a one-time code: type one key at a time, each box hands the focus on.
	Boxes   int    `json:"boxes,omitempty"`
	Invalid string `json:"invalid,omitempty"` // the browser's validation message
}

// SelectArgs picks options of a <select> by value or visible label.
type SelectArgs struct {
	Target    Locator  `json:"target"`
	Values    []string `json:"values"`
	TimeoutMS int      `json:"timeoutMs"`
}

// Selected is what a <select> holds now.
type Selected struct {
	Node   int      `json:"node"`
	Values []string `json:"values"`
	Labels []string `json:"labels"`
}

// ScrollArgs scrolls an element (or the page) to or by CSS pixels.
type ScrollArgs struct {
	Target *Locator `json:"target,omitempty"`
	X      *float64 `json:"x,omitempty"`
	Y      *float64 `json:"y,omitempty"`
	DeltaX float64  `json:"deltaX,omitempty"`
	DeltaY float64  `json:"deltaY,omitempty"`
	Wheel  string   `json:"wheel,omitempty"` // "x", "y" or "xy": find a point for the wheel turning that way
}

// Scrolled is where the scroller is now and how far it can go.
type Scrolled struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	MaxX float64 `json:"maxX"`
	MaxY float64 `json:"maxY"`
	// Wheel is where the wheel turns the scroller and nothing else that scrolls. There is
	// none where frames and other scrollers cover all of it.
	Wheel *FromTop `json:"wheel,omitempty"`
}
