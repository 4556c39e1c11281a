package page

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// typable is the text as the control can hold it: line ends as the web has them, and
// none in a field of one line.
func typable(text string, f pagefn.Editable) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if f.Kind == "text" && !f.Multiline {
		text = strings.ReplaceAll(text, "\n", "")
	}
	return text
}

// settleReads are the pauses between looks at a field that does not hold yet what was
// typed: editors and frameworks write their state a little later.
var settleReads = []time.Duration{20 * time.Millisecond, 60 * time.Millisecond, 150 * time.Millisecond}

// readBack compares what a field holds with what was typed. What the page made of the
// text on purpose (a mask, a filter, a limit) is a note; anything else is an error.
func (t *Tab) readBack(ctx context.Context, en entry, text string, f pagefn.Editable, h hit) (entered, error) {
	if en.again {
		f.Value = en.was
	}
	want := text
	if !en.clear {
		want = f.Value + text
	}
	read := func() (pagefn.Editable, error) {
		v, _, err := run[pagefn.Editable](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "value",
			Args: pagefn.ValueArgs{Target: pagefn.Locator{Node: f.Node, Document: h.answer.Document}}})
		return v, err
	}
	got, err := read()
	for _, d := range settleReads {
		if err != nil || holds(got, want, en, f) {
			break
		}
		t.pause(ctx, d)
		got, err = read()
	}
	e := entered{OK: true, Role: f.Role, Name: f.Name, Value: got.Value}
	switch {
	case browser.CodeOf(err) == browser.RefExpired || browser.CodeOf(err) == browser.SelectorNotFound:
		return t.replaced(ctx, en, text, want, f, h)
	case err != nil:
		return e, err
	}
	if got.Password {
		e.Value, e.Length = "", got.Length
	}
	if got.Invalid != "" && got.Value != "" {
		e.Note = "not valid there: " + quote(got.Invalid, 120)
	}
	if holds(got, want, en, f) {
		return e, nil
	}
	if consumed(got, want, f) {
		e.Note = "the page took what it does not hold any more, as for tags; look with snapshot"
		return e, nil
	}
	note, ok := changedByPage(got, want, f)
	if (!ok || note == leftOut) && en.mayRepeat(f, got, text) {
		en.keys, en.clear, en.again, en.was = true, true, true, f.Value
		return t.enter(ctx, en, t.state.now())
	}
	if !ok {
		return e, browser.Errorf(browser.NotActionable, "%s holds %s after typing %s: the page did not take the text; try keyEvents, or click the field first", fieldLabel(f), held(got), quoteSecret(text, f))
	}
	e.Note = joinNotes(note, e.Note)
	return e, nil
}

// replaced says what became of a text whose field has left the page since. It is typed
// again if the field went before it took any: then neither the old one nor the new one
// holds it. What the old one took the page has seen, and may have used: a code that is
// sent when it is complete, a word that became a tag.
func (t *Tab) replaced(ctx context.Context, en entry, text, want string, f pagefn.Editable, h hit) (entered, error) {
	now, found := t.successor(ctx, en)
	if found && !now.Password && holds(now, want, en, now) {
		return entered{OK: true, Role: now.Role, Name: now.Name, Value: now.Value}, nil
	}
	unchanged := func(v pagefn.Editable) bool { return v.Kind == f.Kind && v.Value == f.Value && v.Length == f.Length }
	old, _, err := run[pagefn.Editable](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "value",
		Args: pagefn.ValueArgs{Target: pagefn.Locator{Node: f.Node, Document: h.answer.Document}, Left: true}})
	if err == nil && unchanged(old) && found && unchanged(now) && !en.again {
		en.again, en.was = true, f.Value
		return t.enter(ctx, en, t.state.now())
	}
	e := entered{OK: true, Role: f.Role, Name: f.Name, Value: text, Note: "the field has left the page; what it held could not be read back"}
	if err == nil && !unchanged(old) {
		e.Note = "the field has left the page after it took the text; look with snapshot what the page made of it"
	}
	if f.Password {
		e.Value = ""
	}
	return e, nil
}

// successor is the field that took the place of one which has left the page. What a ref
// named has none.
func (t *Tab) successor(ctx context.Context, en entry) (pagefn.Editable, bool) {
	if en.target.Ref != "" || !en.target.given() {
		return pagefn.Editable{}, false
	}
	now, _, err := t.field(ctx, en.target)
	return now, err == nil
}

// leftOut is the note on a field that holds less than was typed.
const leftOut = "the page left out some of the characters"

// keysAtMost is how long a text may be that is typed again key by key.
const keysAtMost = 200

