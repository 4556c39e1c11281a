package page_test

import (
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// Each page is read in a real browser; what its style and scripts hide is not there.
func TestMarkdown(t *testing.T) {
	tests := []struct{ what, html, want string }{
		{"hidden", `<p>seen</p><p hidden>no</p><p style="visibility:hidden">no</p><span style="position:absolute;clip:rect(0,0,0,0)">no</span><script>no</script><p style="position:absolute;left:-9999px">no</p>`, "seen"},
		{"closed details", `<details><summary>More</summary><p>inside</p><p hidden>no</p></details>`, "**More**\n\ninside"},
		{"fields", `<p><input value=Ann> <input type=password value=geheim> <select><option>x<option selected>y</select> <label><input type=checkbox checked> on</label> <button>Go</button></p>`, "Ann y [x] on Go"},
		{"shadow", `<x-h>light<b slot=s>bold</b></x-h><script>document.querySelector('x-h').attachShadow({mode:'closed'}).innerHTML='<h2>Root</h2><slot></slot><slot name=s></slot>'</script>`, "## Root\n\nlight**bold**"},
		{"closed root with slots", `<div id=h><b slot=s>bold</b>light</div><script>h.attachShadow({mode:'closed'}).innerHTML='<h2>Root</h2><slot></slot> <slot name=s></slot>'</script>`, "## Root\n\nlight **bold**"},
		{"numbers", `<ol start=3><li>c</li><li value=7>g<li>h</ol><ol reversed><li>c<li>b<li>a</ol><ol reversed start=9><li>i</ol>`, "3. c\n7. g\n8. h\n\n3) c\n2) b\n1) a\n\n9. i"},
		{"roles", `<div role=heading aria-level=3>Head</div><div role=list><div role=listitem>a</div><div role=listitem>b</div></div><div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div><div role=row><span role=cell>1</span><span role=cell>2</span></div></div>`,
			"### Head\n\n- a\n- b\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"},
		{"flex row", `<div style="display:flex"><span>by Ann</span><span>May 3</span></div><div style="display:flex"><div>a</div><div>b</div></div>`, "by Ann May 3\n\na\n\nb"},
		{"flex heading", `<h2 style="display:flex"><span>Title</span><a href="#t">#</a></h2>`, "## Title"},
		{"pre-wrap", `<div style="white-space:pre-wrap">one
two

three</div>`, "one  \ntwo\n\nthree"},
		{"generated", `<style>b::before{content:"€"}i::after{content:"→"}</style><p>costs <b>5</b> <i>so</i></p>`, "costs **€5** *so*"},
		{"icon font", `<p><span style="font-family:Material Icons">arrow_back</span> Back</p>`, "Back"},
		{"icon link", `<p><a href="https://x.test/" aria-label="Menu"><svg width=9 height=9></svg></a></p>`, "[Menu](https://x.test/)"},
		{"link in a shadow base", `<base href="https://x.test/d/"><p><a href="a b">x</a> <a href="javascript:y()">y</a> <a href="data:text/html,z">z</a></p>`, "[x](https://x.test/d/a%20b) y z"},
		{"pictures", `<img src="data:image/png;base64,AAAA" alt=inline width=9 height=9><img src="https://x.test/s.gif" alt=""><img src="data:image/gif;base64,AAAA" data-src="https://x.test/late.png" alt=late width=9 height=9>`, "inline![late](https://x.test/late.png)"},
		{"soft hyphens", `<p>Donau&shy;dampf&#8203;schiff</p>`, "Donaudampfschiff"},
		{"ruby", `<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>`, "漢(kan)"},
		{"quote", `<p><q>so</q></p>`, "“so”"},
		{"tex", `<p><span class=katex><span class=katex-mathml style="position:absolute;clip:rect(0,0,0,0)"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1^2</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x12</span></span></p>`, "$x_1^2$"},
		{"formula", `<p><math><mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mo>&InvisibleTimes;</mo><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac></math></p>`, `$x = \frac{− b ± \sqrt{b^{2} − 4ac}}{2a}$`},
		{"formula with limits", `<p><math display=block><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mo>+</mo><mover><mi>v</mi><mo>→</mo></mover><mo>+</mo><msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup><mroot><mi>y</mi><mn>3</mn></mroot></math></p>`, "$$\n∑_{i = 0}^{n}x_{i}^{2}+\\vec{v}+{(a)}^{2}\\sqrt[3]{y}\n$$"},
		{"layout table", `<table role=presentation><tr><td>a</td><td>b</td></tr></table>`, "a\n\nb"},
		{"grid of rows", `<table><tr><th>A<th>B</tr><tr><td>1<td hidden>x<td>2</tr></table>`, "| A | B |\n| --- | --- |\n| 1 | 2 |"},
	}
	o := visit(t, html("-"))
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			o.T = t
			o.navigate(html(tt.html))
			if got := must(o, page.ReadAsMarkdown, page.MarkdownArgs{}).Page; got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestMarkdownCode(t *testing.T) {
	tests := []struct{ what, html, want string }{
		{"language", `<pre><code class="language-go">x</code></pre>`, "```go\nx\n```"},
		{"highlight.js", `<pre><code class="hljs javascript">x</code></pre>`, "```javascript\nx\n```"},
		{"GitHub", `<div class="highlight highlight-source-shell"><pre>x</pre></div>`, "```shell\nx\n```"},
		{"Sphinx", `<div class="highlight-python3 notranslate"><div class=highlight><pre><span></span>x</pre></div></div>`, "```python3\nx\n```"},
		{"plain text", `<pre class="language-plaintext">x</pre>`, "```\nx\n```"},
		{"lines as blocks", `<pre><code><div>a</div><div>  b</div><div><br></div><div>c</div></code></pre>`, "```\na\n  b\n\nc\n```"},
		{"lines as blocks and breaks", "<pre><code><span style=display:block>a</span>\n<span style=display:block>b</span>\n\n<span style=display:block>c</span></code></pre>", "```\na\nb\n\nc\n```"},
		{"numbers beside", `<div class=highlight><table><tr><td class=gutter><pre>1
2</pre></td><td class=code><pre>a
b</pre></td></tr></table></div>`, "```\na\nb\n```"},
		{"a row a line", `<table class="highlight" data-lang=ruby><tr><td class="blob-num" data-line-number=1></td><td class=blob-code>a</td></tr><tr><td class="blob-num" data-line-number=2></td><td class=blob-code>  b</td></tr></table>`, "```ruby\na\n  b\n```"},
		{"numbers and button inside", `<pre><button>Copy</button><code><span class="line-number">1</span>a
<span class="line-number">2</span>b</code></pre>`, "```\na\nb\n```"},
		{"prompt", `<pre><span style="user-select:none">$ </span>ls</pre>`, "```\nls\n```"},
		{"block code", `<code style="display:block;white-space:pre">a
b</code>`, "```\na\nb\n```"},
		{"in a list", `<ol><li>Do<pre class=lang-sh>x
y</pre></li></ol>`, "1. Do\n\n   ```sh\n   x\n   y\n   ```"},
		{"data beside code", `<table><tr><td>1</td><td>plain</td></tr><tr><td>2</td><td>words</td></tr></table>`, "|  |  |\n| --- | --- |\n| 1 | plain |\n| 2 | words |"},
	}
	o := visit(t, html("-"))
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			o.T = t
			o.navigate(html(tt.html))
			if got := must(o, page.ReadAsMarkdown, page.MarkdownArgs{}).Page; got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestMarkdownFrames(t *testing.T) {
	inner := `<p>In <b>cross</b></p><iframe srcdoc='<p>Deep</p>'></iframe>`
	o := visit(t, html(`<p>Top</p><iframe src="{alt}/t?html=`+escape(inner)+`"></iframe><p>Bottom</p><iframe width=1 height=1 srcdoc=pixel></iframe>`))
	waitText(o, "Deep")
	r := must(o, page.ReadAsMarkdown, page.MarkdownArgs{})
	if i, j, k := strings.Index(r.Page, "Top"), strings.Index(r.Page, "In **cross**"), strings.Index(r.Page, "Bottom"); i < 0 || j < i || k < j {
		t.Errorf("the frame is not in its place:\n%s", r.Page)
	}
	says(t, r.Page, "[frame "+shared.alt, "Deep")
	if strings.Contains(r.Page, "pixel") {
		t.Errorf("a frame of a pixel is read:\n%s", r.Page)
	}
}

func TestMarkdownOfDeniedFrames(t *testing.T) {
	o := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}})
	o.navigate(html(`<p>Ours</p><iframe src="{alt}/secret"></iframe>`))
	r := must(o, page.ReadAsMarkdown, page.MarkdownArgs{})
	says(t, r.Page, "Ours", "[frame "+shared.alt+" not read: its site is not allowed]")
	if strings.Contains(r.Page, "Secret") {
		t.Errorf("the denied frame is read:\n%s", r.Page)
	}
}

