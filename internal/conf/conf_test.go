package conf

import (
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
