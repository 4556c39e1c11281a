package page

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"chrome-mcp/internal/browser"
)

// key is a key of a US keyboard as the DevTools protocol wants it.
type key struct {
	Name string // KeyboardEvent.key
	Code string // KeyboardEvent.code
	VK   int    // windowsVirtualKeyCode
	Text string // what it types, "" for none
	Side int    // KeyboardEvent.location
}

// numpad is the KeyboardEvent.location of the keys of the number pad.
const numpad = 3

// keyTable holds every key by KeyboardEvent.key; keyAliases what people call them.
var keyTable = makeKeys()

var keyAliases = map[string]string{
	"ctrl": "Control", "cmd": "Meta", "command": "Meta", "win": "Meta", "windows": "Meta", "super": "Meta", "option": "Alt",
	"esc": "Escape", "return": "Enter", "del": "Delete", "ins": "Insert", "space": " ", "spacebar": " ",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"pgup": "PageUp", "pgdn": "PageDown", "pgdown": "PageDown", "plus": "+", "minus": "-",
}

func makeKeys() map[string]key {
	t := map[string]key{}
	add := func(name, code string, vk int, text string, side int) { t[name] = key{name, code, vk, text, side} }
	for c := 'a'; c <= 'z'; c++ {
		upper := string(unicode.ToUpper(c))
		add(string(c), "Key"+upper, int(unicode.ToUpper(c)), string(c), 0)
		add(upper, "Key"+upper, int(unicode.ToUpper(c)), upper, 0)
	}
	for i, shifted := range ")!@#$%^&*(" {
		digit := fmt.Sprint(i)
		add(digit, "Digit"+digit, '0'+i, digit, 0)
		add(string(shifted), "Digit"+digit, '0'+i, string(shifted), 0)
	}
	for _, p := range []struct {
		chars, code string
		vk          int
	}{
		{"-_", "Minus", 189}, {"=+", "Equal", 187}, {"[{", "BracketLeft", 219}, {"]}", "BracketRight", 221},
		{"\\|", "Backslash", 220}, {";:", "Semicolon", 186}, {"'\"", "Quote", 222}, {",<", "Comma", 188},
		{".>", "Period", 190}, {"/?", "Slash", 191}, {"`~", "Backquote", 192},
	} {
		for _, c := range p.chars {
			add(string(c), p.code, p.vk, string(c), 0)
		}
	}
	for _, n := range []struct {
		name string
		vk   int
	}{
		{"Backspace", 8}, {"Tab", 9}, {"Pause", 19}, {"CapsLock", 20}, {"Escape", 27}, {"PageUp", 33}, {"PageDown", 34},
		{"End", 35}, {"Home", 36}, {"ArrowLeft", 37}, {"ArrowUp", 38}, {"ArrowRight", 39}, {"ArrowDown", 40},
		{"PrintScreen", 44}, {"Insert", 45}, {"Delete", 46}, {"ContextMenu", 93}, {"NumLock", 144}, {"ScrollLock", 145},
	} {
		add(n.name, n.name, n.vk, "", 0)
	}
	for i := 1; i <= 24; i++ {
		name := fmt.Sprintf("F%d", i)
		add(name, name, 111+i, "", 0)
	}
	add("Enter", "Enter", 13, "\r", 0)
	add(" ", "Space", 32, " ", 0)
	add("Shift", "ShiftLeft", 16, "", 1)
	add("Control", "ControlLeft", 17, "", 1)
	add("Alt", "AltLeft", 18, "", 1)
	add("Meta", "MetaLeft", 91, "", 1)
	return t
}

// shiftedKey is what a key types while Shift is held.
var shiftedKey = func() map[string]string {
	m := map[string]string{}
	for c := 'a'; c <= 'z'; c++ {
		m[string(c)] = string(unicode.ToUpper(c))
	}
	low, high := "1234567890-=[]\\;',./`", "!@#$%^&*()_+{}|:\"<>?~"
	for i := range low {
		m[low[i:i+1]] = high[i : i+1]
	}
	return m
}()

// editCommands are the editing commands that go with a shortcut. macOS derives them
// from the menu, which events from DevTools do not pass; so they are named.
var editCommands = map[string]string{"a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo", "y": "redo"}

// combo is a key with the modifiers that are held.
type combo struct {
	key  key
	held []string
}

