package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
)

// TabsListArgs are those of tabs_list.
type TabsListArgs struct{}

// TabNewArgs are those of tab_new.
type TabNewArgs struct {
	URL    string `json:"url,omitempty" desc:"Page to open; default about:blank."`
	Active bool   `json:"active,omitempty" desc:"Bring the tab to the front." rare:"true"`
}

// TabSelectArgs are those of tab_select.
type TabSelectArgs struct {
	TabID  browser.TabID `json:"tabId" desc:"Tab from tabs_list." required:"true"`
	Active bool          `json:"active,omitempty" desc:"Bring it to the front, too." rare:"true"`
}

// TabCloseArgs are those of tab_close.
type TabCloseArgs struct {
	TabID browser.TabID `json:"tabId" desc:"Tab to close." required:"true"`
}

// NavigateArgs are those of navigate.
type NavigateArgs struct {
	TabArg
	URL       string `json:"url" desc:"Address; a bare host gets https." required:"true"`
	WaitUntil string `json:"waitUntil,omitempty" enum:"load,domcontentloaded,networkidle" default:"load" rare:"true"`
	Wall
}

// HistoryArgs are those of back and forward.
type HistoryArgs struct {
	TabArg
	Wall
}

// ReloadArgs are those of reload.
type ReloadArgs struct {
	TabArg
	WaitUntil string `json:"waitUntil,omitempty" enum:"load,domcontentloaded,networkidle" default:"load" rare:"true"`
	Wall
}

// ClickArgs are those of click.
type ClickArgs struct {
	TabArg
	Target
	Button     string   `json:"button,omitempty" enum:"left,right,middle" default:"left" rare:"true"`
	ClickCount int      `json:"clickCount,omitempty" desc:"2 is a double click." min:"1" max:"3" default:"1" rare:"true"`
	Modifiers  []string `json:"modifiers,omitempty" desc:"Keys held." enum:"Alt,Control,ControlOrMeta,Meta,Shift" rare:"true"`
	HoldMS     int      `json:"holdMs,omitempty" desc:"Time between press and release." min:"0" max:"10000" rare:"true"`
	X          *float64 `json:"x,omitempty" desc:"With y and no target: a point of the viewport in pixels of the last screenshot." rare:"true"`
	Y          *float64 `json:"y,omitempty" rare:"true"`
	After
}

// TypeArgs are those of type.
type TypeArgs struct {
	TabArg
	Target
	Text       string `json:"text" desc:"Text; without a target it goes to what has the focus." required:"true"`
	Clear      bool   `json:"clear,omitempty" desc:"Replace what is there."`
	PressEnter bool   `json:"pressEnter,omitempty" desc:"Press Enter at the end."`
	KeyEvents  bool   `json:"keyEvents,omitempty" desc:"A real key press per character." rare:"true"`
	After
}

// FillFormArgs are those of fill_form.
type FillFormArgs struct {
	TabArg
	Fields         Fields `json:"fields" desc:"Controls and their values." required:"true"`
	SubmitSelector string `json:"submitSelector,omitempty" desc:"Click this at the end."`
	After
}

// Fields are the fields of a form. Besides the list, a map from selector to value is
// taken, which is what many agents send.
type Fields []Field

// Field is one control and what it is to hold.
type Field struct {
	Target
	Value Value `json:"value" desc:"Text, option label, or true or false." required:"true"`
}

// Value is a string; numbers and booleans are taken too and kept as written.
type Value string

// UnmarshalJSON takes a string, a number or a boolean.
func (v *Value) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	var s string
	switch {
	case len(b) > 0 && b[0] == '"':
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	case string(b) == "null" || len(b) > 0 && (b[0] == '{' || b[0] == '['):
		return errors.New("a field's value is a string, or true or false")
	default:
		s = string(b)
	}
	*v = Value(s)
	return nil
}

// UnmarshalJSON takes a list of fields or a map from selector to value, also when a
// client sent either of them as a string.
func (f *Fields) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) > 0 && b[0] == '"' {
		var inner string
		if err := json.Unmarshal(b, &inner); err != nil {
			return err
		}
		b = []byte(strings.TrimSpace(inner))
	}
	if len(b) == 0 || b[0] != '{' {
		var list []Field
		if err := strict(b, &list); err != nil {
			return fmt.Errorf("fields is a list of {selector or ref or role and name, value}, or a map from selector to value: %w", err)
		}
		*f = list
		return nil
	}
	return f.fromMap(b)
}

// fromMap keeps the order of the keys: forms depend on it.
func (f *Fields) fromMap(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var v Value
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("field %q: %w", key, err)
		}
		*f = append(*f, Field{Target: Target{Selector: fmt.Sprint(key)}, Value: v})
	}
	return nil
}

func strict(b []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// Strings is a list of strings; one string alone is taken too.
type Strings []string

// UnmarshalJSON takes a list of strings or one string.
func (s *Strings) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) > 0 && b[0] == '"' {
		var one string
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		*s = Strings{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("a list of strings is wanted: %w", err)
	}
	*s = slices.Clip(list)
	return nil
}

