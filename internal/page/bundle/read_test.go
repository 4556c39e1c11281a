package bundle_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/pagefn"
)

func TestText(t *testing.T) {
	tests := []struct{ what, html, want string }{
		{"blocks", `<h1>A</h1><p>b <b>c</b>
			d</p><p>e</p><div>f</div><div>g</div>`, "A\n\nb c d\n\ne\n\nf\ng"},
		{"br", `a<br>b<br><br>c`, "a\nb\n\nc"},
		{"inline", `<span>a</span><span>b</span> <i> c </i>d`, "ab c d"},
		{"table", `<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>`, "a\tb\n1\t2"},
		{"list", `<ul><li>a<li>b<ul><li>c</ul></ul>`, "a\nb\nc"},
		{"pre", "<pre>a  b\n  c</pre>", "a  b\n  c"},
		{"hidden", `a<p hidden>x</p><script>x</script><style>y{}</style><template>z</template><span style="visibility:hidden">x</span><details><summary>s</summary>x</details>`, "a\ns"},
		{"shadow", `<x-h id=h>light</x-h><script>h.attachShadow({mode:'closed'}).innerHTML='<p>in root</p><slot></slot>'</script>`, "in root\n\nlight"},
		{"fields", `<label>Name <input value=Ann></label> <input type=password value=geheim><select><option>x<option selected>y</select><textarea>t
u</textarea>`, "Name Ann y t\nu"},
		{"generated", `<style>b::before{content:"€"}</style><b>5</b>`, "€5"},
		{"buttons", `<button>One</button><button>Two</button><input type=submit value=Go>`, "One Two Go"},
		{"svg", `<svg width=90 height=20><title>t</title><text y=10>Label</text></svg>`, "Label"},
		{"flex", `<div style="display:flex"><span>a</span><span>b</span></div>`, "a\nb"},
	}
	d := load(t, "<!doctype html>")
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(tt.html)
			var text pagefn.Text
			d.run("text", pagefn.TextArgs{}, &text)
			if text.Text != tt.want || text.Cut || text.Total != len(tt.want) {
				t.Errorf("%s\n got %q (%d)\nwant %q", tt.html, text.Text, text.Total, tt.want)
			}
		})
	}
}

// A secret is nowhere: in no value, text, markup or name, also when the page shows it.
func TestSecrets(t *testing.T) {
	d := load(t, `<!doctype html><label>A <input type=password value=S1></label>
		<label>B <input style="-webkit-text-security:disc" value=S2></label><label>C <textarea style="-webkit-text-security:square">S3</textarea></label>
		<label>D <input autocomplete="one-time-code" value=S4></label><label>E <input autocomplete="section-a billing cc-number" value=S5></label>
		<label>F <input autocomplete=cc-csc value=S6></label><x-h></x-h><label>G <input type=checkbox> of <input type=number autocomplete=cc-csc value=7777></label>
		<label>H <input autocomplete=cc-name value="Ann Lee"></label><label>I <textarea>free</textarea></label>
		<script>const r=document.querySelector('x-h').attachShadow({mode:'open'});r.innerHTML='<input type=password value=S8>'</script>`)
	reads := func(when string) {
		var text pagefn.Text
		d.run("text", pagefn.TextArgs{}, &text)
		all := d.snapshot(pagefn.SnapshotArgs{}) + text.Text
		d.run("html", pagefn.HTMLArgs{}, &text)
		markup, _, _ := strings.Cut(text.Text, "<script>")
		var content pagefn.Content
		d.run("content", pagefn.ContentArgs{}, &content)
		all += markup + content.HTML
		for _, s := range []string{"S1", "S2", "S3", "S4", "S5", "S6", "7777", "S8"} {
			if strings.Contains(all, s) {
				t.Errorf("%s, %s is in\n%s", when, s, all)
			}
		}
		for _, s := range []string{"Ann Lee", "free"} {
			if strings.Count(all, s) < 4 {
				t.Errorf("%s, %s is not everywhere in\n%s", when, s, all)
			}
		}
	}
	reads("at first")
	d.js(`for (const i of [...document.querySelectorAll('input,textarea'), r.querySelector('input')]) { if (i.type === 'password') i.type = 'text'; i.style = ''; } 0`)
	reads("shown by the page")
}