// parseCombo reads "Control+Shift+p", "+", "Control++", "Shift+?" and single keys.
func parseCombo(s string, more []string) (combo, error) {
	parts := splitCombo(s)
	var c combo
	for _, m := range append(parts[:len(parts)-1:len(parts)-1], more...) {
		name, ok := modifierName(m)
		if !ok {
			return c, browser.Errorf(browser.BadArgs, "%s is no modifier; those are Alt, Control, Meta and Shift, as in Control+a", quote(m, 40))
		}
		c.held = append(c.held, name)
	}
	k, ok := lookupKey(parts[len(parts)-1])
	if !ok {
		return c, browser.Errorf(browser.BadArgs, "%s is no key; use a character, Enter, Tab, Escape, Backspace, Delete, Home, End, PageUp, PageDown, ArrowUp, F1 … or a combination such as Control+a; for text use type", quote(s, 60))
	}
	switch held := modifiers(c.held); {
	case held&modifierBits["Shift"] != 0:
		if up, ok := shiftedKey[k.Name]; ok && k.Side == 0 {
			k = keyTable[up]
		}
	case held != 0 && unicode.IsUpper([]rune(k.Name)[0]) && len(k.Name) == 1:
		k = keyTable[strings.ToLower(k.Name)] // Control+S is written on menus, and pressed without Shift
	}
	c.key = k
	return c, nil
}

// splitCombo splits on + and keeps a plus that is the key itself.
func splitCombo(s string) []string {
	if s == "+" {
		return []string{"+"}
	}
	if head, ok := strings.CutSuffix(s, "++"); ok && head != "" {
		return append(strings.Split(head, "+"), "+")
	}
	return strings.Split(s, "+")
}

func modifierName(s string) (string, bool) {
	if strings.EqualFold(s, "ControlOrMeta") || strings.EqualFold(s, "Mod") {
		return mainModifier(), true
	}
	k, ok := lookupKey(s)
	_, is := modifierBits[k.Name]
	return k.Name, ok && is
}

// mainModifier is the key of shortcuts on this system.
func mainModifier() string {
	if runtime.GOOS == "darwin" {
		return "Meta"
	}
	return "Control"
}

func lookupKey(s string) (key, bool) {
	if k, ok := keyTable[s]; ok {
		return k, true
	}
	if utf8.RuneCountInString(s) == 1 { // a character that is not on this keyboard
		return key{Name: s, Text: s}, true
	}
	if name, ok := keyAliases[strings.ToLower(s)]; ok {
		return keyTable[name], true
	}
	if k, ok := keysByName[strings.ToLower(s)]; ok {
		return k, true
	}
	k, ok := twinKeys[strings.ToLower(s)]
	return k, ok
}

// twinKeys holds by code the keys that a keyboard has once more elsewhere: those of the
// number pad, with NumLock on, and the modifiers at the right.
var twinKeys = func() map[string]key {
	m := map[string]key{}
	for i := range 10 {
		digit := fmt.Sprint(i)
		m["numpad"+digit] = key{digit, "Numpad" + digit, 96 + i, digit, numpad}
	}
	for _, k := range []key{
		{"*", "NumpadMultiply", 106, "*", numpad}, {"+", "NumpadAdd", 107, "+", numpad}, {"-", "NumpadSubtract", 109, "-", numpad},
		{".", "NumpadDecimal", 110, ".", numpad}, {"/", "NumpadDivide", 111, "/", numpad}, {"Enter", "NumpadEnter", 13, "\r", numpad},
		{"Shift", "ShiftRight", 16, "", 2}, {"Control", "ControlRight", 17, "", 2}, {"Alt", "AltRight", 18, "", 2}, {"Meta", "MetaRight", 92, "", 2},
	} {
		m[strings.ToLower(k.Code)] = k
	}
	m["altgraph"] = key{"AltGraph", "AltRight", 18, "", 2}
	return m
}()

// keysByName holds the keys by name and by code, without regard to case; a code stands
// for the key without Shift.
var keysByName = func() map[string]key {
	m := map[string]key{}
	for name, k := range keyTable {
		if _, low := shiftedKey[name]; low || len(name) > 1 || name == " " {
			m[strings.ToLower(k.Code)] = k
		}
		if len(name) > 1 {
			m[strings.ToLower(name)] = k
		}
	}
	return m
}()

