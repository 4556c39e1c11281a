package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
)

const (
	maxText     = 1 << 20  // bytes of one string argument
	maxLongText = 16 << 20 // the same for tools that take programs
)

// checker is implemented by arguments with rules that no schema can say.
type checker interface{ Check() error }

// decodeArgs fills the struct that into points to. It is strict where a guess could do
// harm (unknown names, wrong types) and lenient where clients are known to differ:
// values that come as JSON strings, and nulls for what is absent. The error is a
// BAD_ARGS that names everything that is wrong at once.
func decodeArgs(spec *argSpec, raw json.RawMessage, into any, limit int) error {
	d := &argDecoder{limit: limit}
	d.object("", spec, raw, reflect.ValueOf(into).Elem())
	if len(d.wrong) > 0 {
		return browser.Errorf(browser.BadArgs, "%s", strings.Join(d.wrong, "; "))
	}
	if c, ok := into.(checker); ok {
		if err := c.Check(); err != nil {
			if browser.CodeOf(err) != "" {
				return err
			}
			return browser.Errorf(browser.BadArgs, "%v", err)
		}
	}
	return nil
}

type argDecoder struct {
	limit int
	wrong []string
}

const maxWrong = 5 // problems that are told at once

func (d *argDecoder) fail(format string, a ...any) {
	if len(d.wrong) < maxWrong {
		d.wrong = append(d.wrong, fmt.Sprintf(format, a...))
	}
}

// object decodes the members of an object. path is "" for the arguments themselves.
func (d *argDecoder) object(path string, spec *argSpec, raw json.RawMessage, v reflect.Value) {
	raw = unwrap(raw, '{')
	seen := map[string]bool{}
	if len(raw) > 0 && string(raw) != "null" {
		dec := json.NewDecoder(bytes.NewReader(raw))
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			d.fail("%s must be an object, got %s", orArguments(path), describe(raw))
			return
		}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				d.fail("%s: %v", orArguments(path), err)
				return
			}
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				d.fail("%s: %v", orArguments(path), err)
				return
			}
			d.member(path, spec, key.(string), value, v, seen)
		}
	}
	for _, f := range spec.fields {
		if seen[f.name] {
			continue
		}
		if f.required {
			d.fail("%q is missing: %s", join(path, f.name), f.wanted())
		} else if f.def != "" {
			d.value(join(path, f.name), f, json.RawMessage(f.def), v.FieldByIndex(f.index))
		}
	}
}

func (d *argDecoder) member(path string, spec *argSpec, key string, value json.RawMessage, v reflect.Value, seen map[string]bool) {
	f := spec.byName[key]
	switch {
	case f == nil:
		d.unknown(path, spec, key)
	case seen[key]:
		d.fail("%q is given twice", join(path, key))
	case string(value) == "null":
	default:
		seen[key] = true
		d.value(join(path, key), f, value, v.FieldByIndex(f.index))
	}
}

func (d *argDecoder) unknown(path string, spec *argSpec, key string) {
	var names []string
	for _, f := range spec.fields {
		names = append(names, f.name)
	}
	where := ""
	if path != "" {
		where = " in " + path
	}
	switch near := nearest(key, names); {
	case len(names) == 0:
		d.fail("unknown argument %q%s: none is taken", clip(key, 80), where)
	case near != "":
		d.fail("unknown argument %q%s: did you mean %q? Known: %s", clip(key, 80), where, near, strings.Join(names, ", "))
	default:
		d.fail("unknown argument %q%s; known: %s", clip(key, 80), where, strings.Join(names, ", "))
	}
}

// value decodes one value into v, through a pointer where the field has one.
func (d *argDecoder) value(path string, f *argField, raw json.RawMessage, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if len(raw) > d.limit {
		d.fail("%q is %d bytes long; at most %d are taken", path, len(raw), d.limit)
		return
	}
	switch {
	case f.custom:
		d.self(path, f, raw, v)
	case f.object != nil:
		d.object(path, f.object, raw, v)
	case f.item != nil:
		d.list(path, f, raw, v)
	default:
		d.scalar(path, f, raw, v)
	}
}

