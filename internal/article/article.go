// Package article finds the part of a page that is worth reading, in the clean HTML that
// the page bundle serialises (see pagefn.Content). It knows no browser, and it leaves out
// only what is beside the content: nothing of an article may get lost.
package article

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// Part is the part of a page that is worth reading.
type Part struct {
	Node *html.Node
	Name string // what it is
	Left string // what of the page is not in it, "" for nothing
}

// Main chooses the main content of a page: what the page marks as such, else what
// readability takes for the article, else everything. Readability only points at a
// place; all that stands there is kept, since it drops sections of an article that
// look like something else. Menus and the like are left out everywhere. The tree is
// changed by it.
func Main(body *html.Node) Part {
	c := chooser{body: body, aside: map[*html.Node]bool{}}
	whole := c.prose(body)
	c.lookForAside(body, false)
	all := c.prose(body)
	if all*5 < whole || all == 0 {
		return Part{Node: body, Name: "the page"} // a page of nothing but menus
	}
	p := Part{Node: body, Name: "the page"}
	if n := c.marked(all); n != nil {
		p.Node, p.Name = n, "<"+n.Data+">"
	} else if n := c.article(all); n != nil {
		p.Node, p.Name = n, "the article"
	}
	p.Left = c.leftOut(p.Node)
	c.keepTitle(p.Node)
	for n := range c.aside {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return p
}

type chooser struct {
	body  *html.Node
	aside map[*html.Node]bool // what is not content
}

// lookForAside finds menus anywhere, and headers, footers and sidebars of the page.
func (c *chooser) lookForAside(n *html.Node, inside bool) {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if k.Type != html.ElementNode {
			continue
		}
		if isAside(k, inside) {
			c.aside[k] = true
		}
		c.lookForAside(k, inside || k.Data == "main" || k.Data == "article" || k.Data == "section")
	}
}

var menuNames = regexp.MustCompile(`(?i)(^|[\s_-])(nav(bar|igation)?|menu|breadcrumbs?|topbar|pager|pagination|footer)($|[\s_-])`)

// isAside says whether an element is beside the content. Inside an article a header, a
// footer and a note belong to it; what only its name says is believed outside alone, and
// only of what has no heading and is mostly links.
func isAside(n *html.Node, inside bool) bool {
	switch n.Data {
	case "nav":
		return true
	case "header", "footer":
		return !inside
	case "aside":
		return !inside || mostlyLinks(n)
	case "div", "ul", "p", "section":
		return !inside && menuNames.MatchString(attr(n, "class")+" "+attr(n, "id")) && !hasHeading(n) && mostlyLinks(n)
	}
	return false
}

func hasHeading(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && isHeading(d) {
			return true
		}
	}
	return false
}

func isHeading(n *html.Node) bool { return len(n.Data) == 2 && n.Data[0] == 'h' && n.Data != "hr" }

func mostlyLinks(n *html.Node) bool {
	all, linked := 0, 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			size := letters(d.Data)
			all += size
			if within(d, "a") {
				linked += size
			}
		}
	}
	return linked*3 > all*2
}

func within(n *html.Node, name string) bool {
	for p := range n.Ancestors() {
		if p.Data == name {
			return true
		}
	}
	return false
}

// letters measures text in any script.
func letters(s string) int {
	n := 0
	for _, c := range s {
		if unicode.IsLetter(c) || unicode.IsNumber(c) {
			n++
		}
	}
	return n
}

// prose measures the text of n that is neither aside nor in a link.
func (c *chooser) prose(n *html.Node) int {
	if c.aside[n] || n.Data == "a" && n.Type == html.ElementNode {
		return 0
	}
	if n.Type == html.TextNode {
		return letters(n.Data)
	}
	count := 0
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		count += c.prose(k)
	}
	return count
}

// marked is the element that the page says is its main content, unless most of its
// prose is elsewhere.
func (c *chooser) marked(all int) *html.Node {
	for _, name := range []string{"main", "article"} {
		found := c.outermost(name)
		if name == "article" && len(found) != 1 {
			continue
		}
		for _, n := range found {
			if c.prose(n)*2 >= all {
				return n
			}
		}
	}
	return nil
}

func (c *chooser) outermost(name string) []*html.Node {
	var found []*html.Node
	for n := range c.body.Descendants() {
		if n.Type == html.ElementNode && n.Data == name && !within(n, name) && !c.isAside(n) {
			found = append(found, n)
		}
	}
	return found
}

func (c *chooser) isAside(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if c.aside[n] {
			return true
		}
	}
	return false
}

// maxScored bounds the pages that readability is asked about; it reads them many times.
const maxScored = 8000

