package conf

import (
	"errors"
	"strings"
	"testing"
)

var (
	servers = []string{"mcpServers", "chrome"}
	entry   = Entry{{"command", "/opt/chrome-mcp"}, {"args", []string{"--allow-domain", "example.com"}}}
)

func TestSetAndUndo(t *testing.T) {
	cases := []struct {
		name   string
		format Format
		path   []string
		before string
		left   string // what Remove leaves, which knows less than Undo; "" for before
	}{
		{"empty", JSON, servers, "", "{}\n"},
		{"object", JSON, servers, "{}", ""},
		{"line", JSON, servers, "{}\n", ""},
		{"minified", JSON, servers, `{"a":1,"mcpServers":{"x":{"command":"y"}}}`, ""},
		{"minified empty", JSON, servers, `{"a":1,"mcpServers":{}}`, ""},
		{"spaced", JSON, servers, `{"a": 1, "mcpServers": {"x": {"command": "y"}}}`, ""},
		{"usual", JSON, servers, "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"y\"\n    }\n  }\n}\n", ""},
		{"tabs, comments, trailing commas", JSON, servers, "// top\n{\n\t// mine\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"y\",}, // last\n\t\t// behind\n\t}, /* end */\n}\n", ""},
		{"comment behind the last", JSON, servers, "{\n  \"mcpServers\": {\n    \"x\": {} // last\n    // behind\n  }\n}", ""},
		{"comment in an empty object", JSON, servers, "{\n  \"mcpServers\": {\n    // none yet\n  }\n}", ""},
		{"crlf and bom", JSON, servers, "\ufeff{\r\n    \"a\": [],\r\n    \"mcpServers\": {}\r\n}\r\n", ""},
		{"only comments", JSON, servers, "// nothing here\n", "// nothing here\n{}\n"},
		{"toml", TOML, []string{"mcp_servers", "chrome"}, "# mine\nmodel = \"o\"\n\n[mcp_servers.x] # x\ncommand = 'y'\n# end", "# mine\nmodel = \"o\"\n\n[mcp_servers.x] # x\ncommand = 'y'\n# end\n"},
		{"toml, crlf", TOML, []string{"mcp_servers", "chrome"}, "a = 1\r\n", ""},
		{"toml, empty", TOML, []string{"mcp_servers", "chrome"}, "", ""},
		{"yaml", YAML, []string{"extensions", "chrome"}, "# mine\nGOOSE: a # b\nextensions:\n  # x is\n  x:\n    enabled: true\n    args:\n    - a\nlast: 1\n", ""},
		{"yaml, empty mapping", YAML, []string{"extensions", "chrome"}, "a: 1\nextensions: {} # none\nb: 2\n", ""},
		{"yaml, nothing", YAML, []string{"extensions", "chrome"}, "a: 1\nextensions:\nb: 2", "a: 1\nextensions: {}\nb: 2"},
		{"yaml, null", YAML, []string{"extensions", "chrome"}, "a: 1\r\nextensions: null\r\nb: 2\r\n", "a: 1\r\nextensions: {}\r\nb: 2\r\n"},
		{"yaml, flow", YAML, []string{"extensions", "chrome"}, "extensions: {x: {a: 'b}', c: [1, 2]}} # {\n", ""},
		{"yaml, empty", YAML, []string{"extensions", "chrome"}, "", ""},
		{"yaml, comment", YAML, []string{"extensions", "chrome"}, "# only\n", ""},
		{"yaml, json", YAML, []string{"extensions", "chrome"}, `{"a": 1}`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			edit, err := Set(c.format, []byte(c.before), c.path, entry)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", edit.After)
			again, err := Set(c.format, edit.After, c.path, entry)
			if err != nil || string(again.After) != string(edit.After) {
				t.Errorf("again: %v\n%s", err, again.After)
			}
			undone, ok := Undo(c.format, edit.After, c.path, edit)
			if !ok || string(undone) != c.before {
				t.Errorf("undo: %v %q", ok, undone)
			}
			removed, err := Remove(c.format, edit.After, c.path, edit.Made)
			if err != nil {
				t.Fatal(err)
			}
			want := c.left
			if want == "" {
				want = c.before
			}
			if string(removed.After) != want {
				t.Errorf("removed: \n%q; want\n%q", removed.After, want)
			}
		})
	}
}

