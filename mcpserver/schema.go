package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// argSpec is what the struct of a tool's arguments says about them. It is the only
// description: the schema that clients see and the decoder both follow it.
type argSpec struct {
	fields []*argField
	byName map[string]*argField
}

type argField struct {
	name     string
	desc     string
	doc      string // what the documentation says in place of desc
	index    []int  // for reflect.Value.FieldByIndex
	kind     string
	item     *argField // of an array
	object   *argSpec  // of an object
	custom   bool      // decodes itself
	required bool
	rare     bool // left out of brief schemas, taken all the same
	enum     []string
	min, max *float64
	def      string // JSON of the default, "" for none
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// specOf reads the tags of a struct type. A tag that cannot be is a programming error
// and panics; every tool's spec is built at start and in the tests.
func specOf(t reflect.Type) *argSpec {
	s := &argSpec{byName: map[string]*argField{}}
	s.collect(t, nil)
	return s
}

func (s *argSpec) collect(t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(append([]int{}, index...), i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Anonymous && name == "":
			s.collect(sf.Type, at)
			continue
		case !sf.IsExported() || name == "-":
			continue
		}
		f := fieldOf(sf.Type)
		f.name, f.index, f.desc, f.doc = name, at, sf.Tag.Get("desc"), sf.Tag.Get("doc")
		f.readTags(sf.Tag)
		if s.byName[name] != nil || name == "" {
			panic(fmt.Sprintf("argument %q of %v: no name, or twice the same", name, t))
		}
		s.fields = append(s.fields, f)
		s.byName[name] = f
	}
}

func fieldOf(t reflect.Type) *argField {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	f := &argField{custom: reflect.PointerTo(t).Implements(unmarshaler)}
	switch t.Kind() {
	case reflect.String:
		f.kind = "string"
	case reflect.Bool:
		f.kind = "boolean"
	case reflect.Int, reflect.Int64:
		f.kind = "integer"
	case reflect.Float64:
		f.kind = "number"
	case reflect.Slice:
		f.kind, f.item = "array", fieldOf(t.Elem())
	case reflect.Struct:
		f.kind, f.object = "object", specOf(t)
	default:
		panic(fmt.Sprintf("no schema for %v", t))
	}
	return f
}

func (f *argField) readTags(tag reflect.StructTag) {
	f.required, f.rare = tag.Get("required") == "true", tag.Get("rare") == "true"
	if enum := tag.Get("enum"); enum != "" {
		of := f
		if f.item != nil {
			of = f.item
		}
		of.enum = strings.Split(enum, ",")
	}
	f.min, f.max = numberTag(tag, "min"), numberTag(tag, "max")
	if def, ok := tag.Lookup("default"); ok {
		f.def = def
		if f.kind == "string" {
			f.def = strconv.Quote(def)
		}
	}
}

func numberTag(tag reflect.StructTag, key string) *float64 {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("tag %s:%q is no number", key, text))
	}
	return &n
}

// schema returns the JSON Schema of the arguments. It is flat and plain, because one
// schema that a client does not like makes it drop all tools. A brief one leaves out the
// arguments that are seldom needed, which the guide names, and words for the optional ones.
func (s *argSpec) schema(brief bool) json.RawMessage {
	w := schemaWriter{brief: brief}
	w.object(s, "")
	return json.RawMessage(w.String())
}

type schemaWriter struct {
	strings.Builder
	brief bool
}

func (b *schemaWriter) object(s *argSpec, desc string) {
	b.WriteString(`{"type":"object"`)
	if desc != "" {
		fmt.Fprintf(b, `,"description":%s`, quoteJSON(desc))
	}
	b.WriteString(`,"properties":{`)
	var required []string
	comma := ""
	for _, f := range s.fields {
		if b.brief && f.rare {
			continue
		}
		fmt.Fprintf(b, `%s"%s":`, comma, f.name)
		comma = ","
		b.field(f)
		if f.required {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		fmt.Fprintf(b, `,"required":["%s"]`, strings.Join(required, `","`))
	}
	b.WriteByte('}')
}

func (b *schemaWriter) field(f *argField) {
	if f.object != nil {
		b.object(f.object, f.desc)
		return
	}
	fmt.Fprintf(b, `{"type":"%s"`, f.kind)
	if f.desc != "" && (f.required || !b.brief) {
		fmt.Fprintf(b, `,"description":%s`, quoteJSON(f.desc))
	}
	if f.item != nil {
		b.WriteString(`,"items":`)
		b.field(f.item)
	}
	if f.enum != nil {
		fmt.Fprintf(b, `,"enum":["%s"]`, strings.Join(f.enum, `","`))
	}
	for _, bound := range []struct {
		key string
		n   *float64
	}{{"minimum", f.min}, {"maximum", f.max}} {
		if bound.n != nil && *bound.n != 0 { // that nothing is less than none goes without saying
			fmt.Fprintf(b, `,"%s":%s`, bound.key, strconv.FormatFloat(*bound.n, 'f', -1, 64))
		}
	}
	if f.def != "" {
		fmt.Fprintf(b, `,"default":%s`, f.def)
	}
	b.WriteByte('}')
}

// quoteJSON quotes like JSON does, without escaping for HTML.
func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(unescapeHTML(b))
}
