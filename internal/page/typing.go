package page

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"time"
	"unicode"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// entry is one thing to put into one control.
type entry struct {
	target Target
	text   string
	clear  bool
	keys   bool   // a real key press per character
	again  bool   // a second attempt
	was    string // with again: what the field held before the first
}

// entered is what a control holds afterwards.
type entered struct {
	OK     bool   `json:"ok"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	Value  string `json:"value,omitempty"`  // never of a password
	Length int    `json:"length,omitempty"` // of a password
	Note   string `json:"note,omitempty"`   // the page changed what was typed
}

// typed is type's structured content.
type typed struct {
	OK     bool   `json:"ok"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	Value  string `json:"value,omitempty"`
	Length int    `json:"length,omitempty"`
	effects
}

// Type is type.
func Type(ctx context.Context, t *Tab, a TypeArgs) (*Result, error) {
	from := t.state.now()
	var e entered
	var err error
	en := entry{target: a.Target, text: a.Text, clear: a.Clear, keys: a.KeyEvents}
	if a.Target.given() {
		e, err = t.enter(ctx, en, from)
	} else {
		e, err = t.enterFocused(ctx, en)
	}
	if err == nil && a.PressEnter {
		_, err = t.batch(ctx, combo{key: keyTable["Enter"]}.commands())
		if err == nil { // see Press
			_, _, _ = run[activeElement](ctx, t, probeActive())
		}
	}
	if err != nil && !t.openedDialog(err, from) && !navigated(err) {
		return nil, err
	}
	data := typed{OK: true, Role: e.Role, Name: e.Name, Value: e.Value, Length: e.Length, effects: t.observe(ctx, from)}
	r, err := t.finish(ctx, e.words(), data.effects, a.After, nil)
	data.Note = joinNotes(e.Note, data.Note)
	if r != nil {
		r.Data = data
	}
	return r, err
}

func joinNotes(a, b string) string {
	if a != "" && b != "" {
		return a + "; " + b
	}
	return a + b
}

// words says what a control holds.
func (e entered) words() string {
	into := e.Role
	if e.Name != "" {
		into += " " + quote(e.Name, 80)
	}
	if into == "" {
		return "typed"
	}
	s := into + " holds "
	if e.Length > 0 {
		s += fmt.Sprintf("%d characters (not shown)", e.Length)
	} else {
		s += quote(e.Value, 200)
	}
	if e.Note != "" {
		s += "; " + e.Note
	}
	return s
}

// enter puts text into a control in the way its kind wants, and reads it back.
func (t *Tab) enter(ctx context.Context, en entry, from int) (entered, error) {
	f, h, err := t.focusReady(ctx, en)
	if err != nil {
		return entered{}, err
	}
	switch f.Kind {
	case "text", "rich":
		return t.write(ctx, en, f, h)
	case "set":
		return t.set(ctx, en, h, f)
	case "select":
		return t.choose(ctx, en.target, h, f, []string{en.text})
	case "checkbox", "radio":
		return t.check(ctx, en, f, from)
	case "file":
		return entered{}, browser.Errorf(browser.NotActionable, "%s takes files, not text; use upload_file", fieldLabel(f))
	}
	return entered{}, browser.Errorf(browser.NotActionable, "%s takes no text; click it first and type without a target, if that opens a field", fieldLabel(f))
}

// fieldLabel names a control in our sentences.
func fieldLabel(f pagefn.Editable) string {
	return label(pagefn.Prepared{Role: f.Role, Name: f.Name})
}

// How long a control has to become ready: a field that is disabled or read-only now
// may be so for good, and the agent is to hear of it soon.
const (
	readySoon  = 300 * time.Millisecond
	readyLater = 1200 * time.Millisecond
)

// focusReady gives the control the focus. A field that stays read-only until a person
// clicks it, so that browsers do not fill it in, is clicked.
func (t *Tab) focusReady(ctx context.Context, en entry) (pagefn.Editable, hit, error) {
	f, h, err := t.focus(ctx, en, readySoon)
	if browser.CodeOf(err) != browser.NotActionable {
		return f, h, err
	}
	now, _, valueErr := t.field(ctx, en.target)
	switch {
	case valueErr != nil || now.Kind == "none":
		return f, h, err
	case now.ReadOnly && !now.Disabled:
		return t.focusByClick(ctx, en)
	}
	return t.focus(ctx, en, readyLater)
}

// focus gives the control the focus and selects its content, or puts the caret behind it.
func (t *Tab) focus(ctx context.Context, en entry, patience time.Duration) (pagefn.Editable, hit, error) {
	return find(ctx, ask[pagefn.Editable]{tab: t, target: en.target, fn: "focus", budget: actBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.FocusArgs{Target: l, Clear: en.clear, End: !en.clear, TimeoutMS: min(ms, int(patience.Milliseconds()))}
	}})
}

func (t *Tab) focusByClick(ctx context.Context, en entry) (pagefn.Editable, hit, error) {
	p, h, err := t.prepare(ctx, en.target, "type", false)
	if err == nil {
		var x, y float64
		if x, y, err = t.toMain(ctx, h.frame, p.X, p.Y); err == nil {
			_, err = t.batch(ctx, press(x, y, ClickArgs{}))
		}
	}
	if err != nil {
		return pagefn.Editable{}, hit{}, err
	}
	return t.focus(ctx, en, readySoon)
}