// keyEvent is the parameters of one key event.
type keyEvent struct {
	Type       string   `json:"type"`
	Key        string   `json:"key"`
	Code       string   `json:"code,omitempty"`
	VK         int      `json:"windowsVirtualKeyCode,omitempty"`
	Text       string   `json:"text,omitempty"`
	Unmodified string   `json:"unmodifiedText,omitempty"`
	Modifiers  int      `json:"modifiers"`
	Location   int      `json:"location,omitempty"`
	Keypad     bool     `json:"isKeypad,omitempty"`
	Commands   []string `json:"commands,omitempty"`
}

func keyCommand(e keyEvent) browser.Command {
	return browser.Command{Method: "Input.dispatchKeyEvent", Params: e}
}

// stroke is one key going down and up.
func (k key) stroke(mods int, commands []string) []browser.Command {
	down := keyEvent{Type: "rawKeyDown", Key: k.Name, Code: k.Code, VK: k.VK, Modifiers: mods, Location: k.Side, Keypad: k.Side == numpad, Commands: commands}
	if k.Text != "" && mods&^modifierBits["Shift"] == 0 {
		down.Type, down.Text, down.Unmodified = "keyDown", k.Text, k.Text
	}
	up := keyEvent{Type: "keyUp", Key: k.Name, Code: k.Code, VK: k.VK, Modifiers: mods, Location: k.Side, Keypad: k.Side == numpad}
	return []browser.Command{keyCommand(down), keyCommand(up)}
}

// commands presses the modifiers, strokes the key and lets the modifiers go again.
func (c combo) commands() []browser.Command {
	var calls []browser.Command
	bits := 0
	for _, name := range c.held {
		bits |= modifierBits[name]
		k := keyTable[name]
		calls = append(calls, keyCommand(keyEvent{Type: "rawKeyDown", Key: k.Name, Code: k.Code, VK: k.VK, Modifiers: bits, Location: k.Side}))
	}
	calls = append(calls, c.key.stroke(bits|c.shift(), c.editing(bits))...)
	for i := len(c.held) - 1; i >= 0; i-- {
		k := keyTable[c.held[i]]
		bits &^= modifierBits[c.held[i]]
		calls = append(calls, keyCommand(keyEvent{Type: "keyUp", Key: k.Name, Code: k.Code, VK: k.VK, Modifiers: bits, Location: k.Side}))
	}
	return calls
}

// shift is the modifier that a key alone needs for what it is to type, as a person would
// hold it for "?".
func (c combo) shift() int {
	if len(c.held) == 0 && c.key.Side == 0 && isShifted[c.key.Name] {
		return modifierBits["Shift"]
	}
	return 0
}

var isShifted = func() map[string]bool {
	m := map[string]bool{}
	for _, up := range shiftedKey {
		m[up] = true
	}
	return m
}()

func (c combo) editing(bits int) []string {
	shortcut := bits == modifierBits["Control"] || bits == modifierBits["Meta"]
	withShift := bits == modifierBits["Control"]|modifierBits["Shift"] || bits == modifierBits["Meta"]|modifierBits["Shift"]
	name := strings.ToLower(c.key.Name)
	switch {
	case shortcut && editCommands[name] != "":
		return []string{editCommands[name]}
	case withShift && name == "z":
		return []string{"redo"}
	}
	return nil
}

// pressed is the structured content of press.
type pressed struct {
	OK  bool   `json:"ok"`
	Key string `json:"key"`
	effects
}

// Press is press: the key goes to what has the focus.
func Press(ctx context.Context, t *Tab, a PressArgs) (*Result, error) {
	c, err := parseCombo(a.Key, a.Modifiers)
	if err != nil {
		return nil, err
	}
	if err := t.judgeFocus(ctx); err != nil {
		return nil, err
	}
	from := t.state.now()
	over, err := t.act(ctx, "", c.commands())
	defer over()
	if err != nil && !t.openedDialog(err, from) && !navigated(err) {
		return nil, err
	}
	// The page's own answer to the key is part of the press: a submit is only a task
	// until the page has been asked something.
	data := pressed{OK: true, Key: a.Key}
	said := "pressed " + a.Key
	if err == nil {
		p, _, err := run[activeElement](ctx, t, probeActive())
		if err == nil && p.Active != "" {
			said += "; focus is on " + quote(p.Active, 100)
		}
	}
	data.effects = t.observe(ctx, from)
	return t.finish(ctx, said, data.effects, a.After, data)
}
