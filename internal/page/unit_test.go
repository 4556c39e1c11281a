package page

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

func TestCut(t *testing.T) {
	var file struct {
		Vectors []struct {
			Truncate *struct {
				Text string `json:"text"`
				N    int    `json:"n"`
			} `json:"truncate"`
		} `json:"vectors"`
	}
	raw, err := os.ReadFile("../../e2e/testdata/cases/inputs/in-json-lone-surrogates.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		if v.Truncate == nil {
			continue
		}
		got := Cut(v.Truncate.Text, v.Truncate.N)
		if !strings.HasPrefix(v.Truncate.Text, got) || len(got) > v.Truncate.N || !utf8.ValidString(got) {
			t.Errorf("Cut(%q, %d) = %q", v.Truncate.Text, v.Truncate.N, got)
		}
	}
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 2, "ab"}, {"abc", 9, "abc"}, {"abc", 0, ""},
		{"a👨‍👩‍👧éz", 19, "a👨‍👩‍👧"}, {"a👨‍👩‍👧éz", 18, "a"},
		{"e\u0301x", 2, ""}, {"e\u0301x", 3, "e\u0301"},
		{"🇩🇪🇫🇷", 8, "🇩🇪"}, {"🇩🇪🇫🇷", 12, "🇩🇪"}, {"👍🏽!", 4, ""}, {"\u1100\u1161\u11a8x", 6, ""},
		{"a\xffb", 9, "a\uFFFDb"}, {"\r\nx", 1, ""},
	} {
		if got := Cut(c.in, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("a👨‍👩‍👧éz", 5)
	f.Add("\xff\u0301", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		got := Cut(s, n)
		if !utf8.ValidString(got) || len(got) > max(n, 0) && len(got) > len(s)*3 {
			t.Errorf("Cut(%q, %d) = %q", s, n, got)
		}
		if clean := strings.ToValidUTF8(s, "\uFFFD"); !strings.HasPrefix(clean, got) {
			t.Errorf("Cut(%q, %d) = %q is no prefix", s, n, got)
		}
	})
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":             "https://example.com",
		"example.com:8443/a":      "https://example.com:8443/a",
		" https://example.com/x ": "https://example.com/x",
		"localhost:8080/a":        "http://localhost:8080/a",
		"127.0.0.1:3000":          "http://127.0.0.1:3000",
		"[::1]:80/":               "http://[::1]:80/",
		"app.localhost":           "http://app.localhost",
		"//example.com/a":         "https://example.com/a",
		"about:blank":             "about:blank",
		"javascript:alert(1)":     "javascript:alert(1)",
		"file:///etc/passwd":      "file:///etc/passwd",
		"nas:5000":                "https://nas:5000",
	} {
		if got, err := address(in); err != nil || got != want {
			t.Errorf("address(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "hello world", "/path"} {
		if got, err := address(in); err == nil {
			t.Errorf("address(%q) = %q", in, got)
		}
	}
}

func TestParseCombo(t *testing.T) {
	for _, c := range []struct {
		in, name, code, text string
		held                 string
	}{
		{"a", "a", "KeyA", "a", ""}, {"A", "A", "KeyA", "A", ""}, {"+", "+", "Equal", "+", ""},
		{"Control++", "+", "Equal", "+", "Control"}, {"Control+a", "a", "KeyA", "a", "Control"},
		{"Shift+?", "?", "Slash", "?", "Shift"}, {"Shift+a", "A", "KeyA", "A", "Shift"}, {"Shift+/", "?", "Slash", "?", "Shift"},
		{"ctrl+shift+ArrowLeft", "ArrowLeft", "ArrowLeft", "", "Control,Shift"},
		{"Enter", "Enter", "Enter", "\r", ""}, {"enter", "Enter", "Enter", "\r", ""}, {"Return", "Enter", "Enter", "\r", ""},
		{"Space", " ", "Space", " ", ""}, {" ", " ", "Space", " ", ""}, {"F5", "F5", "F5", "", ""}, {"esc", "Escape", "Escape", "", ""},
		{"ü", "ü", "", "ü", ""}, {"Cmd+c", "c", "KeyC", "c", "Meta"}, {"KeyB", "b", "KeyB", "b", ""}, {"Digit5", "5", "Digit5", "5", ""},
		{"Alt+F4", "F4", "F4", "", "Alt"}, {"Shift", "Shift", "ShiftLeft", "", ""},
		{"Numpad7", "7", "Numpad7", "7", ""}, {"NumpadEnter", "Enter", "NumpadEnter", "\r", ""}, {"NumpadAdd", "+", "NumpadAdd", "+", ""},
		{"Shift+Numpad7", "7", "Numpad7", "7", "Shift"}, {"ControlRight", "Control", "ControlRight", "", ""}, {"AltGraph", "AltGraph", "AltRight", "", ""},
		{"Control+S", "s", "KeyS", "s", "Control"}, {"Control+Shift+s", "S", "KeyS", "S", "Control,Shift"}, {"Control+Ü", "Ü", "", "Ü", "Control"},
	} {
		got, err := parseCombo(c.in, nil)
		if err != nil || got.key.Name != c.name || got.key.Code != c.code || got.key.Text != c.text || strings.Join(got.held, ",") != c.held {
			t.Errorf("parseCombo(%q) = %+v, %v", c.in, got, err)
		}
	}
	for _, in := range []string{"", "Nope", "Control+", "a+b", "+a"} {
		if got, err := parseCombo(in, nil); err == nil {
			t.Errorf("parseCombo(%q) = %+v", in, got)
		}
	}
	c, _ := parseCombo("Control+a", nil)
	if got := c.editing(modifierBits["Control"]); !reflect.DeepEqual(got, []string{"selectAll"}) {
		t.Errorf("Control+a commands %v", got)
	}
}

func TestFieldsTakeWhatAgentsSend(t *testing.T) {
	want := Fields{{Target: Target{Selector: "#b"}, Value: "x"}, {Target: Target{Selector: "#a"}, Value: "true"}}
	for _, in := range []string{
		`[{"selector":"#b","value":"x"},{"selector":"#a","value":true}]`,
		`{"#b":"x","#a":true}`,
		`"{\"#b\":\"x\",\"#a\":true}"`,
	} {
		var got Fields
		if err := json.Unmarshal([]byte(in), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{`[{"selektor":"#b","value":"x"}]`, `[{"selector":"#b","value":{}}]`, `{"#a":[1]}`, `7`} {
		var got Fields
		if err := json.Unmarshal([]byte(in), &got); err == nil {
			t.Errorf("%s gives %+v", in, got)
		}
	}
}

func TestTargetCheck(t *testing.T) {
	n := 0
	for _, c := range []struct {
		target Target
		word   string
	}{
		{Target{Selector: "#a"}, ""}, {Target{Ref: "e1"}, ""}, {Target{Role: "button", Name: "Go", Nth: &n}, ""},
		{Target{}, "no target"}, {Target{Selector: "#a", Ref: "e1"}, "exactly one"}, {Target{Name: "Go"}, "needs role"},
		{Target{Selector: "#a", Name: "Go"}, "role"}, {Target{Ref: "e1", Nth: &n}, "nth"},
		{Target{Ref: "e1", FrameArg: FrameArg{AllFrames: true}}, "frame"},
		{Target{Role: "link", FrameArg: FrameArg{FrameID: "F", AllFrames: true}}, "not both"},
	} {
		err := c.target.check()
		if (err == nil) != (c.word == "") || err != nil && (browser.CodeOf(err) != browser.BadArgs || !strings.Contains(err.Error(), c.word)) {
			t.Errorf("%+v: %v, want %q", c.target, err, c.word)
		}
	}
}

func TestRefs(t *testing.T) {
	var r refs
	a, b := element{"t", "f", "d", 1}, element{"t", "f", "d", 2}
	ra, rb := r.mint(a, "button A"), r.mint(b, "button B")
	if ra == rb || r.mint(a, "button A2") != ra {
		t.Fatalf("refs %s and %s", ra, rb)
	}
	if i, err := r.lookup("[" + ra + "]"); err != nil || i.shownAs != "button A2" || i.element != a {
		t.Errorf("lookup: %+v, %v", i, err)
	}
	for ref, code := range map[string]browser.Code{"e77": browser.RefExpired, "12": browser.BadArgs, "button": browser.BadArgs, "": browser.BadArgs} {
		if _, err := r.lookup(ref); browser.CodeOf(err) != code {
			t.Errorf("lookup(%q): %v", ref, err)
		}
	}
}

func TestQueueIsFair(t *testing.T) {
	var q queue
	first, err := q.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan int, 3)
	for i := range 3 {
		placed := make(chan struct{})
		go func() {
			unlock, _ := q.lock(WithQueued(context.Background(), func() { close(placed) }))
			order <- i
			unlock()
		}()
		<-placed
	}
	gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := q.lock(gone); browser.CodeOf(err) != browser.Timeout {
		t.Errorf("a waiter that gave up got %v", err)
	}
	first()
	for want := range 3 {
		if got := <-order; got != want {
			t.Errorf("turn %d went to %d", want, got)
		}
	}
	unlock, err := q.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// blank is a tab that only renders.
func blank() *Tab { return &Tab{s: &Session{}, bt: namedTab{}} }

type namedTab struct{ browser.Tab }

func (namedTab) ID() browser.TabID { return "x:1:1" }

func node(d int, role, name string, n int) pagefn.Node {
	return pagefn.Node{Depth: d, Role: role, Name: name, Node: n}
}

func linesOf(t *Tab, nodes ...pagefn.Node) []line {
	var out []line
	for _, n := range nodes {
		out = append(out, t.line(n, "f", "d"))
	}
	return out
}

func TestRenderFolds(t *testing.T) {
	tab := blank()
	nodes := []pagefn.Node{node(0, "heading", "Orders", 0), node(0, "table", "", 1)}
	for i := range 500 {
		nodes = append(nodes, node(1, "row", "", 0), node(2, "cell", fmt.Sprint("Order ", i), 0), node(2, "button", fmt.Sprint("Cancel ", i), 10+i))
	}
	nodes = append(nodes, node(0, "contentinfo", "Imprint", 0))
	got := tab.render(linesOf(tab, nodes...), 4000, 0)
	if len(got) > 4000 {
		t.Errorf("%d bytes", len(got))
	}
	for _, w := range []string{`heading "Orders"`, `cell "Order 0"`, "more rows; snapshot with ref e", `contentinfo "Imprint"`} {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in\n%s", w, got)
		}
	}
	if whole := tab.render(linesOf(tab, nodes...), 1<<20, 0); strings.Count(whole, "\n") != len(nodes)-1 {
		t.Error("a snapshot that fits was folded")
	}
	if few := tab.render(linesOf(tab, nodes...), 1<<20, 40); strings.Count(few, "\n") > 40 {
		t.Errorf("more than 40 lines:\n%s", few)
	}
}

func TestRenderAlwaysFits(t *testing.T) {
	tab := blank()
	roles := []string{"button", "link", "text", "heading", "group", "listitem", "img"}
	var nodes []pagefn.Node
	for i := range 5000 {
		nodes = append(nodes, node(i*7%23, roles[i*31%len(roles)], strings.Repeat("word ", i%40), i%3*i))
	}
	if got := tab.render(linesOf(tab, nodes...), wholeCap, 0); len(got) > wholeCap+200 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestRenderFoldsAlternatingRoles(t *testing.T) {
	tab := blank()
	var nodes []pagefn.Node
	for i := range 900 {
		nodes = append(nodes, node(0, []string{"button", "link", "textbox"}[i%3], fmt.Sprint("n", i), i+1))
	}
	got := tab.render(linesOf(tab, nodes...), 3000, 0)
	if len(got) > 3000 || !strings.Contains(got, "more elements") {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

func TestDiff(t *testing.T) {
	tab := blank()
	before := linesOf(tab, node(0, "main", "", 1), node(1, "button", "Go", 2), node(1, "text", "Waiting", 0), node(1, "group", "Old", 3), node(2, "text", "inside", 0), node(0, "text", "Same", 0))
	after := linesOf(tab, node(0, "main", "", 1), pagefn.Node{Depth: 1, Role: "button", Name: "Go", Node: 2, States: []string{"disabled"}}, node(1, "text", "Done", 0), node(0, "text", "Same", 0))
	got := tab.diff(before, after)
	want := strings.Join([]string{"@ main [e1]", `~ button "Go" [e2] disabled`, `+ text "Done"`, "@ main [e1]", `- text "Waiting"`, `- group "Old" [e3]`}, "\n")
	if got != want {
		t.Errorf("diff is\n%s\nwant\n%s", got, want)
	}
	focused := linesOf(tab, pagefn.Node{Role: "button", Name: "Go", Node: 2, States: []string{"focused"}})
	if got := tab.diff(linesOf(tab, node(0, "button", "Go", 2)), focused); got != "" {
		t.Errorf("focus alone is a change: %s", got)
	}
}

func TestChangedByPage(t *testing.T) {
	for _, c := range []struct {
		want, got string
		limit     int
		note      string
		ok        bool
	}{
		{"42424242", "4242 4242", 0, "formatted", true},
		{"4a2b", "42", 0, "left out", true},
		{"abcdef", "abc", 3, "maxlength", true},
		{"5", "5 EUR", 0, "added", true},
		{"hello", "HELLO", 0, "formatted", true},
		{"hello", "", 0, "", false},
		{"hello", "other", 0, "", false},
		{"hello", "olleh", 0, "", false},
	} {
		note, ok := changedByPage(pagefn.Editable{Kind: "text", Value: c.got}, c.want, pagefn.Editable{MaxLength: c.limit})
		if ok != c.ok || !strings.Contains(note, c.note) {
			t.Errorf("%q became %q: %q, %v", c.want, c.got, note, ok)
		}
	}
}

func TestURLMatches(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    bool
	}{{"/cart", true}, {"https://a.example/*", true}, {"*/cart?x=*", true}, {"*/cart", false}, {"/other", false}, {"*cart*1", true}} {
		if got := urlMatches("https://a.example/cart?x=1", c.pattern); got != c.want {
			t.Errorf("%q: %v", c.pattern, got)
		}
	}
}

func TestPlainJSON(t *testing.T) {
	for in, want := range map[string]string{
		`"\u00fc\ud83d\udc4d"`:  `"ü👍"`,
		`"a\ud83d"`:             "\"a\uFFFD\"",
		`"\ude00b"`:             "\"\uFFFDb\"",
		`"\u0000\n\"\\u00fc"`:   `"\u0000\n\"\\u00fc"`,
		`"\u0022\u005c"`:        `"\"\\"`,
		`{"\u003c":"\u2028\/"}`: "{\"<\":\"\u2028\\/\"}",
		`[1,"\`:                 `[1,"\`,
	} {
		if got := string(plainJSON(json.RawMessage(in))); got != want {
			t.Errorf("plainJSON(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestQuoteShowsWhatCouldDeceive(t *testing.T) {
	for in, want := range map[string]string{
		"plain":            `"plain"`,
		"a\"b\\c\n":        `"a\"b\\c\n"`,
		"x\u202Ey":         `"x\u{202e}y"`,
		"zero\u200bw":      `"zero\u{200b}w"`,
		"\x1b[31m":         `"\u{1b}[31m"`,
		"nb\u00a0sp 👨‍👩‍👧": "\"nb\u00a0sp 👨‍👩‍👧\"",
	} {
		if got := quote(in, 100); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
	if got := quote("abcdef", 3); got != `"abc…"` {
		t.Errorf("cut: %s", got)
	}
}

func TestNamedWithEnding(t *testing.T) {
	for name, want := range map[string]string{
		"": "download.csv", "..": "download.csv", "dir/": "download.csv", "../a": "a.csv", "evil. .": "evil.csv",
		"nul ": "_nul.csv", "a.txt": "a.txt", ".htaccess": ".htaccess",
	} {
		if got := named(name, ".csv"); got != want {
			t.Errorf("named(%q) = %q, want %q", name, got, want)
		}
	}
}
