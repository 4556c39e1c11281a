package markdown

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// mark is a set of marks on text.
type mark uint8

const (
	strong mark = 1 << iota
	em
	del
)

var delimiters = map[mark]string{strong: "**", em: "*", del: "~~"}

// piece is a part of a line: text, something that is already Markdown, white space, or
// a break.
type piece struct {
	kind  pieceKind
	s     string
	marks mark
}

type pieceKind uint8

const (
	text pieceKind = iota
	ready
	space
	lineBreak
	gap // between paragraphs
)

// blank says whether a piece only parts others.
func (p piece) blank() bool { return p.kind >= space }

// inlineOf is the Markdown of inline content on lines of its own. breaks is what stands
// for a line break.
func (r *renderer) inlineOf(nodes []*html.Node, m mark, breaks string) string {
	l := &line{r: r}
	for _, n := range nodes {
		l.add(n, m)
	}
	return l.String(breaks)
}

// line collects the pieces of inline content with white space folded.
type line struct {
	r      *renderer
	pieces []piece
}

func (l *line) add(n *html.Node, m mark) {
	if n.Type == html.TextNode {
		l.text(n.Data, m)
		return
	}
	switch n.Data {
	case "strong":
		l.children(n, m|strong)
	case "em":
		l.children(n, m|em)
	case "del":
		l.children(n, m|del)
	case "br":
		l.lineBreak()
	case "code":
		l.outside(textOf(n), func(s string) { l.put(piece{ready, codeSpan(s), m}) })
	case "sub", "sup":
		l.raised(n, m)
	case "a":
		l.link(n, m)
	case "img":
		l.put(piece{ready, image(n), m})
	case "input":
		l.put(piece{ready, checkbox(n), m})
		l.space()
	case "math":
		l.outside(textOf(n), func(s string) { l.put(piece{ready, "$" + s + "$", m}) })
	case "pre":
		l.put(piece{ready, codeSpan(strings.ReplaceAll(textOf(n), "\n", " ")), m})
	case "hr", "frame":
		l.newLine()
	case "li":
		l.newLine()
		l.put(piece{ready, bullet(n), m})
		l.space()
		l.children(n, m)
	default:
		l.generic(n, m)
	}
}

// generic is an element without a meaning of its own. A block among inline content
// stands on its own line.
func (l *line) generic(n *html.Node, m mark) {
	if blockTags[n.Data] {
		l.newLine()
	}
	l.children(n, m)
	if blockTags[n.Data] {
		l.newLine()
	}
	if n.Data == "td" || n.Data == "th" {
		l.space()
	}
}

func (l *line) children(n *html.Node, m mark) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		l.add(c, m)
	}
}

// text adds text; its white space becomes single spaces between words.
func (l *line) text(s string, m mark) {
	for s != "" {
		i := strings.IndexFunc(s, isSpace)
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			l.word(s[:i], m)
			s = s[i:]
			continue
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		l.space()
	}
}

// word joins what has the same marks, since escapes depend on neighbours.
func (l *line) word(s string, m mark) {
	n := len(l.pieces)
	switch {
	case n > 0 && l.pieces[n-1].kind == text && l.pieces[n-1].marks == m:
		l.pieces[n-1].s += s
	case n > 1 && l.pieces[n-1].kind == space && l.pieces[n-2].kind == text && l.pieces[n-2].marks == m:
		l.pieces[n-2].s += " " + s
		l.pieces = l.pieces[:n-1]
	default:
		l.put(piece{text, s, m})
	}
}

func (l *line) space() {
	if n := len(l.pieces); n > 0 && !l.pieces[n-1].blank() {
		l.pieces = append(l.pieces, piece{kind: space})
	}
}

func (l *line) put(p piece) {
	if p.s != "" {
		l.pieces = append(l.pieces, p)
	}
}

// newLine begins another line, unless this one is still empty.
func (l *line) newLine() bool {
	n := len(l.pieces)
	if n > 0 && l.pieces[n-1].kind == space {
		n--
	}
	if n == 0 || l.pieces[n-1].kind == lineBreak || l.pieces[n-1].kind == gap {
		return false
	}
	l.pieces = append(l.pieces[:n], piece{kind: lineBreak})
	return true
}

// lineBreak is a br. Two in a row are how many pages part paragraphs.
func (l *line) lineBreak() {
	if n := len(l.pieces); !l.newLine() && n > 0 && l.pieces[n-1].kind == lineBreak {
		l.pieces[n-1].kind = gap
	}
}

// outside puts the white space around s outside of what is made of it.
func (l *line) outside(s string, put func(string)) {
	trimmed := strings.Join(strings.FieldsFunc(s, isSpace), " ")
	if trimmed == "" {
		l.text(s, 0)
		return
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	if isSpace(first) {
		l.space()
	}
	put(trimmed)
	if isSpace(last) {
		l.space()
	}
}

// raised keeps what stands higher or lower apart: 10 to the third is not 103.
func (l *line) raised(n *html.Node, m mark) {
	if note := l.r.noteIn(n); note != "" {
		l.put(piece{ready, note, m})
		return
	}
	if contains(n, isElement("a")) { // a reference, set small
		l.children(n, m)
		return
	}
	if inner := l.r.inlineOf(childrenOf(n), 0, " "); inner != "" {
		l.put(piece{ready, "<" + n.Data + ">" + inner + "</" + n.Data + ">", m})
	}
}

func (l *line) link(n *html.Node, m mark) {
	if l.r.isBacklink(n) {
		return
	}
	if note := l.r.noteOf(n); note != "" {
		l.put(piece{ready, note, m})
		return
	}
	in := &line{r: l.r}
	l.r.inLink++
	in.children(n, 0)
	label := in.String(" ")
	l.r.inLink--
	if label == "" {
		l.outside(textOf(n), func(string) {})
		return
	}
	first, _ := utf8.DecodeRuneInString(textOf(n))
	if first != utf8.RuneError && isSpace(first) {
		l.space()
	}
	l.put(piece{ready, linkTo(label, n), m})
	last, _ := utf8.DecodeLastRuneInString(textOf(n))
	if last != utf8.RuneError && isSpace(last) {
		l.space()
	}
}

func linkTo(label string, n *html.Node) string {
	if title := strings.Join(strings.Fields(attr(n, "title")), " "); title != "" {
		return "[" + label + "](" + destination(attr(n, "href")) + " \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(title) + "\")"
	}
	return "[" + label + "](" + destination(attr(n, "href")) + ")"
}

func image(n *html.Node) string {
	alt := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "`", "\\`").Replace(strings.Join(strings.Fields(attr(n, "alt")), " "))
	if src := attr(n, "src"); src != "" {
		return "![" + alt + "](" + destination(src) + ")"
	}
	return alt
}

func checkbox(n *html.Node) string {
	mark := " "
	if attr(n, "checked") != "" {
		mark = "x"
	}
	if attr(n, "type") == "radio" {
		return "(" + mark + ")"
	}
	return "[" + mark + "]"
}

// codeSpan is inline code between more back-ticks than there are together in it.
func codeSpan(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return fence + s + fence
}

func longestRun(s string, c rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