// mayRepeat says whether a text that the field did not take as a whole may be typed once
// more with a real key for each character, which is what some masks listen for.
func (en entry) mayRepeat(f, got pagefn.Editable, text string) bool {
	return !en.again && !en.keys && f.Kind == "text" && !f.Multiline && !f.Code && !f.Password && text != "" && units(text) <= keysAtMost &&
		(en.clear || f.Value == "") && got.Value != ""
}

// held shows what a field holds, of a password only how much.
func held(got pagefn.Editable) string {
	if got.Password {
		return fmt.Sprintf("%d characters", got.Length)
	}
	return quote(got.Value, 200)
}

func quoteSecret(text string, f pagefn.Editable) string {
	if f.Password {
		return fmt.Sprintf("%d characters", units(text))
	}
	return quote(text, 200)
}

// units is the length in UTF-16 units, which is how the web counts.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// holds says whether a field holds what it should.
func holds(got pagefn.Editable, want string, en entry, before pagefn.Editable) bool {
	switch {
	case before.AtCaret && inserted(got, en, before):
		return true
	case got.Password || before.Password:
		n := units(en.text)
		if !en.clear {
			n += before.Length
		}
		return got.Length == n
	case got.Code:
		return inView(fold(got.Value), fold(want), fold(en.text), fold(before.Value), en.clear)
	case got.Kind == "rich":
		return fold(got.Value) == fold(want)
	default:
		return got.Value == want
	}
}

// inserted says whether a field holds the text somewhere in what it held before, or in
// the place of a part of that.
func inserted(got pagefn.Editable, en entry, before pagefn.Editable) bool {
	text := typable(en.text, before)
	if got.Password || before.Password {
		return got.Length >= units(text) && got.Length < before.Length+units(text)
	}
	now, was := got.Value, before.Value
	if got.Kind == "rich" {
		now, was, text = fold(now), fold(was), fold(text)
	}
	if now == was || text == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(now[from:], text)
		if at < 0 {
			return false
		}
		at += from
		head, tail := now[:at], now[at+len(text):]
		if len(head)+len(tail) <= len(was) && strings.HasPrefix(was, head) && strings.HasSuffix(was, tail) {
			return true
		}
		_, size := utf8.DecodeRuneInString(now[at:])
		from = at + size
	}
}

// inView says whether the lines that a code editor shows are what it should hold, or the
// end of that: the caret is behind the text, and the lines around the caret are in view.
func inView(shown, want, text, before string, cleared bool) bool {
	switch {
	case shown == want:
		return true
	case shown == "" || cleared:
		return shown != "" && strings.HasSuffix(text, shown)
	}
	return shown != before && (strings.HasSuffix(shown, text) || strings.HasSuffix(text, shown))
}

// fold removes what rich editors are free to differ in: white space and zero-width
// characters.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' {
			return -1
		}
		return r
	}, s)
}

// changedByPage says whether the page made something of the text itself, and what.
func changedByPage(got pagefn.Editable, want string, f pagefn.Editable) (string, bool) {
	if got.Password || f.Password {
		if f.MaxLength > 0 && got.Length == f.MaxLength {
			return fmt.Sprintf("cut to its maxlength of %d", f.MaxLength), true
		}
		// Pages group the digits of a card; nobody edits a password.
		return "the page formatted the text", f.Type != "password" && got.Length > f.Length
	}
	value := got.Value
	switch {
	case value == "" || value == f.Value && want != f.Value && !isCut(value, want, f):
		return "", false
	case isCut(value, want, f):
		return fmt.Sprintf("cut to its maxlength of %d", f.MaxLength), true
	case strings.EqualFold(letters(value), letters(want)):
		return "the page formatted the text", true
	case within(letters(value), letters(want)):
		return leftOut, true
	case strings.Contains(fold(value), fold(want)):
		return "the page added to the text", true
	}
	return "", false
}

// consumed says whether the page has taken the text up to a separator, as fields for tags
// do. To type that once more would make each tag twice.
func consumed(got pagefn.Editable, want string, f pagefn.Editable) bool {
	taken, rest := strings.CutSuffix(want, got.Value)
	return rest && taken != "" && !got.Password && !f.Password && f.Kind == "text" && strings.ContainsAny(taken[len(taken)-1:], ",;")
}

// isCut says whether the value is the text up to the field's limit.
func isCut(value, want string, f pagefn.Editable) bool {
	return f.MaxLength > 0 && units(value) >= f.MaxLength-1 && strings.HasPrefix(want, value)
}

// letters is the text without punctuation and white space, which masks put in.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s)
}

// within says whether all of a comes in b, in that order.
func within(a, b string) bool {
	rest := []rune(b)
	for _, r := range a {
		i := 0
		for i < len(rest) && rest[i] != r {
			i++
		}
		if i == len(rest) {
			return false
		}
		rest = rest[i+1:]
	}
	return a != ""
}