// What is there under the path makes room, and nothing else moves.
func TestReplaceAndRemove(t *testing.T) {
	toml, yaml := []string{"mcp_servers", "chrome"}, []string{"extensions", "chrome"}
	cases := []struct {
		name       string
		format     Format
		path       []string
		before     string
		set, unset string
	}{
		{"one line", JSON, servers, `{"mcpServers":{"chrome":{"command":"x"},"b":{}}}`,
			`{"mcpServers":{"chrome":{"command":"/opt/chrome-mcp","args":["--allow-domain","example.com"]},"b":{}}}`, `{"mcpServers":{"b":{}}}`},
		{"last of one line", JSON, servers, `{ "mcpServers": { "b": {}, "chrome": {} } }`,
			`{ "mcpServers": { "b": {}, "chrome": {"command": "/opt/chrome-mcp", "args": ["--allow-domain", "example.com"]} } }`, `{ "mcpServers": { "b": {} } }`},
		{"between comments", JSON, servers, "{\n\t\"mcpServers\": {\n\t\t// a\n\t\t\"a\": {},\n\t\t// ours\n\t\t\"chrome\": {}, // too\n\t\t// b\n\t\t\"b\": {},\n\t}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t// a\n\t\t\"a\": {},\n\t\t// ours\n\t\t\"chrome\": {\n\t\t\t\"command\": \"/opt/chrome-mcp\",\n\t\t\t\"args\": [\n\t\t\t\t\"--allow-domain\",\n\t\t\t\t\"example.com\"\n\t\t\t]\n\t\t}, // too\n\t\t// b\n\t\t\"b\": {},\n\t}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t// a\n\t\t\"a\": {},\n\t\t// ours\n\t\t// b\n\t\t\"b\": {},\n\t}\n}\n"},
		{"last, comment behind the comma", JSON, servers, "{\n  \"mcpServers\": {\n    \"a\": {}, // a\n    \"chrome\": {}\n  }\n}\n",
			"", "{\n  \"mcpServers\": {\n    \"a\": {} // a\n  }\n}\n"},
		{"escaped", JSON, servers, `{"mcp\u0053ervers":{"chrom\u0065":{}}}`,
			`{"mcp\u0053ervers":{"chrom\u0065":{"command":"/opt/chrome-mcp","args":["--allow-domain","example.com"]}}}`, `{"mcp\u0053ervers":{}}`},
		{"table", TOML, toml, "[mcp_servers.chrome] # old\ncommand = 'x'\n# in it\nargs = []\n\n# b's\n[mcp_servers.b]\n",
			"[mcp_servers.chrome]\ncommand = \"/opt/chrome-mcp\"\nargs = [\"--allow-domain\", \"example.com\"]\n\n# b's\n[mcp_servers.b]\n", "# b's\n[mcp_servers.b]\n"},
		{"table with tables", TOML, toml, "a = 1\n\n[mcp_servers.chrome]\ncommand = 'x'\n\n[mcp_servers.chrome.env]\nA = \"\"\"\n[b]\"\"\"\n\n[b]\n",
			"a = 1\n\n[mcp_servers.chrome]\ncommand = \"/opt/chrome-mcp\"\nargs = [\"--allow-domain\", \"example.com\"]\n\n[b]\n", "a = 1\n\n[b]\n"},
		{"dotted keys", TOML, toml, "mcp_servers.chrome.command = 'x'\nmcp_servers.chrome.args = []\nb = 1\n",
			"b = 1\n\n[mcp_servers.chrome]\ncommand = \"/opt/chrome-mcp\"\nargs = [\"--allow-domain\", \"example.com\"]\n", "b = 1\n"},
		{"quoted", TOML, toml, "[ mcp_servers . \"chrome\" ]\ncommand = 'x'",
			"[mcp_servers.chrome]\ncommand = \"/opt/chrome-mcp\"\nargs = [\"--allow-domain\", \"example.com\"]", ""},
		{"key of a table", TOML, toml, "[mcp_servers]\nchrome = { command = 'x' } # old\nb = { command = 'y' }\n",
			"[mcp_servers]\nb = { command = 'y' }\n\n[mcp_servers.chrome]\ncommand = \"/opt/chrome-mcp\"\nargs = [\"--allow-domain\", \"example.com\"]\n", "[mcp_servers]\nb = { command = 'y' }\n"},
		{"block", YAML, yaml, "extensions:\n    chrome:\n        args:\n        - x\n        text: |\n            a\n\n            b\n    # b's\n    b: {}\n",
			"extensions:\n    chrome:\n      command: /opt/chrome-mcp\n      args:\n        - --allow-domain\n        - example.com\n    # b's\n    b: {}\n", "extensions:\n    # b's\n    b: {}\n"},
		{"only block", YAML, yaml, "extensions: # all\n  chrome:\n    a: 1\nb: 1\n",
			"extensions: # all\n  chrome:\n    command: /opt/chrome-mcp\n    args:\n      - --allow-domain\n      - example.com\nb: 1\n", "extensions: {} # all\nb: 1\n"},
		{"flow behind wide letters", YAML, yaml, "extensions: {\"ü𝄞\": {}, 'chrome': {}, c: d}\n",
			"extensions: {\"ü𝄞\": {}, 'chrome': {\"command\": \"/opt/chrome-mcp\", \"args\": [\"--allow-domain\", \"example.com\"]}, c: d}\n", "extensions: {\"ü𝄞\": {}, c: d}\n"},
		{"flow", YAML, yaml, "extensions: {b: {}, chrome: {a: '}', b: \"\\\"}\"}}\n",
			"extensions: {b: {}, chrome: {\"command\": \"/opt/chrome-mcp\", \"args\": [\"--allow-domain\", \"example.com\"]}}\n", "extensions: {b: {}}\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			edit, err := Set(c.format, []byte(c.before), c.path, entry)
			if err != nil || c.set != "" && string(edit.After) != c.set {
				t.Errorf("set: %v\n%s\nwant\n%s", err, edit.After, c.set)
			}
			if undone, ok := Undo(c.format, edit.After, c.path, edit); !ok || string(undone) != c.before {
				t.Errorf("undo: %v\n%s", ok, undone)
			}
			edit, err = Remove(c.format, []byte(c.before), c.path, 0)
			if err != nil || string(edit.After) != c.unset {
				t.Errorf("removed: %v\n%s\nwant\n%s", err, edit.After, c.unset)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	toml, yaml := []string{"mcp_servers", "chrome"}, []string{"extensions", "chrome"}
	cases := []struct {
		format Format
		path   []string
		src    string
		want   string
	}{
		{JSON, servers, "[]", "line 1, column 1: the file holds no object"},
		{JSON, servers, "{\n  \"a\": 01\n}", "line 2, column 8: "},
		{JSON, servers, "{\"a\": 1", "line 1, column 8: parsing object after value: unexpected EOF"},
		{JSON, servers, "{\"mcpServers\": 1}", `line 1, column 16: "mcpServers" is no object`},
		{JSON, servers, "{\"mcpServers\": {\"chrome\": {},\n\"chrome\": {}}}", `line 2, column 1: "chrome" stands here a second time`},
		{TOML, toml, "a = 1\na = 2\n", "line 2, column 1: "},
		{TOML, toml, "mcp_servers = { b = {} }\n", "would not parse"},
		{TOML, toml, "mcp_servers = { chrome = {} }\n", "mcp_servers.chrome is inside an inline table"},
		{TOML, toml, "mcp_servers = 1\n", "would not parse"},
		{YAML, yaml, "a: 1\nb: [\n", "line 2, column 1: "},
		{YAML, yaml, "a: 1\na: 2\n", "line 2, column 1: "},
		{YAML, yaml, "- a\n", "line 1, column 1: "},
		{YAML, yaml, "a: 1\n---\nb: 1\n", "the file holds several documents"},
		{YAML, yaml, "x: &x {a: 1}\nextensions: *x\n", `line 2, column 13: "extensions" is no mapping of its own`},
	}
	for _, c := range cases {
		if _, err := Set(c.format, []byte(c.src), c.path, entry); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error %v; want %q", c.format, c.src, err, c.want)
		}
	}
	if _, err := Remove(JSON, []byte("{}"), servers, 0); !errors.Is(err, ErrAbsent) {
		t.Errorf("remove of nothing: %v", err)
	}
}

// Undo is for what is still there; else nothing is guessed.
func TestUndoOfWhatHasChanged(t *testing.T) {
	edit, err := Set(JSON, []byte("{}"), servers, entry)
	if err != nil {
		t.Fatal(err)
	}
	for name, now := range map[string]string{
		"another layout":  `{"mcpServers":{"chrome":{"command":"/opt/chrome-mcp","args":[]}}}`,
		"in a comment":    "{/*" + edit.New + "*/}",
		"a sibling":       strings.Replace(string(edit.After), "    }\n  }", "    },\n    \"b\": {}\n  }", 1),
		"there no longer": "{}",
	} {
		if after, ok := Undo(JSON, []byte(now), servers, edit); ok {
			t.Errorf("%s: undone to %s", name, after)
		}
	}
}