// article is the smallest element that holds all of what readability takes for the
// article, if that is most of the page.
func (c *chooser) article(all int) *html.Node {
	nodes := slices.Collect(c.body.Descendants())
	if len(nodes) > maxScored {
		return nil
	}
	chosen := readable(c.body, nodes)
	var common *html.Node
	for _, i := range chosen {
		common = commonAncestor(common, nodes[i])
	}
	if common == nil || c.isAside(common) {
		return nil
	}
	common = c.narrow(common)
	for rowParts[common.Data] && common.Parent != nil { // a table is read whole
		common = common.Parent
	}
	if common == c.body || c.prose(common)*2 < all {
		return nil
	}
	return common
}

// narrow goes down to the child that holds all headings and nearly all of the prose.
func (c *chooser) narrow(n *html.Node) *html.Node {
	for {
		var best *html.Node
		size := 0
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			if p := c.prose(k); k.Type == html.ElementNode && p > size {
				best, size = k, p
			}
		}
		if best == nil || !holds[best.Data] || size*100 < c.prose(n)*99 || c.headings(best) < c.headings(n) {
			return n
		}
		n = best
	}
}

var rowParts = map[string]bool{"table": true, "thead": true, "tbody": true, "tr": true}

var holds = map[string]bool{"div": true, "section": true, "article": true, "main": true, "td": true, "tr": true, "tbody": true, "table": true}

func (c *chooser) headings(n *html.Node) int {
	count := 0
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && isHeading(d) && !c.isAside(d) {
			count++
		}
	}
	return count
}

// numbered carries an element's number through readability's rewriting.
const numbered = "data-n"

// readable returns the numbers of the nodes that readability keeps.
func readable(body *html.Node, nodes []*html.Node) (kept []int) {
	defer func() {
		if recover() != nil { // it reads what strangers wrote
			kept = nil
		}
	}()
	number := make(map[*html.Node]int, len(nodes))
	for i, n := range nodes {
		number[n] = i
	}
	doc := &html.Node{Type: html.DocumentNode}
	top := &html.Node{Type: html.ElementNode, Data: "html"}
	doc.AppendChild(top)
	top.AppendChild(copyNumbered(body, number))
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	article, err := parser.ParseAndMutate(doc, &url.URL{Scheme: "https", Host: "page.invalid"})
	if err != nil || article.Node == nil {
		return nil
	}
	for n := range article.Node.Descendants() {
		if i, err := strconv.Atoi(attr(n, numbered)); err == nil {
			kept = append(kept, i)
		}
	}
	return kept
}

func copyNumbered(n *html.Node, number map[*html.Node]int) *html.Node {
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: slices.Clone(n.Attr)}
	if i, ok := number[n]; ok && n.Type == html.ElementNode {
		c.Attr = append(c.Attr, html.Attribute{Key: numbered, Val: strconv.Itoa(i)})
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.AppendChild(copyNumbered(k, number))
	}
	return c
}

func commonAncestor(a, b *html.Node) *html.Node {
	if a == nil {
		return b
	}
	seen := map[*html.Node]bool{a: true}
	for p := range a.Ancestors() {
		seen[p] = true
	}
	for at := b; at != nil; at = at.Parent {
		if seen[at] {
			return at
		}
	}
	return nil
}

// keepTitle moves the page's only main heading into the part if it stands elsewhere.
func (c *chooser) keepTitle(n *html.Node) {
	var titles []*html.Node
	for d := range c.body.Descendants() {
		if d.Type == html.ElementNode && d.Data == "h1" && !within(d, "nav") {
			titles = append(titles, d)
		}
	}
	if len(titles) != 1 || titles[0] == n {
		return
	}
	title := titles[0]
	if isIn(title, n) && !c.isAside(title) {
		return
	}
	title.Parent.RemoveChild(title)
	n.InsertBefore(title, n.FirstChild)
}

func isIn(n, of *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == of {
			return true
		}
	}
	return false
}

// landmark is what an element beside the content is called.
func landmark(n *html.Node) string {
	if holds[n.Data] || n.Data == "ul" || n.Data == "p" {
		return "menu"
	}
	return n.Data
}

// leftOut names what is not in the part.
func (c *chooser) leftOut(n *html.Node) string {
	counts := map[string]int{}
	for a := range c.aside {
		if !c.isAside(a.Parent) {
			counts[landmark(a)]++
		}
	}
	var names []string
	for _, name := range []string{"header", "nav", "aside", "footer", "menu"} {
		switch k := counts[name]; {
		case k == 1:
			names = append(names, name)
		case k > 1:
			names = append(names, fmt.Sprintf("%d × %s", k, name))
		}
	}
	if rest := c.prose(c.body) - c.prose(n); rest > 0 {
		names = append(names, fmt.Sprintf("%d letters of other text", rest))
	}
	return strings.Join(names, ", ")
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
