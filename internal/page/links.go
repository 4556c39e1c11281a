package page

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// ExtractLinksArgs are those of extract_links.
type ExtractLinksArgs struct {
	TabArg
	Selector       string  `json:"selector,omitempty"`
	SameOriginOnly bool    `json:"sameOriginOnly,omitempty"`
	Include        Strings `json:"include,omitempty" desc:"Parts of addresses, or whole with *."`
	Exclude        Strings `json:"exclude,omitempty" desc:"Likewise, to leave out."`
	Dedupe         *bool   `json:"dedupe,omitempty" default:"true"`
	Limit          int     `json:"limit,omitempty" min:"1" max:"5000" default:"200"`
}

const linksDefault = 200

// linkList is extract_links' structured content.
type linkList struct {
	Links     []pagefn.Link `json:"links"`
	Total     int           `json:"total"` // that fit, before the limit
	Truncated bool          `json:"truncated"`
	Hidden    int           `json:"hidden,omitempty"` // not shown now, as in closed menus
	Note      string        `json:"note,omitempty"`
}

// ExtractLinks is extract_links.
func ExtractLinks(ctx context.Context, t *Tab, a ExtractLinksArgs) (*Result, error) {
	c := collector{args: a, list: linkList{Links: []pagefn.Link{}}, seen: map[string]int{}}
	if a.Limit == 0 {
		c.args.Limit = linksDefault
	}
	answer, err := t.collectLinks(ctx, a.Selector, &c)
	if err != nil {
		return nil, err
	}
	list := c.list
	list.Truncated = list.Total > len(list.Links)
	var notes []string
	if list.Truncated {
		notes = append(notes, fmt.Sprintf("%d of %d; narrow it with include, exclude or selector, or raise limit", len(list.Links), list.Total))
	}
	notes = append(notes, c.left.notes()...)
	list.Note = strings.Join(notes, "; ")
	return &Result{Data: list, Origin: answer.Origin, URL: answer.URL}, nil
}

// collectLinks asks the page with its frames, or one element and the frames in it.
func (t *Tab) collectLinks(ctx context.Context, selector string, c *collector) (browser.Answer, error) {
	if selector != "" {
		v, h, err := find(ctx, ask[pagefn.Links]{tab: t, target: Target{Selector: selector}, fn: "links", budget: readBudget, args: func(l pagefn.Locator, ms int) any {
			return pagefn.LinksArgs{Target: &l, TimeoutMS: ms}
		}})
		c.origin = h.answer.Origin
		c.add(v)
		return h.answer, err
	}
	frames, err := t.frames(ctx)
	if err != nil {
		return browser.Answer{}, err
	}
	var first browser.Answer
	for i, f := range frames {
		v, answer, err := askFrame[pagefn.Links](ctx, t, f, "links", pagefn.LinksArgs{})
		switch {
		case err == nil && i == 0:
			first, c.origin = answer, answer.Origin
			c.add(v)
		case err == nil:
			c.add(v)
		case i == 0:
			return first, err
		case gone(err):
		case browser.CodeOf(err) == browser.PolicyDenied:
			c.left.add(f)
		case ctx.Err() != nil || browser.CodeOf(err) == browser.DialogOpen:
			return first, err
		}
	}
	return first, nil
}

// askFrame judges a frame and runs a page function in it. A document that is just being
// replaced is asked again.
func askFrame[T any](ctx context.Context, t *Tab, f browser.Frame, fn string, args any) (T, browser.Answer, error) {
	for try := 0; ; try++ {
		if err := t.judgeFrame(f, pagefn.Functions[fn]); err != nil {
			var none T
			return none, browser.Answer{}, err
		}
		v, a, err := run[T](ctx, t, browser.RunRequest{Frame: f.ID, Fn: fn, Args: args})
		if err == nil || !navigated(err) || try == 3 {
			return v, a, err
		}
		t.pause(ctx, slice)
	}
}

// collector puts the links of several documents together.
type collector struct {
	args   ExtractLinksArgs
	origin string
	left   unseen
	list   linkList
	seen   map[string]int // address → place in the list, −1 beyond the limit
}

func (c *collector) add(v pagefn.Links) {
	c.list.Hidden += v.Hidden
	once := c.args.Dedupe == nil || *c.args.Dedupe
	for _, l := range v.Links {
		if !c.wanted(l.URL) {
			continue
		}
		if at, ok := c.seen[l.URL]; ok && once {
			// A picture and a title often lead to the same place; the title says where.
			if at >= 0 && c.list.Links[at].Text == "" {
				c.list.Links[at].Text = l.Text
			}
			continue
		}
		c.list.Total++
		c.seen[l.URL] = -1
		if len(c.list.Links) < c.args.Limit {
			c.seen[l.URL] = len(c.list.Links)
			c.list.Links = append(c.list.Links, l)
		}
	}
	c.list.Total += v.More
}

func (c *collector) wanted(address string) bool {
	if c.args.SameOriginOnly {
		if u, err := url.Parse(address); err != nil || u.Scheme+"://"+u.Host != c.origin {
			return false
		}
	}
	fits := func(pattern string) bool { return urlMatches(strings.ToLower(address), strings.ToLower(pattern)) }
	return (len(c.args.Include) == 0 || slices.ContainsFunc(c.args.Include, fits)) && !slices.ContainsFunc(c.args.Exclude, fits)
}
