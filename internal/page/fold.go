package page

import (
	"fmt"
	"slices"
	"strings"
)

// A snapshot that is too big keeps its skeleton: long runs of alike siblings are folded
// to their first rows, harder and harder until it fits.

// branch is a line with those below it.
type branch struct {
	line
	kids  []*branch
	size  int    // bytes of the line as rendered, about
	alike string // what siblings have in common to count as a run
}

// tree builds the tree that the depths of the lines tell.
func tree(lines []line) *branch {
	root := &branch{line: line{depth: -1}}
	path := []*branch{root}
	for _, l := range lines {
		b := &branch{line: l, size: 2*l.depth + len(l.head) + len(l.tail) + 1}
		if l.elem.node != 0 {
			b.size += len(" [e1234]")
		}
		for len(path) > 1 && path[len(path)-1].depth >= l.depth {
			path = path[:len(path)-1]
		}
		parent := path[len(path)-1]
		parent.kids = append(parent.kids, b)
		path = append(path, b)
	}
	root.sign()
	return root
}

// sign computes what makes a branch like another: its role and those of its children.
func (b *branch) sign() {
	var s strings.Builder
	s.WriteString(b.role)
	for i, k := range b.kids {
		k.sign()
		if i < 8 {
			s.WriteString("," + k.role)
		}
	}
	b.alike = s.String()
}

// shape is how hard to fold. The zero shape folds nothing.
type shape struct {
	run   int // repeats kept of a run of alike siblings
	wide  int // siblings kept of any kind
	depth int // levels kept
}

// shapes are tried in this order until the snapshot fits.
var shapes = []shape{
	{}, {run: 40}, {run: 20}, {run: 10}, {run: 5}, {run: 3}, {run: 2},
	{run: 2, wide: 60}, {run: 2, wide: 25}, {run: 2, wide: 12}, {run: 1, wide: 8, depth: 12}, {run: 1, wide: 6, depth: 8}, {run: 1, wide: 4, depth: 5},
}

// render makes the text of a snapshot of at most limit bytes and, if lines is not 0, of
// at most so many lines.
func (t *Tab) render(all []line, limit, lines int) string {
	root := tree(all)
	for _, s := range shapes {
		w := writer{tab: t, shape: s, limit: limit, lines: lines, dry: true}
		w.kids(root, nil)
		if w.size <= limit && (lines == 0 || w.count <= lines) {
			w = writer{tab: t, shape: s}
			w.kids(root, nil)
			return strings.TrimSuffix(w.b.String(), "\n")
		}
	}
	w := writer{tab: t, shape: shapes[len(shapes)-1], limit: limit, lines: lines}
	w.kids(root, nil)
	text := strings.TrimSuffix(w.b.String(), "\n")
	if w.dropped > 0 {
		text += fmt.Sprintf("\n… %d more lines; use find, or snapshot a part with ref", w.dropped)
	}
	return text
}

// writer writes a tree in one shape, or only counts.
type writer struct {
	tab     *Tab
	shape   shape
	dry     bool
	limit   int // with lines: stop there; 0 is no limit
	lines   int
	b       strings.Builder
	size    int
	count   int
	dropped int
}

func (w *writer) kids(b *branch, above []*branch) {
	above = append(above, b)
	if w.shape.depth > 0 && len(above) > w.shape.depth && len(b.kids) > 0 {
		w.more(b.depth+1, countAll(b.kids), "deeper elements", above)
		return
	}
	kept := 0
	for i := 0; i < len(b.kids); {
		period, n := 1, 1
		if w.shape.run > 0 {
			period, n = repeats(b.kids[i:])
		}
		show := n
		if w.shape.run > 0 && n > w.shape.run+1 {
			show = w.shape.run
		}
		for _, k := range b.kids[i : i+show*period] {
			if w.shape.wide > 0 && kept >= w.shape.wide && !skeleton(k) {
				rest := b.kids[i:]
				w.more(b.depth+1, countAll(rest), "elements", above)
				return
			}
			w.branch(k, above)
			kept++
		}
		if show < n {
			left := b.kids[i+show*period : i+n*period]
			w.more(b.depth+1, len(left), plural(left, period), above)
		}
		i += n * period
	}
}

// repeats returns the period and the number of repeats of the run that kids begins with.
func repeats(kids []*branch) (period, n int) {
	period, n = 1, 1
	for p := 1; p <= 8 && 2*p <= len(kids); p++ {
		m := 1
		for (m+1)*p <= len(kids) && sameAlike(kids[:p], kids[m*p:(m+1)*p]) {
			m++
		}
		if m > 1 && m*p > n*period {
			period, n = p, m
		}
	}
	return period, n
}

func sameAlike(a, b []*branch) bool {
	return slices.EqualFunc(a, b, func(x, y *branch) bool { return x.alike == y.alike })
}

// skeleton is what is shown however many siblings it has.
func skeleton(b *branch) bool {
	switch b.role {
	case "heading", "main", "navigation", "banner", "contentinfo", "complementary", "region", "form", "search", "dialog", "alertdialog", "alert", "iframe":
		return true
	}
	return false
}

func countAll(list []*branch) int {
	n := len(list)
	for _, b := range list {
		n += countAll(b.kids)
	}
	return n
}

func plural(list []*branch, period int) string {
	if period > 1 || len(list) == 0 {
		return "elements"
	}
	switch role := list[0].role; role {
	case "listitem":
		return "items"
	case "text":
		return "texts"
	case "checkbox", "textbox", "searchbox", "combobox", "listbox":
		return role + "es"
	default:
		return role + "s"
	}
}

func (w *writer) branch(b *branch, above []*branch) {
	w.put(b.depth, b.size, func() string { return b.String(&w.tab.s.refs) })
	w.kids(b, above)
}

// more says what was left out and how to get it.
func (w *writer) more(depth, n int, what string, above []*branch) {
	w.put(depth, 2*depth+len(what)+45, func() string {
		how := "find shows them by text or role"
		for i := len(above) - 1; i > 0; i-- {
			if above[i].elem.node != 0 {
				how = "snapshot with ref " + w.tab.s.refs.mint(above[i].elem, above[i].shown) + ", or find"
				break
			}
		}
		return fmt.Sprintf("… %d more %s; %s", n, what, how)
	})
}

func (w *writer) put(depth, size int, text func() string) {
	w.count++
	w.size += size
	if w.dry {
		return
	}
	if w.limit > 0 && (w.size > w.limit || w.lines > 0 && w.count > w.lines) {
		w.dropped++
		return
	}
	for range depth {
		w.b.WriteString("  ")
	}
	w.b.WriteString(text())
	w.b.WriteByte('\n')
}
