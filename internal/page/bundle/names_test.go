package bundle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chrome-mcp/internal/pagefn"
)

// The element that is named has id=x (or is the only one with a role).
var nameTests = []struct{ what, html, want string }{
	{"content", `<button id=x>Save <b>all</b></button>`, `button Save all`},
	{"aria-label over content", `<button id=x aria-label="Close">×</button>`, `button Close`},
	{"empty aria-label", `<button id=x aria-label=" ">Go</button>`, `button Go`},
	{"labelledby", `<span id=a>One</span><span id=b>Two</span><button id=x aria-labelledby="b a">No</button>`, `button Two One`},
	{"labelledby dangling", `<label for=x>Invoice number</label><input id=x aria-labelledby=nope>`, `textbox Invoice number`},
	{"labelledby hidden", `<span id=h hidden>Hidden <i>caption</i></span><input id=x aria-labelledby=h>`, `textbox Hidden caption`},
	{"labelledby hidden part", `<span id=h>Seen<i style="display:none">unseen</i></span><input id=x aria-labelledby=h>`, `textbox Seen`},
	{"labelledby itself", `<span id=p>Amount</span><input id=x aria-labelledby="p x" aria-label="(net)">`, `textbox Amount (net)`},
	{"labelledby is not followed twice", `<span id=a aria-labelledby=b>A</span><span id=b>B</span><button id=x aria-labelledby=a>C</button>`, `button A`},
	{"labelledby loop", `<span id=a aria-labelledby=x>A</span><button id=x aria-labelledby=a>C</button>`, `button A`},
	{"label around", `<label>Age <input id=x type=number></label>`, `spinbutton Age`},
	{"labels several", `<label for=x>One</label><label for=x>Two</label><input id=x>`, `textbox One Two`},
	{"label hidden", `<label for=x style="display:none">Hidden label</label><input id=x>`, `textbox Hidden label`},
	{"label with select in it", `<label><input id=x type=checkbox> Flash <select><option>1<option selected>3</select> times</label>`, `checkbox Flash 3 times`},
	{"label with text field in it", `<label><input id=x type=checkbox> Flash <input value=7> times</label>`, `checkbox Flash 7 times`},
	{"label with range in it", `<label><input id=x type=checkbox> Flash <input type=range min=0 max=9 value=4> times</label>`, `checkbox Flash 4 times`},
	{"label with password in it", `<label><input id=x type=checkbox> My <input type=password value=geheim> word</label>`, `checkbox My word`},
	{"label of meter", `<label for=x>Tank level</label><meter id=x value=.6></meter>`, `meter Tank level`},
	{"label of progress", `<label>Loading <progress id=x value=.5></progress></label>`, `progressbar Loading`},
	{"label of select", `<label>Seat <select id=x><option>A<option>B</select></label>`, `combobox Seat`},
	{"label of button", `<label for=x>Label</label><button id=x>Text</button>`, `button Label`},
	{"title", `<button id=x title="Close panel"></button>`, `button Close panel`},
	{"title is last", `<button id=x title="Tip">Text</button>`, `button Text`},
	{"placeholder", `<input id=x placeholder="Your city" aria-label="">`, `textbox Your city`},
	{"title before placeholder", `<input id=x placeholder="p" title="t">`, `textbox t`},
	{"img in button", `<button id=x><img alt="Search site" src="data:,"></button>`, `button Search site`},
	{"img in link with text", `<a id=x href=#a><img alt="New" src="data:,"> mail</a>`, `link New mail`},
	{"decorative img", `<a id=x href=#a><img alt="" src="data:,">Mail</a>`, `link Mail`},
	{"input image", `<input id=x type=image alt="Go!" src="data:,">`, `button Go!`},
	{"input submit", `<input id=x type=submit>`, `button Submit`},
	{"input reset", `<input id=x type=reset value="Start over">`, `button Start over`},
	{"input button", `<input id=x type=button value="Press">`, `button Press`},
	{"fieldset", `<fieldset id=x><legend>Address <b>now</b></legend><input></fieldset>`, `group Address now`},
	{"figure", `<figure id=x><img src="data:," alt=a><figcaption>A chart</figcaption></figure>`, `figure A chart`},
	{"table", `<table id=x><caption>Prices</caption><tr><th>a</th></tr><tr><td>1</td></tr></table>`, `table Prices`},
	{"svg title", `<button id=x><svg width=9 height=9><title>Print</title><path d="M0 0h9"/></svg></button>`, `button Print`},
	{"svg img", `<svg id=x width=9 height=9><title>Logo</title></svg>`, `img Logo`},
	{"svg link", `<svg width=90 height=9><a id=x href="#q"><text y=9>Map</text></a></svg>`, `link Map`},
	{"area", `<img usemap=#m src="data:," width=20 height=20><map name=m><area id=x href=#a alt="North" coords="0,0,9,9"></map>`, `link North`},
	{"before", `<style>#x::before{content:"\20AC "}</style><button id=x>12.50</button>`, `button €12.50`},
	{"after with empty alternative", `<style>label::after{content:"*" / ""}</style><label for=x>Garden size</label><input id=x>`, `textbox Garden size`},
	{"before with alternative", `<style>#x::before{content:"\2716" / "Dismiss"}</style><button id=x></button>`, `button Dismiss`},
	{"icon font", `<style>#x::before{content:"\e012"}</style><button id=x> Mail</button>`, `button Mail`},
	{"url content", `<style>#x::before{content:url("data:image/png;base64,AA/BB") "hi"}</style><button id=x></button>`, `button hi`},
	{"counter content", `<style>#x::before{counter-increment:a;content:counter(a, decimal) ". "}</style><button id=x>One</button>`, `button 1. One`},
	{"counter of what comes before", `<style>h2{counter-increment:s}h2::before{content:"Step " counter(s, upper-roman) ": "}</style><h2>Buy</h2><h2 style="display:none">Not</h2><div><h2>Pay</h2></div><h2 id=x>Wait</h2>`, `heading Step III: Wait`},
	{"counters in one another", `<style>ol{counter-reset:i;list-style:none}li{counter-increment:i}a::before{content:counters(i, ".") " "}</style><ol><li><a href=a>A</a><ol><li>x<li>y</ol><li><a href=b>B</a><ol><li>z<li><a href=c id=x>C</a></ol></ol>`, `link 2.2 C`},
	{"counter set anew by a sibling", `<style>.p{counter-reset:q 4}b{counter-increment:q -1}#x::after{content:counter(q)}</style><i class=p></i><b></b><i class=p></i><b></b><b></b><button id=x>Left: </button>`, `button Left: 2`},
	{"counter behind what is inside", `<style>#x{counter-reset:n}#x i{counter-increment:n}#x::after{content:" (" counter(n) ")"}</style><button id=x><i>a</i><i>b</i></button>`, `button ab (2)`},
	{"counter in an attribute", `<style>#x::before{content:counter(k) " "}</style><p style="counter-reset:k 7"></p><button id=x>Seven</button>`, `button 7 Seven`},
	{"blocks are apart", `<button id=x><div>One</div><div>Two</div></button>`, `button One Two`},
	{"inlines are together", `<button id=x><b>One</b><i>Two</i></button>`, `button OneTwo`},
	{"br", `<button id=x>One<br>Two</button>`, `button One Two`},
	{"hidden children", `<button id=x>Go <span hidden>no</span><span aria-hidden=true>no</span><span style="visibility:hidden">no</span></button>`, `button Go`},
	{"opacity is visible", `<button id=x><span style="opacity:0">Ghost</span></button>`, `button Ghost`},
	{"visually hidden", `<button id=x>×<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">Close</span></button>`, `button × Close`},
	{"child aria-label", `<a id=x href=#a><span aria-label="Home page">H</span></a>`, `link Home page`},
	{"heading with field", `<h1 id=x><input value="Heading value"></h1>`, `heading Heading value`},
	{"heading", `<h2 id=x>About <a href=#>us</a></h2>`, `heading About us`},
	{"aria-owns", `<div id=x role=button aria-owns=o>Own </div><span id=o>ed</span>`, `button Own ed`},
	{"slot", `<div id=h><span>Slotted</span></div><script>h.attachShadow({mode:'open'}).innerHTML='<button id=x>In <slot></slot></button>'</script>`, `button In Slotted`},
	{"label in shadow", `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<label for=x>Shadow</label><input id=x>'</script>`, `textbox Shadow`},
	{"summary", `<details><summary id=x>More</summary>Text</details>`, `button More`},
	{"option", `<select size=2><option id=x label="The label">text</select>`, `option The label`},
	{"optgroup", `<select size=3><optgroup id=x label="Group"><option>a</select>`, `group Group`},
	{"iframe", `<iframe id=x title="Payment"></iframe>`, `iframe Payment`},
	{"tree item without its branch", `<ul role=tree><li id=x role=treeitem>Root<ul role=group><li role=treeitem>Leaf</li></ul></li></ul>`, `treeitem Root`},
	{"role none", `<div id=x role=none aria-label=a>t</div>`, ``},
	{"role presentation on link", `<a id=x href=# role=presentation>Stay</a>`, `link Stay`},
	{"unknown role falls through", `<div id=x role="blah button">B</div>`, `button B`},
	{"role image", `<div id=x role=image aria-label=Pic></div>`, `img Pic`},
	{"header of page", `<header id=x>t</header>`, `banner`},
	{"header of article", `<article><header id=x>t</header></article>`, ``},
	{"footer of section", `<section><footer id=x>t</footer></section>`, ``},
	{"section named", `<section id=x aria-label="News">t</section>`, `region News`},
	{"section", `<section id=x>t</section>`, ``},
	{"form named", `<form id=x aria-label="Sign in"></form>`, `form Sign in`},
	{"a without href", `<a id=x>t</a>`, ``},
	{"input with list", `<input id=x list=l aria-label=Pick><datalist id=l><option>a</datalist>`, `combobox Pick`},
	{"search", `<input id=x type=search aria-label=Find>`, `searchbox Find`},
	{"password", `<label>Secret <input id=x type=password value=geheim></label>`, `textbox Secret`},
	{"switch", `<input id=x type=checkbox role=switch aria-label=Dark>`, `switch Dark`},
	{"select multiple", `<select id=x multiple aria-label=Many><option>a</select>`, `listbox Many`},
	{"th row", `<table><tr><th id=x>Name</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>`, `rowheader Name`},
	{"th column", `<table><tr><th id=x>Name</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>`, `columnheader Name`},
	{"layout table", `<table id=x><tr><td><table><tr><td>1</td></tr></table></td></tr></table>`, ``},
	{"editor", `<div id=x contenteditable aria-label="Message">text</div>`, `textbox Message`},
	{"clickable", `<div id=x onclick="1">Gift voucher</div>`, `clickable Gift voucher`},
	{"clickable by cursor", `<div id=x style="cursor:pointer">Gift</div>`, `clickable Gift`},
	{"clickable card has no name", `<div id=x onclick=1><p>` + strings.Repeat("word ", 60) + `</p></div>`, `clickable`},
	{"label of a hidden box", `<label id=x>Agree <input type=checkbox style="display:none"></label>`, `checkbox Agree`},
	{"clobbered form", `<form id=x aria-label="Clob"><input name=getAttribute><input name=attributes><input name=children><input name=id><input name=tagName><input name=parentNode><input name=firstChild></form>`, `form Clob`},
	{"aria-label folds", "<button id=x aria-label=' a \n  b '></button>", `button a b`},
	{"mathml", `<math id=x alttext="x squared"><mi>x</mi></math>`, `math x squared`},
}

