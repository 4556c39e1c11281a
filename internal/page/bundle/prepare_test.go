package bundle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/pagefn"
)

// clicks is a page that notes what a trusted click hits.
const clicks = `<!doctype html><meta charset=utf-8><style>body{margin:8px}</style><script>
window.hits=[];addEventListener('click',e=>hits.push((e.composedPath()[0].id||e.target.id||e.target.localName)+(e.isTrusted?'':'!')),true)</script>`

func css(s string) pagefn.Locator { return pagefn.Locator{Selector: s} }

// Each page is clicked at the point that prepare gives; what the page got is compared.
func TestPrepareClick(t *testing.T) {
	tests := []struct{ what, html, target, want string }{
		{"plain", `<button id=b>B</button>`, "#b", "b"},
		{"below the fold", `<div style="height:3000px"></div><button id=b>B</button>`, "#b", "b"},
		{"smooth scrolling", `<style>html{scroll-behavior:smooth}</style><div style="height:3000px"></div><button id=b>B</button>`, "#b", "b"},
		{"nested scrollers", `<div style="height:100px;overflow:auto"><div style="height:900px"></div><div style="height:80px;overflow:auto"><div style="height:500px"></div><button id=b>B</button></div></div>`, "#b", "b"},
		{"under a fixed header", `<div id=h style="position:fixed;top:0;left:0;right:0;height:200px;background:#eee">H</div><div style="height:2000px"></div><button id=b>B</button><div style="height:2000px"></div><script>scrollTo(0,2000)</script>`, "#b", "b"},
		{"between fixed bars", `<div style="position:fixed;top:0;left:0;right:0;height:200px;background:#eee">H</div><div style="position:fixed;bottom:0;left:0;right:0;height:200px;background:#eee">F</div><div style="height:2000px"></div><button id=b>B</button><div style="height:2000px"></div><script>scrollTo(0,1700)</script>`, "#b", "b"},
		{"line-broken link", `<div style="width:120px">xxxxxxxx <a id=a href="#x">two words that break</a> yyy</div>`, "#a", "a"},
		{"half covered", `<button id=b style="width:200px">B</button><div style="position:absolute;left:8px;top:0;width:110px;height:60px;background:#fcc"></div>`, "#b", "b"},
		{"transformed", `<button id=b style="transform:rotate(40deg) scale(2);margin:90px">B</button>`, "#b", "b"},
		{"zoomed", `<div style="zoom:1.7;padding-top:900px"><button id=b style="zoom:.5">B</button></div>`, "#b", "b"},
		{"icon in a button", `<button id=b><svg id=s width=20 height=20 style="pointer-events:none"><rect width=20 height=20 /></svg></button>`, "#s", "b"},
		{"svg ring", `<svg width=200 height=200><circle id=c cx=100 cy=100 r=80 fill=none stroke=red stroke-width=6 /></svg>`, "#c", "c"},
		{"svg line", `<svg width=200 height=200><path id=p d="M10 10 L10 190 L190 190" fill=none stroke=red stroke-width=6 /></svg>`, "#p", "p"},
		{"zero-size link with a floated child", `<a id=a href="#x"><img id=i style="float:left" width=40 height=40 src="data:,"></a>`, "#a", "i"},
		{"display contents", `<div id=d style="display:contents" onclick=1><span id=s>inside</span></div>`, "#d", "s"},
		{"group of a drawing", `<svg width=200 height=200><g id=g><path id=p d="M20 100 A80 80 0 1 1 180 100" fill=none stroke=red stroke-width=8 /></g></svg>`, "#g", "p"},
		{"bent area", `<img width=200 height=200 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" usemap=#m><map name=m><area id=a href="#x" shape=poly coords="10,10,190,10,190,190,180,190,180,20,10,20"></map>`, "#a", "a"},
		{"area of a shrunk image", `<img width=200 height=200 style="transform:scale(.5);transform-origin:0 0" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" usemap=#m><map name=m><area id=a href="#x" coords="190,190,150,150"></map>`, "#a", "a"},
		{"area", `<img id=i width=100 height=100 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" usemap=#m><map name=m><area id=a href="#x" shape=circle coords="70,70,20"></map>`, "#a", "a"},
		{"hidden checkbox", `<label id=l>Agree <input id=c type=checkbox style="display:none"></label>`, "#c", "l c!"},
		{"styled checkbox", `<style>#c{position:absolute;opacity:0;width:1px;height:1px}</style><label id=l><input id=c type=checkbox><span id=s style="display:inline-block;width:30px;height:30px;background:#ccc"></span> Agree</label>`, "#c", ""},
		{"checkbox under its picture", `<label id=l style="position:relative"><input id=c type=checkbox style="margin:0;width:20px;height:20px"><span id=s style="position:absolute;left:0;top:0;width:20px;height:20px;background:#ccc"></span></label>`, "#c", "s c!"},
		{"field under its floating label", `<div style="position:relative"><input id=i><label id=l for=i style="position:absolute;left:0;top:0;width:170px;height:22px">Name</label></div>`, "#i", "l i!"},
		{"open shadow root", `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<button id=in>I</button>'</script>`, "#in", "in"},
		{"closed shadow root", `<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML='<button id=in>I</button>'</script>`, "#in", "h"},
		{"row with a button in it", `<div id=r onclick=1 style="width:300px;padding:4px;text-align:center"><button id=b>Middle</button></div>`, "#r", "r"},
		{"moving", `<style>@keyframes m{from{transform:translateX(400px)}to{transform:none}}#b{animation:m .4s}</style><button id=b>B</button>`, "#b", "b"},
		{"moved by a script", `<button id=b style="position:absolute;left:300px">B</button><script>let x=300;const i=setInterval(()=>{x-=10;b.style.left=x+'px';if(x<=20)clearInterval(i)},12)</script>`, "#b", "b"},
		{"endless pulse", `<style>@keyframes p{50%{transform:scale(1.05)}}#b{animation:p 1s infinite}</style><button id=b>B</button>`, "#b", "b"},
		{"appears late", `<script>setTimeout(()=>document.body.insertAdjacentHTML('beforeend','<button id=b>B</button>'),150)</script><body>`, "#b", "b"},
		{"enabled late", `<button id=b disabled>B</button><script>setTimeout(()=>b.disabled=false,150)</script>`, "#b", "b"},
		{"overlay goes away", `<button id=b>B</button><div id=o style="position:fixed;inset:0;background:#0008">wait</div><script>setTimeout(()=>o.remove(),150)</script>`, "#b", "b"},
		{"in a modal dialog", `<dialog id=d><button id=b>B</button></dialog><script>d.showModal()</script>`, "#b", "b"},
		{"listbox option", `<select size=3 id=s><option>a<option id=o>b<option>c</select>`, "#o", "o"},
		{"quirks mode", `<!-- no doctype above counts --><div style="height:2000px"></div><button id=b>B</button>`, "#b", "b"},
		{"clobbered form", `<form id=f onsubmit="return false"><input name=getBoundingClientRect><input name=ownerDocument><input name=parentNode><button id=b type=button>B</button></form>`, "#b", "b"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			page := clicks + tt.html
			if tt.what == "quirks mode" {
				page = strings.TrimPrefix(page, "<!doctype html>")
			}
			d := load(t, page)
			p := d.prepare(pagefn.PrepareArgs{Target: css(tt.target), For: "click", TimeoutMS: 3000, Watch: true})
			d.mouse(p.X, p.Y, 1)
			var out pagefn.Outcome
			d.run("outcome", pagefn.OutcomeArgs{Node: p.Node}, &out)
			if !out.Landed || out.Instead != "" {
				t.Errorf("outcome %+v", out)
			}
			got, _ := d.js("hits.join(' ')").(string)
			if tt.want != "" && got != tt.want && got != strings.ReplaceAll(tt.want, "!", "") {
				t.Errorf("clicked %q, want %q", got, tt.want)
			}
			if tt.want == "" && d.js(`document.querySelector('`+tt.target+`').checked`) != true {
				t.Errorf("not checked; clicked %q", got)
			}
		})
	}
}

