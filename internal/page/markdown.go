package page

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"chrome-mcp/internal/article"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/markdown"
	"chrome-mcp/internal/pagefn"
)

// MarkdownArgs are those of read_as_markdown.
type MarkdownArgs struct {
	TabArg
	Selector string `json:"selector,omitempty" desc:"CSS selector of a part; default: the main content."`
	MaxBytes int    `json:"maxBytes,omitempty" min:"0" default:"50000" rare:"true"`
}

// ReadAsMarkdown is read_as_markdown.
func ReadAsMarkdown(ctx context.Context, t *Tab, a MarkdownArgs) (*Result, error) {
	tree, v, answer, err := t.content(ctx, a.Selector)
	if err != nil {
		return nil, err
	}
	notes := []string{answer.URL}
	if v.Title != "" {
		notes[0] += " " + quote(v.Title, 200)
	}
	if a.Selector == "" {
		part := article.Main(tree)
		tree = part.Node
		if part.Left != "" {
			notes = append(notes, fmt.Sprintf("read: %s; left out: %s (give a selector, as body, to read them)", part.Name, part.Left))
		}
	}
	doc := markdown.Render(tree, answer.URL)
	text, total := doc.Cut(limitOf(a.MaxBytes), Cut)
	r := &Result{Page: text, Origin: answer.Origin, URL: answer.URL}
	switch {
	case total == 0:
		notes = append(notes, "no visible text")
	case len(text) < total:
		notes = append(notes, fmt.Sprintf("truncated: %d of %d bytes; raise maxBytes, or read a part with selector", len(text), total))
		r.Whole = doc.String()
	}
	if v.Cut {
		notes = append(notes, "the page is so large that its end was not read")
	}
	r.Text = strings.Join(notes, "\n")
	return r, nil
}

// content reads what the page or a part of it shows, with its frames in their places.
func (t *Tab) content(ctx context.Context, selector string) (*html.Node, pagefn.Content, browser.Answer, error) {
	if selector == "" {
		f, err := t.frame(ctx, "")
		if err != nil {
			return nil, pagefn.Content{}, browser.Answer{}, err
		}
		return t.frameContent(ctx, f)
	}
	v, h, err := find(ctx, ask[pagefn.Content]{tab: t, target: Target{Selector: selector}, fn: "content", budget: readBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.ContentArgs{Target: &l, TimeoutMS: ms}
	}})
	if err != nil {
		return nil, v, h.answer, err
	}
	tree := t.withFrames(ctx, h.frame, &v)
	return tree, v, h.answer, nil
}

// frameContent reads one frame and those in it. A document that is just being replaced
// is read again.
func (t *Tab) frameContent(ctx context.Context, f browser.Frame) (*html.Node, pagefn.Content, browser.Answer, error) {
	for try := 0; ; try++ {
		v, a, err := run[pagefn.Content](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "content", Args: pagefn.ContentArgs{}})
		if err == nil {
			tree := t.withFrames(ctx, f, &v)
			return tree, v, a, nil
		}
		if !navigated(err) || try == 3 {
			return nil, v, a, err
		}
		t.pause(ctx, slice)
	}
}

// withFrames parses content, of which only the tree is kept, and puts what child frames
// hold into their places.
func (t *Tab) withFrames(ctx context.Context, f browser.Frame, v *pagefn.Content) *html.Node {
	root := markdown.Parse(v.HTML)
	v.HTML = ""
	places := map[int]*html.Node{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "frame" {
			places[attrNumber(n, "n")] = n
		}
	}
	if len(places) == 0 {
		return root
	}
	t.eachChild(ctx, f, func(c browser.Frame, index int, denied bool) func() {
		place := places[index]
		switch {
		case place == nil:
			return nil
		case unloaded(c):
			return func() { setAttr(place, "note", notYet) }
		case denied:
			return func() { setAttr(place, "note", originOf(c)+" not read: its site is not allowed") }
		}
		own, cancel := context.WithTimeout(ctx, childTime)
		defer cancel()
		inner, _, answer, err := t.frameContent(own, c)
		slow := late(ctx, own)
		return func() {
			setAttr(place, "url", Cut(answer.URL, 200))
			if err != nil {
				setAttr(place, "note", originOf(c)+" "+unread(err, slow))
				return
			}
			adoptChildren(place, inner)
		}
	})
	return root
}

func adoptChildren(to, from *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}

func attrOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func attrNumber(n *html.Node, name string) int {
	var i int
	_, _ = fmt.Sscan(attrOf(n, name), &i) // 0 for what is no number
	return i
}

func setAttr(n *html.Node, name, value string) {
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}
