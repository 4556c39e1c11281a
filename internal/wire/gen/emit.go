package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// emitter writes TypeScript.
type emitter struct {
	bytes.Buffer
	src *source
}

func (e *emitter) line(format string, a ...any) { fmt.Fprintf(e, format+"\n", a...) }

// section is a heading between blank lines.
func (e *emitter) section(title string) { e.line("\n// %s", title) }

func (e *emitter) doc(indent string, g *ast.CommentGroup) {
	lines := strings.Split(strings.TrimSpace(g.Text()), "\n")
	switch {
	case g == nil || len(lines) == 1 && lines[0] == "":
	case len(lines) == 1:
		e.line("%s/** %s */", indent, lines[0])
	default:
		e.line("%s/**", indent)
		for _, l := range lines {
			e.line("%s", strings.TrimRight(indent+" * "+l, " "))
		}
		e.line("%s */", indent)
	}
}

// union writes a string type as the union of its constants.
func (e *emitter) union(pkg, name string) {
	e.line("")
	e.doc("", e.src.typeDoc(pkg, name))
	var parts []string
	for _, c := range e.src.constants(pkg, name) {
		parts = append(parts, quote(constant.StringVal(c.value.Val())))
	}
	e.wrapped("export type "+name+" =", parts, " |", ";")
}

// list writes a string array.
func (e *emitter) list(comment, name, typ string, values []string) {
	e.line("\n/** %s */", comment)
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	e.wrapped("export const "+name+": readonly "+typ+"[] = [", quoted, ",", "];")
}

// wrapped writes head, the parts and tail, on one line if it fits.
func (e *emitter) wrapped(head string, parts []string, sep, tail string) {
	const width = 100
	if one := head + " " + strings.Join(parts, sep+" ") + tail; len(one) <= width {
		e.line("%s", strings.Replace(one, "[ ", "[", 1))
		return
	}
	e.line("%s", head)
	row := " "
	for i, p := range parts {
		if i < len(parts)-1 {
			p += sep
		}
		if len(row)+1+len(p) > width {
			e.line("%s", row)
			row = " "
		}
		row += " " + p
	}
	if tail == ";" {
		e.line("%s;", row)
		return
	}
	e.line("%s%s", row, sep)
	e.line("%s", tail)
}

// table writes a string map, sorted by key.
func table[V ~string](e *emitter, comment, name, typ string, m map[string]V) {
	e.line("\n/** %s */", comment)
	e.line("export const %s: Readonly<Record<string, %s>> = {", name, typ)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e.line("  %s: %s,", key(k), quote(string(m[k])))
	}
	e.line("};")
}

// numbers writes the constants of durations, sizes and names.
func (e *emitter) numbers(pkg string, skip func(string) bool) {
	e.line("")
	for _, typ := range []string{"Duration", ""} {
		for _, c := range e.src.constants(pkg, typ) {
			if skip(c.name) {
				continue
			}
			name, value := c.name, c.value.Val().ExactString()
			if typ == "Duration" {
				ns, _ := constant.Int64Val(c.value.Val())
				name, value = name+"MS", strconv.FormatInt(time.Duration(ns).Milliseconds(), 10)
			}
			if c.value.Val().Kind() == constant.String {
				value = quote(constant.StringVal(c.value.Val()))
			}
			comment := strings.TrimSpace(c.comment.Text())
			if comment != "" {
				comment = " // " + comment
			}
			e.line("export const %s = %s;%s", name, value, comment)
		}
	}
}

// structs writes structs as interfaces. frameType gives the literal of a frame's
// "type", so that a union of frames can be told apart by it.
func (e *emitter) structs(list []structType, frameType func(string) string) {
	for _, t := range list {
		e.line("")
		e.doc("", t.doc)
		head, body := "export interface "+tsName(t.name), &emitter{src: e.src}
		for _, f := range t.node.Fields.List {
			if len(f.Names) == 0 {
				base := f.Type.(*ast.Ident).Name
				head += " extends " + base
				if typ := frameType(t.name); base == "Header" && typ != "" {
					body.line("  type: %s;", quote(typ))
				}
				continue
			}
			body.field(f)
		}
		if body.Len() == 0 {
			e.line("%s {}", head)
			continue
		}
		e.line("%s {\n%s}", head, body.String())
	}
}

func (e *emitter) field(f *ast.Field) {
	tag := ""
	if f.Tag != nil {
		raw, _ := strconv.Unquote(f.Tag.Value)
		tag = reflect.StructTag(raw).Get("json")
	}
	name, opts, _ := strings.Cut(tag, ",")
	if name == "-" {
		return
	}
	if name == "" {
		name = f.Names[0].Name
	}
	optional := ""
	if strings.Contains(opts, "omitempty") || strings.Contains(opts, "omitzero") {
		optional = "?"
	}
	e.doc("  ", f.Doc)
	trailing := strings.TrimSpace(f.Comment.Text())
	if trailing != "" {
		trailing = " // " + trailing
	}
	e.line("  %s%s: %s;%s", name, optional, tsType(f.Type), trailing)
}

// tsName keeps Go's names but for those that would hide a global of the browser or
// another package's type of the same name.
func tsName(name string) string {
	switch name {
	case "Error":
		return "BrowserError"
	case "Event":
		return "EventFrame"
	}
	return name
}

// tsType is the TypeScript type that encoding/json makes of a Go type.
func tsType(x ast.Expr) string {
	switch t := x.(type) {
	case *ast.Ident:
		switch t.Name {
		case "string":
			return "string"
		case "bool":
			return "boolean"
		case "int", "int64", "float64":
			return "number"
		case "any":
			return "unknown"
		case "FrameID", "TabID":
			return "string"
		}
		return tsName(t.Name)
	case *ast.SelectorExpr:
		switch t.Sel.Name {
		case "RawMessage":
			return "unknown"
		case "Time":
			return "string"
		}
		return tsName(t.Sel.Name)
	case *ast.StarExpr:
		return tsType(t.X)
	case *ast.ArrayType:
		return tsType(t.Elt) + "[]"
	case *ast.MapType:
		return "Record<string, " + tsType(t.Value) + ">"
	}
	panic(fmt.Sprintf("gen: no TypeScript type for %T; add it to tsType", x))
}

func quote(s string) string {
	q := strconv.Quote(s)
	return "'" + strings.ReplaceAll(q[1:len(q)-1], "'", `\'`) + "'"
}

func key(s string) string {
	for _, r := range s {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return quote(s)
		}
	}
	return s
}
