package page

import (
	"fmt"
	"strings"
)

// lineKey tells lines of two snapshots apart: by element where there is one, else by
// the words and the element around them.
type lineKey struct {
	elem   element
	parent element
	text   string
}

// keyed is a line with its key and the line around it.
type keyed struct {
	line
	key    lineKey
	parent int // index, -1 for none
}

func keyLines(lines []line) []keyed {
	out := make([]keyed, len(lines))
	var path []int
	for i, l := range lines {
		for len(path) > 0 && lines[path[len(path)-1]].depth >= l.depth {
			path = path[:len(path)-1]
		}
		k := keyed{line: l, parent: -1}
		if len(path) > 0 {
			k.parent = path[len(path)-1]
		}
		if l.elem.node != 0 {
			k.key.elem = l.elem
		} else {
			k.key.text = l.head + l.tail
			for p := k.parent; p >= 0; p = out[p].parent {
				if lines[p].elem.node != 0 {
					k.key.parent = lines[p].elem
					break
				}
			}
		}
		out[i] = k
		path = append(path, i)
	}
	return out
}

// diff lists what is new, changed and gone, with what it is in. What only got or lost
// the focus has not changed: clicks do that all the time.
func (t *Tab) diff(before, after []line) string {
	old, now := keyLines(before), keyLines(after)
	left := map[lineKey][]int{}
	for i, k := range old {
		left[k.key] = append(left[k.key], i)
	}
	d := differ{tab: t, lines: now, context: -1, written: map[int]bool{}}
	for i, k := range now {
		was := left[k.key]
		switch {
		case len(was) == 0:
			d.write("+", i)
		default:
			left[k.key] = was[1:]
			if b := old[was[0]]; !same(b.line, k.line) {
				d.write("~", i)
			}
		}
	}
	d.lines, d.context, d.written = old, -1, map[int]bool{}
	for i, k := range old {
		if rest := left[k.key]; len(rest) > 0 && rest[0] == i {
			left[k.key] = rest[1:]
			if d.written[k.parent] { // gone with what it was in
				d.written[i] = true
				continue
			}
			d.write("-", i)
		}
	}
	return d.text()
}

func same(a, b line) bool {
	return a.head == b.head && strings.ReplaceAll(a.tail, " focused", "") == strings.ReplaceAll(b.tail, " focused", "")
}

// differ writes changed lines with the line around them where that changes.
type differ struct {
	tab     *Tab
	lines   []keyed
	context int
	written map[int]bool
	b       strings.Builder
	dropped int
}

func (d *differ) write(mark string, i int) {
	if d.b.Len() > diffCap {
		d.dropped++
		return
	}
	l := d.lines[i]
	if p := l.parent; p >= 0 && p != d.context && !d.inside(p) {
		fmt.Fprintf(&d.b, "@ %s\n", d.lines[p].head+d.ref(d.lines[p].line))
		d.context = p
	}
	indent := 0
	for p := l.parent; p >= 0 && d.written[p]; p = d.lines[p].parent {
		indent++
	}
	fmt.Fprintf(&d.b, "%s %s%s\n", mark, strings.Repeat("  ", indent), l.String(&d.tab.s.refs))
	d.written[i] = true
}

// inside says whether the line around was itself written as a change.
func (d *differ) inside(p int) bool { return d.written[p] }

func (d *differ) ref(l line) string {
	if l.elem.node == 0 {
		return ""
	}
	return " [" + d.tab.s.refs.mint(l.elem, l.shown) + "]"
}

func (d *differ) text() string {
	text := strings.TrimSuffix(d.b.String(), "\n")
	if d.dropped > 0 {
		text += fmt.Sprintf("\n… %d more changes; take a snapshot", d.dropped)
	}
	return text
}
