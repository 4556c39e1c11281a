package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chrome-mcp/internal/policy"
)

// listTools returns the tools/list result of a server with this configuration.
func listTools(t *testing.T, cfg Config) (list struct{ Tools []listedTool }, raw []byte) {
	t.Helper()
	c := serve(t, newTestServer(t, cfg))
	c.initialize("2025-11-25")
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	line, _ := c.nextLine()
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m.Result, &list); err != nil {
		t.Fatal(err)
	}
	return list, m.Result
}

type listedTool struct {
	Name         string
	Description  string
	InputSchema  any
	OutputSchema any
	Annotations  map[string]any
}

func TestSchemasPassTheLint(t *testing.T) {
	list, raw := listTools(t, testConfig())
	// Those about other extensions are there with the first of them; see TestProviderTools.
	if want := len(table()) - len(providerTools()); len(list.Tools) != want {
		t.Errorf("%d tools are listed, want %d", len(list.Tools), want)
	}
	seen := map[string]bool{}
	for _, tool := range list.Tools {
		for _, fault := range lintTool(tool) {
			t.Errorf("%s: %s", tool.Name, fault)
		}
		if seen[tool.Name] {
			t.Errorf("%s is there twice", tool.Name)
		}
		seen[tool.Name] = true
		if len(tool.Name) > 20 {
			t.Errorf("%s: longer than 20 characters", tool.Name)
		}
		if tool.Annotations["title"] == "" {
			t.Errorf("%s has no title", tool.Name)
		}
	}
	if len(raw) > 60_000 {
		t.Errorf("tools/list has %d bytes", len(raw))
	}
}