func TestMarkdownOfAPart(t *testing.T) {
	o := visit(t, html(`<nav><a href="/x">Menu</a></nav><main><h1>Head</h1><p id=p>Para</p>`+strings.Repeat("<p>some more words</p>", 200)+`</main><script>setTimeout(()=>{document.body.append(Object.assign(document.createElement('p'),{id:'late',textContent:'Late'}))},300)</script>`))
	r := must(o, page.ReadAsMarkdown, page.MarkdownArgs{MaxBytes: 100})
	says(t, r.Text, "read: <main>; left out: nav", "truncated: ", "raise maxBytes")
	if len(r.Page) > 100 || !strings.HasSuffix(r.Page, "words") {
		t.Errorf("cut to %q", r.Page)
	}
	if r := must(o, page.ReadAsMarkdown, page.MarkdownArgs{Selector: "nav"}); r.Page != "[Menu]("+shared.base+"/x)" {
		t.Errorf("the menu is %q", r.Page)
	}
	if r := must(o, page.ReadAsMarkdown, page.MarkdownArgs{Selector: "#late"}); r.Page != "Late" {
		t.Errorf("what comes late is %q", r.Page)
	}
	_, err := do(o, page.ReadAsMarkdown, page.MarkdownArgs{Selector: "#nowhere"})
	refused(t, err, browser.SelectorNotFound, "#nowhere")
}

// The cases' own checks run in package e2e; this is what their kinds have in common.
func TestMarkdownOfTheCases(t *testing.T) {
	o := visit(t, shared.base+"/pages/md-sections-kept.html")
	r := must(o, page.ReadAsMarkdown, page.MarkdownArgs{})
	says(t, r.Page, "## Soil and seed", "## Who waters it", "## Numbers", "## Footnotes", "**Term**\n: Meaning", "> Wise words")
}
