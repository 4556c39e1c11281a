package page_test

import (
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
)

func TestClickReportsWhatHappened(t *testing.T) {
	for _, c := range []struct {
		name, html string
		says       []string
	}{
		{"nothing", `<button>Go</button>`, []string{`clicked button "Go"`}},
		{"checkbox", `<label><input type=checkbox id=b>Go</label>`, []string{"now checked"}},
		{"link", `<a href="/t?html=<title>Next</title>next">Go</a>`, []string{"now at", `"Next"`}},
		{"script", `<button onclick="location.href='/t?html=<title>Next</title>next'">Go</button>`, []string{"now at", `"Next"`}},
		{"hash", `<a href="#part">Go</a>`, []string{"address is now", "#part"}},
		{"push", `<button onclick="history.pushState({},'','?pushed')">Go</button>`, []string{"address is now", "?pushed"}},
		{"form", `<form action="/t"><input type=hidden name=html value="<title>Sent</title>"><button>Go</button></form>`, []string{"now at", `"Sent"`}},
		{"missing", `<a href="/missing">Go</a>`, []string{"now at", "HTTP 404"}},
		{"download", `<a href="/file">Go</a>`, []string{"download started", "report Q3.csv"}},
		{"no content", `<a href="/nocontent">Go</a>`, []string{"page is unchanged"}},
		{"new tab", `<a href="/t?html=two" target=_blank>Go</a>`, []string{"opened tab cdp:"}},
		{"window.open", `<button onclick="window.open('/t?html=two')">Go</button>`, []string{"opened tab cdp:"}},
		{"alert", `<button onclick="alert('Oh dear')">Go</button>`, []string{"a dialog is open", "alert", "Oh dear", `"action": "accept"`}},
		{"dialog on mousedown", `<button onmousedown="confirm('Sure?')">Go</button>`, []string{"confirm", "Sure?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := visit(t, html(c.html))
			target := page.Target{Selector: "button,a,#b"}
			start := time.Now()
			r := must(o, page.Click, page.ClickArgs{Target: target})
			if d := time.Since(start); d > 4*time.Second {
				t.Errorf("took %v", d)
			}
			says(t, r.Text, c.says...)
		})
	}
}

func TestClickIsRefused(t *testing.T) {
	t.Parallel() // it waits deadlines out
	for _, c := range []struct {
		name, html string
		code       browser.Code
		words      []string
	}{
		{"missing", `<button>Go</button><button id=c>Stop</button>`, browser.SelectorNotFound, []string{"Go"}},
		{"covered", `<button id=b>Go</button><div id=veil style="position:fixed;inset:0;background:#0003">Wait</div>`, browser.NotActionable, []string{"veil"}},
		{"disabled", `<button id=b disabled>Go</button>`, browser.NotActionable, []string{"disabled"}},
		{"ambiguous", `<button class=x id=b>Go</button><button id=b>Stop</button>`, browser.Ambiguous, []string{"Go", "Stop"}},
		{"option", `<select><option>One<option id=b>Two</select>`, browser.NotActionable, []string{"select_option"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := visit(t, html(c.html))
			target := css("#b")
			if c.name == "missing" {
				target = page.Target{Role: "button", Name: "Gone"}
			}
			_, err := do(o, page.Click, page.ClickArgs{Target: target})
			refused(t, err, c.code, c.words...)
		})
	}
}

