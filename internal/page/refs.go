package page

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// maxRefs bounds a session's memory; the oldest refs expire first.
const maxRefs = 200_000

// element is what a ref stands for: an element of one document of one frame, and how
// it was shown.
type element struct {
	tab      browser.TabID
	frame    browser.FrameID
	document string
	node     int
}

// refs maps refs to elements. The same element keeps its ref as long as its document
// lives, and a ref is never given out twice in a session.
type refs struct {
	mu      sync.Mutex
	next    int
	oldest  int
	numbers map[element]int
	items   map[int]refItem
}

type refItem struct {
	element
	shownAs string
}

// mint returns the ref of an element and remembers how it is shown now, if that is told.
func (r *refs) mint(e element, shownAs string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil {
		r.numbers, r.items, r.next, r.oldest = map[element]int{}, map[int]refItem{}, 1, 1
	}
	n, ok := r.numbers[e]
	if !ok {
		n = r.next
		r.next++
		r.numbers[e] = n
	}
	if old := r.items[n]; shownAs == "" {
		shownAs = old.shownAs
	}
	r.items[n] = refItem{e, shownAs}
	for len(r.items) > maxRefs {
		delete(r.numbers, r.items[r.oldest].element)
		delete(r.items, r.oldest)
		r.oldest++
	}
	return "e" + strconv.Itoa(n)
}

// lookup returns the element of a ref.
func (r *refs) lookup(ref string) (refItem, error) {
	text := strings.Trim(strings.TrimSpace(ref), "[]@")
	n, err := strconv.Atoi(strings.TrimPrefix(text, "e"))
	if err != nil || !strings.HasPrefix(text, "e") {
		return refItem{}, browser.Errorf(browser.BadArgs, "%s is no ref; refs look like e12 and come from snapshot or find", quote(ref, 40))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	item, ok := r.items[n]
	if !ok {
		return refItem{}, browser.Errorf(browser.RefExpired, "ref e%d is not known in this session; take a new snapshot and use a ref from it", n)
	}
	return item, nil
}

func (i refItem) locator() pagefn.Locator {
	return pagefn.Locator{Node: i.node, Document: i.document, ShownAs: i.shownAs}
}

// shownAs is how a node is told apart later: the words that the agent saw.
func shownAs(role, name string) string { return strings.TrimSpace(role + " " + name) }

// expired says that the document of a ref is gone.
func expired(ref string) error {
	return &browser.Error{Code: browser.RefExpired, Message: fmt.Sprintf("ref %s belongs to an older document; the page has changed since: take a new snapshot and use a ref from it", ref)}
}
