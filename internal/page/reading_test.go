package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

var refPattern = regexp.MustCompile(`\[(e\d+)\]`)

// refOf returns the ref of the first line that has the words.
func refOf(t *testing.T, snapshot, words string) string {
	t.Helper()
	for line := range strings.Lines(snapshot) {
		if m := refPattern.FindStringSubmatch(line); m != nil && strings.Contains(line, words) {
			return m[1]
		}
	}
	t.Fatalf("no ref for %q in\n%s", words, snapshot)
	return ""
}

func TestSnapshotShowsFramesInPlace(t *testing.T) {
	o := visit(t, html(`<h1>Top</h1><iframe title=Box src="{alt}/t?html=`+escape(`<button>In</button><iframe srcdoc='<p>Deep</p>'></iframe>`)+`"></iframe><p>Bottom</p>`))
	waitText(o, "Deep")
	r := must(o, page.Snapshot, page.SnapshotArgs{})
	got := refPattern.ReplaceAllString(r.Page, "[e]")
	want := strings.TrimSpace(`
heading "Top" [e] level=1
iframe "Box" [e]
  button "In" [e]
  iframe [e]
    text "Deep"
text "Bottom"`)
	if got != want {
		t.Errorf("snapshot is\n%s\nwant\n%s", got, want)
	}
}

// What object and embed show is a frame too.
func TestSnapshotShowsObjects(t *testing.T) {
	o := visit(t, html(`<object type="text/html" title=Obj data="{alt}/t?html=`+escape(`<button>In object</button>`)+`"><p>Instead</p></object>
		<embed type="text/html" src="/t?html=`+escape(`<button>In embed</button>`)+`"><object data="/t?status=404"><p>Fallback</p></object>`))
	waitText(o, "In embed")
	waitText(o, "In object")
	for _, only := range []bool{false, true} {
		r := must(o, page.Snapshot, page.SnapshotArgs{InteractiveOnly: only})
		says(t, r.Page, `iframe "Obj"`, `button "In object"`, `button "In embed"`)
		if strings.Contains(r.Page, "Instead") || !only && !strings.Contains(r.Page, "Fallback") {
			t.Errorf("what stands for an object:\n%s", r.Page)
		}
	}
}

func waitText(o open, text string) {
	o.Helper()
	must(o, page.WaitFor, page.WaitForArgs{TextContains: text, TimeoutMS: 5000})
}

func TestSnapshotHidesDeniedFrames(t *testing.T) {
	o := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}, Mutations: true})
	o.navigate(html(`<p>Ours</p><iframe title=Box width=200 height=100 src="{alt}/secret"></iframe>`))
	r := must(o, page.Snapshot, page.SnapshotArgs{})
	says(t, r.Page, "Ours", "Box", "localhost", "not allowed")
	for name, call := range map[string]func() (*page.Result, error){
		"snapshot": func() (*page.Result, error) { return r, nil },
		"get_text": func() (*page.Result, error) { return do(o, page.GetText, page.TextArgs{}) },
		"find":     func() (*page.Result, error) { return do(o, page.Find, page.FindArgs{Text: "words"}) },
		"frames":   func() (*page.Result, error) { return do(o, page.FramesList, page.FramesListArgs{}) },
	} {
		r, err := call()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, _ := json.Marshal(r)
		if strings.Contains(string(data), "Secret") {
			t.Errorf("%s leaks the denied frame: %s", name, data)
		}
	}
	_, err := do(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Go"}})
	refused(t, err, browser.SelectorNotFound, "not allowed")
	shot := must(o, page.Screenshot, page.ScreenshotArgs{Format: "png"})
	says(t, shot.Text, "painted over")
}

func TestSnapshotDiff(t *testing.T) {
	o := visit(t, html(`<main><button id=b onclick="this.disabled=true;s.textContent='Done'">Go</button><p id=s>Waiting</p><p>Same</p></main>`))
	must(o, page.Snapshot, page.SnapshotArgs{})
	r := must(o, page.Click, page.ClickArgs{Target: css("#b"), After: page.After{SnapshotAfter: true}})
	says(t, r.Page, `~ button "Go"`, "disabled", `+ text "Done"`, `- text "Waiting"`)
	if strings.Contains(r.Page, "Same") {
		t.Errorf("the diff has an unchanged line:\n%s", r.Page)
	}
	r = must(o, page.Snapshot, page.SnapshotArgs{Diff: true})
	says(t, r.Text, "nothing changed")
}

