package conf

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

type tomlCodec struct{}

func (tomlCodec) decode(src []byte) (map[string]any, error) {
	var root map[string]any
	err := toml.Unmarshal(src, &root)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, column := at.Position()
		return nil, &SyntaxError{line, column, strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return root, err
}

// tomlItem is a table's header, a key with its value, or a comment line.
type tomlItem struct {
	start int      // of its line
	path  []string // from the root; nil for a comment
}

func (tomlCodec) scan(src []byte) (list []tomlItem, err error) {
	var p unstable.Parser
	p.KeepComments = true
	p.Reset(src)
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind == unstable.Comment {
			list = append(list, tomlItem{start: lineStart(src, int(n.Raw.Offset))})
			continue
		}
		var path []string
		first := -1
		for it := n.Key(); it.Next(); {
			if first < 0 {
				first = int(it.Node().Raw.Offset)
			}
			path = append(path, string(it.Node().Data))
		}
		if n.Kind == unstable.KeyValue {
			path = append(table[:len(table):len(table)], path...)
		} else {
			table = path
		}
		list = append(list, tomlItem{lineStart(src, first), path})
	}
	return list, p.Error()
}

// spans lists the pieces of the file that make up what is under the path. Comments inside
// are part of it, those behind it are not.
func (c tomlCodec) spans(src []byte, path []string) (list []splice, err error) {
	all, err := c.scan(src)
	if err != nil {
		return nil, err
	}
	under := func(i int) bool {
		return len(all[i].path) >= len(path) && slices.Equal(all[i].path[:len(path)], path)
	}
	for i := 0; i < len(all); i++ {
		if !under(i) {
			continue
		}
		start, last := all[i].start, i
		for ; i < len(all) && (under(i) || all[i].path == nil); i++ {
			if under(i) {
				last = i
			}
		}
		end := len(src)
		if last+1 < len(all) {
			end = all[last+1].start
		}
		// Only blank lines stand between the end of the last one and the next item.
		end = lineEnd(src, start+len(bytes.TrimRight(src[start:end], " \t\r\n")))
		list = append(list, splice{start: start, end: end})
		i--
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s is inside an inline table; make it a table [%s] first", strings.Join(path, "."), tomlKey(path))
	}
	return list, nil
}

func (c tomlCodec) set(src []byte, path []string, e Entry) ([]splice, int, error) {
	root, err := c.decode(src)
	if err != nil {
		return nil, 0, err
	}
	nl := newline(src)
	text := strings.TrimSuffix(c.table(path, e, nl), nl)
	if _, found := lookup(root, path); !found {
		_, around := lookup(root, path[:len(path)-1])
		made := 0
		if !around {
			made = len(path) - 1
		}
		return []splice{{len(src), len(src), tomlGap(src, nl) + text + nl}}, made, nil
	}
	list, err := c.spans(src, path)
	if err != nil {
		return nil, 0, err
	}
	// The first span is a table's header, or else keys that belong to another table: then
	// the new one goes to the end.
	if header := bytes.TrimLeft(src[list[0].start:list[0].end], " \t"); header[0] == '[' {
		list[0].text = text
		return list, 0, nil
	}
	for i := range list {
		list[i].end = pastNewline(src, list[i].end)
	}
	return append(list, splice{len(src), len(src), tomlGap(src, nl) + text + nl}), 0, nil
}

// tomlGap is what has to stand between the file's end and a new table.
func tomlGap(src []byte, nl string) string {
	switch {
	case blank(src):
		return ""
	case src[len(src)-1] != '\n':
		return nl + nl
	case bytes.HasSuffix(src, []byte(nl+nl)):
		return ""
	}
	return nl
}

func (c tomlCodec) cut(src []byte, path []string, _ int) ([]splice, error) {
	list, err := c.spans(src, path)
	for i := range list {
		s := &list[i]
		s.end = pastNewline(src, s.end)
		// One of the blank lines around it goes too, that in front if there is one.
		above := bytes.TrimRight(src[:s.start], "\r\n")
		switch {
		case len(above) == 0 && i == 0:
			s.end = pastNewline(src, s.end)
		case blank(src[s.end:]) || src[s.end] == '\n' || src[s.end] == '\r':
			if at := pastNewline(src, len(above)); at < s.start {
				s.start = at
			}
		}
	}
	return list, err
}

// pastNewline passes one line end, if there is one at the offset.
func pastNewline(src []byte, at int) int {
	if at < len(src) && src[at] == '\r' {
		at++
	}
	if at < len(src) && src[at] == '\n' {
		at++
	}
	return at
}

func (c tomlCodec) snippet(path []string, e Entry) string { return c.table(path, e, "\n") }

func (tomlCodec) table(path []string, e Entry, nl string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]%s", tomlKey(path), nl)
	for _, f := range e {
		fmt.Fprintf(&b, "%s = %s%s", tomlKey([]string{f.Key}), tomlValue(f.Value), nl)
	}
	return b.String()
}

var tomlBare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(path []string) string {
	var parts []string
	for _, p := range path {
		if !tomlBare.MatchString(p) {
			p = tomlString(p)
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, ".")
}

// tomlValue writes a value on one line.
func tomlValue(v any) string {
	var parts []string
	if list, ok := fields(v); ok {
		for _, f := range list {
			parts = append(parts, tomlKey([]string{f.Key})+" = "+tomlValue(f.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if list, ok := items(v); ok {
		for _, item := range list {
			parts = append(parts, tomlValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if s, ok := v.(string); ok {
		return tomlString(s)
	}
	return fmt.Sprint(v)
}

// tomlString prefers a literal where a path of Windows would need escapes.
func tomlString(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f })
	if plain && strings.ContainsAny(s, `\"`) {
		return "'" + s + "'"
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
