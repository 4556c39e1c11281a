package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"
)

// schemaLint holds the real tools/list to the rules, and the linter to the examples of
// what is wrong.
func schemaLint(t *testing.T, raw []byte) {
	file := vectors[struct {
		Bad []struct {
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"bad_examples"`
	}](t, raw)
	for _, bad := range file.Bad {
		if faults := lintSchema(bad.InputSchema); len(faults) == 0 {
			t.Errorf("the linter finds no fault in %s", bad.InputSchema)
		}
	}
	data := t.TempDir()
	for _, flags := range [][]string{nil, allowAll()} {
		s, err := startServer(t.Context(), data, t.Name(), flags...)
		if err != nil {
			t.Fatal(err)
		}
		lintTools(t, s)
		s.stop()
	}
}

func lintTools(t *testing.T, s *server) {
	t.Helper()
	whole := 0
	for name, tool := range s.tools {
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		whole += len(raw)
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(name) || len("mcp__chrome__"+name) > 64 {
			t.Errorf("tool name %q", name)
		}
		d := tool.Description
		if d == "" || utf8.RuneCountInString(d) > 1024 || regexp.MustCompile(`\p{Cc}`).MatchString(d) {
			t.Errorf("%s: description %q", name, d)
		}
		in, _ := json.Marshal(tool.InputSchema)
		for _, fault := range lintSchema(in) {
			t.Errorf("%s: inputSchema: %s", name, fault)
		}
		if tool.OutputSchema != nil {
			out, _ := json.Marshal(tool.OutputSchema)
			for _, fault := range lintSchema(out) {
				t.Errorf("%s: outputSchema: %s", name, fault)
			}
		}
	}
	if whole > 60_000 || whole == 0 {
		t.Errorf("tools/list has %d bytes", whole)
	}
}

// lintSchema names what some client or model cannot take in a schema.
func lintSchema(raw []byte) (faults []string) {
	var s map[string]any
	if err := json.Unmarshal(raw, &s); err != nil {
		return []string{"is no object: " + err.Error()}
	}
	if _, ok := s["properties"].(map[string]any); s["type"] != "object" || !ok {
		faults = append(faults, "is not of type object with properties")
	}
	if s["enum"] != nil {
		faults = append(faults, "has enum at the top")
	}
	lintNode(s, "", 1, &faults)
	return faults
}

// refused are the keywords that some client or model refuses, anywhere.
var refused = []string{
	"oneOf", "anyOf", "allOf", "not", "$ref", "$schema", "$id", "$defs", "definitions",
	"const", "patternProperties", "unevaluatedProperties",
}

func lintNode(s map[string]any, at string, depth int, faults *[]string) {
	fault := func(format string, a ...any) { *faults = append(*faults, at+": "+fmt.Sprintf(format, a...)) }
	if depth > 5 {
		fault("is nested deeper than 5")
		return
	}
	for _, word := range refused {
		if _, has := s[word]; has {
			fault("has %s", word)
		}
	}
	kind, ok := s["type"].(string)
	if !ok {
		fault("type is %v, not one string", s["type"])
	}
	if f, has := s["format"]; has && f != "date-time" && f != "enum" {
		fault("has format %v", f)
	}
	if extra, has := s["additionalProperties"]; has {
		if _, ok := extra.(bool); !ok {
			fault("additionalProperties is no boolean")
		}
	}
	lintEnum(s, fault)
	if d, has := s["default"]; has && !fits(d, kind) {
		fault("default %v is no %s", d, kind)
	}
	props, _ := s["properties"].(map[string]any)
	if (s["properties"] != nil || s["required"] != nil) && kind != "object" {
		fault("has properties or required, but is of type %s", kind)
	}
	if required, ok := s["required"].([]any); ok {
		for _, name := range required {
			if _, has := props[fmt.Sprint(name)]; !has {
				fault("requires %v, which it does not have", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		child, ok := props[name].(map[string]any)
		if !ok {
			fault("property %s is no schema object", name)
			continue
		}
		lintNode(child, at+"."+name, depth+1, faults)
	}
	if kind == "array" {
		items, ok := s["items"].(map[string]any)
		if !ok {
			fault("is an array without items")
			return
		}
		lintNode(items, at+"[]", depth+1, faults)
	}
}

func lintEnum(s map[string]any, fault func(string, ...any)) {
	enum, has := s["enum"].([]any)
	if !has {
		return
	}
	if len(enum) == 0 {
		fault("has an empty enum")
	}
	for _, v := range enum {
		if text, ok := v.(string); !ok || text == "" || !unicode.IsPrint(rune(text[0])) {
			fault("enum has %v", v)
		}
	}
}

func fits(v any, kind string) bool {
	switch v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}
