package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toolTests has one test for each tool of this release; TestTools fails when a tool has
// none. Each starts in a new tab of its own.
var toolTests = map[string]func(t *testing.T, s *server){
	"chrome_status": func(t *testing.T, s *server) {
		r := s.call(t, "chrome_status", nil)
		for _, word := range []string{"extension", "Chrom"} {
			if !strings.Contains(r.text, word) {
				t.Errorf("the status does not say %q:\n%s", word, r.text)
			}
		}
	},
	"guide": func(t *testing.T, s *server) {
		if r := s.call(t, "guide", nil); !strings.Contains(r.text, "snapshot") {
			t.Errorf("the guide does not speak of snapshot:\n%s", clip(r.text))
		}
	},
	// With WebMCP: TestPageToolsInTheUsersBrowser.
	"webmcp_list": func(t *testing.T, s *server) {
		s.open(t, "<title>Plain</title>")
		if r := s.call(t, "webmcp_list", nil); !strings.Contains(r.text, "no WebMCP") {
			t.Errorf("the answer does not say that the browser has no WebMCP:\n%s", r.text)
		}
	},
	"webmcp_call": func(t *testing.T, s *server) {
		s.open(t, "<title>Plain</title>")
		s.refuse(t, "webmcp_call", args{"tool": "add"}, "SELECTOR_NOT_FOUND", "no WebMCP")
	},
	"tabs_list": func(t *testing.T, s *server) {
		s.open(t, "<title>Listed</title>")
		r := s.call(t, "tabs_list", nil)
		if !strings.Contains(r.text, "Listed") {
			t.Errorf("the tab is not in the list:\n%s", r.text)
		}
	},
	"tab_new": func(t *testing.T, s *server) {
		r := s.call(t, "tab_new", args{"url": rig.site.page("<title>New</title>")})
		defer s.call(t, "tab_close", args{"tabId": r.data["tabId"]})
		if !regexp.MustCompile(`^ext:\w+:\d+$`).MatchString(str(r.data["tabId"])) {
			t.Errorf("tab_new answered with the tab %v", r.data["tabId"])
		}
		s.wantValue(t, "document.title", "New")
	},
	"tab_select": func(t *testing.T, s *server) {
		first := s.open(t, "<title>First</title>")
		s.open(t, "<title>Second</title>")
		s.call(t, "tab_select", args{"tabId": first})
		s.wantValue(t, "document.title", "First")
		s.refuse(t, "tab_select", args{"tabId": "ext:9:99"}, "tabs_list")
	},
	"tab_close": func(t *testing.T, s *server) {
		r := s.call(t, "tab_new", nil)
		s.call(t, "tab_close", args{"tabId": r.data["tabId"]})
		s.refuse(t, "get_text", args{"tabId": r.data["tabId"]}, "TAB_NOT_FOUND")
	},
	"navigate": func(t *testing.T, s *server) {
		r := s.call(t, "navigate", args{"url": rig.site.base + "/form"})
		for _, word := range []string{"Form", "200", "/form"} {
			if !strings.Contains(r.text, word) {
				t.Errorf("the answer does not say %q:\n%s", word, r.text)
			}
		}
		s.refuse(t, "navigate", args{"url": "http://127.0.0.1:1/"}, "NAVIGATION_FAILED")
		s.refuse(t, "navigate", args{"url": "https://no-such-host.invalid/"}, "NAVIGATION_FAILED")
	},
	"back":    history,
	"forward": history,
	"reload": func(t *testing.T, s *server) {
		s.open(t, "<title>Reload</title><script>sessionStorage.n = 1 + +(sessionStorage.n ?? 0)</script>")
		s.call(t, "reload", nil)
		s.wantValue(t, "sessionStorage.n", "2")
	},
	"snapshot": func(t *testing.T, s *server) {
		s.call(t, "navigate", args{"url": rig.site.base + "/form"})
		r := s.call(t, "snapshot", nil)
		for _, line := range []string{`(?m)^\s*textbox "Name" \[e\d+\]`, `(?m)^\s*combobox "Size" .*\[e\d+\]`, `(?m)^\s*checkbox "Gift" \[e\d+\]`, `(?m)^\s*button "Send" \[e\d+\]`, `heading "Order"`} {
			if !regexp.MustCompile(line).MatchString(r.text) {
				t.Errorf("no line %s in\n%s", line, r.text)
			}
		}
		s.call(t, "click", args{"selector": "#count"})
		if d := s.call(t, "snapshot", args{"diff": true}); !strings.Contains(d.text, "Count 1") || strings.Contains(d.text, `"City"`) {
			t.Errorf("the diff is\n%s", d.text)
		}
	},
	"find": func(t *testing.T, s *server) {
		s.call(t, "navigate", args{"url": rig.site.base + "/form"})
		r := s.call(t, "find", args{"text": "send", "role": "button"})
		ref := regexp.MustCompile(`\[(e\d+)\]`).FindStringSubmatch(r.text)
		if ref == nil {
			t.Fatalf("no ref in\n%s", r.text)
		}
		s.call(t, "click", args{"ref": ref[1]})
		s.wantValue(t, "document.querySelector('#out').textContent.startsWith('sent')", true)
	},
	"click": func(t *testing.T, s *server) {
		s.open(t, `<button onclick="window.got = event.isTrusted && event.detail">Go</button>`)
		s.call(t, "click", args{"role": "button", "name": "Go"})
		s.wantValue(t, "window.got", 1.0)
		s.call(t, "click", args{"selector": "button", "nth": 0, "clickCount": 2})
		s.wantValue(t, "window.got", 2.0)
	},
	"type": func(t *testing.T, s *server) {
		s.open(t, `<input id=i value=old><div id=rich contenteditable>before</div><input id=p type=password>`)
		s.call(t, "type", args{"selector": "#i", "text": "new", "clear": true})
		s.wantValue(t, "document.querySelector('#i').value", "new")
		s.call(t, "type", args{"selector": "#i", "text": "er", "keyEvents": true})
		s.wantValue(t, "document.querySelector('#i').value", "newer")
		s.call(t, "type", args{"selector": "#rich", "text": "all new", "clear": true})
		s.wantValue(t, "document.querySelector('#rich').textContent", "all new")
		if r := s.call(t, "type", args{"selector": "#p", "text": "hunter2hunter2"}); strings.Contains(r.text, "hunter2") {
			t.Errorf("the password is in the answer: %s", r.text)
		}
	},
	"press": func(t *testing.T, s *server) {
		s.open(t, `<input id=i autofocus value=abc><script>onkeydown = e => window.keys = (window.keys ?? '') + e.key + ' '</script>`)
		s.call(t, "click", args{"selector": "#i"})
		s.call(t, "press", args{"key": "a", "modifiers": []string{"Control"}})
		s.call(t, "press", args{"key": "Backspace"})
		s.wantValue(t, "document.querySelector('#i').value", "")
		s.wantValue(t, "window.keys.includes('Backspace')", true)
	},
	"hover": func(t *testing.T, s *server) {
		s.open(t, `<button onmouseenter="window.over = event.isTrusted">Menu</button>`)
		s.call(t, "hover", args{"role": "button", "name": "Menu"})
		s.wantValue(t, "window.over", true)
	},
	"scroll": func(t *testing.T, s *server) {
		s.open(t, `<div style="height:5000px">tall</div><div id=in style="height:100px;overflow:auto"><div style="height:900px">inner</div></div>`)
		s.call(t, "scroll", args{"deltaY": 700})
		s.wantValue(t, "scrollY", 700.0)
		s.call(t, "scroll", args{"selector": "#in", "y": 300})
		s.wantValue(t, "document.querySelector('#in').scrollTop", 300.0)
	},
	"drag": func(t *testing.T, s *server) {
		s.open(t, `<div id=a draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'load')" style="width:80px;height:40px;background:#cde">Thing</div>
			<div id=b ondragover="event.preventDefault()" ondrop="event.preventDefault(); window.dropped = event.dataTransfer.getData('text/plain')" style="width:80px;height:40px;margin-top:60px;background:#eee">Place</div>`)
		s.call(t, "drag", args{"from": args{"selector": "#a"}, "to": args{"selector": "#b"}})
		s.wantValue(t, "window.dropped", "load")
	},
	"select_option": func(t *testing.T, s *server) {
		s.call(t, "navigate", args{"url": rig.site.base + "/form"})
		s.call(t, "select_option", args{"selector": "#size", "values": []string{"Large"}})
		s.wantValue(t, "document.querySelector('#size').value", "l")
	},
	"fill_form": func(t *testing.T, s *server) {
		s.call(t, "navigate", args{"url": rig.site.base + "/form"})
		s.call(t, "fill_form", args{"fields": []args{
			{"role": "textbox", "name": "Name", "value": "Ada"}, {"selector": "#city", "value": "Turin"},
			{"selector": "#size", "value": "Large"}, {"selector": "#gift", "value": true},
		}, "submitSelector": "#send"})
		s.wantValue(t, "document.querySelector('#out').textContent", "sent name=Ada&city=Turin&size=l&gift=on")
	},
	"screenshot": func(t *testing.T, s *server) {
		s.open(t, `<body style="margin:0;background:#f00"><div style="height:3000px"></div>`)
		size := s.picture(t, nil)
		if size.X < 600 || size.X > 1568 {
			t.Errorf("the picture is %v", size)
		}
		if full := s.picture(t, args{"fullPage": true, "format": "png"}); full.Y <= size.Y {
			t.Errorf("the full page is %v, the viewport %v", full, size)
		}
		s.wantValue(t, "scrollY", 0.0)
	},
	"get_text": func(t *testing.T, s *server) {
		s.open(t, `<p id=p>Seen</p><p hidden>Unseen</p>`)
		if r := s.call(t, "get_text", nil); !strings.Contains(r.text, "Seen") || strings.Contains(r.text, "Unseen") {
			t.Errorf("the text is\n%s", r.text)
		}
	},
	"get_html": func(t *testing.T, s *server) {
		s.open(t, `<p id=p class=c>Mark<b>up</b></p>`)
		if r := s.call(t, "get_html", args{"selector": "#p", "outer": true}); !strings.Contains(r.text, "<b>up</b>") {
			t.Errorf("the markup is\n%s", r.text)
		}
	},
	"eval": func(t *testing.T, s *server) {
		s.open(t, `<script>var mine = 7</script>`)
		s.wantValue(t, "mine * 6", 42.0)
		s.wantValue(t, "Promise.resolve('later')", "later")
		if r := s.call(t, "eval", args{"expression": "throw new RangeError('no')"}); r.data["ok"] != false || !strings.Contains(r.text, "RangeError") {
			t.Errorf("a throw is %s", r.text)
		}
		// The order is the page's, though the extension's messages keep none.
		if r := s.call(t, "eval", args{"expression": "({z: new Date(0), b: [{y: 1, a: 2}]})"}); !strings.Contains(r.text, `{"z":"1970-01-01T00:00:00.000Z","b":[{"y":1,"a":2}]}`) {
			t.Errorf("an object is %s", r.text)
		}
	},
	"read_as_markdown": readAsMarkdown,
	"extract_links":    extractLinks,
	"auth_check":       authCheck,
	"get_cookies":      getCookies,
	"storage":          storage,
	"wait_for": func(t *testing.T, s *server) {
		s.open(t, `<p id=p>wait</p><script>setTimeout(() => { document.querySelector('#p').textContent = 'ready now' }, 300)</script>`)
		s.call(t, "wait_for", args{"textContains": "ready now"})
		s.call(t, "wait_for", args{"textContains": "wait", "gone": true})
		s.refuse(t, "wait_for", args{"selector": "#never", "timeoutMs": 200}, "TIMEOUT")
	},
	"frames_list": func(t *testing.T, s *server) {
		s.open(t, `<iframe id=same srcdoc="<button>Inner</button>"></iframe><iframe id=cross src="{alt}/html?<button onclick=this.textContent='hit'>Cross</button>"></iframe>`)
		r := s.call(t, "frames_list", nil)
		frames, _ := r.data["frames"].([]any)
		if len(frames) != 3 {
			t.Fatalf("%d frames in\n%s", len(frames), r.text)
		}
		for _, f := range frames {
			if f := f.(map[string]any); f["selector"] == "#cross" {
				s.call(t, "click", args{"role": "button", "name": "Cross", "frameId": f["frameId"]})
				if r := s.call(t, "get_text", args{"frameId": f["frameId"]}); !strings.Contains(r.text, "hit") {
					t.Errorf("after the click the frame says %s", r.text)
				}
				return
			}
		}
		t.Errorf("no frame #cross in\n%s", r.text)
	},
	"dialogs": func(t *testing.T, s *server) {
		s.open(t, `<button onclick="window.said = confirm('Sure?')">Ask</button>`)
		if r := s.call(t, "click", args{"selector": "button"}); !strings.Contains(r.text, "Sure?") {
			t.Errorf("click does not tell of the dialog:\n%s", r.text)
		}
		s.refuse(t, "get_text", nil, "DIALOG_OPEN")
		s.call(t, "dialogs", args{"action": "accept"})
		s.wantValue(t, "window.said", true)
	},
}

