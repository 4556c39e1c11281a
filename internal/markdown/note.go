package markdown

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// notes are the footnotes of a document: a raised link to an element below.
type notes struct {
	label map[string]string // id of the note → its label
	from  map[string]bool   // ids of what refers to notes
	url   string
}

var noteLabel = regexp.MustCompile(`^\[?([0-9]{1,4}|[a-z]{1,2}|[*†‡§]{1,3})\]?$`)

// findNotes looks for links that are footnotes and what they point at.
func (r *renderer) findNotes(root *html.Node, url string) {
	r.notes = notes{map[string]string{}, map[string]bool{}, beforeHash(url)}
	ids := map[string]*html.Node{}
	var refs []*html.Node
	walk(root, func(n *html.Node) bool {
		if n.Type != html.ElementNode {
			return true
		}
		if id := attr(n, "id"); id != "" {
			ids[id] = n
		}
		if n.Data == "a" && (attr(n, "role") == "doc-noteref" || n.Parent != nil && n.Parent.Data == "sup") {
			refs = append(refs, n)
		}
		return true
	})
	for _, ref := range refs {
		id := r.fragment(ref)
		m := noteLabel.FindStringSubmatch(strings.TrimSpace(textOf(ref)))
		if target := ids[id]; target == nil || m == nil || !noteTags[target.Data] {
			continue
		}
		r.notes.label[id] = m[1]
		for _, n := range []*html.Node{ref, ref.Parent} {
			if own := attr(n, "id"); own != "" {
				r.notes.from[own] = true
			}
		}
	}
}

var noteTags = set("li", "p", "div", "aside", "dd")

// fragment is what a link within the document points at.
func (r *renderer) fragment(a *html.Node) string {
	href := attr(a, "href")
	i := strings.IndexByte(href, '#')
	if i < 0 || beforeHash(href) != r.notes.url {
		return ""
	}
	return href[i+1:]
}

func beforeHash(url string) string {
	before, _, _ := strings.Cut(url, "#")
	return before
}

// noteOf is the sign of the footnote that a link refers to, or "".
func (r *renderer) noteOf(a *html.Node) string {
	if len(r.notes.label) == 0 {
		return ""
	}
	if label := r.notes.label[r.fragment(a)]; label != "" && noteLabel.MatchString(strings.TrimSpace(textOf(a))) {
		return "[^" + label + "]"
	}
	return ""
}

// noteIn is noteOf of the only thing in an element.
func (r *renderer) noteIn(n *html.Node) string {
	only := n.FirstChild
	if only == nil || only.NextSibling != nil || only.Type != html.ElementNode || only.Data != "a" {
		return ""
	}
	return r.noteOf(only)
}

// isBacklink says whether a link only leads from a note back to the text.
func (r *renderer) isBacklink(a *html.Node) bool {
	return attr(a, "role") == "doc-backlink" || len(r.notes.from) > 0 && r.notes.from[r.fragment(a)]
}

// noteBody is the block of a footnote, nil for what is none.
func (r *renderer) noteBody(n *html.Node) []block {
	label := r.notes.label[attr(n, "id")]
	if label == "" || attr(n, "id") == "" || !noteTags[n.Data] {
		return nil
	}
	inner := r.blocks(n, 0)
	if len(inner) == 0 {
		return nil
	}
	return []block{{kind: other, text: indent(join(inner, "\n\n"), "[^"+label+"]: ", "    ")}}
}
