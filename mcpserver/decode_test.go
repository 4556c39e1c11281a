package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
)

func typeOf(v any) reflect.Type { return reflect.TypeOf(v) }

type inner struct {
	Selector string `json:"selector,omitempty"`
	Nth      *int   `json:"nth,omitempty" min:"0"`
}

type sample struct {
	inner
	Name   browser.TabID `json:"name" desc:"Who." required:"true"`
	Button string        `json:"button,omitempty" enum:"left,right" default:"left"`
	Keys   []string      `json:"keys,omitempty" enum:"Alt,Control"`
	Count  int           `json:"count,omitempty" min:"1" max:"3" default:"1"`
	Scale  float64       `json:"scale,omitempty" min:"0.1"`
	On     bool          `json:"on,omitempty"`
	Wait   *bool         `json:"wait,omitempty" default:"true"`
	X      *float64      `json:"x,omitempty"`
	From   inner         `json:"from,omitempty"`
	Many   []inner       `json:"many,omitempty"`
}

func (s *sample) Check() error {
	if s.Selector == "both" && s.X != nil {
		return fmt.Errorf("give one of selector and x, not both")
	}
	return nil
}

func TestDecode(t *testing.T) {
	yes, no, one, x := true, false, 1, 2.5
	base := func(f func(*sample)) sample {
		s := sample{Name: "n", Button: "left", Count: 1, Wait: &yes}
		f(&s)
		return s
	}
	tests := []struct {
		args string
		want sample
	}{
		{`{"name":"n"}`, base(func(*sample) {})},
		{`{"name":"n","selector":null,"count":null,"keys":null}`, base(func(*sample) {})},
		{`{"name":"n","button":"RIGHT","count":3,"on":true,"wait":false}`, base(func(s *sample) { s.Button, s.Count, s.On, s.Wait = "right", 3, true, &no })},
		{`{"name":"n","nth":1,"x":2.5,"scale":1}`, base(func(s *sample) { s.Nth, s.X, s.Scale = &one, &x, 1 })},
		{`{"name":"n","keys":["Alt","control"]}`, base(func(s *sample) { s.Keys = []string{"Alt", "Control"} })},
		{`{"name":"n","from":{"selector":"a"},"many":[{"selector":"b"},{"nth":1}]}`, base(func(s *sample) {
			s.From.Selector, s.Many = "a", []inner{{Selector: "b"}, {Nth: &one}}
		})},
		// values that come as strings
		{`{"name":"n","count":"2","on":"true","x":" 2.5 ","nth":"1"}`, base(func(s *sample) { s.Count, s.On, s.X, s.Nth = 2, true, &x, &one })},
		{`{"name":"n","count":2.0}`, base(func(s *sample) { s.Count = 2 })},
		{`{"name":"n","keys":"[\"Alt\"]","from":"{\"selector\":\"a\"}","many":"[{\"nth\":\"1\"}]"}`, base(func(s *sample) {
			s.Keys, s.From.Selector, s.Many = []string{"Alt"}, "a", []inner{{Nth: &one}}
		})},
		{`{"name":"n","keys":"Alt"}`, base(func(s *sample) { s.Keys = []string{"Alt"} })},
		{`"{\"name\":\"n\",\"on\":true}"`, base(func(s *sample) { s.On = true })},
		// but what is meant to be a string stays one
		{`{"name":"{\"a\":1}","selector":"5"}`, base(func(s *sample) { s.Name, s.Selector = `{"a":1}`, "5" })},
	}
	spec := specOf(typeOf(sample{}))
	for _, tt := range tests {
		var got sample
		if err := decodeArgs(spec, json.RawMessage(tt.args), &got, maxText); err != nil {
			t.Errorf("%s: %v", tt.args, err)
		} else if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.args, got, tt.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ args, want string }{
		{``, `"name" is missing: a string`},
		{`{}`, `"name" is missing: a string`},
		{`{"name":null}`, `"name" is missing`},
		{`[]`, `arguments must be an object, got a list`},
		{`5`, `arguments must be an object, got 5`},
		{`"x"`, `arguments must be an object, got the string "x"`},
		{`{"name":5}`, `"name" must be a string, got 5`},
		{`{"name":{}}`, `"name" must be a string, got an object`},
		{`{"name":"n","nme":1}`, `unknown argument "nme": did you mean "name"? Known: selector, nth, name, button`},
		{`{"name":"n","zzzzzz":1}`, `unknown argument "zzzzzz"; known: selector, `},
		{`{"name":"n","Name":"m"}`, `unknown argument "Name": did you mean "name"?`},
		{`{"name":"n","name":"m"}`, `"name" is given twice`},
		{`{"name":"n","button":"up"}`, `"button" must be one of left, right, got the string "up"`},
		{`{"name":"n","keys":["Shift"]}`, `"keys[0]" must be one of Alt, Control, got the string "Shift"`},
		{`{"name":"n","keys":5}`, `"keys" must be a list of Alt, Control, got 5`},
		{`{"name":"n","count":4}`, `"count" must be an integer from 1 to 3, got 4`},
		{`{"name":"n","count":1.5}`, `"count" must be an integer from 1 to 3, got 1.5`},
		{`{"name":"n","count":"two"}`, `"count" must be an integer from 1 to 3, got the string "two"`},
		{`{"name":"n","count":[1]}`, `"count" must be an integer`},
		{`{"name":"n","nth":-1}`, `"nth" must be an integer from 0, got -1`},
		{`{"name":"n","on":1}`, `"on" must be true or false, got 1`},
		{`{"name":"n","on":"yes"}`, `"on" must be true or false, got the string "yes"`},
		{`{"name":"n","from":"a"}`, `"from" must be an object, got the string "a"`},
		{`{"name":"n","from":{"ref":"e1"}}`, `unknown argument "ref" in from; known: selector, nth`},
		{`{"name":"n","many":[{"nth":true}]}`, `"many[0].nth" must be an integer from 0, got true`},
		{`{"nth":-1,"on":1}`, `"nth" must be an integer from 0, got -1; "on" must be true or false, got 1; "name" is missing`},
		{`{"name":"n","selector":"both","x":1}`, `give one of selector and x, not both`},
		{`{"name":"` + strings.Repeat("x", 2000) + `"}`, `"name" is 2002 bytes long; at most 1000 are taken`},
		{`{"name":"n","` + strings.Repeat("y", 2000) + `":1}`, `unknown argument "` + strings.Repeat("y", 80) + `…"`},
	}
	spec := specOf(typeOf(sample{}))
	for _, tt := range tests {
		err := decodeArgs(spec, json.RawMessage(tt.args), new(sample), 1000)
		if browser.CodeOf(err) != browser.BadArgs || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80s: got %v, want %s", tt.args, err, tt.want)
		}
	}
}

