package page

import (
	"fmt"
	"slices"
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
	was := make([]int, len(now)) // index in old, -1 for none
	for i, k := range now {
		was[i] = -1
		if at := left[k.key]; len(at) > 0 {
			was[i], left[k.key] = at[0], at[1:]
		}
	}
	moved := moves(old, now, was)
	d := differ{tab: t, lines: now, context: -1, written: map[int]bool{}}
	for i, k := range now {
		switch before := was[i]; {
		case before < 0:
			d.write("+", i)
		case !same(old[before].line, k.line):
			d.write("~", i)
		case moved[i]:
			d.write(">", i)
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

// moves finds the lines that stand elsewhere among those that they stood with before: as
// few as can be, so that of a list whose first line became the last only that one moved.
func moves(old, now []keyed, was []int) map[int]bool {
	moved := map[int]bool{}
	stayed := map[int][]int{} // parent → its lines that were in it before
	still := map[int]bool{}   // lines of old that are there still
	for _, i := range was {
		still[i] = true
	}
	for i, k := range now {
		if was[i] < 0 {
			continue
		}
		in := -1
		if k.parent >= 0 {
			in = was[k.parent]
		}
		if k.parent >= 0 && in < 0 {
			continue // what is around it is new
		}
		if old[was[i]].parent == in {
			stayed[k.parent] = append(stayed[k.parent], i)
		} else if p := old[was[i]].parent; p >= 0 && still[p] {
			moved[i] = true
		}
	}
	for _, lines := range stayed {
		for _, i := range outOfOrder(lines, was) {
			moved[i] = true
		}
	}
	return moved
}

// outOfOrder returns the lines that are not in the longest run which kept its order.
func outOfOrder(lines, was []int) (out []int) {
	var ends []int // position in lines of the last of a run, by its length
	before := make([]int, len(lines))
	for n, i := range lines {
		at, _ := slices.BinarySearchFunc(ends, was[i], func(end, want int) int { return was[lines[end]] - want })
		before[n] = -1
		if at > 0 {
			before[n] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, n)
		}
		ends[at] = n
	}
	kept := map[int]bool{}
	if len(ends) > 0 {
		for n := ends[len(ends)-1]; n >= 0; n = before[n] {
			kept[n] = true
		}
	}
	for n, i := range lines {
		if !kept[n] {
			out = append(out, i)
		}
	}
	return out
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
	fmt.Fprintf(&d.b, "%s %s%s%s\n", mark, strings.Repeat("  ", indent), l.String(&d.tab.s.refs), d.place(mark, i))
	d.written[i] = true
}

// place is where a line moved to.
func (d *differ) place(mark string, i int) string {
	if mark != ">" {
		return ""
	}
	for p := i - 1; p >= 0 && p > d.lines[i].parent; p-- {
		if d.lines[p].parent == d.lines[i].parent {
			return ", now after " + d.lines[p].head + d.ref(d.lines[p].line)
		}
	}
	return ", now first"
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
