package markdown

import (
	"strings"
	"unicode/utf8"
)

// String writes the pieces. Marks never begin or end at white space, and where CommonMark
// would not take them for marks they are left out: text with less stress is better than
// text with stray stars.
func (l *line) String(breaks string) string {
	ps := l.pieces
	for len(ps) > 0 && ps[len(ps)-1].blank() {
		ps = ps[:len(ps)-1]
	}
	spread(ps)
	for i := range ps {
		if ps[i].kind == text {
			ps[i].s = escape(ps[i].s, lastOf(ps, i-1), firstOf(ps, i+1), l.r.inLink > 0)
		}
	}
	for _, m := range []mark{strong, em, del} {
		drop(ps, m)
	}
	w := writer{pieces: ps, atStart: true}
	for i, p := range ps {
		w.piece(i, p, breaks)
	}
	w.closeTo(0)
	return w.b.String()
}

// spread gives white space the marks that both its neighbours have, so that marks run
// on over it; a line break ends them, or they would not be seen as marks.
func spread(ps []piece) {
	for i := range ps {
		switch ps[i].kind {
		case space:
			ps[i].marks = 0
			if i > 0 && i+1 < len(ps) {
				ps[i].marks = ps[i-1].marks & ps[i+1].marks
			}
		case lineBreak, gap:
			ps[i].marks = 0
		}
	}
}

// drop takes a mark from those runs of pieces where it would not be one.
func drop(ps []piece, m mark) {
	for i := 0; i < len(ps); i++ {
		if ps[i].marks&m == 0 {
			continue
		}
		j := i
		for j+1 < len(ps) && ps[j+1].marks&m != 0 {
			j++
		}
		if !opens(lastOf(ps, i-1), firstOf(ps, i)) || !closes(lastOf(ps, j), firstOf(ps, j+1)) || touches(ps, i, m) {
			for k := i; k <= j; k++ {
				ps[k].marks &^= m
			}
		}
		i = j
	}
}

func opens(before, after rune) bool {
	return !isSpace(after) && (!isPunct(after) || isSpace(before) || isPunct(before))
}

func closes(before, after rune) bool {
	return !isSpace(before) && (!isPunct(before) || isSpace(after) || isPunct(after))
}

// touches says whether a mark of the same character ends just where this one begins.
func touches(ps []piece, i int, m mark) bool {
	if i == 0 || m == del || ps[i-1].blank() {
		return false
	}
	ended := ps[i-1].marks &^ ps[i].marks
	return ended&(strong|em) != 0
}

func firstOf(ps []piece, i int) rune {
	if i < 0 || i >= len(ps) {
		return 0
	}
	if ps[i].blank() {
		return ' '
	}
	c, _ := utf8.DecodeRuneInString(ps[i].s)
	return c
}

func lastOf(ps []piece, i int) rune {
	if i < 0 || i >= len(ps) {
		return 0
	}
	if ps[i].blank() {
		return ' '
	}
	c, _ := utf8.DecodeLastRuneInString(ps[i].s)
	return c
}

type writer struct {
	pieces  []piece
	b       strings.Builder
	open    []mark // in the order in which they were opened
	atStart bool   // of a line
}

func (w *writer) piece(i int, p piece, breaks string) {
	w.closeTo(p.marks)
	w.openFor(i, p.marks)
	switch p.kind {
	case lineBreak, gap:
		if p.kind == gap && breaks == hardBreak {
			breaks = "\n\n"
		}
		w.b.WriteString(breaks)
		w.atStart = strings.HasSuffix(breaks, "\n")
		return
	case space:
		w.b.WriteByte(' ')
		return
	case text:
		if w.atStart && len(w.open) == 0 {
			p.s = escapeLine(p.s)
		}
	}
	w.b.WriteString(p.s)
	w.atStart = false
}

// closeTo closes what is open beyond the marks, and with it what was opened inside.
func (w *writer) closeTo(m mark) {
	for i, o := range w.open {
		if m&o != 0 {
			continue
		}
		for j := len(w.open) - 1; j >= i; j-- {
			w.b.WriteString(delimiters[w.open[j]])
		}
		w.open = w.open[:i]
		return
	}
}

// openFor opens the marks that are missing; the one that lasts longest comes first.
func (w *writer) openFor(i int, m mark) {
	for _, o := range w.open {
		m &^= o
	}
	for m != 0 {
		best, longest := mark(0), -1
		for _, o := range []mark{strong, em, del} {
			if m&o == 0 {
				continue
			}
			if n := w.lasts(i, o); n > longest {
				best, longest = o, n
			}
		}
		w.b.WriteString(delimiters[best])
		w.open = append(w.open, best)
		m &^= best
	}
}

func (w *writer) lasts(i int, m mark) int {
	n := 0
	for ; i+n < len(w.pieces) && w.pieces[i+n].marks&m != 0; n++ {
	}
	return n
}
