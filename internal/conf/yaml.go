package conf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

type yamlCodec struct{}

func (c yamlCodec) decode(src []byte) (map[string]any, error) {
	var root map[string]any
	d := yaml.NewDecoder(bytes.NewReader(src))
	if err := d.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return nil, c.explain(src, err)
	} else if err == nil && !errors.Is(d.Decode(new(yaml.Node)), io.EOF) {
		return nil, errors.New("the file holds several documents")
	}
	return root, nil
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// explain finds the place in an error of the parser, which knows the line only.
func (yamlCodec) explain(src []byte, err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  ")
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return errors.New(text)
	}
	line, _ := strconv.Atoi(m[1])
	at := lineOffset(src, line)
	return &SyntaxError{line, len(margin(src, at)) + 1, strings.Replace(text, m[0], "", 1)}
}

// lineOffset is where a line begins, counted from 1.
func lineOffset(src []byte, line int) (at int) {
	for ; line > 1 && at < len(src); line-- {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	return at
}

// yamlPlace is a node's position in the file. Columns are counted in characters.
func yamlPlace(src []byte, n *yaml.Node) int {
	at := lineOffset(src, n.Line)
	for range n.Column - 1 {
		_, size := decodeRune(src[at:])
		at += size
	}
	return at
}

// pair is a key with its value.
type pair struct{ key, value *yaml.Node }

func child(n *yaml.Node, name string) *pair {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i].Kind == yaml.ScalarNode {
			return &pair{n.Content[i], n.Content[i+1]}
		}
	}
	return nil
}

// walk follows the path as far as it exists: nodes[0] is the document's mapping, nil if
// there is none, and pairs[i] the one found in nodes[i].
func (yamlCodec) walk(src []byte, path []string) (root *yaml.Node, pairs []pair, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, nil, err
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return nil, nil, nil
	}
	root = doc.Content[0]
	n := root
	for i, name := range path {
		if n.Kind != yaml.MappingNode && !isNull(n) {
			return nil, nil, where(src, yamlPlace(src, n), fmt.Sprintf("%q is no mapping of its own", path[max(i-1, 0)]))
		}
		p := child(n, name)
		if p == nil {
			break
		}
		pairs = append(pairs, *p)
		n = p.value
	}
	return root, pairs, nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func isFlow(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 }

func (c yamlCodec) set(src []byte, path []string, e Entry) ([]splice, int, error) {
	root, pairs, err := c.walk(src, path)
	if err != nil {
		return nil, 0, err
	}
	nl := newline(src)
	at := len(pairs)
	switch {
	case root == nil, at == 0 && !isFlow(root):
		indent := 0
		if root != nil {
			indent = root.Content[0].Column - 1
		}
		text := yamlBlock(Entry{{path[0], nest(path[1:], e)}}, indent, nl)
		if len(src) > 0 && src[len(src)-1] != '\n' {
			text = nl + text
		}
		return []splice{{len(src), len(src), text}}, len(path) - 1, nil
	case at == len(path):
		list, err := c.replace(src, pairs[at-1], e, nl)
		return list, 0, err
	}
	member := Entry{{path[at], nest(path[at+1:], e)}}
	around := root
	if at > 0 {
		around = pairs[at-1].value
	}
	if isFlow(around) && (at == 0 || len(around.Content) > 0 || !bytes.HasPrefix(src[yamlPlace(src, around):], []byte("{}"))) {
		open := yamlPlace(src, around) + 1
		text := jsonWriter{inline: true}.member(path[at], member[0].Value, "")
		if len(around.Content) > 0 {
			text += ", "
		}
		return []splice{{open, open, text}}, len(path) - 1 - at, nil
	}
	return c.first(src, pairs[at-1], member, nl), len(path) - 1 - at, nil
}

// first puts a member in front of the others of a block mapping, where it cannot get
// between one of them and its comment.
func (yamlCodec) first(src []byte, p pair, member Entry, nl string) []splice {
	indent := p.key.Column - 1 + 2
	if len(p.value.Content) > 0 {
		indent = p.value.Content[0].Column - 1
	}
	key := yamlPlace(src, p.key)
	end := lineEnd(src, key)
	text := nl + strings.TrimSuffix(yamlBlock(member, indent, nl), nl)
	if len(p.value.Content) > 0 {
		return []splice{{end, end, text}}
	}
	// What stands for nothing goes: {}, null, ~.
	at := yamlPlace(src, p.value)
	word := p.value.Value
	if isFlow(p.value) {
		word = "{}"
	}
	if word == "" || at < key || at >= end {
		return []splice{{end, end, text}}
	}
	start := key + len(bytes.TrimRight(src[key:at], " \t"))
	return []splice{{start, at + len(word), ""}, {end, end, text}}
}

func (c yamlCodec) replace(src []byte, p pair, e Entry, nl string) ([]splice, error) {
	if p.value.Kind == yaml.MappingNode && isFlow(p.value) {
		at := yamlPlace(src, p.value)
		end := flowEnd(src, at)
		return []splice{{at, end, jsonWriter{inline: true}.value(e, "")}}, nil
	}
	start, end := yamlBlockSpan(src, p.key)
	text := strings.TrimSuffix(yamlBlock(Entry{{p.key.Value, e}}, p.key.Column-1, nl), nl)
	return []splice{{start, end, text}}, nil
}

func (c yamlCodec) cut(src []byte, path []string, made int) ([]splice, error) {
	root, pairs, err := c.walk(src, path)
	if err != nil {
		return nil, err
	}
	level := len(path) - 1
	for ; made > 0 && level > 0 && len(pairs[level-1].value.Content) == 2; made-- {
		level--
	}
	p, around := pairs[level], root
	if level > 0 {
		around = pairs[level-1].value
	}
	if isFlow(around) {
		return flowCut(src, p, around), nil
	}
	start, end := yamlBlockSpan(src, p.key)
	if len(around.Content) > 2 || level == 0 {
		return []splice{{start, pastNewline(src, end), ""}}, nil
	}
	// The only one: an object stays an object.
	colon := lineEnd(src, yamlPlace(src, pairs[level-1].key))
	at := yamlPlace(src, pairs[level-1].key)
	if i := bytes.Index(src[at:colon], []byte(" #")); i >= 0 {
		colon = at + i
	}
	colon = at + len(bytes.TrimRight(src[at:colon], " \t"))
	return []splice{{colon, colon, " {}"}, {start, pastNewline(src, end), ""}}, nil
}
