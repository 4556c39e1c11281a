package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// editorPages are pages with one editor each, called Message. What it holds is read
// through its own programming interface: its state, which the page may not show yet or
// show otherwise.
var editorPages = map[string]string{
	"lexical":         `<div id=editor contenteditable role=textbox aria-label=Message style="min-height:3em"></div>` + module("lexical"),
	"prosemirror":     `<link rel=stylesheet href="/npm/prosemirror-view/style/prosemirror.css">` + place + module("prosemirror"),
	"quill":           `<link rel=stylesheet href="/npm/quill/dist/quill.snow.css">` + place + module("quill"),
	"codemirror":      place + module("codemirror"),
	"codemirror 5":    `<link rel=stylesheet href="/npm/codemirror5/lib/codemirror.css">` + place + module("codemirror5"),
	"monaco":          monacoPage(""),
	"monaco textarea": monacoPage("<!--textarea-->"),
	"react":           place + module("react"),
	"vue":             place + module("vue"),
}

const place = `<div id=place></div>`

func module(name string) string { return `<script type=module src="/web/` + name + `.js"></script>` }

// monacoPage has an editor that takes text through an EditContext, or a text area.
func monacoPage(kind string) string {
	return kind + `<div id=place style="height:300px"></div><script src="/npm/monaco-editor/min/vs/loader.js"></script>` + module("monaco")
}

// program is text that code editors would change if it were typed key by key: they
// indent lines and close brackets themselves.
const program = "if (a) {\n  b([1]);\n}\n\nend"

// edit is a call of type and what the editor holds after it.
type edit struct {
	what string
	args args
	want string
}

var editSteps = []edit{
	{"type", args{"text": "Hello"}, "Hello"},
	{"append", args{"text": " world"}, "Hello world"},
	{"replace", args{"text": "New", "clear": true}, "New"},
	{"lines", args{"text": "one\ntwo", "clear": true}, "one\ntwo"},
	{"append lines", args{"text": "\nthree"}, "one\ntwo\nthree"},
	{"key by key", args{"text": "Keys 1", "clear": true, "keyEvents": true}, "Keys 1"},
	{"a program", args{"text": program, "clear": true}, program},
	{"other scripts", args{"text": "Größe 日本 👩‍💻", "clear": true}, "Größe 日本 👩‍💻"},
	{"clear", args{"text": "", "clear": true}, ""},
}

// longProgram is more than code editors, which render the lines in view, show of it.
var longProgram = strings.Repeat("a line of text\n", 200) + "end"

var longSteps = []edit{
	{"a long text", args{"text": longProgram, "clear": true}, longProgram},
	{"append to a long text", args{"text": "\nlast"}, longProgram + "\nlast"},
	{"clear a long text", args{"text": "", "clear": true}, ""},
}

type editorTest struct {
	*testing.T
	server *server
}

// play types, with the caret at the start each time: typing goes on at the end.
func (e editorTest) play(steps []edit) {
	for _, step := range steps {
		e.server.do(e.Context(), "press", args{"key": "Home", "modifiers": []string{"Control"}})
		a := maps.Clone(step.args)
		a["role"], a["name"] = "textbox", "Message"
		r := e.server.do(e.Context(), "type", a)
		if r.failed {
			e.Errorf("%s: %s", step.what, r.text)
		}
		if got := e.server.call(e, "eval", args{"expression": "read()"}).data["value"]; got != step.want {
			e.Errorf("%s: the editor holds %s, want %s; the tool said %s", step.what, clip(str(got)), clip(step.want), clip(r.text))
		}
	}
}

func TestEditors(t *testing.T) {
	published(t)
	onBackends(t, func(t *testing.T, s *server) {
		for _, name := range sortedNames(editorPages) {
			t.Run(name, func(t *testing.T) {
				s.open(t, "<title>"+name+"</title>"+editorPages[name])
				s.wantValue(t, "new Promise(done => (function look() { window.read ? done('ready') : setTimeout(look, 20) })())", "ready")
				editor := editorTest{t, s}
				editor.play(editSteps)
				if strings.HasPrefix(name, "codemirror") || strings.HasPrefix(name, "monaco") {
					editor.play(longSteps)
				}
			})
		}
	})
}

// TestControlledForms fills forms whose fields hold what a framework's state says.
func TestControlledForms(t *testing.T) {
	published(t)
	onBackends(t, func(t *testing.T, s *server) {
		for _, name := range []string{"react", "vue"} {
			t.Run(name, func(t *testing.T) {
				s.open(t, editorPages[name])
				s.wantValue(t, "new Promise(done => (function look() { window.read ? done('ready') : setTimeout(look, 20) })())", "ready")
				s.call(t, "fill_form", args{"fields": []args{
					{"role": "textbox", "name": "Title", "value": "Trip"},
					{"role": "textbox", "name": "Message", "value": "Two\nlines"},
					{"role": "combobox", "name": "Size", "value": "Large"},
					{"role": "checkbox", "name": "Gift", "value": true},
				}})
				s.call(t, "click", args{"role": "button", "name": "Send"})
				s.wantValue(t, "JSON.stringify(sent)", fmt.Sprintf(`{"title":"Trip","message":%q,"size":"l","gift":true}`, "Two\nlines"))
			})
		}
	})
}