func TestSnapshotDiffOfOrder(t *testing.T) {
	o := visit(t, html(`<main><ul id=l><li>Alpha</li><li>Beta <a href=#b>more</a></li><li>Gamma</li><li>Delta</li></ul><ul id=k><li>Far</li></ul><p>Same</p></main>`))
	must(o, page.Snapshot, page.SnapshotArgs{})
	for _, tt := range []struct{ what, js, has, hasNot string }{
		{"first to last", `l.append(l.children[0])`, `> listitem "Alpha", now after listitem "Delta"`, "Beta"},
		{"last to first", `l.prepend(l.children[3])`, `> listitem "Alpha", now first`, "Gamma"},
		{"to another list", `k.append(l.children[1])`, `Beta`, "Delta"},
		{"nothing", `1`, "", ">"},
	} {
		must(o, page.Eval, page.EvalArgs{Expression: tt.js + "; 0"})
		r := must(o, page.Snapshot, page.SnapshotArgs{Diff: true})
		if !strings.Contains(r.Page, tt.has) || strings.Contains(r.Page, tt.hasNot) || strings.Contains(r.Page, "Same") {
			t.Errorf("%s:\n%s", tt.what, r.Page)
		}
	}
}

func TestSnapshotFoldsLongLists(t *testing.T) {
	o := visit(t, html(`<h1>Report</h1><ul id=u></ul><footer>End</footer><script>
for(let i=0;i<2000;i++){const l=document.createElement('li');const a=document.createElement('a');a.href='/x'+i;a.textContent='Item number '+i;l.append(a);u.append(l)}</script>`))
	r := must(o, page.Snapshot, page.SnapshotArgs{})
	if len(r.Page) > 32<<10 {
		t.Errorf("snapshot has %d bytes", len(r.Page))
	}
	says(t, r.Page, "Report", "Item number 0", "more", "End")
	start := time.Now()
	r = must(o, page.Snapshot, page.SnapshotArgs{InteractiveOnly: true})
	t.Logf("2000 links: %v, %d bytes", time.Since(start), len(r.Page))
	if len(r.Page) > 25<<10 {
		t.Errorf("interactive snapshot has %d bytes", len(r.Page))
	}
	f := must(o, page.Find, page.FindArgs{Text: "Item number 1777"})
	ref := refOf(t, f.Page, "1777")
	must(o, page.Hover, page.HoverArgs{Target: page.Target{Ref: ref}})
}

func TestRefsExpire(t *testing.T) {
	o := visit(t, html(`<button>One</button>`))
	r := must(o, page.Snapshot, page.SnapshotArgs{})
	ref := refOf(t, r.Page, "One")
	again := must(o, page.Snapshot, page.SnapshotArgs{})
	if refOf(t, again.Page, "One") != ref {
		t.Error("the same element has another ref")
	}
	o.eval(`document.querySelector('button').textContent='Two'`)
	_, err := do(o, page.Click, page.ClickArgs{Target: page.Target{Ref: ref}})
	refused(t, err, browser.RefExpired)
	o.navigate(html(`<button>One</button>`))
	_, err = do(o, page.Click, page.ClickArgs{Target: page.Target{Ref: ref}})
	refused(t, err, browser.RefExpired, "snapshot")
	_, err = do(o, page.Click, page.ClickArgs{Target: page.Target{Ref: "e99999"}})
	refused(t, err, browser.RefExpired, "snapshot")
}

func TestGetTextAndHTML(t *testing.T) {
	o := visit(t, html(`<p>Seen</p><p hidden>Unseen</p><div id=d><b>Bold</b></div>`))
	r := must(o, page.GetText, page.TextArgs{})
	says(t, r.Page, "Seen", "Bold")
	if strings.Contains(r.Page, "Unseen") {
		t.Error("hidden text is in")
	}
	if r = must(o, page.GetHTML, page.HTMLArgs{Target: css("#d")}); r.Page != "<b>Bold</b>" {
		t.Errorf("inner HTML is %q", r.Page)
	}
	r = must(o, page.GetText, page.TextArgs{MaxBytes: 3})
	says(t, r.Text, "truncated")
	if len(r.Page) > 3 {
		t.Errorf("text is %q", r.Page)
	}
	_, err := do(o, page.GetText, page.TextArgs{Target: css("#none")})
	refused(t, err, browser.SelectorNotFound)
}