// write types into a text field or a rich editor and reads it back.
func (t *Tab) write(ctx context.Context, en entry, f pagefn.Editable, h hit) (entered, error) {
	if f.Boxes > 1 {
		return t.writeBoxes(ctx, en, f, h)
	}
	var calls []browser.Command
	switch {
	case en.clear && f.SelectAll:
		calls = append(calls, combo{key: keyTable["a"], held: []string{mainModifier()}}.commands()...)
	case !en.clear && f.ToEnd:
		calls = append(calls, documentEnd().commands()...)
	}
	text := typable(en.text, f)
	if f.Type == "number" && en.clear && text != "" && !isNumber.MatchString(text) {
		return entered{Role: f.Role, Name: f.Name}, browser.Errorf(browser.BadArgs, "%s takes a number such as 1234.5, not %s; nothing was changed, it still holds %s", fieldLabel(f), quote(text, 60), quote(f.Value, 60))
	}
	switch {
	case text == "" && en.clear:
		calls = append(calls, keyTable["Delete"].stroke(0, nil)...)
	case en.again && en.keys: // a mask that keeps count of keys must hear that they are gone
		calls = append(calls, keyTable["Backspace"].stroke(0, nil)...)
	}
	if f.Code && !en.keys && text != "" {
		taken, err := t.paste(ctx, calls, text, f, h)
		if err != nil {
			return entered{Role: f.Role, Name: f.Name}, err
		}
		if taken {
			return t.readBack(ctx, en, text, f, h)
		}
		calls = nil
	}
	calls = append(calls, strokes(text, f, en.keys)...)
	if len(calls) > 0 {
		if _, err := t.batch(ctx, calls); err != nil {
			return entered{Role: f.Role, Name: f.Name}, err
		}
	}
	return t.readBack(ctx, en, text, f, h)
}

// isNumber is what a field for numbers can hold. Such a field leaves out what it does not
// take, and so would make 125 of 12,5.
var isNumber = regexp.MustCompile(`^\s*-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$`)

// paste brings the caret of a code editor to where text is to go and hands it the text.
func (t *Tab) paste(ctx context.Context, caret []browser.Command, text string, f pagefn.Editable, h hit) (taken bool, err error) {
	if len(caret) > 0 {
		if _, err := t.batch(ctx, caret); err != nil {
			return false, err
		}
	}
	p, _, err := run[pagefn.Pasted](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "paste",
		Args: pagefn.PasteArgs{Target: pagefn.Locator{Node: f.Node, Document: h.answer.Document}, Text: text}})
	return p.Taken, err
}

// documentEnd takes the caret of an editor behind its last line.
func documentEnd() combo {
	if runtime.GOOS == "darwin" {
		return combo{key: keyTable["ArrowDown"], held: []string{"Meta"}}
	}
	return combo{key: keyTable["End"], held: []string{"Control"}}
}

// mostTags is how many separators a list of tags may have. A text with more is data.
const mostTags = 100

// strokes are the commands that type text: at once, with a real key for the last
// character that has one, so that pages which listen for keys notice, and for those that
// end a tag; or key by key.
func strokes(text string, f pagefn.Editable, keys bool) []browser.Command {
	var calls []browser.Command
	pending := ""
	flush := func() {
		if pending != "" {
			calls = append(calls, browser.Command{Method: "Input.insertText", Params: map[string]any{"text": pending}})
			pending = ""
		}
	}
	all := graphemes(text)
	tags := f.Kind == "text" && !f.Multiline && strings.Count(text, ",")+strings.Count(text, ";") <= mostTags
	last := len(all) - 1
	for last >= 0 && !isKey(all[last]) {
		last--
	}
	for i, g := range all {
		k, onBoard := printable(g)
		switch {
		case g == "\n" && f.Kind == "rich":
			flush()
			calls = append(calls, lineBreak().commands()...)
		case onBoard && (keys || i == last || tags && (g == "," || g == ";")):
			flush()
			calls = append(calls, k.stroke(0, nil)...)
		default:
			pending += g
			if keys {
				flush()
			}
		}
	}
	flush()
	return calls
}

// lineBreak is what makes a new line and sends nothing, in editors and chat boxes alike.
func lineBreak() combo { return combo{key: keyTable["Enter"], held: []string{"Shift"}} }

// printable returns the key that types one character.
func printable(g string) (key, bool) {
	if k, ok := keyTable[g]; ok && k.Text == g {
		return k, true
	}
	r := []rune(g)
	if len(r) != 1 || !unicode.IsLetter(r[0]) || r[0] > 0xFFFF {
		return key{}, false
	}
	return key{Name: g, Text: g}, true
}

func isKey(g string) bool {
	_, ok := printable(g)
	return ok
}

// enterFocused types into what has the focus.
func (t *Tab) enterFocused(ctx context.Context, en entry) (entered, error) {
	f, h, err := t.focused(ctx)
	switch {
	case err == nil && (f.Kind == "text" || f.Kind == "rich"):
		if f.Disabled || f.ReadOnly {
			return entered{}, browser.Errorf(browser.NotActionable, "%s has the focus and takes no text now; give a target, or click the field first", fieldLabel(f))
		}
		f.SelectAll, f.AtCaret = en.clear, !en.clear
		en.target = Target{Ref: t.s.refs.mint(element{t.ID(), h.frame.ID, h.answer.Document, f.Node}, shownAs(f.Role, f.Name))}
		return t.write(ctx, en, f, h)
	case err == nil || browser.CodeOf(err) == browser.SelectorNotFound:
		// A page that draws its own text, or listens at the document.
		if err := t.judgeFocus(ctx); err != nil {
			return entered{}, err
		}
		_, err := t.batch(ctx, strokes(en.text, pagefn.Editable{Kind: "rich"}, true))
		return entered{Note: "no field has the focus; the keys went to the page"}, err
	}
	return entered{}, err
}