func (d *doc) prepare(args pagefn.PrepareArgs) pagefn.Prepared {
	d.t.Helper()
	var p pagefn.Prepared
	d.run("prepare", args, &p)
	return p
}

func TestPrepareRefuses(t *testing.T) {
	tests := []struct {
		what, html, target string
		says               []string
	}{
		{"covered", `<button id=b>B</button><div role=dialog aria-label="Cookie consent" id=o style="position:fixed;inset:0;background:#fff"><p>Cookies</p></div>`, "#b", []string{"covered by", `dialog "Cookie consent"`}},
		{"disabled", `<button id=b disabled>B</button>`, "#b", []string{"is disabled"}},
		{"aria-disabled", `<div role=toolbar aria-disabled=true><button id=b>B</button></div>`, "#b", []string{"is disabled"}},
		{"in a disabled fieldset", `<fieldset disabled><button id=b>B</button></fieldset>`, "#b", []string{"is disabled"}},
		{"display none", `<div id=p style="display:none"><button id=b>B</button></div>`, "#b", []string{"not visible", "div#p"}},
		{"visibility hidden", `<button id=b style="visibility:hidden">B</button>`, "#b", []string{"visibility"}},
		{"no size", `<div id=b style="height:0"></div>`, "#b", []string{"no size"}},
		{"inert", `<main id=m inert><button id=b>B</button></main>`, "#b", []string{"inert", "main"}},
		{"behind a modal", `<button id=b>B</button><dialog id=d>D</dialog><script>d.showModal()</script>`, "#b", []string{"inert", "dialog"}},
		{"pointer-events none", `<button id=b style="pointer-events:none">B</button>`, "#b", []string{"pointer-events"}},
		{"off screen", `<button id=b style="position:fixed;left:-500px">B</button>`, "#b", []string{"outside the viewport"}},
		{"closed details", `<details id=d><summary>S</summary><button id=b>B</button></details>`, "#b", []string{"closed", "details"}},
	}
	d := load(t, "<!doctype html>")
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(strings.TrimPrefix(clicks, "<!doctype html>") + tt.html)
			d.fails("prepare", pagefn.PrepareArgs{Target: css(tt.target), For: "click", TimeoutMS: 60}, "NOT_ACTIONABLE", tt.says...)
		})
	}
}