// What a frame holds is not read when nobody sees the frame, nor of one inside it.
func TestTextOfHiddenFrames(t *testing.T) {
	inner := escape(`<p>Unseen</p><iframe srcdoc='<p>Unseen too</p>'></iframe>`)
	o := visit(t, html(`<p>Top</p><iframe style="visibility:hidden" src="{alt}/t?html=`+inner+`"></iframe><iframe width=0 height=0 src="/t?html=`+inner+`"></iframe>
		<div style="visibility:hidden"><iframe src="/t?html=`+inner+`"></iframe></div><iframe style="display:none" src="/t?html=`+inner+`"></iframe><iframe srcdoc="<p>Seen</p>"></iframe>`))
	for what, r := range map[string]*page.Result{
		"text": must(o, page.GetText, page.TextArgs{}), "markdown": must(o, page.ReadAsMarkdown, page.MarkdownArgs{}),
	} {
		if !strings.Contains(r.Page, "Seen") || strings.Contains(r.Page, "Unseen") {
			t.Errorf("%s:\n%s", what, r.Page)
		}
	}
}

// A frame that loads when it comes into view is brought there by whoever works in it.
func TestLazyFrame(t *testing.T) {
	for what, work := range map[string]func(o open, id browser.FrameID){
		"click": func(o open, id browser.FrameID) {
			must(o, page.Click, page.ClickArgs{Target: page.Target{Selector: "button", FrameArg: page.FrameArg{FrameID: id}}})
		},
		"wait_for": func(o open, id browser.FrameID) {
			must(o, page.WaitFor, page.WaitForArgs{TextContains: "Late", FrameArg: page.FrameArg{FrameID: id}, TimeoutMS: 5000})
		},
	} {
		o := visit(t, html(`<div style="height:9000px">Top</div><iframe loading=lazy src="{alt}/t?html=`+escape(`<button>Late</button>`)+`"></iframe>`))
		frames := must(o, page.FramesList, page.FramesListArgs{})
		id := browser.FrameID(regexp.MustCompile(`(?m)^  (\S+)`).FindStringSubmatch(frames.Text)[1])
		t.Log(what)
		work(o, id)
	}
}

