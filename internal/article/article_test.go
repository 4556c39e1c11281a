package article_test

import (
	"strings"
	"testing"

	"chrome-mcp/internal/article"
	"chrome-mcp/internal/markdown"
)

var (
	prose = strings.Repeat("Beans climb where they find a pole, and so they should be sown beside one, early in May. ", 12)
	menu  = `<nav><ul><li><a href="/a">Home</a></li><li><a href="/b">Shop</a></li></ul></nav>`
)

func TestMainContent(t *testing.T) {
	tests := []struct {
		what, html, name string
		has, hasNot      []string
		left             string
	}{
		{"main", `<header>` + menu + `<p>Site head</p></header><main><h1>Beans</h1><p>` + prose + `</p><nav>Pages</nav></main><aside>Popular</aside><footer>Imprint</footer>`, "<main>",
			[]string{"# Beans", "climb"}, []string{"Shop", "Site head", "Popular", "Imprint", "Pages"}, "header, nav, aside, footer"},
		{"one article", menu + `<div><article><header><h1>Beans</h1><p>By Ann</p></header><p>` + prose + `</p><footer>Filed under vegetables</footer></article></div><footer>Imprint</footer>`, "<article>",
			[]string{"By Ann", "Filed under"}, []string{"Imprint", "Home"}, "nav, footer"},
		{"several articles", menu + `<article><h2>One</h2><p>` + prose + `</p></article><article><h2>Two</h2><p>` + prose + `</p></article>`, "the page",
			[]string{"## One", "## Two"}, []string{"Shop"}, "nav"},
		{"note in an article", `<main><p>` + prose + `</p><aside><p>Mind the frost.</p></aside><aside><a href="/x">See also this and that</a></aside></main>`, "<main>",
			[]string{"Mind the frost"}, []string{"See also"}, "aside"},
		{"a main that holds little", `<main><p>Loading</p></main><div><p>` + prose + `</p></div>`, "",
			[]string{"climb"}, nil, ""},
		{"a title beside main", `<header><h1>Beans</h1><p>Slogan</p></header><main><p>` + prose + `</p></main>`, "<main>",
			[]string{"# Beans", "climb"}, []string{"Slogan"}, "header"},
		{"nothing but menus", menu + menu, "the page", []string{"Home", "Shop"}, nil, ""},
		{"boxes without names", `<div class="top"><a href="/">Site</a> <a href="/x">Login</a></div><div class="content"><h1>Beans</h1><p>` + prose + `</p><p>` + prose + `</p><div class="share related"><h2>Who sows them</h2><p>Ann does, and Bob.</p></div><p>` + prose +
			`</p></div><div class="sidebar"><h3>Popular posts</h3><ul><li><a href="/p">Peas</a></li></ul></div>`, "the article",
			[]string{"# Beans", "## Who sows them", "Ann does"}, []string{"Popular posts", "Login"}, "letters of other text"},
		{"a menu by its name", `<div class="main-nav"><ul><li><a href="/a">Home</a></li><li><a href="/b">Shop</a></li></ul></div><div><h2>Beans</h2><p>` + prose + `</p></div><p>Words beside.</p>`, "the page", []string{"## Beans", "Words beside"}, []string{"Shop"}, "menu"},
		{"a page in Chinese", menu + `<div><h1>豆</h1>` + strings.Repeat("<p>豆子爬到它们找到杆子的地方，所以应该在五月初播种在杆子旁边。</p>", 20) + `</div><div><ul><li><a href="/x">更多</a></li></ul></div>`, "the article", []string{"# 豆"}, []string{"更多"}, "nav"},
		{"a board of small boxes", strings.Repeat(`<div class="card"><h3>Ticket</h3><p>Open since May</p></div>`, 30), "the page", []string{"Ticket"}, nil, ""},
		{"empty", ``, "the page", nil, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			part := article.Main(markdown.Parse(tt.html))
			got := markdown.Render(part.Node, "").String()
			if tt.name != "" && part.Name != tt.name {
				t.Errorf("chose %s, want %s", part.Name, tt.name)
			}
			if !strings.Contains(part.Left, tt.left) || tt.left == "" && tt.name != "" && part.Left != "" {
				t.Errorf("left out %q, want %q", part.Left, tt.left)
			}
			for _, s := range tt.has {
				if !strings.Contains(got, s) {
					t.Errorf("lost %q:\n%s", s, got)
				}
			}
			for _, s := range tt.hasNot {
				if strings.Contains(got, s) {
					t.Errorf("kept %q:\n%s", s, got)
				}
			}
		})
	}
}