func history(t *testing.T, s *server) {
	s.open(t, "<title>One</title>")
	s.call(t, "navigate", args{"url": rig.site.page("<title>Two</title>")})
	if r := s.call(t, "back", nil); !strings.Contains(r.text, "One") {
		t.Errorf("back says\n%s", r.text)
	}
	s.wantValue(t, "document.title", "One")
	s.call(t, "forward", nil)
	s.wantValue(t, "document.title", "Two")
}

// TestTools calls every tool through the extension.
func TestTools(t *testing.T) {
	s := paired(t, false).serve(t)
	for name := range s.tools {
		if toolTests[name] == nil {
			t.Errorf("the tool %s has no test here", name)
		}
	}
	for _, name := range sortedNames(toolTests) {
		t.Run(name, func(t *testing.T) { toolTests[name](t, s) })
	}
}

// TestClickRefused clicks what cannot be clicked. Each waits until it could.
func TestClickRefused(t *testing.T) {
	t.Parallel() // it only waits
	s := paired(t, false).serve(t)
	s.open(t, `<button disabled>Off</button><div style="position:relative"><button id=under>Under</button><div style="position:absolute;inset:0" id=veil>veil</div></div>`)
	s.refuse(t, "click", args{"selector": "#under"}, "NOT_ACTIONABLE", "veil")
	s.refuse(t, "click", args{"role": "button", "name": "Off"}, "NOT_ACTIONABLE")
	s.refuse(t, "click", args{"selector": "#nowhere"}, "SELECTOR_NOT_FOUND")
}