// What a page does between the look at a target and the press on it must not cost the click.
func TestClickMeetsAPageThatMoves(t *testing.T) {
	for _, c := range []struct {
		name, html string
		args       page.ClickArgs
		want       string
	}{
		{"drawn anew on hover", `<p id=p onmouseenter="this.innerHTML=this.innerHTML"><button onclick="n++">Go</button></p><script>window.n=0</script>`, page.ClickArgs{}, "1"},
		{"drawn anew by the first of two", `<p id=p onclick="n++;this.innerHTML=this.innerHTML"><button>Go</button></p><script>window.n=0</script>`, page.ClickArgs{ClickCount: 2}, "2"},
		{"moved on hover", `<p id=p style="height:0" onmousemove="1"></p><button onclick="n++">Go</button><script>window.n=0;onmousemove=()=>p.style.height='90px'</script>`, page.ClickArgs{}, "1"},
		{"moved by the press itself", `<input id=i><p id=p style="height:0"></p><button onmousedown="n++;p.style.height=n%2?'90px':0">Go</button><script>window.n=0;i.focus()</script>`, page.ClickArgs{}, "1"},
		{"moved by what loses the focus", `<input id=i onblur="p.style.height='90px'"><p id=p style="height:0"></p><button onclick="n++">Go</button><script>window.n=0;i.focus()</script>`, page.ClickArgs{}, "1"},
		{"opens at the press and covers", `<input id=i><br><button onmousedown="n++;p.hidden=false">Go</button><p id=p hidden style="position:fixed;inset:0;background:#fff">menu</p><script>window.n=0;i.focus()</script>`, page.ClickArgs{}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := visit(t, html(c.html))
			c.args.Target = page.Target{Role: "button", Name: "Go"}
			must(o, page.Click, c.args)
			o.want("window.n", c.want)
		})
	}
}

func TestClickInFrames(t *testing.T) {
	inner := "<button onclick=\"parent.postMessage(event.isTrusted,'*')\">In</button>"
	for name, src := range map[string]string{"same site": "{base}", "other site": "{alt}"} {
		t.Run(name, func(t *testing.T) {
			o := visit(t, html(`<h1>Top</h1><iframe style="margin:50px;border:5px solid" src="`+src+`/t?html=`+escape(inner)+`"></iframe><script>onmessage=e=>window.got=e.data</script>`))
			must(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "In"}})
			o.want("new Promise(d=>{const look=()=>window.got===undefined?setTimeout(look,5):d(got);look()})", "true")
		})
	}
}

// The bar belongs to the page around the frame, which alone can scroll the frame away from it.
func TestClickInAFrameUnderABar(t *testing.T) {
	inner := "<p style='height:40px'></p><button onclick=\"parent.postMessage(1,'*')\">In</button>"
	o := visit(t, html(`<header style="position:fixed;top:0;left:0;right:0;height:110px;background:#fdd">Bar</header><div style="height:1500px"></div><iframe style="width:300px;height:1500px;border:0" src="{base}/t?html=`+escape(inner)+`"></iframe><div style="height:1500px"></div><script>onmessage=e=>window.got=e.data;scrollTo(0,1505)</script>`))
	must(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "In"}})
	o.want("new Promise(d=>{const look=()=>window.got===undefined?setTimeout(look,5):d(got);look()})", "1")
}

