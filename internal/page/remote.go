package page

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// remoteValue is a value of a page as Chrome describes it, with a glance into objects.
type remoteValue struct {
	Type           string          `json:"type"`
	Subtype        string          `json:"subtype"`
	ClassName      string          `json:"className"`
	Value          json.RawMessage `json:"value"`
	Unserializable string          `json:"unserializableValue"`
	Description    string          `json:"description"`
	Preview        *preview        `json:"preview"`
}

// preview is the glance: the first properties, and entries of maps and sets.
type preview struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	Description string `json:"description"`
	Overflow    bool   `json:"overflow"`
	Properties  []struct {
		Name    string   `json:"name"`
		Type    string   `json:"type"`
		Subtype string   `json:"subtype"`
		Value   string   `json:"value"`
		Preview *preview `json:"valuePreview"`
	} `json:"properties"`
	Entries []struct {
		Key   *preview `json:"key"`
		Value *preview `json:"value"`
	} `json:"entries"`
}

// formatCall writes the arguments of console.log as a console shows them.
func formatCall(args []remoteValue) string {
	if len(args) == 0 {
		return ""
	}
	var parts []string
	if format, ok := args[0].string(); ok {
		text, used := expand(format, args[1:])
		parts, args = append(parts, text), args[1+used:]
	}
	for _, a := range args {
		parts = append(parts, a.text())
	}
	return strings.Join(parts, " ")
}

// expand fills in %s and the like; styles are left out.
func expand(format string, args []remoteValue) (text string, used int) {
	if !strings.Contains(format, "%") {
		return format, 0
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		next := format[i+1]
		switch {
		case next == '%':
			b.WriteByte('%')
			i++
		case strings.IndexByte("sdifoOc", next) >= 0 && used < len(args):
			if next != 'c' {
				b.WriteString(args[used].text())
			}
			used++
			i++
		default:
			b.WriteByte('%')
		}
	}
	return b.String(), used
}

func (v remoteValue) string() (string, bool) {
	var s string
	if v.Type != "string" || json.Unmarshal(v.Value, &s) != nil {
		return "", false
	}
	return s, true
}

// text is the value on its own; strings come without quotes.
func (v remoteValue) text() string {
	if s, ok := v.string(); ok {
		return s
	}
	switch {
	case v.Unserializable != "":
		return v.Unserializable
	case v.Subtype == "null":
		return "null"
	case v.Type == "undefined":
		return v.Type
	case v.Type == "function":
		return function(v.Description)
	case v.Subtype == "error":
		return v.Description
	case v.Subtype == "node":
		return "<" + v.Description + ">"
	case v.Preview != nil:
		return v.Preview.text(v.ClassName)
	case len(v.Value) > 0:
		return string(v.Value)
	}
	return v.Description
}

// function is the head of a function's source.
func function(source string) string {
	head, _, _ := strings.Cut(source, "{")
	return "ƒ " + Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(head), "function")), 80)
}

// text is an object as a literal would write it.
func (p *preview) text(class string) string {
	switch p.Subtype {
	case "array", "typedarray":
		return p.list()
	case "map", "weakmap", "set", "weakset":
		return p.Description + " " + p.entries()
	case "", "proxy":
	default:
		return p.Description
	}
	if class == "Object" {
		class = ""
	} else if class != "" {
		class += " "
	}
	var parts []string
	for _, q := range p.Properties {
		parts = append(parts, member(q.Name)+": "+q.Preview.inside(q.Type, q.Subtype, q.Value))
	}
	return class + "{" + p.join(parts) + "}"
}

func (p *preview) list() string {
	var parts []string
	for _, q := range p.Properties {
		v := q.Preview.inside(q.Type, q.Subtype, q.Value)
		if _, err := strconv.Atoi(q.Name); err != nil {
			v = member(q.Name) + ": " + v
		}
		parts = append(parts, v)
	}
	return "[" + p.join(parts) + "]"
}

func (p *preview) entries() string {
	var parts []string
	for _, e := range p.Entries {
		part := e.Value.inside(e.Value.Type, e.Value.Subtype, e.Value.Description)
		if e.Key != nil {
			part = e.Key.inside(e.Key.Type, e.Key.Subtype, e.Key.Description) + " → " + part
		}
		parts = append(parts, part)
	}
	return "{" + p.join(parts) + "}"
}

func (p *preview) join(parts []string) string {
	if p.Overflow {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// inside is a value within another: strings are quoted.
func (p *preview) inside(kind, subtype, value string) string {
	switch {
	case kind == "string":
		return strconv.Quote(value)
	case kind == "function":
		return "ƒ"
	case subtype == "node":
		return "<" + value + ">"
	case p != nil && len(p.Properties)+len(p.Entries) > 0 && subtype != "error":
		return p.text("")
	case kind == "accessor":
		return "(…)"
	}
	return value
}

func member(name string) string {
	for _, r := range name {
		if r != '_' && r != '$' && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