func TestTextCut(t *testing.T) {
	d := load(t, "<!doctype html><meta charset=utf-8><p>ab👍🏽é👨‍👩‍👧 end</p>")
	for max := 1; max < 40; max++ {
		var text pagefn.Text
		d.run("text", pagefn.TextArgs{MaxBytes: max}, &text)
		if len(text.Text) > max || !strings.HasPrefix("ab👍🏽é👨‍👩‍👧 end", text.Text) || strings.Contains(text.Text, "�") {
			t.Errorf("%d bytes: %q", max, text.Text)
		}
		if strings.HasSuffix(text.Text, "👍") || strings.HasSuffix(text.Text, "👨") {
			t.Errorf("%d bytes: cut inside a character: %q", max, text.Text)
		}
	}
}

func TestTextWaits(t *testing.T) {
	d := load(t, `<!doctype html><script>setTimeout(()=>document.body.innerHTML='<p id=p>late</p>',150)</script><body>`)
	var text pagefn.Text
	target := css("#p")
	d.run("text", pagefn.TextArgs{Target: &target, TimeoutMS: 1500}, &text)
	if text.Text != "late" {
		t.Error(text.Text)
	}
}

func TestHTML(t *testing.T) {
	d := load(t, `<!doctype html><div id=a><input type=password value=geheim><b>x &amp; y</b></div><div id=c><i>z</i></div><div id=h></div>`)
	tests := []struct {
		selector string
		outer    bool
		want     string
	}{
		{"#a", true, `<div id="a"><input type="password" value=""><b>x &amp; y</b></div>`},
		{"#c", true, `<div id="c"><i>z</i></div>`},
		{"#c", false, `<i>z</i>`},
	}
	for _, tt := range tests {
		var text pagefn.Text
		target := css(tt.selector)
		d.run("html", pagefn.HTMLArgs{Target: &target, Outer: tt.outer}, &text)
		if text.Text != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.selector, text.Text, tt.want)
		}
	}
	d.js(`h.attachShadow({mode:'open'}).innerHTML='<p>in</p>'`)
	var text pagefn.Text
	d.run("html", pagefn.HTMLArgs{}, &text)
	if strings.Contains(text.Text, "geheim") || !strings.Contains(text.Text, `<template shadowrootmode="open"><p>in</p></template>`) {
		t.Error(text.Text)
	}
}

func TestWaitFor(t *testing.T) {
	d := load(t, `<!doctype html><p id=old>old</p><div id=h></div><script>const r=h.attachShadow({mode:'open'});setTimeout(()=>{r.innerHTML='<b>Nigeria, Co\u0302te d\u2019Ivoire</b>';old.remove();document.body.insertAdjacentHTML('beforeend','<i id=new>new</i>')},200)</script>`)
	old, fresh, none := css("#old"), css("#new"), css("#none")
	tests := []struct {
		what string
		args pagefn.WaitArgs
		want bool
	}{
		{"text in a shadow root", pagefn.WaitArgs{TextContains: "nigeria", TimeoutMS: 3000}, true},
		{"text in another form", pagefn.WaitArgs{TextContains: "c\u00f4te d'ivoire", TimeoutMS: 3000}, true},
		{"element", pagefn.WaitArgs{Target: &fresh, TimeoutMS: 3000}, true},
		{"gone", pagefn.WaitArgs{Target: &old, Gone: true, TimeoutMS: 3000}, true},
		{"text gone", pagefn.WaitArgs{TextContains: "old", Gone: true, TimeoutMS: 3000}, true},
		{"never", pagefn.WaitArgs{Target: &none, TimeoutMS: 60}, false},
		{"never gone", pagefn.WaitArgs{Target: &fresh, Gone: true, TimeoutMS: 60}, false},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			var w pagefn.Wait
			d.run("waitFor", tt.args, &w)
			if w.Matched != tt.want {
				t.Errorf("%+v", w)
			}
		})
	}
}

