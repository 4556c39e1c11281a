// Package conf sets and removes one entry in a configuration file of another program.
//
// Everything else in the file stays as it is, byte for byte: comments, order, blank
// lines, indentation, line ends, byte order mark. Each edit is read back before it is
// returned; one that would change anything else is an error. The package touches no file
// and does not know what an entry is for.
package conf

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Format is how a file is written.
type Format string

// The formats. JSON is read with comments and trailing commas, because files of clients
// that allow them are called .json too.
const (
	JSON Format = "JSON"
	TOML Format = "TOML"
	YAML Format = "YAML"
)

// Field is one key of an entry. Its value is a string, bool, int, []string or Entry, or
// whatever Get returned.
type Field struct {
	Key   string
	Value any
}

// Entry is what stands under a path, in the order in which it is written.
type Entry []Field

// Edit is one change of a file.
type Edit struct {
	After []byte
	// Old was replaced by New at one place. Undo takes that back, also after others
	// have edited the file elsewhere.
	Old, New string
	// Made counts the objects around the entry that were not there before.
	Made int
}

// SyntaxError says where a file stops making sense.
type SyntaxError struct {
	Line, Column int
	Text         string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// ErrAbsent is returned by Remove when there is nothing under the path.
var ErrAbsent = errors.New("there is no such entry")

// splice replaces src[start:end] by text.
type splice struct {
	start, end int
	text       string
}

// codec is one format. It plans splices and may be optimistic: what they lead to is
// checked by the caller.
type codec interface {
	decode(src []byte) (map[string]any, error)
	set(src []byte, path []string, e Entry) (s []splice, made int, err error)
	cut(src []byte, path []string, made int) ([]splice, error)
	snippet(path []string, e Entry) string
}

var codecs = map[Format]codec{JSON: jsonCodec{}, TOML: tomlCodec{}, YAML: yamlCodec{}}

var bom = []byte("\xef\xbb\xbf")

// Get returns the entry under the path.
func Get(f Format, b []byte, path []string) (entry map[string]any, found bool, err error) {
	root, err := codecs[f].decode(bytes.TrimPrefix(b, bom))
	if err != nil {
		return nil, false, err
	}
	v, found := lookup(root, path)
	if !found {
		return nil, false, nil
	}
	entry, ok := v.(map[string]any)
	if !ok {
		return nil, true, fmt.Errorf("%s is no object", strings.Join(path, "."))
	}
	return entry, true, nil
}

// Set puts the entry under the path, in place of what is there.
func Set(f Format, b []byte, path []string, e Entry) (Edit, error) {
	c, src, before, err := open(f, b)
	if err != nil {
		return Edit{}, err
	}
	want := e.plain()
	if have, found := lookup(before, path); found && same(have, want) {
		return Edit{After: b}, nil
	}
	splices, made, err := c.set(src, path, e)
	if err != nil {
		return Edit{}, err
	}
	edit, after, err := apply(c, b, src, splices)
	if err != nil {
		return Edit{}, err
	}
	if have, found := lookup(after, path); !found || !same(have, want) || !sameBut(before, after, path) {
		return Edit{}, fmt.Errorf("%s cannot be set without changing something else; write it by hand", strings.Join(path, "."))
	}
	edit.Made = made
	return edit, nil
}

// Remove takes the entry away, and as many of the objects around it as made says, if
// nothing else is in them.
func Remove(f Format, b []byte, path []string, made int) (Edit, error) {
	c, src, before, err := open(f, b)
	if err != nil {
		return Edit{}, err
	}
	if _, found := lookup(before, path); !found {
		return Edit{}, ErrAbsent
	}
	splices, err := c.cut(src, path, made)
	if err != nil {
		return Edit{}, err
	}
	edit, after, err := apply(c, b, src, splices)
	if err != nil {
		return Edit{}, err
	}
	if _, found := lookup(after, path); found || !sameBut(before, after, path) {
		return Edit{}, fmt.Errorf("%s cannot be removed without changing something else; remove it by hand", strings.Join(path, "."))
	}
	return edit, nil
}

// Undo puts Old back in place of New, if New is still there once and nothing but the
// entry changes by that.
func Undo(f Format, b []byte, path []string, e Edit) (after []byte, ok bool) {
	if e.New == "" || strings.Count(string(b), e.New) != 1 {
		return nil, false
	}
	after = []byte(strings.Replace(string(b), e.New, e.Old, 1))
	_, _, was, err := open(f, b)
	_, _, is, err2 := open(f, after)
	if err != nil || err2 != nil || !sameBut(was, is, path) {
		return nil, false
	}
	had, _ := lookup(was, path)
	if has, _ := lookup(is, path); same(had, has) {
		return nil, false // New stood elsewhere, in a comment perhaps
	}
	return after, true
}

// Same reports whether two files say the same but for what is under the path, however they
// are laid out.
func Same(f Format, a, b []byte, path []string) bool {
	_, _, before, err := open(f, a)
	_, _, after, err2 := open(f, b)
	return err == nil && err2 == nil && sameBut(before, after, path)
}

// Snippet is the entry as a file of its own.
func Snippet(f Format, path []string, e Entry) string { return codecs[f].snippet(path, e) }

func open(f Format, b []byte) (c codec, src []byte, root map[string]any, err error) {
	c = codecs[f]
	src = bytes.TrimPrefix(b, bom)
	root, err = c.decode(src)
	return c, src, root, err
}

// apply carries out splices, which are in order and do not overlap.
func apply(c codec, b, src []byte, splices []splice) (Edit, map[string]any, error) {
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(src[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.Write(src[at:])
	root, err := c.decode(out.Bytes())
	if err != nil {
		return Edit{}, nil, fmt.Errorf("the result would not parse (%w); write it by hand", err)
	}
	from, to := splices[0].start, splices[len(splices)-1].end
	e := Edit{
		Old: string(src[from:to]),
		New: string(out.Bytes()[from : out.Len()-(len(src)-to)]),
	}
	e.After = append(b[:len(b)-len(src):len(b)-len(src)], out.Bytes()...)
	return e, root, nil
}

func lookup(root map[string]any, path []string) (v any, found bool) {
	v = root
	for _, key := range path {
		m, _ := v.(map[string]any)
		if v, found = m[key]; !found {
			return nil, false
		}
	}
	return v, true
}

// sameBut compares all but what is under the path, and but empty objects around it.
func sameBut(a, b map[string]any, path []string) bool {
	return reflect.DeepEqual(without(a, path), without(b, path))
}

// without copies what it changes.
func without(m map[string]any, path []string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	v, found := out[path[0]]
	if !found || len(path) == 1 {
		delete(out, path[0])
		return out
	}
	switch v := v.(type) {
	case nil:
		delete(out, path[0])
	case map[string]any:
		if inner := without(v, path[1:]); len(inner) > 0 {
			out[path[0]] = inner
		} else {
			delete(out, path[0])
		}
	}
	return out
}

// newline is the line end that the file uses.
func newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart is the offset of the line that holds the offset.
func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// lineEnd is the offset of the line end at or behind the offset.
func lineEnd(src []byte, at int) int {
	i := bytes.IndexByte(src[at:], '\n')
	if i < 0 {
		return len(src)
	}
	if i > 0 && src[at+i-1] == '\r' {
		i--
	}
	return at + i
}

// margin is the white space that the line of the offset begins with.
func margin(src []byte, at int) string {
	line := src[lineStart(src, at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// leads reports whether only white space stands before the offset in its line.
func leads(src []byte, at int) bool {
	return len(bytes.TrimLeft(src[lineStart(src, at):at], " \t")) == 0 && lineStart(src, at) > 0
}

func where(src []byte, at int, text string) error {
	return &SyntaxError{
		Line:   bytes.Count(src[:at], []byte("\n")) + 1,
		Column: at - lineStart(src, at) + 1,
		Text:   text,
	}
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