// The bad examples of the case in-mcp-schema-lint, and one for each further rule.
func TestLintFlagsBadSchemas(t *testing.T) {
	for _, bad := range []string{
		`{"anyOf":[{"type":"object"}]}`,
		`{"type":"object"}`,
		`{"type":"object","properties":{"a":{"type":"array"}}}`,
		`{"type":"object","properties":{"a":{"type":["object","null"]}}}`,
		`{"type":"object","properties":{"a":true}}`,
		`{"type":"object","properties":{},"required":["x"]}`,
		`{"type":"object","properties":{"d":{"type":"string","properties":{}}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{}}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":[1]}}}`,
		`{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","const":"x"}}}`,
		`{"type":"object","properties":{"a":{"type":"integer","default":"1"}}}`,
		`{"type":"object","properties":{"a":{"type":"integer","default":1.5}}}`,
		`{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"object","properties":{"d":{"type":"object","properties":{"e":{"type":"string"}}}}}}}}}}}`,
	} {
		var schema any
		if err := json.Unmarshal([]byte(bad), &schema); err != nil {
			t.Fatal(err)
		}
		if len(lintTool(listedTool{Name: "x", Description: "d", InputSchema: schema})) == 0 {
			t.Errorf("not flagged: %s", bad)
		}
	}
	good := map[string]any{"type": "object", "properties": map[string]any{}}
	for _, bad := range []listedTool{
		{Name: "a b", Description: "d", InputSchema: good},
		{Name: strings.Repeat("x", 60), Description: "d", InputSchema: good},
		{Name: "x", InputSchema: good},
		{Name: "x", Description: strings.Repeat("d", 1025), InputSchema: good},
		{Name: "x", Description: "a\x00b", InputSchema: good},
		{Name: "x", Description: "d", InputSchema: good, OutputSchema: map[string]any{"type": "array"}},
	} {
		if len(lintTool(bad)) == 0 {
			t.Errorf("not flagged: %+v", bad)
		}
	}
	if faults := lintTool(listedTool{Name: "x", Description: "d", InputSchema: good}); len(faults) > 0 {
		t.Errorf("flagged: %v", faults)
	}
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// lintTool holds a tool against the rules of in-mcp-schema-lint: each of them is there
// because a client dropped a tool, or all tools of a server, for it.
func lintTool(t listedTool) (faults []string) {
	if !toolName.MatchString(t.Name) || len("mcp__chrome__"+t.Name) > 64 {
		faults = append(faults, "bad name")
	}
	if t.Description == "" || utf8.RuneCountInString(t.Description) > 1024 || strings.ContainsFunc(t.Description, func(r rune) bool { return r < ' ' }) {
		faults = append(faults, "description is missing, too long, or has control characters")
	}
	faults = append(faults, lintTop(t.InputSchema)...)
	if t.OutputSchema != nil {
		faults = append(faults, lintTop(t.OutputSchema)...)
	}
	return faults
}

func lintTop(schema any) []string {
	m, _ := schema.(map[string]any)
	if m["type"] != "object" || m["properties"] == nil || m["enum"] != nil {
		return []string{"the top level must be an object with properties and without enum"}
	}
	return lint("", m, 1)
}

var lintTypes = []any{"object", "array", "string", "boolean", "integer", "number"}

func lint(path string, schema any, depth int) (faults []string) {
	fail := func(format string, a ...any) { faults = append(faults, path+": "+fmt.Sprintf(format, a...)) }
	m, ok := schema.(map[string]any)
	if !ok {
		fail("a schema must be an object, not %v", schema)
		return faults
	}
	if depth > 5 {
		fail("nested too deeply")
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "not", "$ref", "$schema", "$id", "$defs", "const", "patternProperties", "unevaluatedProperties"} {
		if m[key] != nil {
			fail("%s is not understood by every client", key)
		}
	}
	kind := m["type"]
	if _, isList := kind.([]any); isList || !slices.Contains(lintTypes, kind) {
		fail("type is %v", kind)
	}
	if f := m["format"]; f != nil && f != "date-time" && f != "enum" {
		fail("format %v", f)
	}
	if a := m["additionalProperties"]; a != nil && a != true && a != false {
		fail("additionalProperties must be a boolean")
	}
	if kind == "array" {
		faults = append(faults, lint(path+"[]", m["items"], depth+1)...)
	}
	properties, _ := m["properties"].(map[string]any)
	if kind != "object" && (m["properties"] != nil || m["required"] != nil) {
		fail("properties or required of a %v", kind)
	}
	for name, p := range properties {
		faults = append(faults, lint(path+"."+name, p, depth+1)...)
	}
	required, _ := m["required"].([]any)
	for _, name := range required {
		if properties[name.(string)] == nil {
			fail("%v is required and does not exist", name)
		}
	}
	if e, there := m["enum"]; there {
		values, _ := e.([]any)
		if len(values) == 0 || slices.ContainsFunc(values, func(v any) bool { s, ok := v.(string); return !ok || s == "" }) {
			fail("enum must be a list of strings")
		}
	}
	if d, there := m["default"]; there && !hasType(d, kind) {
		fail("default %v is no %v", d, kind)
	}
	return faults
}

func hasType(v, kind any) bool {
	switch v := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int(v))
	case []any:
		return kind == "array"
	}
	return false
}

// TestToolsGolden keeps what clients see under review.
func TestToolsGolden(t *testing.T) {
	_, raw := listTools(t, testConfig())
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	golden(t, "testdata/tools.json", pretty.Bytes())
	golden(t, "../docs/tools.md", []byte(ToolDocs()))
}

// Tokens are money: what every conversation pays for is bounded. There is room left for
// tools that are listed only where a provider or a page has some.
func TestToolsListSize(t *testing.T) {
	safe := testConfig()
	safe.Policy = policy.Policy{AllowDomains: []string{"example.com"}}
	core := testConfig()
	core.Toolset = "core"
	for _, tt := range []struct {
		name string
		cfg  Config
		max  int
	}{{"as started without flags", safe, 12_000}, {"with everything", testConfig(), 28_000}, {"core, with everything", core, 6_000}} {
		list, raw := listTools(t, tt.cfg)
		t.Logf("%s: %d tools, %d bytes", tt.name, len(list.Tools), len(raw))
		if len(raw) > tt.max {
			t.Errorf("%s: %d bytes, at most %d", tt.name, len(raw), tt.max)
		}
		for _, tool := range list.Tools {
			for _, fault := range lintTool(tool) {
				t.Errorf("%s: %s: %s", tt.name, tool.Name, fault)
			}
		}
	}
}

