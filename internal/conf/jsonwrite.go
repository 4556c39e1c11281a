package conf

import (
	"bytes"
	"encoding/json"
	"strings"
)

// jsonWriter writes values in the style of a file.
type jsonWriter struct {
	src    []byte
	nl     string
	unit   string // of indentation
	inline bool   // on one line
	tight  bool   // without a space behind colons and commas
}

// jsonStyle looks how the file is written.
func jsonStyle(src []byte, objects []object) jsonWriter {
	w := jsonWriter{src: src, nl: newline(src), unit: "  "}
	if len(objects) == 0 {
		return w
	}
	root := objects[0]
	outer := margin(src, root.start)
	for _, m := range root.Members {
		w.tight = len(m.Value.BeforeExtra) == 0
		if !leads(src, m.Name.StartOffset) {
			continue
		}
		if unit, ok := strings.CutPrefix(margin(src, m.Name.StartOffset), outer); ok && unit != "" {
			w.unit = unit
			break
		}
	}
	return w
}

// insert adds a member behind the last one.
func (w jsonWriter) insert(o object, name string, v any) []splice {
	n := len(o.Members)
	if n == 0 {
		return w.fill(o, name, v)
	}
	last := o.Members[n-1]
	end := last.Value.EndOffset
	comma, trailing := o.comma(n - 1)
	from := end
	if trailing {
		from = comma + 1
	}
	if !leads(w.src, last.Name.StartOffset) {
		w.inline = true
		return w.join(end, from, w.gap()+w.member(name, v, ""), trailing)
	}
	indent := margin(w.src, last.Name.StartOffset)
	return w.join(end, restOfLine(w.src, from, o.end-1), w.nl+indent+w.member(name, v, indent), trailing)
}

// join puts a member at an offset, and a comma behind it or behind the member before.
func (w jsonWriter) join(end, at int, text string, trailing bool) []splice {
	switch {
	case trailing:
		return []splice{{at, at, text + ","}}
	case at == end:
		return []splice{{at, at, "," + text}}
	}
	return []splice{{end, end, ","}, {at, at, text}}
}

// fill puts the first member into an object.
func (w jsonWriter) fill(o object, name string, v any) []splice {
	src := w.src
	inner := src[o.start+1 : o.end-1]
	base := margin(src, o.start)
	// In a file on one line the rest stays on it; an empty file is laid out.
	alone := blank(src[:o.start]) && blank(src[o.end:])
	if !alone && !bytes.ContainsRune(src[:o.start], '\n') && !bytes.ContainsRune(inner, '\n') {
		w.inline = true
		if blank(inner) {
			return []splice{{o.start + 1, o.end - 1, w.member(name, v, "")}}
		}
	}
	at := o.start + 1 + len(bytes.TrimRight(inner, " \t\r\n"))
	text := w.nl + base + w.unit + w.member(name, v, base+w.unit) + w.nl + base
	return []splice{{at, o.end - 1, text}}
}

func (w jsonWriter) gap() string {
	if w.tight {
		return ""
	}
	return " "
}

func (w jsonWriter) member(name string, v any, indent string) string {
	return quoteJSON(name) + ":" + w.colon() + w.value(v, indent)
}

func (w jsonWriter) colon() string {
	if w.inline {
		return w.gap()
	}
	return " "
}

// value writes a value whose first line begins at the indentation.
func (w jsonWriter) value(v any, indent string) string {
	var parts []string
	open, end := "{", "}"
	if list, ok := fields(v); ok {
		for _, f := range list {
			parts = append(parts, w.member(f.Key, f.Value, indent+w.unit))
		}
	} else if list, ok := items(v); ok {
		open, end = "[", "]"
		for _, item := range list {
			parts = append(parts, w.value(item, indent+w.unit))
		}
	} else {
		return scalarJSON(v)
	}
	switch {
	case len(parts) == 0:
		return open + end
	case w.inline:
		return open + strings.Join(parts, ","+w.gap()) + end
	}
	in := w.nl + indent + w.unit
	return open + in + strings.Join(parts, ","+in) + w.nl + indent + end
}

func quoteJSON(s string) string { return scalarJSON(s) }

// scalarJSON writes what is no object and no array.
func scalarJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // paths stay readable
	if e.Encode(v) != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