func TestPrepareDeadline(t *testing.T) {
	d := load(t, clicks+`<button id=b disabled>B</button>`)
	began := time.Now()
	d.fails("prepare", pagefn.PrepareArgs{Target: css("#b"), For: "click", TimeoutMS: 400}, "NOT_ACTIONABLE")
	if took := time.Since(began); took < 350*time.Millisecond || took > 3*time.Second {
		t.Errorf("gave up after %v", took)
	}
	began = time.Now()
	d.fails("prepare", pagefn.PrepareArgs{Target: pagefn.Locator{Selector: "#none", Now: true}, For: "click", TimeoutMS: 5000}, "SELECTOR_NOT_FOUND")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("waited %v for an element that may be elsewhere", took)
	}
}

func TestPrepareTells(t *testing.T) {
	d := load(t, clicks+`<a id=a href="/x" target=_blank>L</a><select id=s><option id=o>One</select><input id=ro readonly value=v><input id=c type=checkbox checked aria-label=C>`)
	if p := d.prepare(pagefn.PrepareArgs{Target: css("#a"), For: "click"}); !strings.HasSuffix(p.Href, "/x") || p.Role != "link" || p.Name != "L" || p.Tag != "a" {
		t.Errorf("link: %+v", p)
	}
	if p := d.prepare(pagefn.PrepareArgs{Target: css("#o"), For: "click"}); !p.Option {
		t.Errorf("option: %+v", p)
	}
	if p := d.prepare(pagefn.PrepareArgs{Target: css("#ro"), For: "type"}); !p.ReadOnly || p.Editable {
		t.Errorf("read-only: %+v", p)
	}
	if p := d.prepare(pagefn.PrepareArgs{Target: css("#c"), For: "click"}); p.Checked == nil || !*p.Checked || len(p.States) == 0 {
		t.Errorf("checkbox: %+v", p)
	}
	if p := d.prepare(pagefn.PrepareArgs{Target: css("#a"), For: "click", Offset: &pagefn.FromTop{X: 2, Y: 3}}); p.X != 10 {
		t.Errorf("offset: %+v", p)
	}
}