// A short schema leaves out what need not be given, and a call may give it all the same.
func TestShortSchemas(t *testing.T) {
	for _, row := range table() {
		for _, f := range row.spec.fields {
			if f.required && f.rare {
				t.Errorf("%s: %s is required and left out of short schemas", row.name, f.name)
			}
		}
	}
	cfg := testConfig()
	cfg.Toolset = "core"
	list, _ := listTools(t, cfg)
	i := slices.IndexFunc(list.Tools, func(l listedTool) bool { return l.Name == "click" })
	properties := list.Tools[i].InputSchema.(map[string]any)["properties"].(map[string]any)
	if properties["ref"] == nil || properties["frameId"] != nil || properties["button"] != nil {
		t.Errorf("click takes %v", properties)
	}
	if _, err := newServerTool(t, "click").decode(json.RawMessage(`{"ref":"e1","button":"right","frameId":"F"}`)); err != nil {
		t.Error(err)
	}
}

func newServerTool(t *testing.T, name string) *tool {
	t.Helper()
	return newTestServer(t, testConfig()).tools.byName[name]
}

// What clients are told of the tools, by which they decide whom to ask: all of them stand
// here, so that a new one is thought about.
func TestAnnotations(t *testing.T) {
	// r changes nothing, d may lose something, i may be repeated, c is closed to the world
	want := map[string]string{
		"chrome_status": "r-ic", "guide": "r-ic",
		"tabs_list": "r---", "tab_new": "----", "tab_select": "--i-", "tab_close": "-d--",
		"navigate": "--i-", "back": "----", "forward": "----", "reload": "----",
		"click": "-d--", "type": "-d--", "fill_form": "-d--", "select_option": "-di-", "press": "-d--", "hover": "--i-", "scroll": "----", "drag": "-d--",
		"snapshot": "r-i-", "find": "r-i-", "get_text": "r-i-", "get_html": "r-i-", "read_as_markdown": "r-i-", "extract_links": "r-i-",
		"screenshot": "r-i-", "wait_for": "r-i-", "frames_list": "r-i-", "auth_check": "r-i-", "webmcp_list": "r-i-", "webmcp_call": "-d--",
		"eval": "-d--", "get_cookies": "r-i-", "storage": "-d--",
		"download_file": "----", "upload_file": "----", "print_pdf": "--i-",
		"console_logs": "r---", "network_log": "r---", "dialogs": "-d--",
		"profile_use": "--ic", "profile_rename": "--ic", "task_new": "---c", "tasks_list": "r-ic", "task_status": "r-ic",
		"batch": "-d--",
	}
	list, _ := listTools(t, testConfig())
	for _, tool := range list.Tools {
		a := tool.Annotations
		got := ""
		for _, hint := range []struct {
			letter string
			set    bool
		}{{"r", a["readOnlyHint"] == true}, {"d", a["destructiveHint"] == true}, {"i", a["idempotentHint"] == true}, {"c", a["openWorldHint"] == false}} {
			got += map[bool]string{true: hint.letter, false: "-"}[hint.set]
		}
		if got != want[tool.Name] {
			t.Errorf("%s is %s, want %s", tool.Name, got, want[tool.Name])
		}
		// Nothing said would mean destructive.
		if _, said := a["destructiveHint"]; said == (a["readOnlyHint"] == true) {
			t.Errorf("%s: readOnlyHint %v, destructiveHint %v", tool.Name, a["readOnlyHint"], a["destructiveHint"])
		}
		title, _ := a["title"].(string)
		if title == "" || title[0] < 'A' || title[0] > 'Z' || strings.Contains(title, "_") {
			t.Errorf("%s has the title %q", tool.Name, title)
		}
		row := newServerTool(t, tool.Name)
		if row.access == policy.Act && got[0] == 'r' || row.access == policy.Eval && got[1] != 'd' {
			t.Errorf("%s is %s, but its access is %s", tool.Name, got, row.access)
		}
		delete(want, tool.Name)
	}
	if len(want) > 0 {
		t.Errorf("these are not listed: %v", want)
	}
}