func TestEval(t *testing.T) {
	o := visit(t, html(`<p id=p data-odd=1>x</p><i style=display:none></i><script>window.n=41</script>`))
	for _, c := range []struct{ expression, page, kind, note string }{
		{"n+1", "42", "number", ""},
		{"const m = n; return m + 1 // that", "42", "number", ""},
		{"return await Promise.resolve([n])", "[41]", "array", ""},
		{"'ü👍'", `"ü👍"`, "string", ""},
		{"({b:1,a:[1,{c:'ü'}]})", `{"b":1,"a":[1,{"c":"ü"}]}`, "object", ""},
		{"const q=5; q*2", "10", "number", ""},
		{"await Promise.resolve(7)", "7", "number", ""},
		{"new Promise(r=>setTimeout(()=>r('late'),30))", `"late"`, "string", ""},
		{"undefined", "", "undefined", ""},
		{"null", "null", "null", ""},
		{"document.body", "", "node", "element"},
		{"() => n", "41", "number", ""},
		{"(async ({a} = {}) => { await 0; return [n, a] })", "[41,null]", "array", ""},
		{"(function named() { return this === undefined || this === window })", "true", "boolean", ""},
		{"function () { return n }", "41", "number", ""},
		{"async function({a} = {}) { return [n, a] };\n", "[41,null]", "array", ""},
		{"{a: n, b: 'x'}", `{"a":41,"b":"x"}`, "object", ""},
		{"{ n };", `{"n":41}`, "object", ""},
		{"{ const k = n; k + 1 }", "42", "number", ""},
		{"window.alert", "", "function", "cannot be sent"},
		{"(window.alert)", "", "function", "cannot be sent"},
		{"const f = () => n++; f", "", "function", "cannot be sent"},
		{"10n", `"10"`, "bigint", "text"},
		{"1/0", `"Infinity"`, "number", "text"},
		{"const c={};c.c=c;c", `{"c":null}`, "object", "refers to itself"},
		{"const s={};[s,s]", "[{},{}]", "array", ""},
		{"new Map([[1,{b:2}]])", `[[1,{"b":2}]]`, "map", ""},
		{"new Set(['a'])", `["a"]`, "set", ""},
		{"({z:new Date(0),a:[new Date(NaN)],f(){},u:undefined})", `{"z":"1970-01-01T00:00:00.000Z","a":[null]}`, "object", ""},
		{"[NaN,-1/0,1e21,undefined,Symbol(),()=>1,5n]", `[null,null,1e+21,null,null,null,"5"]`, "array", ""},
		{"new Date(0)", `"1970-01-01T00:00:00.000Z"`, "date", ""},
		{"[/a/g, new RangeError('far'), new URL('http://a.b/c?d'), new URLSearchParams({q: 'x y'})]", `["/a/g","RangeError: far","http://a.b/c?d","q=x+y"]`, "array", ""},
		{"[...document.querySelectorAll('p')].map(e => ({e, is: e.getBoundingClientRect().height > 0, ...e.dataset}))", `[{"e":"<p#p>","is":true,"odd":"1"}]`, "array", ""},
		{"document.querySelector('i').getBoundingClientRect()", `{"x":0,"y":0,"width":0,"height":0,"top":0,"right":0,"bottom":0,"left":0}`, "DOMRect", ""},
		{"document.querySelectorAll('p')", `["<p#p>"]`, "array", ""},
		{"document.querySelector('p').dataset", `{"odd":"1"}`, "DOMStringMap", ""},
		{"new Uint8Array([1,2])", "[1,2]", "typedarray", ""},
		{"class P { constructor() { this.x = 1 } get y() { return 2 } }; new P", `{"x":1}`, "P", ""},
		{"({get bad() { throw 1 }, good: '\\u2028\\ud800\"'})", `{"bad":null,"good":"` + "\u2028\ufffd" + `\""}`, "object", "throws"},
		{"Array.from({length: 300}).reduce(v => [v], 0)", "", "array", "too deep"},
		{"performance", "", "Performance", ""},
		{"window", "", "Window", "JSON"},
	} {
		r := must(o, page.Eval, page.EvalArgs{Expression: c.expression})
		var d struct {
			OK         bool
			Type, Note string
		}
		raw, _ := json.Marshal(r.Data)
		_ = json.Unmarshal(raw, &d)
		if !d.OK || d.Type != c.kind || !strings.Contains(d.Note, c.note) || c.page != "" && r.Page != c.page {
			t.Errorf("%s gives %s, page %q; want type %s, page %q, note with %q", c.expression, raw, r.Page, c.kind, c.page, c.note)
		}
	}
	// What a page throws must not look like a return outside a function: it ran already.
	for _, thrown := range []string{"eval('return 1')", "Error.stackTraceLimit = 0; eval('return 1')", "throw Object.assign(new SyntaxError, {stack: 'SyntaxError: Illegal return statement'})"} {
		r := must(o, page.Eval, page.EvalArgs{Expression: "n++; " + thrown})
		says(t, r.Page, "SyntaxError")
	}
	o.want("n", "44")
	r := must(o, page.Eval, page.EvalArgs{Expression: "throw new TypeError('bad thing')"})
	raw, _ := json.Marshal(r.Data)
	says(t, string(raw), `"ok":false`, "bad thing")
}

func TestWaitForAcrossNavigations(t *testing.T) {
	o := visit(t, shared.base+"/pages/nav-js-chain.html")
	r := must(o, page.Click, page.ClickArgs{Target: css("#a")})
	t.Log(r.Text)
	r = must(o, page.WaitFor, page.WaitForArgs{TextContains: "Arrived at the end", TimeoutMS: 6000})
	says(t, r.Text, "is there")
	r = must(o, page.WaitFor, page.WaitForArgs{URL: "*?3"})
	says(t, r.Text, "is there")
	must(o, page.WaitFor, page.WaitForArgs{Selector: "#none", Gone: true})
	start := time.Now()
	_, err := do(o, page.WaitFor, page.WaitForArgs{Selector: "#none", TimeoutMS: 300})
	refused(t, err, browser.Timeout, "#none")
	if d := time.Since(start); d > 1500*time.Millisecond {
		t.Errorf("took %v", d)
	}
}

func TestScreenshots(t *testing.T) {
	o := visit(t, html(`<body style="margin:0;height:3000px;background:linear-gradient(red,blue)"><div id=d style="position:absolute;top:1500px;width:120px;height:80px;background:lime"></div>`))
	r := must(o, page.Screenshot, page.ScreenshotArgs{})
	if len(r.Images) != 1 || r.Images[0].MIME != "image/jpeg" {
		t.Fatalf("images: %v", r.Text)
	}
	r = must(o, page.Screenshot, page.ScreenshotArgs{Target: css("#d"), Format: "png"})
	says(t, r.Text, "120×80 image/png")
	r = must(o, page.Screenshot, page.ScreenshotArgs{FullPage: true, Scale: 1})
	says(t, r.Text, "×3000")
	o.want("scrollY", "0")
}