// Points of a child frame have to arrive in it, through borders, transforms and zoom.
func TestFrameOwner(t *testing.T) {
	const child = `srcdoc="<body style='margin:0'><script>addEventListener('click',e=>parent.hit=[e.clientX,e.clientY],true)</script>"`
	tests := []struct{ what, html string }{
		{"plain", `<iframe id=f ` + child + `></iframe>`},
		{"border and padding", `<iframe id=f style="border:7px solid;padding:11px 13px" ` + child + `></iframe>`},
		{"scaled", `<div style="transform:scale(.6);transform-origin:0 0"><iframe id=f style="border:5px solid" ` + child + `></iframe></div>`},
		{"turned", `<div style="padding:120px"><iframe id=f style="border:9px solid;transform:rotate(30deg) scale(1.2)" ` + child + `></iframe></div>`},
		{"individual transforms", `<div style="padding:120px;translate:30px 10px"><iframe id=f style="rotate:20deg;scale:1.3 .8;border:5px solid" ` + child + `></iframe></div>`},
		{"zoomed", `<div style="zoom:1.5"><iframe id=f style="border:4px solid;zoom:.8" ` + child + `></iframe></div>`},
		{"below the fold", `<div style="height:3000px"></div><iframe id=f ` + child + `></iframe>`},
		{"taller than the viewport", `<iframe id=f style="height:3000px" ` + child + `></iframe>`},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d := load(t, "<!doctype html><iframe style='display:none'></iframe>"+tt.html)
			want := []float64{41, 63}
			if strings.HasPrefix(tt.what, "taller") {
				want[1] = 2063
			}
			node := object{"objectId": d.object("document.getElementById('f')")}
			env := d.call("frameOwner", pagefn.FrameOwnerArgs{X: want[0], Y: want[1], Into: true}, node)
			if env.Error != nil {
				t.Fatal(env.Error)
			}
			var p pagefn.FramePoint
			d.must(unmarshal(env.Value, &p))
			if p.Covered != "" || p.Selector != "#f" || p.Index != 2 {
				t.Errorf("%+v", p)
			}
			d.mouse(p.X, p.Y, 1)
			hit, _ := d.js("window.hit").([]any)
			if len(hit) != 2 || math.Abs(hit[0].(float64)-want[0]) > 1.5 || math.Abs(hit[1].(float64)-want[1]) > 1.5 {
				t.Errorf("sent to %.1f,%.1f it arrived at %v, want %v", p.X, p.Y, hit, want)
			}
		})
	}
}

func TestFrameCovered(t *testing.T) {
	d := load(t, `<!doctype html><iframe id=f></iframe><div role=dialog aria-label=Cookies style="position:fixed;inset:0"></div>`)
	env := d.call("frameOwner", pagefn.FrameOwnerArgs{X: 5, Y: 5}, object{"objectId": d.object("document.getElementById('f')")})
	if !strings.Contains(string(env.Value), "Cookies") {
		t.Errorf("%s %v", env.Value, env.Error)
	}
}

