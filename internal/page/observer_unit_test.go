package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRing(t *testing.T) {
	var r ring[int]
	for i := range 10 {
		r.add(i, 10, 4, 1000)
	}
	if !slices.Equal(r.items, []int{6, 7, 8, 9}) || r.dropped != 6 || r.bytes != 40 {
		t.Errorf("by number: %v, %d dropped, %d bytes", r.items, r.dropped, r.bytes)
	}
	r.add(10, 25, 4, 50)
	if !slices.Equal(r.items, []int{8, 9, 10}) || r.bytes != 45 {
		t.Errorf("by bytes: %v, %d bytes", r.items, r.bytes)
	}
	r.add(11, 1000, 4, 50)
	if !slices.Equal(r.items, []int{11}) {
		t.Errorf("one that is too big by itself: %v", r.items)
	}
	r.clear()
	r.add(12, 1, 4, 50)
	if !slices.Equal(r.items, []int{12}) || r.dropped != 0 || r.bytes != 1 {
		t.Errorf("after clear: %v, %d dropped, %d bytes", r.items, r.dropped, r.bytes)
	}
}

func TestPick(t *testing.T) {
	at := func(n int) *int { return &n }
	long := strings.Repeat("x", logRoom/3)
	for _, tt := range []struct {
		since *int
		limit int
		line  string
		want  []int
		says  string
	}{
		{nil, 10, "", []int{1, 2, 3, 4, 5}, ""},
		{nil, 2, "", []int{4, 5}, "3 earlier ones are not shown: raise limit, or go through them from the first on with sinceSeq 0"},
		{at(0), 2, "", []int{1, 2}, "3 more follow: go on with sinceSeq 2"},
		{nil, 0, "", []int{1, 2, 3, 4, 5}, ""},
		{nil, 10, long, []int{4, 5}, "3 earlier ones do not fit into one answer: sinceSeq 0 goes"},
		{at(0), 10, long, []int{1, 2}, "3 more follow: go on with sinceSeq 2"},
		{nil, 10, strings.Repeat("\u202e", logRoom/25), []int{4, 5}, "3 earlier"}, // each is shown as eight characters
		{nil, 10, long + long + long + long, []int{5}, "4 earlier"},
	} {
		list := []int{1, 2, 3, 4, 5}
		got, text, part := pick(list, tt.since, tt.limit, func(n int) int { return n }, func(n int) string { return fmt.Sprintf("%d%s\n", n, tt.line) })
		if said := strings.Join(part.rest(0, 0, 0), "\n"); !slices.Equal(got, tt.want) || !strings.HasPrefix(said, tt.says) || part.more != len(list)-len(got) {
			t.Errorf("pick(%v, %d, %.10q) is %v, %q", tt.since, tt.limit, tt.line, got, said)
		}
		if first := fmt.Sprint(got[0]); !strings.HasPrefix(text, first) || strings.HasSuffix(text, "\n") {
			t.Errorf("the text begins with %.20q, want %s", text, first)
		}
	}
}

func TestFormatCall(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`[]`, ""},
		{`[{"type":"string","value":"100%"}]`, "100%"},
		{`[{"type":"string","value":"%s and %d%%, %c%o %i"},{"type":"string","value":"a"},{"type":"number","value":1},{"type":"string","value":"css"}]`, "a and 1%, %o %i"},
		{`[{"type":"object","subtype":"null","value":null},{"type":"undefined"},{"type":"number","unserializableValue":"NaN"}]`, "null undefined NaN"},
		{`[{"type":"function","description":"function add(a, b) { return a }"},{"type":"function","description":"(x) => x"}]`, "ƒ add(a, b) ƒ (x) => x"},
		{`[{"type":"object","className":"Point","preview":{"type":"object","overflow":true,"properties":[{"name":"x","type":"number","value":"1"},{"name":"a-b","type":"accessor"}]}}]`, `Point {x: 1, "a-b": (…), …}`},
		{`[{"type":"object","subtype":"array","preview":{"type":"object","subtype":"array","properties":[{"name":"0","type":"string","value":"q\"q"},{"name":"k","type":"object","subtype":"null","value":"null"}]}}]`, `["q\"q", k: null]`},
		{`[{"type":"object","description":"Object"}]`, "Object"},
		{`[{"type":"symbol","description":"Symbol(x)"}]`, "Symbol(x)"},
		{`[{"type":"object","subtype":"date","description":"Mon Jan 01 2024","preview":{"type":"object","subtype":"date","description":"Mon Jan 01 2024"}}]`, "Mon Jan 01 2024"},
	} {
		var args []remoteValue
		if err := json.Unmarshal([]byte(tt.args), &args); err != nil {
			t.Fatal(err)
		}
		if got := formatCall(args); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestShortURL(t *testing.T) {
	long := "https://a.example/app.js?" + strings.Repeat("q", 200)
	for in, want := range map[string]string{"https://a.example/app.js?v=1": "https://a.example/app.js?v=1", long: "https://a.example/app.js?…"} {
		if got := shortURL(in); got != want {
			t.Errorf("shortURL(%q) is %q", in, got)
		}
	}
	if got := position("", 0, 0); got != "" {
		t.Errorf("the position of nothing is %q", got)
	}
}

func TestForeign(t *testing.T) {
	for url, want := range map[string]bool{
		"https://a.example/": false, "http://a.example/": false, "ws://a.example/": false, "file:///x": false,
		"data:text/plain,x": true, "blob:https://a.example/1": true, "chrome-extension://abc/x.js": true, "chrome://settings": true,
	} {
		if foreign(url) != want {
			t.Errorf("foreign(%q) is %v", url, !want)
		}
	}
}

func TestIsText(t *testing.T) {
	for kind, want := range map[string]bool{
		"text/html; charset=utf-8": true, "application/json": true, "application/problem+json": true, "image/svg+xml": true, "application/javascript": true,
		"image/png": false, "application/octet-stream": false, "font/woff2": false, "": false, "video/mp4": false,
	} {
		if isText(kind) != want {
			t.Errorf("isText(%q) is %v", kind, !want)
		}
	}
}