// TestScreenshotOfWhatIsThere takes pictures of one viewport while the page, its size, its
// zoom and what may be shown of it change between them.
func TestScreenshotOfWhatIsThere(t *testing.T) {
	o := visit(t, html(`<style>::-webkit-scrollbar { display: none }</style><body style="margin:0;height:3000px;background:#00f">`))
	tab, err := shared.backend.Tab(o.tab().ID())
	if err != nil {
		t.Fatal(err)
	}
	emulate := func(width, height int, ratio float64) {
		t.Helper()
		params := map[string]any{"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": false}
		if err := tab.Call(t.Context(), "", "Emulation.setDeviceMetricsOverride", params, nil); err != nil {
			t.Fatal(err)
		}
	}
	shot := func(colour color.Color, width, height int) {
		t.Helper()
		for range 3 {
			r := must(o, page.Screenshot, page.ScreenshotArgs{Format: "png"})
			img, _, err := image.Decode(bytes.NewReader(r.Images[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			if size := img.Bounds().Size(); size != image.Pt(width, height) {
				t.Errorf("the picture is %v, want %d×%d", size, width, height)
			}
			says(t, r.Text, fmt.Sprintf("%d×%d", width, height))
			if got := color.NRGBAModel.Convert(img.At(width/2, height/2)); got != colour {
				t.Errorf("%d×%d is %v, want %v", width, height, got, colour)
			}
		}
	}
	blue, green, red := color.NRGBA{0, 0, 255, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{255, 0, 0, 255}
	emulate(700, 500, 1)
	shot(blue, 700, 500)
	for range 3 {
		o.eval(`document.body.style.background = '#0f0'`)
		shot(green, 700, 500)
		o.eval(`document.body.style.background = '#f00', scrollTo(0, 1000)`)
		shot(red, 700, 500)
	}
	emulate(600, 400, 1)
	shot(red, 600, 400)
	emulate(600, 400, 2)
	shot(red, 600, 400)
	emulate(600, 400, 1)
	shot(red, 600, 400)
	emulate(2000, 1000, 1)
	shot(red, 1568, 784)
	emulate(600, 400, 1)
	shot(red, 600, 400)
	o.eval(`document.querySelector('style').textContent = ''`) // scroll bars are no part of the viewport
	shot(red, 585, 400)
}

// TestScreenshotOfBusyPage has the browser asked twice, because the page draws nothing for so
// long, and takes pictures of what it draws when it is free again.
func TestScreenshotOfBusyPage(t *testing.T) {
	o := visit(t, html(`<body style="background:#00f">`))
	for range 2 {
		must(o, page.Screenshot, page.ScreenshotArgs{})
	}
	o.eval(`void (globalThis.free = new Promise((done) => setTimeout(() => {
		for (const end = Date.now() + 1500; Date.now() < end;);
		document.body.style.background = '#f00';
		done(1);
	})))`)
	must(o, page.Screenshot, page.ScreenshotArgs{}) // of before or after
	o.eval(`free`)
	for range 3 {
		r := must(o, page.Screenshot, page.ScreenshotArgs{Format: "png"})
		img, _, err := image.Decode(bytes.NewReader(r.Images[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		if got := color.NRGBAModel.Convert(img.At(50, 50)); got != (color.NRGBA{255, 0, 0, 255}) {
			t.Errorf("the picture is %v, want what the page drew when it was free again", got)
		}
	}
}

func TestFramesList(t *testing.T) {
	o := visit(t, shared.base+"/pages/frame-frameset.html")
	start := time.Now()
	r := must(o, page.FramesList, page.FramesListArgs{})
	t.Log(time.Since(start), r.Text)
	says(t, r.Text, "selector=")
}

// TestCosts logs what actions cost here; the budgets are for the whole path and are
// held by the benchmark.
func TestCosts(t *testing.T) {
	o := visit(t, html(`<button id=b>Go</button><input id=f>`))
	for name, call := range map[string]func(){
		"click": func() { must(o, page.Click, page.ClickArgs{Target: css("#b")}) },
		"type": func() {
			must(o, page.Type, page.TypeArgs{Target: css("#f"), Text: "twenty characters ok", Clear: true})
		},
		"eval": func() { o.eval("1") },
		"text": func() { must(o, page.GetText, page.TextArgs{}) },
		"shot": func() { must(o, page.Screenshot, page.ScreenshotArgs{}) },
	} {
		best := time.Hour
		for range 12 {
			start := time.Now()
			call()
			best = min(best, time.Since(start))
		}
		t.Logf("%s %.1f ms", name, float64(best.Microseconds())/1000)
	}
}