func TestRestrictedTools(t *testing.T) {
	names := func(f func(*Config)) []string {
		cfg := testConfig()
		f(&cfg)
		list, _ := listTools(t, cfg)
		var names []string
		for _, l := range list.Tools {
			names = append(names, l.Name)
		}
		return names
	}
	if got := names(func(c *Config) { c.Tools = []string{"click", "snapshot"} }); !slices.Equal(got, []string{"click", "snapshot"}) {
		t.Errorf("--tools: %v", got)
	}
	if got := names(func(c *Config) { c.Toolset = "read" }); slices.Contains(got, "click") || !slices.Contains(got, "snapshot") {
		t.Errorf("--toolset read: %v", got)
	}
	if got := names(func(c *Config) { c.Toolset = "core" }); slices.Contains(got, "drag") || !slices.Contains(got, "click") {
		t.Errorf("--toolset core: %v", got)
	}
	for _, bad := range []func(*Config){
		func(c *Config) { c.Toolset = "most" },
		func(c *Config) { c.Tools = []string{"clik"} },
	} {
		cfg := testConfig()
		bad(&cfg)
		if _, err := New(cfg); err == nil {
			t.Error("taken")
		} else {
			t.Log(err)
		}
	}
	// Restricted means refused, not only hidden.
	cfg := testConfig()
	cfg.Tools = []string{"snapshot"}
	c := serve(t, newTestServer(t, cfg))
	c.initialize("2025-11-25")
	c.call(1, "click", "{}")
	if got, isError := text(c.next()); !isError || !strings.HasPrefix(got, "POLICY_DENIED: click is left out by the user's --tools") {
		t.Errorf("got %s", got)
	}
}

// Building all rows and schemas is part of the start of every server.
func TestTableIsQuick(t *testing.T) {
	best := time.Hour
	for tries := 0; best > 5*slow*time.Millisecond && tries < 200; tries++ {
		began := time.Now()
		s := newTestServer(t, testConfig())
		newSession(s, "test", t.Context(), nil).server()
		best = min(best, time.Since(began))
	}
	t.Logf("table, schemas and SDK server in %v", best)
	if best > 5*slow*time.Millisecond {
		t.Errorf("it takes %v", best)
	}
}

func TestInstructions(t *testing.T) {
	if n := utf8.RuneCountInString(Instructions); n >= 2000 {
		t.Errorf("%d characters; a client cuts at 2,000", n)
	}
	rules, _, _ := strings.Cut(Instructions, "Not connected, or")
	if n := utf8.RuneCountInString(rules); n > 1600 {
		t.Errorf("the rules end at character %d, wanted within 1,600", n)
	}
	for n := 1; n <= 8; n++ {
		if !strings.Contains(rules, fmt.Sprintf("\n%d. ", n)) {
			t.Errorf("rule %d does not stand among the first", n)
		}
	}
	// Both revisions carry the same.
	for revision, ask := range map[string]string{
		"2025-11-25": `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`,
		"2026-07-28": `"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`,
	} {
		cfg := testConfig()
		cfg.DataDir = t.TempDir()
		c := serve(t, newTestServer(t, cfg))
		c.send(`{"jsonrpc":"2.0","id":1,%s}`, ask)
		res, _ := c.answer()["result"].(map[string]any)
		if res["instructions"] != Instructions {
			t.Errorf("%s: the instructions are %.100v", revision, res["instructions"])
		}
		if got, _ := json.Marshal(res["capabilities"]); string(got) != `{"resources":{"listChanged":true},"tools":{"listChanged":true}}` {
			t.Errorf("%s: the capabilities are %s", revision, got)
		}
	}
}

func TestGuide(t *testing.T) {
	files, err := guideFiles.ReadDir("guide")
	if err != nil || len(files) != len(guideTopics) {
		t.Errorf("%d files, %d topics, %v", len(files), len(guideTopics), err)
	}
	enum := specOf(typeOf(GuideArgs{})).byName["topic"].enum
	if !slices.Equal(enum, guideTopics) {
		t.Errorf("the enum of the argument says %v", enum)
	}
	whole := Guide("")
	for _, topic := range guideTopics {
		if text := Guide(topic); !strings.HasPrefix(text, "# ") || !strings.Contains(whole, text) {
			t.Errorf("topic %s: %.60q", topic, text)
		}
	}
	if len(whole) > maxResultText {
		t.Errorf("the guide has %d bytes and would be cut", len(whole))
	}
	// Every tool that is named in backquotes exists.
	for _, m := range regexp.MustCompile("`([a-z]+_[a-z_]+)[ `]").FindAllStringSubmatch(whole, -1) {
		if !slices.Contains(ToolNames(), m[1]) {
			t.Errorf("the guide names the tool %s, which does not exist", m[1])
		}
	}
}