// TestHeaded calls the tools that depend on the window: input and pictures, in tabs that
// are in the background.
func TestHeaded(t *testing.T) {
	c := paired(t, true)
	s := c.serve(t)
	for _, name := range []string{"click", "type", "press", "hover", "scroll", "drag", "select_option", "fill_form", "screenshot", "dialogs", "frames_list"} {
		t.Run(name, func(t *testing.T) { toolTests[name](t, s) })
	}
	for _, tab := range s.tabs(t) {
		if tab["own"] == true && tab["active"] == true {
			t.Errorf("a tab of the session came to the front: %v", tab)
		}
	}
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// open opens a page in a new tab of the session, closed at the end of the test.
func (s *server) open(t testing.TB, markup string) (tabID string) {
	t.Helper()
	r := s.call(t, "tab_new", args{"url": rig.site.page(markup)})
	id := str(r.data["tabId"])
	t.Cleanup(func() { s.do(context.Background(), "tab_close", args{"tabId": id}) })
	return id
}

// wantValue evaluates an expression in the current tab.
func (s *server) wantValue(t testing.TB, expression string, want any) {
	t.Helper()
	if r := s.call(t, "eval", args{"expression": expression}); r.data["value"] != want {
		t.Errorf("%s is %v, want %v", expression, r.data["value"], want)
	}
}

func (s *server) picture(t testing.TB, a args) image.Point {
	t.Helper()
	r := s.call(t, "screenshot", a)
	if len(r.images) != 1 {
		t.Fatalf("%d pictures: %s", len(r.images), r.text)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(r.images[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.images[0].Data) > 800_000 {
		t.Errorf("the picture has %d bytes", len(r.images[0].Data))
	}
	return image.Pt(c.Width, c.Height)
}

func (s *server) tabs(t testing.TB) []map[string]any {
	t.Helper()
	r := s.call(t, "tabs_list", nil)
	list, ok := r.data["tabs"].([]any)
	if !ok {
		t.Fatalf("tabs_list has no tabs: %v\n%s", r.data, r.text)
	}
	var tabs []map[string]any
	for _, tab := range list {
		tabs = append(tabs, tab.(map[string]any))
	}
	return tabs
}

// ownTabs are the ids of the session's tabs.
func (s *server) ownTabs(t testing.TB) (ids []string) {
	t.Helper()
	for _, tab := range s.tabs(t) {
		if tab["own"] == true {
			ids = append(ids, fmt.Sprint(tab["tabId"]))
		}
	}
	return ids
}
