// Package markdown writes Markdown for what a page shows, from the clean HTML that the
// page bundle serialises (see pagefn.Content).
//
// What comes out reads as what went in: plain text stays plain, marks stand where
// CommonMark takes them for marks, and code is untouched. The package knows no browser
// and no policy; which part of a page is worth reading is decided elsewhere.
package markdown

import (
	"strings"

	"golang.org/x/net/html"
)

// Parse reads clean HTML. It only follows its brackets: the rules by which browsers
// mend markup would move what the page shows elsewhere.
func Parse(clean string) *html.Node {
	root := &html.Node{Type: html.ElementNode, Data: "body"}
	at, depth, deeper := root, 0, 0
	z := html.NewTokenizer(strings.NewReader(strings.ToValidUTF8(clean, "\uFFFD")))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return root
		case html.TextToken:
			at.AppendChild(&html.Node{Type: html.TextNode, Data: z.Token().Data})
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			z.NextIsNotRawText() // nothing is raw here
			n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
			at.AppendChild(n)
			switch {
			case void[t.Data]:
			case depth == maxDepth:
				deeper++
			default:
				at = n
				depth++
			}
		case html.EndTagToken:
			switch {
			case deeper > 0:
				deeper--
			case at.Parent != nil:
				at = at.Parent
				depth--
			}
		}
	}
}

// maxDepth is how deep elements are told apart; a page can nest them without end.
const maxDepth = 300

var void = set("br", "hr", "img", "input", "frame")

// Document is Markdown by its blocks.
type Document struct{ blocks []block }

// Render writes a tree of clean HTML. url is the document's address, which tells
// footnotes from other links.
func Render(root *html.Node, url string) Document {
	r := &renderer{}
	r.findNotes(root, url)
	return Document{r.blocks(root, 0)}
}

// String is the whole document.
func (d Document) String() string { return join(d.blocks, "\n\n") }

// Cut returns the beginning of the document of at most limit bytes, up to the end of a
// block where that leaves something, else of a line or word; short cuts text between
// two characters. total is the size of the whole.
func (d Document) Cut(limit int, short func(string, int) string) (text string, total int) {
	whole := d.String()
	if len(whole) <= limit {
		return whole, len(whole)
	}
	end, next := 0, 0
	for i, b := range d.blocks {
		size := len(b.String())
		if i > 0 {
			size += len("\n\n")
		}
		if end+size > limit {
			next = i
			break
		}
		end += size
	}
	if end >= limit*3/4 {
		return whole[:end], len(whole)
	}
	head := whole[:end]
	if head != "" {
		head += "\n\n"
	}
	return head + d.blocks[next].cut(limit-len(head), short), len(whole)
}

// longWord is what is rather cut than left out.
const longWord = 40

// cut is the beginning of one block that is too long. Code is closed again.
func (b block) cut(limit int, short func(string, int) string) string {
	text, closing := b.String(), ""
	if b.kind == codeBlock {
		closing = "\n" + b.fence
		limit -= len(closing)
	}
	if limit <= 0 {
		return ""
	}
	part := short(text, limit)
	if i := strings.LastIndexByte(part, '\n'); i > len(part)/2 {
		part = part[:i]
	} else if i := strings.LastIndexByte(part, ' '); i > 0 && len(part)-i < longWord && b.kind != codeBlock {
		part = part[:i]
	}
	if !strings.Contains(part, "\n") {
		closing = strings.TrimPrefix(closing, "\n"+b.fence) // not even the opening fence is there
	}
	return strings.TrimRight(part, " \n") + closing
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// walk visits n and all below it until visit returns false, which skips what is below.
func walk(n *html.Node, visit func(*html.Node) bool) {
	if !visit(n) {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	walk(n, func(n *html.Node) bool {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		return true
	})
	return b.String()
}

func contains(n *html.Node, match func(*html.Node) bool) bool {
	found := false
	walk(n, func(at *html.Node) bool {
		found = found || at != n && match(at)
		return !found
	})
	return found
}
