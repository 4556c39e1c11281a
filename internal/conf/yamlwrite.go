package conf

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func decodeRune(b []byte) (rune, int) { return utf8.DecodeRune(b) }

// yamlBlockSpan is the lines of a key and its value in a block mapping: up to the next
// line that is not deeper, without blank lines and comments at the end.
func yamlBlockSpan(src []byte, key *yaml.Node) (start, end int) {
	start = lineOffset(src, key.Line)
	end = lineEnd(src, start)
	for at := pastNewline(src, end); at < len(src); {
		stop := lineEnd(src, at)
		line := src[at:stop]
		text := bytes.TrimLeft(line, " \t")
		switch {
		case len(text) == 0 || text[0] == '#':
		case len(line)-len(text) < key.Column:
			return start, end
		default:
			end = stop
		}
		next := pastNewline(src, stop)
		if next == at {
			break
		}
		at = next
	}
	return start, end
}

// flowEnd is the offset behind the bracket that closes the one at the offset.
func flowEnd(src []byte, at int) int {
	depth := 0
	for i := at; i < len(src); i++ {
		switch src[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\'':
			i = skipTo(src, i, func(j int) bool { return src[j] == '\'' })
		case '"':
			i = skipTo(src, i, func(j int) bool { return src[j] == '"' && !oddBackslashes(src, j) })
		case '#':
			if i > 0 && strings.ContainsRune(" \t\n", rune(src[i-1])) {
				i = lineEnd(src, i)
			}
		}
	}
	return len(src)
}

func skipTo(src []byte, i int, found func(int) bool) int {
	for i++; i < len(src) && !found(i); i++ {
	}
	return i
}

func oddBackslashes(src []byte, at int) bool {
	n := 0
	for at--; at >= 0 && src[at] == '\\'; at-- {
		n++
	}
	return n%2 == 1
}

// flowCut takes a member out of a flow mapping, with one comma.
func flowCut(src []byte, p pair, around *yaml.Node) []splice {
	start := yamlPlace(src, p.key)
	end := yamlPlace(src, p.value)
	if p.value.Kind == yaml.ScalarNode {
		end += len(p.value.Value)
	} else {
		end = flowEnd(src, end)
	}
	i := slices.Index(around.Content, p.key)
	if i+2 < len(around.Content) {
		return []splice{{start, yamlPlace(src, around.Content[i+2]), ""}}
	}
	if i > 0 {
		start = bytes.LastIndexByte(src[:start], ',')
	}
	return []splice{{start, end, ""}}
}

// yamlBlock writes an object as a block mapping.
func yamlBlock(e Entry, indent int, nl string) string {
	var b strings.Builder
	pad := strings.Repeat(" ", indent)
	for _, f := range e {
		b.WriteString(pad + yamlScalar(f.Key) + ":")
		if list, ok := fields(f.Value); ok && len(list) > 0 {
			b.WriteString(nl + yamlBlock(list, indent+2, nl))
			continue
		}
		list, ok := items(f.Value)
		if !ok || len(list) == 0 {
			b.WriteString(" " + yamlScalar(f.Value) + nl)
			continue
		}
		b.WriteString(nl)
		for _, item := range list {
			b.WriteString(pad + "  - " + yamlScalar(item) + nl)
		}
	}
	return b.String()
}

var (
	yamlPlain = regexp.MustCompile(`^(--?)?[A-Za-z/][A-Za-z0-9_./-]*$`)
	yamlWords = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
)

// yamlScalar writes a value in one line: as it is where it can only be a string, else as
// JSON, which YAML is a superset of.
func yamlScalar(v any) string {
	if s, ok := v.(string); ok && yamlPlain.MatchString(s) && !slices.Contains(yamlWords, strings.ToLower(s)) {
		return s
	}
	return jsonWriter{inline: true}.value(v, "")
}

func (yamlCodec) snippet(path []string, e Entry) string {
	return yamlBlock(Entry{{path[0], nest(path[1:], e)}}, 0, "\n")
}