// A tab that a page opens in its own time is told of by the next action, and once.
func TestLateTab(t *testing.T) {
	o := visit(t, html(`<button id=a onclick="setTimeout(()=>window.open('/t?html=<title>La'+'te</title>'),400)">Later</button><button id=b>Next</button>`))
	must(o, page.Click, page.ClickArgs{Target: css("#a")})
	for end := time.Now().Add(10 * time.Second); ; {
		r, err := page.TabsList(o.ctx(), o.s, page.TabsListArgs{})
		if err == nil && strings.Contains(r.Text, `"Late"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no tab was opened")
		}
	}
	says(t, must(o, page.Click, page.ClickArgs{Target: css("#b")}).Text, "opened in the meantime", "Late")
	if r := must(o, page.Click, page.ClickArgs{Target: css("#b")}); strings.Contains(r.Text, "meantime") {
		t.Errorf("told twice: %s", r.Text)
	}
}

func TestTypeAndReadBack(t *testing.T) {
	for _, c := range []struct {
		name, html string
		args       page.TypeArgs
		value      string // of document.querySelector('#f')
		says       string
	}{
		{"plain", `<input id=f>`, page.TypeArgs{Text: "hello"}, "hello", `holds "hello"`},
		{"appends", `<input id=f value="ab">`, page.TypeArgs{Text: "cd"}, "abcd", `holds "abcd"`},
		{"clears", `<input id=f value="ab">`, page.TypeArgs{Text: "cd", Clear: true}, "cd", `holds "cd"`},
		{"empties", `<input id=f value="ab">`, page.TypeArgs{Clear: true}, "", `holds ""`},
		{"keys", `<input id=f>`, page.TypeArgs{Text: "a B#ü京👍", KeyEvents: true}, "a B#ü京👍", "holds"},
		{"lines", `<textarea id=f></textarea>`, page.TypeArgs{Text: "one\r\ntwo"}, "one\ntwo", "holds"},
		{"one line", `<input id=f>`, page.TypeArgs{Text: "one\ntwo"}, "onetwo", "holds"},
		{"cut", `<input id=f maxlength=3>`, page.TypeArgs{Text: "abcdef"}, "abc", "maxlength of 3"},
		{"mask", `<input id=f oninput="this.value=this.value.replace(/\D/g,'').replace(/(....)(?=.)/g,'$1 ')">`, page.TypeArgs{Text: "42424242"}, "4242 4242", "formatted"},
		{"mask of keys", `<input id=f value="__/__"><script>let d='';f.onkeydown=e=>{if(/^\d$/.test(e.key))d+=e.key;if(/Delete|Backspace/.test(e.key))d='';let i=0;setTimeout(()=>f.value='__/__'.replace(/_/g,c=>d[i++]||c))};f.onbeforeinput=e=>e.preventDefault()</script>`,
			page.TypeArgs{Text: "0309", Clear: true}, "03/09", "holds"},
		{"filter of keys", `<input id=f onkeydown="if(/[a-z]/.test(event.key))event.preventDefault()">`, page.TypeArgs{Text: "4a2b"}, "42", "left out"},
		{"drawn anew by the focus", `<p id=p onfocusin="setTimeout(()=>{if(!window.n)p.innerHTML=p.innerHTML;n=1})"><input id=f></p>`, page.TypeArgs{Text: "stays", Clear: true}, "stays", `holds "stays"`},
		{"drawn anew before it took the text", `<p id=p onbeforeinput="if(!window.n)p.innerHTML=p.innerHTML;n=1"><input id=f></p>`, page.TypeArgs{Text: "stays", Clear: true}, "stays", `holds "stays"`},
		{"drawn anew by what was typed", `<p id=p oninput="if(!window.n)p.innerHTML='<i>'+f.value+'</i><input id=f>';n=1"><input id=f></p>`, page.TypeArgs{Text: "tag,", Clear: true}, "", "left the page after it took the text"},
		{"tags", `<input id=f oninput="let p=value.split(',');while(p.length>1)tags.append(p.shift()+'|');value=p[0]"><p id=tags></p>`, page.TypeArgs{Text: "one,two,three"}, "three", "as for tags"},
		{"tags by key", `<input id=f onkeydown="if(event.key==','){event.preventDefault();tags.append(value+'|');value=''}"><p id=tags></p>`, page.TypeArgs{Text: "one,two,three"}, "three", "as for tags"},
		{"last tag", `<input id=f oninput="if(value.endsWith(','))value=''">`, page.TypeArgs{Text: "one,"}, "", "as for tags"},
		{"filter", `<input id=f oninput="this.value=this.value.replace(/\D/g,'')">`, page.TypeArgs{Text: "4a2b"}, "42", "left out"},
		{"card", `<input id=f autocomplete=cc-number oninput="this.value=this.value.replace(/\D/g,'').replace(/(....)(?=.)/g,'$1 ')">`, page.TypeArgs{Text: "42424242"}, "4242 4242", "9 characters (not shown)"},
		{"password", `<input id=f type=password>`, page.TypeArgs{Text: "secret"}, "secret", "6 characters (not shown)"},
		{"out of bounds", `<input id=f type=number max=10>`, page.TypeArgs{Text: "50"}, "50", "not valid there"},
		{"number", `<input id=f type=number>`, page.TypeArgs{Text: "12.5", Clear: true}, "12.5", `holds "12.5"`},
		{"late state", `<input id=f oninput="window.m=(window.m||'')+event.data;this.value='';setTimeout(()=>this.value=m,80)">`, page.TypeArgs{Text: "slow"}, "slow", "holds"},
		{"date", `<input id=f type=date>`, page.TypeArgs{Text: "2026-03-09"}, "2026-03-09", "2026-03-09"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := visit(t, html(c.html))
			c.args.Target = css("#f")
			r := must(o, page.Type, c.args)
			says(t, r.Text, c.says)
			if strings.HasPrefix(c.name, "tags") {
				o.want("tags.textContent", `"one|two|"`)
			}
			if c.name == "password" && strings.Contains(r.Text, "secret") {
				t.Error("the password is in the text")
			}
			o.want("document.querySelector('#f').value", quoteJSON(c.value))
		})
	}
}

// An element that shows one field stands for it, also one whose root is closed.
func TestTypeIntoComponent(t *testing.T) {
	for _, mode := range []string{"open", "closed"} {
		o := visit(t, html(`<x-field id=f></x-field><script>const x = document.createElement('x-in'), root = x.attachShadow({mode:'`+mode+`'})
			root.innerHTML = '<label>Mail <input></label>'; window.i = root.querySelector('input')
			f.attachShadow({mode:'`+mode+`'}).append(x)</script>`))
		says(t, must(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "a@b"}).Text, `textbox "Mail" holds "a@b"`)
		o.want("i.value", `"a@b"`)
	}
}

func TestTypeIntoRichEditor(t *testing.T) {
	o := visit(t, html(`<div id=f contenteditable role=textbox aria-label=Note>old words</div><script>window.sent=0;f.onkeydown=e=>{if(e.key==='Enter'&&!e.shiftKey)window.sent++}</script>`))
	must(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "one\ntwo", Clear: true})
	o.want("f.innerText.trim()", `"one\ntwo"`)
	must(o, page.Type, page.TypeArgs{Target: css("#f"), Text: " more"})
	o.want("f.innerText.trim()", `"one\ntwo more"`)
	o.want("window.sent", "0")
}

func TestTypeIsRefused(t *testing.T) {
	for _, c := range []struct{ name, html, word string }{
		{"read-only", `<input id=f readonly value=x>`, "read-only"},
		{"disabled", `<input id=f disabled value=x>`, "disabled"},
		{"swallows", `<input id=f value=x oninput="this.value='x'">`, `holds "x"`},
		{"no field", `<button id=f>b</button>`, "takes no text"},
		{"file", `<input id=f type=file>`, "upload_file"},
		{"comma", `<input id=f type=number value=7>`, "still holds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := visit(t, html(c.html))
			start := time.Now()
			_, err := do(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "12,5", Clear: true})
			code := browser.NotActionable
			if c.name == "comma" {
				code = browser.BadArgs
			}
			refused(t, err, code, c.word)
			if d := time.Since(start); d > 1900*time.Millisecond {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestTypeIntoBoxes(t *testing.T) {
	o := visit(t, html(`<div id=c><input maxlength=1 id=f><input maxlength=1><input maxlength=1><input maxlength=1></div>
<script>for(const i of c.children)i.oninput=()=>setTimeout(()=>i.nextElementSibling?.focus(),5)</script>`))
	must(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "12 34"})
	o.want("[...c.children].map(i=>i.value).join('')", `"1234"`)
	o = visit(t, html(`<div id=c><input maxlength=1 id=f><input maxlength=1><input maxlength=1></div>`))
	must(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "987"})
	o.want("[...c.children].map(i=>i.value).join('')", `"987"`)
	_, err := do(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "12345"})
	refused(t, err, browser.NotActionable, "do not fit")
}

func TestTypeWithoutTarget(t *testing.T) {
	o := visit(t, html(`<input id=f autofocus><script>f.focus()</script>`))
	r := must(o, page.Type, page.TypeArgs{Text: "hi", PressEnter: true})
	says(t, r.Text, `holds "hi"`)
	o.want("f.value", `"hi"`)
}

// What is selected is replaced and a caret keeps its place, as when a person types; a
// mere click leaves no selection, and the text goes to the end.
func TestTypeAtCaret(t *testing.T) {
	for name, c := range map[string]struct {
		html   string
		keys   []page.PressArgs
		target page.Target
		value  string
	}{
		"selected":         {`<input id=f value="old text">`, []page.PressArgs{{Key: "Control+a"}}, css("#f"), "new"},
		"selected part":    {`<textarea id=f>old text</textarea>`, []page.PressArgs{{Key: "End"}, {Key: "Shift+Control+ArrowLeft"}}, css("#f"), "old new"},
		"selected number":  {`<input id=f type=email value="a@b.c">`, []page.PressArgs{{Key: "Control+a"}}, css("#f"), "new"},
		"selected secret":  {`<input id=f type=password value=abc>`, []page.PressArgs{{Key: "Control+a"}}, css("#f"), "new"},
		"selected in rich": {`<div id=f contenteditable>old text</div>`, []page.PressArgs{{Key: "Control+a"}}, css("#f"), "new"},
		"clicked":          {`<input id=f value="old text">`, nil, css("#f"), "old textnew"},
		"caret":            {`<input id=f value="oldtext">`, []page.PressArgs{{Key: "Home"}, {Key: "ArrowRight"}}, page.Target{}, "onewldtext"},
		"caret in secret":  {`<input id=f type=password value=abc>`, []page.PressArgs{{Key: "Home"}}, page.Target{}, "newabc"},
		"caret in rich":    {`<div id=f contenteditable>old text</div>`, []page.PressArgs{{Key: "Home"}}, page.Target{}, "newold text"},
	} {
		t.Run(name, func(t *testing.T) {
			o := visit(t, html(c.html))
			must(o, page.Click, page.ClickArgs{Target: css("#f")})
			for _, k := range c.keys {
				must(o, page.Press, k)
			}
			must(o, page.Type, page.TypeArgs{Target: c.target, Text: "new"})
			o.want("f.value ?? f.textContent", quoteJSON(c.value))
		})
	}
}

func TestFillForm(t *testing.T) {
	t.Parallel() // it waits deadlines out
	o := visit(t, html(`<form onsubmit="event.preventDefault();window.sent=JSON.stringify(Object.fromEntries(new FormData(this)))">
<input name=a id=a><input type=checkbox name=b id=b><select name=c id=c><option value=1>One<option value=2>Two</select>
<input type=color name=d id=d><input type=radio name=e value=x id=e><button id=go>Send</button></form>`))
	fields := page.Fields{
		{Target: css("#a"), Value: "text"}, {Target: css("#b"), Value: "true"}, {Target: css("#c"), Value: "Two"},
		{Target: css("#d"), Value: "#C0FFEE"}, {Target: css("#e"), Value: "true"},
	}
	r := must(o, page.FillForm, page.FillFormArgs{Fields: fields, SubmitSelector: "#go"})
	says(t, r.Text, "clicked the submit button")
	o.want("window.sent", quoteJSON(`{"a":"text","b":"on","c":"2","d":"#c0ffee","e":"x"}`))
	fields[0].Target = css("#none")
	_, err := do(o, page.FillForm, page.FillFormArgs{Fields: fields[:2]})
	refused(t, err, browser.NotActionable, "1 of 2 fields", "#none")
}

func TestFillDrawnControls(t *testing.T) {
	const toggle = `onclick="const on=this.getAttribute('aria-checked')!=='true';setTimeout(()=>this.setAttribute('aria-checked',on),40)"`
	for _, c := range []struct{ name, html, value, check string }{
		{"switch", `<div id=f role=switch aria-checked=false ` + toggle + `>Dark</div>`, "true", "f.ariaChecked==='true'"},
		{"checkbox as it is", `<button id=f role=checkbox aria-checked=true ` + toggle + `>Dark</button>`, "true", "f.ariaChecked==='true'"},
		{"checkbox off", `<button id=f role=checkbox aria-checked=true ` + toggle + `>Dark</button>`, "false", "f.ariaChecked==='false'"},
		{"radio", `<div role=radiogroup><i role=radio id=f aria-checked=false tabindex=-1 ` + toggle + `>Pro</i></div>`, "true", "f.ariaChecked==='true'"},
		{"mixed to off", `<input type=checkbox id=f><script>f.indeterminate=true</script>`, "false", "!f.checked&&!f.indeterminate"},
		{"mixed to on", `<input type=checkbox id=f checked><script>f.indeterminate=true</script>`, "true", "f.checked&&!f.indeterminate"},
		{"not rendered", `<input type=checkbox id=f style="display:none"><label for=f>Dark</label>`, "true", "f.checked"},
		{"field of a component", `<x-f id=f></x-f><script>customElements.define('x-f',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<p><input></p>'}})</script>`, "in", "f.shadowRoot.querySelector('input').value==='in'"},
		{"field of a closed component", `<x-f id=f></x-f><script>customElements.define('x-f',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});r.innerHTML='<p><input></p>';this.v=()=>r.querySelector('input').value}})</script>`, "in", "f.v()==='in'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := visit(t, html(c.html))
			must(o, page.FillForm, page.FillFormArgs{Fields: page.Fields{{Target: css("#f"), Value: page.Value(c.value)}}})
			o.want(c.check, "true")
		})
	}
}

func TestFillCheckboxThatIsPutBack(t *testing.T) {
	o := visit(t, html(`<input type=checkbox id=f onclick="setTimeout(()=>this.checked=false)">`))
	_, err := do(o, page.FillForm, page.FillFormArgs{Fields: page.Fields{{Target: css("#f"), Value: "true"}}})
	refused(t, err, browser.NotActionable, "did not change")
}

// Text must not go to a field that the page gives the focus instead.
func TestTypeWhereTheFocusIsHandedOn(t *testing.T) {
	o := visit(t, html(`<input id=f onfocus="setTimeout(()=>g.focus())"><input id=g>`))
	_, err := do(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "new"})
	refused(t, err, browser.NotActionable, "moved it to", "#g")
	o.want("f.value+g.value", `""`)
}