func (d *argDecoder) self(path string, f *argField, raw json.RawMessage, v reflect.Value) {
	if f.kind == "array" {
		raw = unwrap(raw, '[', '{')
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		d.fail("%q: %v", path, err)
	}
}

func (d *argDecoder) list(path string, f *argField, raw json.RawMessage, v reflect.Value) {
	raw = unwrap(raw, '[')
	var items []json.RawMessage
	switch {
	case raw[0] == '[':
		if err := json.Unmarshal(raw, &items); err != nil {
			d.fail("%q: %v", path, err)
			return
		}
	case raw[0] == '"' && f.item.kind == "string":
		items = []json.RawMessage{raw} // one string for a list of one
	default:
		d.fail("%q must be %s, got %s", path, f.wanted(), describe(raw))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(fmt.Sprintf("%s[%d]", path, i), f.item, item, v.Index(i))
	}
}

func (d *argDecoder) scalar(path string, f *argField, raw json.RawMessage, v reflect.Value) {
	if f.kind != "string" {
		raw = unwrap(raw, 't', 'f', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9')
	}
	var ok bool
	switch f.kind {
	case "string":
		var s string
		if ok = json.Unmarshal(raw, &s) == nil && raw[0] == '"'; ok {
			s, ok = f.pick(s)
			v.SetString(s)
		}
	case "boolean":
		var b bool
		ok = json.Unmarshal(raw, &b) == nil
		v.SetBool(b)
	default:
		var n float64
		ok = json.Unmarshal(raw, &n) == nil && f.inRange(n)
		if f.kind == "number" {
			v.SetFloat(n)
		} else {
			ok = ok && n == math.Trunc(n) && math.Abs(n) <= 1<<53
			v.SetInt(int64(n))
		}
	}
	if !ok {
		d.fail("%q must be %s, got %s", path, f.wanted(), describe(raw))
	}
}

// pick returns the allowed value that s stands for; case does not count.
func (f *argField) pick(s string) (string, bool) {
	if f.enum == nil {
		return s, true
	}
	i := slices.IndexFunc(f.enum, func(e string) bool { return strings.EqualFold(e, s) })
	if i < 0 {
		return s, false
	}
	return f.enum[i], true
}

func (f *argField) inRange(n float64) bool {
	return !(f.min != nil && n < *f.min || f.max != nil && n > *f.max)
}

// wanted says what a field takes, for error messages.
func (f *argField) wanted() string {
	what := map[string]string{
		"string": "a string", "boolean": "true or false", "integer": "an integer",
		"number": "a number", "array": "a list", "object": "an object",
	}[f.kind]
	switch {
	case f.enum != nil:
		what = "one of " + strings.Join(f.enum, ", ")
	case f.item != nil && f.item.enum != nil:
		what = "a list of " + strings.Join(f.item.enum, ", ")
	case f.item != nil && f.item.kind == "string":
		what = "a list of strings"
	case f.min != nil && f.max != nil:
		what += fmt.Sprintf(" from %v to %v", *f.min, *f.max)
	case f.min != nil:
		what += fmt.Sprintf(" from %v", *f.min)
	}
	return what
}

// unwrap returns the JSON that a client has put into a string, if the string holds
// JSON that begins with one of the given characters; else raw as it is.
func unwrap(raw json.RawMessage, begins ...byte) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return raw
	}
	inner := []byte(strings.TrimSpace(s))
	if len(inner) == 0 || !slices.Contains(begins, inner[0]) || !json.Valid(inner) {
		return raw
	}
	return inner
}

// describe shows a value in an error message, short.
func describe(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	short := string(escapeJSON(json.RawMessage(clip(string(raw), 60))))
	switch raw[0] {
	case '"':
		return "the string " + short
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return short
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func orArguments(path string) string {
	if path == "" {
		return "arguments"
	}
	return fmt.Sprintf("%q", path)
}