// Every tool answers bad arguments with words; none of them is taken as something else.
func TestArgumentsOfEveryTool(t *testing.T) {
	for _, row := range table() {
		t.Run(row.name, func(t *testing.T) {
			refused := func(args, want string) {
				t.Helper()
				_, err := row.decode(json.RawMessage(args))
				if browser.CodeOf(err) != browser.BadArgs || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v, want %s", args, err, want)
				}
			}
			refused(`{"noSuchArgument":1}`, `unknown argument "noSuchArgument"`)
			refused(`[]`, "must be an object")
			for _, f := range row.spec.fields {
				if f.required {
					refused(`{}`, fmt.Sprintf("%q is missing", f.name))
				}
				if wrong := wrongValue(f); wrong != "" {
					refused(fmt.Sprintf(`{%q:%s}`, f.name, wrong), fmt.Sprintf("%q", f.name))
				}
				if f.enum != nil {
					refused(fmt.Sprintf(`{%q:"no such value"}`, f.name), strings.Join(f.enum, ", "))
				}
			}
			whole, byString := minimal(row.spec, false), minimal(row.spec, true)
			a, err := row.decode(whole)
			if err != nil {
				t.Fatalf("%s: %v", whole, err)
			}
			b, err := row.decode(byString)
			if err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%s as strings, %s: %+v, %+v, %v", whole, byString, a, b, err)
			}
		})
	}
}

// wrongValue is a value that a field must refuse.
func wrongValue(f *argField) string {
	switch f.kind {
	case "string":
		return `{"a":1}`
	case "boolean", "object":
		return `"maybe"`
	case "array":
		return `7`
	}
	return `"many"`
}

// minimal gives the fields that are required, and those of simple kinds, a value.
func minimal(spec *argSpec, asStrings bool) json.RawMessage {
	var parts []string
	for _, f := range spec.fields {
		value := ""
		switch {
		case f.kind == "boolean":
			value = `true`
		case f.kind == "integer" || f.kind == "number":
			value = `1`
		case !f.required:
			continue
		case f.kind == "array" && f.item.object != nil && f.item.object.byName["tool"] != nil:
			value = `[{"tool":"a","args":{}}]`
		case f.kind == "array" && f.item.object != nil:
			value = `[{"selector":"a","value":"b"}]`
		case f.kind == "array":
			value = `["a"]`
		case f.kind == "object":
			value = `{"selector":"a"}`
		case f.enum != nil:
			value = fmt.Sprintf("%q", f.enum[0])
		case f.kind == "string":
			value = `"a"`
		}
		if f.name == "allFrames" || f.name == "nth" || f.name == "x" || f.name == "y" {
			continue // they go with others, which package page checks
		}
		if asStrings && value[0] != '"' {
			value = fmt.Sprintf("%q", value)
		}
		parts = append(parts, fmt.Sprintf("%q:%s", f.name, value))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"name":"n"}`, `{"name":"n","many":"[{}]"}`, `{"keys":[null]}`, `{"from":"\"{}\""}`, `{`, `{"name":"a","count":1e400}`} {
		f.Add([]byte(s))
	}
	spec := specOf(typeOf(sample{}))
	rows := table()
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := decodeArgs(spec, in, new(sample), maxText); err != nil && browser.CodeOf(err) != browser.BadArgs {
			t.Errorf("%v", err)
		}
		for _, r := range rows {
			if _, err := r.decode(in); err != nil && browser.CodeOf(err) == "" {
				t.Errorf("%s: %v", r.name, err)
			}
		}
	})
}