func TestPressGoesToFocus(t *testing.T) {
	o := visit(t, html(`<input id=f value="some words"><script>window.keys=[];onkeydown=e=>keys.push(e.key);f.focus()</script>`))
	must(o, page.Press, page.PressArgs{Key: "Control+a"})
	must(o, page.Press, page.PressArgs{Key: "x"})
	o.want("f.value", `"x"`)
	must(o, page.Press, page.PressArgs{Key: "Backspace"})
	o.want("f.value", `""`)
	o.want("keys.join()", `"Control,a,x,Backspace"`)
	_, err := do(o, page.Press, page.PressArgs{Key: "Nonsense"})
	refused(t, err, browser.BadArgs, "no key")
}

func TestScroll(t *testing.T) {
	o := visit(t, html(`<body style="margin:0;height:3000px"><div id=s style="height:200px;overflow:auto;margin:50px"><div style="height:2000px">in</div></div><b id=low style="position:absolute;top:2500px">low</b>`))
	r := must(o, page.Scroll, page.ScrollArgs{Target: css("#s"), DeltaY: 300})
	says(t, r.Text, "300 of 0,1800")
	o.want("s.scrollTop", "300")
	o.want("scrollY", "0")
	for name, c := range map[string]struct {
		html string
		args page.ScrollArgs
	}{
		"the page, under a box":       {`<body style="margin:0;height:3000px"><div id=in style="height:80vh;overflow:auto;margin:0 40px"><div style="height:2000px">in</div></div><script>out=()=>scrollY</script>`, page.ScrollArgs{DeltaY: 300}},
		"a box with one in it":        {`<div id=o style="height:300px;overflow:auto"><div id=in style="height:280px;overflow:auto"><div style="height:2000px">in</div></div><div style="height:900px"></div></div><script>out=()=>o.scrollTop</script>`, page.ScrollArgs{Target: css("#o"), DeltaY: 300}},
		"a dialog before a long page": {`<body style="height:3000px"><b id=in></b><dialog id=o style="height:200px;overflow:auto"><div style="height:900px">d</div></dialog><script>o.showModal();out=()=>o.scrollTop-scrollY</script>`, page.ScrollArgs{DeltaY: 300}},
	} {
		t.Run(name, func(t *testing.T) {
			o := visit(t, html(c.html))
			must(o, page.Scroll, c.args)
			o.want("out()", "300")
			o.want("document.querySelector('#in').scrollTop", "0")
		})
	}
	must(o, page.Scroll, page.ScrollArgs{DeltaY: 400})
	o.want("scrollY>0", "true")
	y := 1000.0
	must(o, page.Scroll, page.ScrollArgs{Y: &y})
	o.want("scrollY", "1000")
	must(o, page.Scroll, page.ScrollArgs{Target: css("#low")})
	o.want("low.getBoundingClientRect().top<innerHeight", "true")
}