// SelectArgs are those of select_option.
type SelectArgs struct {
	TabArg
	Target
	Values Strings `json:"values" desc:"Values or visible labels." required:"true"`
	After
}

// PressArgs are those of press.
type PressArgs struct {
	TabArg
	Key       string   `json:"key" desc:"Enter, Tab, ArrowDown, a, Control+a …" required:"true"`
	Modifiers []string `json:"modifiers,omitempty" desc:"Keys held." enum:"Alt,Control,ControlOrMeta,Meta,Shift" rare:"true"`
	After
}

// HoverArgs are those of hover.
type HoverArgs struct {
	TabArg
	Target
	After
}

// ScrollArgs are those of scroll.
type ScrollArgs struct {
	TabArg
	Target
	X      *float64 `json:"x,omitempty" desc:"Scroll to this position."`
	Y      *float64 `json:"y,omitempty"`
	DeltaX float64  `json:"deltaX,omitempty" desc:"Scroll by CSS pixels."`
	DeltaY float64  `json:"deltaY,omitempty" desc:"Scroll by CSS pixels; positive is down."`
	After
}

// DragArgs are those of drag.
type DragArgs struct {
	TabArg
	From Target `json:"from" desc:"What to drag." required:"true"`
	To   Target `json:"to" desc:"Where to drop it." required:"true"`
	After
}

// SnapshotArgs are those of snapshot.
type SnapshotArgs struct {
	TabArg
	Target
	InteractiveOnly bool `json:"interactiveOnly,omitempty" desc:"Only what can be acted on."`
	Depth           int  `json:"depth,omitempty" desc:"Levels at most." min:"0" rare:"true"`
	Max             int  `json:"max,omitempty" desc:"Lines at most." min:"0" rare:"true"`
	Diff            bool `json:"diff,omitempty" desc:"Only what changed since the last snapshot." rare:"true"`
}

// FindArgs are those of find.
type FindArgs struct {
	TabArg
	Text    string `json:"text,omitempty" desc:"Part of a name, text or value."`
	Pattern string `json:"pattern,omitempty" desc:"Regular expression instead of text." rare:"true"`
	Role    string `json:"role,omitempty" desc:"ARIA role."`
	FrameArg
}

// TextArgs are those of get_text.
type TextArgs struct {
	TabArg
	Target
	MaxBytes int `json:"maxBytes,omitempty" min:"0" default:"50000" rare:"true"`
}

// HTMLArgs are those of get_html.
type HTMLArgs struct {
	TabArg
	Target
	Outer    bool `json:"outer,omitempty" desc:"With the element itself."`
	MaxBytes int  `json:"maxBytes,omitempty" min:"0" default:"50000"`
}

// ScreenshotArgs are those of screenshot.
type ScreenshotArgs struct {
	TabArg
	Target
	FullPage bool    `json:"fullPage,omitempty" desc:"The whole page, not the viewport."`
	Format   string  `json:"format,omitempty" enum:"jpeg,png" default:"jpeg" rare:"true"`
	Quality  int     `json:"quality,omitempty" desc:"Of a JPEG." min:"1" max:"100" default:"70" rare:"true"`
	Scale    float64 `json:"scale,omitempty" desc:"Picture pixels per CSS pixel." min:"0.1" max:"4" rare:"true"`
}

// EvalArgs are those of eval.
type EvalArgs struct {
	TabArg
	Expression   string `json:"expression" desc:"JavaScript, run in the page." required:"true"`
	AwaitPromise *bool  `json:"awaitPromise,omitempty" desc:"Wait for a promise's value." default:"true"`
}

// WaitForArgs are those of wait_for.
type WaitForArgs struct {
	TabArg
	Selector     string `json:"selector,omitempty" desc:"Until this is visible."`
	TextContains string `json:"textContains,omitempty" desc:"Until the page shows this text."`
	URL          string `json:"url,omitempty" desc:"Until the address has this, or matches it with *."`
	Gone         bool   `json:"gone,omitempty" desc:"Until it no longer holds."`
	TimeoutMS    int    `json:"timeoutMs,omitempty" min:"0" max:"60000" default:"10000"`
	FrameArg
}

// FramesListArgs are those of frames_list.
type FramesListArgs struct {
	TabArg
}

// DialogsArgs are those of dialogs.
type DialogsArgs struct {
	TabArg
	Action     string  `json:"action,omitempty" desc:"Answer the open dialog." enum:"accept,dismiss"`
	PromptText *string `json:"promptText,omitempty" desc:"For a prompt, or those to come."`
	Policy     string  `json:"policy,omitempty" desc:"For later dialogs; ask leaves them open." enum:"ask,accept,dismiss" rare:"true"`
	SinceSeq   int     `json:"sinceSeq,omitempty" desc:"Only dialogs after this number." min:"0" rare:"true"`
	Limit      int     `json:"limit,omitempty" min:"1" default:"20" rare:"true"`
	Clear      bool    `json:"clear,omitempty" desc:"Forget the list." rare:"true"`
}