func TestNames(t *testing.T) {
	d := load(t, "<!doctype html>")
	for _, tt := range nameTests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(tt.html)
			if got := d.shownAs("#x"); got != tt.want {
				t.Errorf("%s\n got %q\nwant %q", tt.html, got, tt.want)
			}
		})
	}
}

// write replaces the document's content: much quicker than loading a page.
func (d *doc) write(html string) {
	d.t.Helper()
	text, err := json.Marshal("<!doctype html><meta charset=utf-8>" + html)
	d.must(err)
	d.js("document.designMode='off';document.open();document.write(" + string(text) + ");document.close()")
}

// shownAs reads role and name off a box request that cannot succeed otherwise: a stale
// reference tells what the element is now.
func (d *doc) shownAs(selector string) string {
	d.t.Helper()
	var f pagefn.Wait
	d.run("waitFor", object{"target": object{"selector": selector}, "timeoutMs": 0}, &f)
	if f.Node == 0 {
		d.t.Fatalf("%s is not visible", selector)
	}
	env := d.call("box", object{"target": object{"node": f.Node, "shownAs": "\x01"}})
	if env.Error == nil {
		d.t.Fatalf("box: %s", env.Value)
	}
	_, after, _ := strings.Cut(env.Error.Message, " is now \"")
	name, _, ok := strings.Cut(after, "\"; take")
	if !ok {
		d.t.Fatal(env.Error)
	}
	var out string
	if _, err := fmt.Sscanf("\""+name+"\"", "%q", &out); err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(out, "generic"), " ")
}