func TestDrag(t *testing.T) {
	t.Run("pointer", func(t *testing.T) {
		o := visit(t, shared.base+"/pages/drag-pointer-threshold.html")
		must(o, page.Drag, page.DragArgs{From: css("#h"), To: css("#z")})
		o.want("__result", `"dropped"`)
	})
	t.Run("long press", func(t *testing.T) {
		o := visit(t, html(`<div id=a style="width:60px;height:30px">Grip</div><div id=z style="margin:150px;width:90px;height:90px;border:1px solid">Zone</div>
<script>let on,s,k;a.onpointerdown=e=>{s=e;k=setTimeout(()=>on=1,250)};onpointermove=e=>{if(s&&!on&&Math.hypot(e.clientX-s.clientX,e.clientY-s.clientY)>5)clearTimeout(k)};z.onpointerup=()=>window.got=on</script>`))
		must(o, page.Drag, page.DragArgs{From: css("#a"), To: css("#z")})
		o.want("window.got", "1")
	})
	for name, code := range map[string]string{
		"late zone":        `let on;a.onpointerdown=()=>on=1;onpointermove=()=>{if(on)z.hidden=false};z.onpointerup=()=>window.got=1`,
		"late zone, html5": `a.draggable=true;a.ondragstart=e=>{e.dataTransfer.setData('text','x');setTimeout(()=>z.hidden=false,50)};z.ondragover=e=>e.preventDefault();z.ondrop=()=>window.got=1`,
	} {
		t.Run(name, func(t *testing.T) {
			o := visit(t, html(`<div id=a style="width:60px;height:30px">Grip</div><div id=z hidden style="margin:150px;width:90px;height:90px;border:1px solid">Zone</div><script>`+code+`</script>`))
			must(o, page.Drag, page.DragArgs{From: css("#a"), To: css("#z")})
			o.want("window.got", "1")
		})
	}
	t.Run("html5", func(t *testing.T) {
		o := visit(t, html(`<div id=a draggable=true style="width:60px;height:30px">Grip</div><div id=z style="margin:150px;width:90px;height:90px;border:1px solid">Zone</div>
<script>a.ondragstart=e=>e.dataTransfer.setData('text/plain','load');z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();window.got=e.dataTransfer.getData('text/plain')};a.ondragend=()=>window.ended=1</script>`))
		r := must(o, page.Drag, page.DragArgs{From: css("#a"), To: css("#z")})
		o.want("window.got", `"load"`)
		says(t, r.Text, "dragged")
	})
}

