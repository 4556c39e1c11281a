package conf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

type jsonCodec struct{}

// parse returns the document's object; nil for a file in which nothing stands, or
// nothing but comments.
func (jsonCodec) parse(src []byte) (*hujson.Value, error) {
	v, err := hujson.Parse(src)
	if err != nil {
		padded := append(src[:len(src):len(src)], "\n{}"...)
		if nothing, err := hujson.Parse(padded); err == nil && nothing.StartOffset > len(src) {
			return nil, nil
		}
		var e SyntaxError
		text := strings.TrimPrefix(err.Error(), "hujson: ")
		if n, _ := fmt.Sscanf(text, "line %d, column %d:", &e.Line, &e.Column); n == 2 {
			_, e.Text, _ = strings.Cut(text, ": ")
			return nil, &e
		}
		return nil, errors.New(text)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, where(src, v.StartOffset, "the file holds no object")
	}
	return &v, nil
}

func (c jsonCodec) decode(src []byte) (map[string]any, error) {
	v, err := c.parse(bytes.Clone(src)) // Standardize writes into it
	if v == nil {
		return nil, err
	}
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	var root map[string]any
	return root, errors.Join(d.Decode(&root))
}

// members of an object and where it stands.
type object struct {
	*hujson.Object
	start, end int // of the braces, end behind
}

func asObject(src []byte, v *hujson.Value, name string) (object, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return object{}, where(src, v.StartOffset, fmt.Sprintf("%q is no object", name))
	}
	return object{o, v.StartOffset, v.EndOffset}, nil
}

// find returns the index of a member, -1 if there is none.
func (o object) find(src []byte, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return 0, where(src, m.Name.StartOffset, fmt.Sprintf("%q stands here a second time", name))
		}
		found = i
	}
	return found, nil
}

// comma returns the offset of the comma behind a member; ok is false for a last one
// without.
func (o object) comma(i int) (at int, ok bool) {
	v := o.Members[i].Value
	return v.EndOffset + len(v.AfterExtra), i < len(o.Members)-1 || v.AfterExtra != nil
}

// walk follows the path as far as it exists.
func (c jsonCodec) walk(src []byte, path []string) (objects []object, index []int, err error) {
	v, err := c.parse(src)
	if v == nil {
		return nil, nil, err
	}
	for i, name := range path {
		around := "the file"
		if i > 0 {
			around = path[i-1]
		}
		o, err := asObject(src, v, around)
		if err != nil {
			return nil, nil, err
		}
		at, err := o.find(src, name)
		if err != nil {
			return nil, nil, err
		}
		objects, index = append(objects, o), append(index, at)
		if at < 0 {
			break
		}
		v = &o.Members[at].Value
	}
	return objects, index, nil
}

func (c jsonCodec) set(src []byte, path []string, e Entry) ([]splice, int, error) {
	objects, index, err := c.walk(src, path)
	if err != nil {
		return nil, 0, err
	}
	w := jsonStyle(src, objects)
	if len(objects) == 0 {
		text := w.value(nest(path, e), "") + w.nl
		if len(src) > 0 && src[len(src)-1] != '\n' && !blank(src) {
			text = w.nl + text
		}
		return []splice{{len(src), len(src), text}}, len(path) - 1, nil
	}
	last := len(objects) - 1
	o, at := objects[last], index[last]
	if at < 0 {
		return w.insert(o, path[last], nest(path[last+1:], e)), len(path) - 1 - last, nil
	}
	m := o.Members[at]
	w.inline = !leads(src, m.Name.StartOffset)
	return []splice{{m.Value.StartOffset, m.Value.EndOffset, w.value(e, margin(src, m.Name.StartOffset))}}, 0, nil
}

func (c jsonCodec) cut(src []byte, path []string, made int) ([]splice, error) {
	objects, index, err := c.walk(src, path)
	if err != nil {
		return nil, err
	}
	level := len(path) - 1
	for ; made > 0 && level > 0 && len(objects[level].Members) == 1; made-- {
		if !bytes.Equal(objects[level].extras(), nil) {
			break // somebody's comment
		}
		level--
	}
	return objects[level].remove(src, index[level]), nil
}

// extras are the comments in an object with one member.
func (o object) extras() []byte {
	m := o.Members[0]
	var all []byte
	for _, extra := range [][]byte{m.Name.BeforeExtra, m.Value.AfterExtra, o.AfterExtra} {
		all = append(all, bytes.TrimSpace(extra)...)
	}
	return all
}

// remove takes a member away, with the comma that is then one too many.
func (o object) remove(src []byte, i int) []splice {
	m := o.Members[i]
	start, end := m.Name.StartOffset, m.Value.EndOffset
	own := leads(src, start)
	comma, followed := o.comma(i)
	if followed {
		end = comma + 1
	}
	if own {
		start = lineStart(src, start) - 1
		if start > 0 && src[start-1] == '\r' {
			start--
		}
		end = restOfLine(src, end, o.end-1)
	}
	switch {
	case len(o.Members) == 1 && blank(src[o.start+1:start]) && blank(src[end:o.end-1]):
		return []splice{{o.start + 1, o.end - 1, ""}}
	case !followed && i > 0:
		before, _ := o.comma(i - 1)
		if !own {
			start = before
		}
		return []splice{{before, before + 1, ""}, {max(start, before+1), end, ""}}
	case followed && !own && i < len(o.Members)-1:
		end = o.Members[i+1].Name.StartOffset // with the space between
	}
	return []splice{{start, end, ""}}
}

// restOfLine passes blanks and comments behind the offset, up to the end of the line. It
// stays where it is if anything else follows.
func restOfLine(src []byte, at, limit int) int {
	for i := at; i < limit; {
		switch {
		case src[i] == '\n' || src[i] == '\r':
			return i
		case src[i] == ' ' || src[i] == '\t':
			i++
		case bytes.HasPrefix(src[i:], []byte("//")):
			return lineEnd(src, i)
		case bytes.HasPrefix(src[i:], []byte("/*")):
			n := bytes.Index(src[i:], []byte("*/"))
			if n < 0 || bytes.IndexByte(src[i:i+n], '\n') >= 0 {
				return at
			}
			i += n + 2
		default:
			return at
		}
	}
	return at
}

func (c jsonCodec) snippet(path []string, e Entry) string {
	return jsonWriter{nl: "\n", unit: "  "}.value(nest(path, e), "") + "\n"
}
