package conf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzJSON, FuzzTOML and FuzzYAML hold for any file: an edit is refused, or the entry is
// there, all else is equal, a second one changes nothing, and taking it back gives the
// same bytes.
func FuzzJSON(f *testing.F) {
	seed(f, JSON, "{}", "", `{"a":1}`, "// c\n{\n\t\"mcpServers\": {/**/},\n}", `{"mcpServers":{"chrome":{"command":"x"},},"b":[1,{}]}`, "[]", "{\r\n}\r\n", "{\"mcpServers\": null}",
		"{\"mcpServers\":{\"a\":1 /*\n*/,\n\"b\":2}}", "/* */", "{\"a\":\"\\ud800\"}", "{\"mcpServers\":{\n\"chrome\":{} // x\n,}}")
	f.Fuzz(func(t *testing.T, src []byte) { roundTrip(t, JSON, src, []string{"mcpServers", "chrome"}) })
}

func FuzzTOML(f *testing.F) {
	seed(f, TOML, "", "a = 1", "[mcp_servers]\nchrome = {command = 'x'}\n", "mcp_servers.chrome.command = \"x\"\n[b]\n", "[mcp_servers.chrome]\n# in\na=1\n\n# out\n[c]\n",
		"mcp_servers = {}", "[[x]]\na = \"\"\"\n[mcp_servers.chrome]\n\"\"\"", "[mcp_servers.chrome.env]\nA='1'\n[z]\n[mcp_servers.chrome]\n", "a = [\n1,\n]\r\n")
	f.Fuzz(func(t *testing.T, src []byte) { roundTrip(t, TOML, src, []string{"mcp_servers", "chrome"}) })
}

func FuzzYAML(f *testing.F) {
	seed(f, YAML, "", "a: 1", "extensions:\n  chrome:\n    cmd: x\n  b: {}\n", "extensions: {chrome: {a: [1, '}']}, b: 2}\n", "extensions: ~ # none\n", "---\na: |+\n  x\n\n...\n",
		"extensions: &x\n  a: 1\nb: *x\n", "{extensions: {}}", "extensions:\n- a\n", "a: 'x\n  y'\nextensions:\n    chrome: {}", "? extensions\n: chrome: 1\n", "extensions: !!map\n  a: b\n", "\"extensions\": {\n}\n")
	f.Fuzz(func(t *testing.T, src []byte) { roundTrip(t, YAML, src, []string{"extensions", "chrome"}) })
}

// seed adds texts, and the files that the installer is tested with.
func seed(f *testing.F, format Format, texts ...string) {
	files, err := filepath.Glob("../../installer/testdata/clients/*." + strings.ToLower(string(format)))
	if err != nil || len(files) == 0 {
		f.Fatal("no samples", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, text := range texts {
		f.Add([]byte(text))
	}
}

func roundTrip(t *testing.T, format Format, src []byte, path []string) {
	before := string(src)
	_, had, readable := Get(format, src, path)
	edit, err := Set(format, src, path, entry)
	if string(src) != before {
		t.Fatal("the input was written to")
	}
	if err != nil {
		return // refused
	}
	if readable != nil && !had {
		t.Fatalf("an unreadable file was edited: %v", readable)
	}
	again, err := Set(format, edit.After, path, entry)
	if err != nil || string(again.After) != string(edit.After) {
		t.Fatalf("again: %v\n%q\n%q", err, edit.After, again.After)
	}
	if string(edit.After) == before {
		return // it was there already
	}
	undone, ok := Undo(format, edit.After, path, edit)
	if ok && string(undone) != before {
		t.Fatalf("undo of %q\ngives %q\nand not %q", edit.After, undone, before)
	}
	if !ok && strings.Count(string(edit.After), edit.New) == 1 {
		t.Fatalf("no undo of %q from %q", edit.After, before)
	}
	removed, err := Remove(format, edit.After, path, edit.Made)
	if err != nil {
		return // refused, and Undo has worked
	}
	if _, found, _ := Get(format, removed.After, path); found {
		t.Fatalf("not removed: %q", removed.After)
	}
	if _, err := Remove(format, removed.After, path, 0); !errors.Is(err, ErrAbsent) {
		t.Fatalf("removed twice: %v", err)
	}
}
