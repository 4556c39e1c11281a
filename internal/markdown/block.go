package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// block is a paragraph, a heading, a list … without blank lines around it.
type block struct {
	kind   blockKind
	prefix string // "## " of a heading
	text   string
	fence  string // of code
}

type blockKind uint8

const (
	paragraph blockKind = iota
	heading
	codeBlock
	list
	other
)

// String is the block as it stands in the document.
func (b block) String() string { return b.prefix + b.text }

// hardBreak is a line break within a paragraph.
const hardBreak = "  \n"

func join(blocks []block, between string) string {
	parts := make([]string, len(blocks))
	for i, b := range blocks {
		parts[i] = b.String()
	}
	return strings.Join(parts, between)
}

var blockTags = set("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "footer", "frame",
	"h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")

func isBlock(n *html.Node) bool {
	return n.Type == html.ElementNode && (blockTags[n.Data] || n.Data == "math" && attr(n, "display") == "block")
}

func isElement(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == name }
}

func childrenOf(n *html.Node) []*html.Node {
	var list []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		list = append(list, c)
	}
	return list
}

// renderer holds what is known about the whole document.
type renderer struct {
	inLink int
	notes  notes
}

// blocks renders what is inside n. m are the marks that are on around it.
func (r *renderer) blocks(n *html.Node, m mark) []block {
	var out []block
	var run []*html.Node // inline content that makes one paragraph
	flush := func() {
		if s := r.inlineOf(run, m, hardBreak); s != "" {
			out = append(out, block{kind: paragraph, text: s})
		}
		run = nil
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !isBlock(c) && !contains(c, isBlock) {
			run = append(run, c)
			continue
		}
		flush()
		out = apart(out, r.block(c, m))
	}
	flush()
	return out
}

// apart appends blocks; a list right after one of its kind gets another sign, or both
// would be one list.
func apart(out, more []block) []block {
	if len(out) > 0 && len(more) > 0 && out[len(out)-1].kind == list && more[0].kind == list {
		if last := out[len(out)-1].text; sign(last) == sign(more[0].text) {
			more[0].text = resign(more[0].text)
		}
	}
	return append(out, more...)
}

func (r *renderer) block(n *html.Node, m mark) []block {
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return r.heading(n)
	case "hr":
		return []block{{kind: other, text: "---"}}
	case "pre":
		return code(textOf(n), attr(n, "lang"))
	case "math":
		return []block{{kind: other, text: "$$\n" + strings.TrimSpace(textOf(n)) + "\n$$"}}
	case "ul", "ol":
		return r.list(n)
	case "dl":
		return r.definitions(n)
	case "blockquote":
		return quote(r.blocks(n, 0))
	case "table":
		return r.table(n)
	case "summary":
		return r.blocks(n, m|strong)
	case "frame":
		return r.frame(n)
	case "a":
		return r.blockLink(n, m)
	case "strong":
		return r.blocks(n, m|strong)
	case "em":
		return r.blocks(n, m|em)
	case "del":
		return r.blocks(n, m|del)
	}
	if def := r.noteBody(n); def != nil {
		return def
	}
	return r.blocks(n, m)
}

func (r *renderer) heading(n *html.Node) []block {
	s := r.inlineOf(childrenOf(n), 0, " ")
	if s == "" {
		return nil
	}
	if strings.HasSuffix(s, "#") { // or it would be the heading's closing sign
		s = s[:len(s)-1] + `\#`
	}
	return []block{{kind: heading, prefix: strings.Repeat("#", int(n.Data[1]-'0')) + " ", text: s}}
}

func code(s, lang string) []block {
	s = strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if strings.TrimSpace(s) == "" {
		return nil
	}
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return []block{{kind: codeBlock, text: fence + lang + "\n" + s + "\n" + fence, fence: fence}}
}

func quote(inner []block) []block {
	if len(inner) == 0 {
		return nil
	}
	return []block{{kind: other, text: indent(join(inner, "\n\n"), "> ", "> ")}}
}

// indent puts first before the first line and rest before the others; blank lines get
// no trailing space.
func indent(s, first, rest string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		if l == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		lines[i] = prefix + l
	}
	return strings.Join(lines, "\n")
}

// frame shows what a frame holds in its place, or why it does not.
func (r *renderer) frame(n *html.Node) []block {
	inner := r.blocks(n, 0)
	note := attr(n, "note")
	if note == "" && len(inner) == 0 {
		return nil
	}
	return append([]block{{kind: other, text: "[frame " + strings.TrimSpace(attr(n, "url")+" "+note) + "]"}}, inner...)
}

// blockLink is a link around blocks, as on cards: its address goes to the heading in
// it, else to the first words.
func (r *renderer) blockLink(n *html.Node, m mark) []block {
	r.inLink++
	inner := r.blocks(n, m)
	r.inLink--
	at := -1
	for i, b := range inner {
		if b.kind == heading {
			at = i
			break
		}
		if b.kind == paragraph && at < 0 {
			at = i
		}
	}
	if at < 0 {
		return append(inner, block{kind: paragraph, text: linkTo("link", n)})
	}
	inner[at].text = linkTo(oneLine(inner[at].text), n)
	return inner
}

func oneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, hardBreak, " "), "\n\n", " ")
}

// definitions are terms in bold with what they mean below.
func (r *renderer) definitions(n *html.Node) []block {
	var out []block
	walk(n, func(c *html.Node) bool {
		switch {
		case c == n || c.Type == html.ElementNode && c.Data == "div":
			return true
		case c.Type == html.ElementNode && c.Data == "dt":
			out = append(out, r.blocks(c, strong)...)
		case c.Type == html.ElementNode && c.Data == "dd":
			if inner := r.blocks(c, 0); len(inner) > 0 {
				body := indent(join(inner, "\n\n"), ": ", "  ")
				if last := len(out) - 1; last >= 0 && (out[last].kind == paragraph || out[last].kind == other) {
					out[last] = block{kind: other, text: out[last].text + "\n" + body}
				} else {
					out = append(out, block{kind: other, text: body})
				}
			}
		}
		return false
	})
	return out
}

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n >= 0 && n < 1e9 {
		return n
	}
	return otherwise
}