// The shared field cases that are decided in the page, when their folder is there.
func TestPrepareFieldCases(t *testing.T) {
	dir := os.Getenv("CASES_DIR")
	if dir == "" {
		dir = "../../../e2e/testdata/cases"
	}
	tests := []struct {
		file string
		loc  pagefn.Locator
		want string
	}{
		{"click-sticky-category", pagefn.Locator{Role: "option", Name: "Berry 2"}, "row:berry2"},
		{"click-css-zoom", css("#b"), "ok"},
		{"name-css-content", pagefn.Locator{Role: "button", Name: "Dismiss"}, "dismissed"},
		{"eval-hostile-page", pagefn.Locator{Role: "button", Name: "Real button"}, "clicked"},
		{"click-inert-modal", pagefn.Locator{Role: "button", Name: "Stay signed in"}, "bg:0 stay:1"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			html, err := os.ReadFile(filepath.Join(dir, "pages", tt.file+".html"))
			if err != nil {
				t.Fatal(err)
			}
			d := load(t, string(html))
			p := d.prepare(pagefn.PrepareArgs{Target: tt.loc, For: "click", TimeoutMS: 2000, Watch: true})
			d.mouse(p.X, p.Y, 1)
			if got := d.js("__result"); got != tt.want {
				t.Errorf("result %v, want %s", got, tt.want)
			}
		})
	}
}

func TestWatch(t *testing.T) {
	tests := []struct {
		what, html, change string
		count              int
		landed             bool
		instead, hits      string
	}{
		{"lands", `<button id=b>B</button>`, ``, 1, true, "", "b"},
		{"double click", `<button id=b>B</button>`, ``, 2, true, "", "b b"},
		{"overlay came up", `<button id=b>B</button>`, `document.body.insertAdjacentHTML('beforeend','<div id=o role=alert aria-label=Late style="position:fixed;inset:0"></div>')`, 1, false, `alert "Late"`, ""},
		{"moved away", `<button id=b>B</button><button id=c>C</button>`, `b.style.marginLeft='400px'`, 1, false, "<", ""},
		{"removed", `<button id=b>B</button>`, `b.remove()`, 1, false, "<", ""},
		{"label for its field", `<label id=l for=c>Label</label><input id=c type=checkbox>`, ``, 1, true, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d := load(t, clicks+tt.html)
			target := "#b"
			if !strings.Contains(tt.html, "id=b") {
				target = "#c"
			}
			p := d.prepare(pagefn.PrepareArgs{Target: css(target), For: "click", TimeoutMS: 1000, Watch: true})
			if tt.change != "" {
				d.js(tt.change)
			}
			d.mouse(p.X, p.Y, tt.count)
			var out pagefn.Outcome
			d.run("outcome", pagefn.OutcomeArgs{Node: p.Node}, &out)
			if out.Landed != tt.landed || !strings.Contains(out.Instead, tt.instead) {
				t.Errorf("outcome %+v", out)
			}
			if got := d.js("hits.join(' ')"); tt.hits != "" && got != tt.hits || !tt.landed && got != "" {
				t.Errorf("page saw %q, want %q", got, tt.hits)
			}
			// The user's own presses come through again.
			d.js(`hits.length=0;document.getElementById('o')?.remove();document.body.insertAdjacentHTML('beforeend','<button id=z style="position:fixed;left:600px;top:300px;width:80px;height:40px">Z</button>')`)
			d.mouse(620, 320, 1)
			if got := d.js("hits.join(' ')"); got != "z" {
				t.Errorf("after the watch a press reached %q, want z", got)
			}
		})
	}
}

// A press of the user's own during the watch is not ours to stop.
func TestWatchLetsOthersThrough(t *testing.T) {
	d := load(t, clicks+`<button id=b>B</button><button id=z style="position:fixed;left:600px;top:300px;width:80px;height:40px">Z</button>`)
	p := d.prepare(pagefn.PrepareArgs{Target: css("#b"), For: "click", Watch: true})
	d.mouse(620, 320, 1)
	d.mouse(p.X, p.Y, 1)
	var out pagefn.Outcome
	d.run("outcome", pagefn.OutcomeArgs{Node: p.Node}, &out)
	if got := d.js("hits.join(' ')"); got != "z b" || !out.Landed {
		t.Errorf("page saw %q, outcome %+v", got, out)
	}
}

func TestWatchWithoutPress(t *testing.T) {
	d := load(t, clicks+`<button id=b>B</button>`)
	p := d.prepare(pagefn.PrepareArgs{Target: css("#b"), For: "click", Watch: true})
	var out pagefn.Outcome
	d.run("outcome", pagefn.OutcomeArgs{Node: p.Node}, &out)
	if out.Landed || out.Instead != "" {
		t.Errorf("outcome %+v", out)
	}
}