func TestScrollAndProbe(t *testing.T) {
	d := load(t, `<!doctype html><title>T</title><style>html{scroll-behavior:smooth}</style><div id=s style="height:100px;overflow:auto"><div style="height:1000px">x</div></div><div style="height:3000px"></div>`)
	var s pagefn.Scrolled
	target := css("#s div")
	d.run("scroll", pagefn.ScrollArgs{Target: &target, DeltaY: 250}, &s)
	if s.Y != 250 || s.MaxY != 900 {
		t.Errorf("pane: %+v", s)
	}
	y := 700.0
	d.run("scroll", pagefn.ScrollArgs{Y: &y}, &s)
	if s.Y != 700 {
		t.Errorf("page: %+v", s)
	}
	var p pagefn.Probe
	d.run("probe", pagefn.ProbeArgs{}, &p)
	if p.Title != "T" || p.ReadyState != "complete" || p.ScrollY != 700 || p.FullHeight < 3000 || p.Width < 500 || p.Status != 200 {
		t.Errorf("probe: %+v", p)
	}
}

func TestUnknownFunction(t *testing.T) {
	d := load(t, `<!doctype html>`)
	d.fails("nothing", object{}, "UNKNOWN_METHOD", "nothing")
	d.fails("constructor", object{}, "UNKNOWN_METHOD")
}

// The bundle twice in one world: numbers stay good, and the page sees nothing of it.
func TestTwiceAndUnseen(t *testing.T) {
	d := load(t, `<!doctype html><button>B</button>`)
	var s pagefn.Snapshot
	d.run("snapshot", pagefn.SnapshotArgs{}, &s)
	d.object(bundleSource())
	d.run("box", pagefn.BoxArgs{Target: pagefn.Locator{Node: s.Nodes[0].Node}}, nil)
	if d.js("typeof __chromeMcp") != "undefined" {
		t.Error("the page sees the bundle")
	}
}

func TestOddDocuments(t *testing.T) {
	for _, tt := range []struct{ ext, text string }{
		{"svg", `<svg xmlns="http://www.w3.org/2000/svg"><title>t</title><a href="#x"><text y="20">Go</text></a></svg>`},
		{"xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head></html>`},
		{"html", `<!doctype html><script>document.body?.remove();document.documentElement.remove()</script>`},
	} {
		d := loadAs(t, tt.ext, tt.text)
		for _, fn := range []string{"probe", "snapshot", "text", "html", "scroll"} {
			if env := d.call(fn, object{}); env.Error != nil {
				t.Errorf("%s of %s: %s", fn, tt.text, env.Error)
			}
		}
		d.fails("prepare", pagefn.PrepareArgs{Target: css("#none"), For: "click", TimeoutMS: 20}, "SELECTOR_NOT_FOUND")
	}
}

// A hidden tab's timers come once a second; waiting must not depend on them. The root
// keeps the change from the document's observers.
func TestWaitHidden(t *testing.T) {
	d := load(t, `<!doctype html><div id=h></div><script>const r=h.attachShadow({mode:'open'})</script>`)
	session := d.c.session
	d.c.session = ""
	var other struct{ TargetID string }
	err := d.c.cdp("Target.createTarget", object{"url": "about:blank"}, &other)
	d.c.session = session
	d.must(err)
	d.must(d.c.cdp("Emulation.setFocusEmulationEnabled", object{"enabled": false}, nil))
	defer func() {
		d.must(d.c.cdp("Emulation.setFocusEmulationEnabled", object{"enabled": true}, nil))
		d.must(d.c.cdp("Page.bringToFront", object{}, nil))
		d.c.session = ""
		d.must(d.c.cdp("Target.closeTarget", object{"targetId": other.TargetID}, nil))
		d.c.session = session
	}()
	if d.js("document.hidden") != true {
		t.Fatal("the tab is not hidden")
	}
	d.js(`(()=>{const c=new MessageChannel();const end=performance.now()+250;c.port1.onmessage=()=>performance.now()<end?c.port2.postMessage(0):r.innerHTML='<p id=p>x</p>';c.port2.postMessage(0)})()`)
	began := time.Now()
	var w pagefn.Wait
	target := css("#p")
	d.run("waitFor", pagefn.WaitArgs{Target: &target, TimeoutMS: 5000}, &w)
	if took := time.Since(began); !w.Matched || took > 900*time.Millisecond {
		t.Errorf("%+v after %v", w, took)
	}
}
