package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// list renders a list. Items stand close together unless one of them holds more than a
// line and lists inside.
func (r *renderer) list(n *html.Node) []block {
	var out []block
	var items []string
	loose := false
	at, step := counting(n)
	for _, c := range itemsOf(n) {
		if def := r.noteBody(c); def != nil {
			out = append(out, def...)
			continue
		}
		inner := r.blocks(c, 0)
		if len(inner) == 0 { // not shown, but counted
			if c.Data == "li" {
				at = number(attr(c, "value"), at) + step
			}
			continue
		}
		if c.Data != "li" && len(items) > 0 && inner[0].kind == list { // a list beside the items belongs to the one before
			width := strings.Repeat(" ", len(marker(items[len(items)-1])))
			items[len(items)-1] += "\n" + indent(join(inner, "\n"), width, width)
			continue
		}
		first := "- "
		if n.Data == "ol" {
			at = number(attr(c, "value"), at)
			first = strconv.Itoa(at) + ". "
			at += step
		}
		between := "\n"
		if !isTight(inner) {
			between, loose = "\n\n", true
		}
		items = append(items, indent(join(inner, between), first, strings.Repeat(" ", len(first))))
	}
	if len(items) > 0 {
		between := "\n"
		if loose {
			between = "\n\n"
		}
		out = append([]block{{kind: list, text: strings.Join(items, between)}}, out...)
	}
	return out
}

// bullet is what stands before an item where no list can stand, as in a cell.
func bullet(li *html.Node) string {
	if li.Parent == nil || li.Parent.Data != "ol" {
		return "•"
	}
	if attr(li, numbered) == "" {
		numberItems(li.Parent)
	}
	return attr(li, numbered) + "."
}

// numbered is an attribute of our own.
const numbered = "number"

// numberItems gives each item of a list its number, so that none has to count the ones
// before it.
func numberItems(n *html.Node) {
	at, step := counting(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data != "li" {
			continue
		}
		at = number(attr(c, "value"), at)
		c.Attr = append(c.Attr, html.Attribute{Key: numbered, Val: strconv.Itoa(at)})
		at += step
	}
}

// counting is the number of a list's first item, and how it goes on.
func counting(n *html.Node) (at, step int) {
	if attr(n, "reversed") != "" {
		return number(attr(n, "start"), countItems(n)), -1
	}
	return number(attr(n, "start"), 1), 1
}

// countItems is the number that a list which counts down begins with.
func countItems(n *html.Node) (count int) {
	for _, c := range itemsOf(n) {
		if c.Data == "li" {
			count++
		}
	}
	return count
}

// isTight says whether the blocks of an item are a line and lists below it.
func isTight(inner []block) bool {
	for i, b := range inner {
		if i == 0 && b.kind != codeBlock || b.kind == list {
			continue
		}
		return false
	}
	return true
}

// itemsOf are the items, also through wrappers that only style them.
func itemsOf(n *html.Node) []*html.Node {
	var items []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode:
			if strings.TrimSpace(c.Data) != "" {
				items = append(items, &html.Node{Type: html.ElementNode, Data: "li", FirstChild: &html.Node{Type: html.TextNode, Data: c.Data}})
			}
		case c.Data == "div" && contains(c, isElement("li")) && !contains(c, isList):
			items = append(items, itemsOf(c)...)
		case isList(c):
			items = append(items, &html.Node{Type: html.ElementNode, Data: "div", FirstChild: alone(c)})
		default:
			items = append(items, c)
		}
	}
	return items
}

func isList(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.Data == "ul" || n.Data == "ol")
}

// alone is the node without its siblings.
func alone(n *html.Node) *html.Node {
	c := *n
	c.PrevSibling, c.NextSibling = nil, nil
	return &c
}

// marker is the sign of an item with the space after it.
func marker(item string) string {
	if i := strings.IndexByte(item, ' '); i >= 0 {
		return item[:i+1]
	}
	return "- "
}

func sign(list string) byte {
	m := marker(list)
	return m[len(m)-2]
}

// resign gives the items of a list the other sign of their kind.
func resign(list string) string {
	to := map[byte]byte{'-': '*', '*': '-', '.': ')', ')': '.'}[sign(list)]
	lines := strings.Split(list, "\n")
	fence := ""
	for i, l := range lines {
		if t := strings.TrimSpace(l); fence == "" && strings.HasPrefix(t, "```") {
			fence = t[:longestRun(t, '`')]
		} else if fence != "" && t == fence {
			fence = ""
		}
		if m := marker(l); fence == "" && l != "" && l[0] != ' ' && len(m) >= 2 && m[len(m)-2] == sign(list) {
			lines[i] = m[:len(m)-2] + string(to) + l[len(m)-1:]
		}
	}
	return strings.Join(lines, "\n")
}