func TestSelectOption(t *testing.T) {
	t.Parallel() // it waits deadlines out
	o := visit(t, shared.base+"/pages/select-empty-value.html")
	r := must(o, page.SelectOption, page.SelectArgs{Target: css("#s"), Values: page.Strings{"United States"}})
	says(t, r.Text, "United States")
	_, err := do(o, page.SelectOption, page.SelectArgs{Target: css("#s"), Values: page.Strings{"Nowhere"}})
	if err == nil {
		t.Fatal("an option that is not there was selected")
	}
	for _, back := range []string{"this.selectedIndex=0", "setTimeout(()=>this.selectedIndex=0)"} {
		o := visit(t, html(`<select id=s onchange="window.n=1+(window.n||0);`+back+`"><option>One<option>Two</select>`))
		_, err := do(o, page.SelectOption, page.SelectArgs{Target: css("#s"), Values: page.Strings{"Two"}})
		refused(t, err, browser.NotActionable, `holds "One"`)
		o.want("window.n", "1")
	}
}

func TestHover(t *testing.T) {
	o := visit(t, html(`<div id=m onmouseover="this.textContent='open'">shut</div>`))
	must(o, page.Hover, page.HoverArgs{Target: css("#m")})
	o.want("m.textContent", `"open"`)
}

func quoteJSON(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
