package bundle_test

import (
	"strings"
	"testing"

	"chrome-mcp/internal/pagefn"
)

// insert types as Input.insertText does into what has the focus.
func (d *doc) insert(text string) {
	d.t.Helper()
	d.must(d.c.cdp("Input.insertText", object{"text": text}, nil))
}

func TestFocusAndType(t *testing.T) {
	tests := []struct {
		what, html, target string
		clear              bool
		want, kind         string
	}{
		{"input", `<input id=x value=old>`, "#x", true, "new", "text"},
		{"input, at the end", `<input id=x value=old>`, "#x", false, "oldnew", "text"},
		{"textarea", "<textarea id=x>old\nline</textarea>", "#x", true, "new", "text"},
		{"e-mail", `<input id=x type=email value=a@b>`, "#x", true, "new", "text"},
		{"e-mail, at the end", `<input id=x type=email value=a@b>`, "#x", false, "a@bnew", "text"},
		{"editor", `<div id=x contenteditable><p>old <b>text</b></p></div>`, "#x", true, "new", "rich"},
		{"editor, at the end", `<div id=x contenteditable>old</div>`, "#x", false, "oldnew", "rich"},
		{"part of an editor", `<div contenteditable><p id=x>old</p></div>`, "#x", true, "new", "rich"},
		{"label", `<label id=x>Name <input value=old></label>`, "#x", true, "new", "text"},
		{"wrapper", `<div id=x role=combobox><span><input value=old></span></div>`, "#x", true, "new", "text"},
		{"in a shadow root", `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<input id=x value=old>'</script>`, "#x", true, "new", "text"},
		{"editor in a shadow root", `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<div id=x contenteditable>old</div>'</script>`, "#x", true, "new", "rich"},
		{"controlled input", `<input id=x value=old><script>
			const d=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let v='old';
			Object.defineProperty(x,'value',{get(){return d.get.call(x)},set(n){v=n;d.set.call(x,n)}});x.oninput=()=>{v=d.get.call(x)}</script>`, "#x", true, "new", "text"},
		{"designMode", `<body id=x>old<script>document.designMode='on'</script>`, "#x", true, "new", "rich"},
		{"editable body", `<body id=x contenteditable>old`, "#x", false, "oldnew", "rich"},
		{"edit context", `<div id=x tabindex=0 style="height:40px"></div><script>
			if(window.EditContext){const c=x.editContext=new EditContext();c.addEventListener('textupdate',()=>x.textContent=c.text)}</script>`, "#x", false, "new", "rich"},
		{"late", `<input id=x readonly><script>setTimeout(()=>x.readOnly=false,120)</script>`, "#x", true, "new", "text"},
	}
	d := load(t, "<!doctype html>")
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(tt.html)
			var e pagefn.Editable
			d.run("focus", pagefn.FocusArgs{Target: css(tt.target), Clear: tt.clear, End: !tt.clear, TimeoutMS: 1000}, &e)
			if !e.Focused || e.Kind != tt.kind {
				t.Errorf("focus: %+v", e)
			}
			d.insert("new")
			d.run("value", pagefn.ValueArgs{Target: pagefn.Locator{Node: e.Node}}, &e)
			if e.Value != tt.want {
				t.Errorf("holds %q, want %q", e.Value, tt.want)
			}
		})
	}
}

func TestFocusRefuses(t *testing.T) {
	tests := []struct{ what, html, says string }{
		{"read-only", `<input id=x readonly value=keep>`, "read-only"},
		{"disabled", `<input id=x disabled value=keep>`, "disabled"},
		{"fieldset", `<fieldset disabled><textarea id=x>keep</textarea></fieldset>`, "disabled"},
		{"a paragraph", `<p id=x>keep</p>`, "takes no text"},
		{"a div as combobox", `<div id=x role=combobox tabindex=0>keep</div>`, "click it and then the option"},
		{"focus taken away", `<input id=x onfocus="this.blur()">`, "does not take the focus"},
	}
	d := load(t, "<!doctype html>")
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(tt.html)
			d.fails("focus", pagefn.FocusArgs{Target: css("#x"), Clear: true, TimeoutMS: 30}, "NOT_ACTIONABLE", tt.says)
		})
	}
}

func TestEditableTells(t *testing.T) {
	d := load(t, `<!doctype html><input id=p type=password value=geheim><input id=m maxlength=5><div><input maxlength=1 id=o1><input maxlength=1><input maxlength=1></div><input id=r required><textarea id=t></textarea>`)
	read := func(s string) (e pagefn.Editable) {
		d.run("value", pagefn.ValueArgs{Target: css(s)}, &e)
		return e
	}
	if e := read("#p"); e.Value != "" || !e.Password || e.Length != 6 {
		t.Errorf("password: %+v", e)
	}
	d.js(`p.type='text'`)
	if e := read("#p"); e.Value != "" {
		t.Errorf("a password that is shown was told: %+v", e)
	}
	if e := read("#m"); e.MaxLength != 5 {
		t.Errorf("maxlength: %+v", e)
	}
	if e := read("#o1"); e.Boxes != 3 {
		t.Errorf("boxes: %+v", e)
	}
	if e := read("#r"); e.Invalid == "" {
		t.Errorf("invalid: %+v", e)
	}
	if e := read("#t"); !e.Multiline {
		t.Errorf("multiline: %+v", e)
	}
}

func TestSetValue(t *testing.T) {
	tests := []struct{ what, html, value, want, events string }{
		{"date", `<input id=x type=date value=2020-01-02>`, "2026-03-09", "2026-03-09", "input change"},
		{"same date", `<input id=x type=date value=2020-01-02>`, "2020-01-02", "2020-01-02", ""},
		{"date emptied", `<input id=x type=date value=2020-01-02>`, "", "", "input change"},
		{"time", `<input id=x type=time>`, "18:55", "18:55", "input change"},
		{"datetime", `<input id=x type=datetime-local>`, "2026-03-09T07:05", "2026-03-09T07:05", "input change"},
		{"month", `<input id=x type=month>`, "2026-11", "2026-11", "input change"},
		{"week", `<input id=x type=week>`, "2026-W07", "2026-W07", "input change"},
		{"range", `<input id=x type=range step=5 value=50>`, "35", "35", "input change"},
		{"color", `<input id=x type=color value=#123456>`, "#C0FFEE", "#c0ffee", "input change"},
		{"short color", `<input id=x type=color>`, "#fff", "#ffffff", "input change"},
		{"named color", `<input id=x type=color>`, "tomato", "#ff6347", "input change"},
		{"checkbox on", `<input id=x type=checkbox>`, "true", "on", "input change"},
		{"checkbox stays on", `<input id=x type=checkbox checked>`, "true", "on", ""},
		{"checkbox off", `<input id=x type=checkbox checked>`, "false", "on", "input change"},
		{"radio", `<input type=radio name=n checked><input id=x type=radio name=n>`, "true", "on", "input change"},
	}
	d := load(t, "<!doctype html>")
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(tt.html + `<script>window.ev=[];for(const k of ['input','change'])x.addEventListener(k,()=>ev.push(k))</script>`)
			var e pagefn.Editable
			d.run("setValue", pagefn.SetValueArgs{Target: css("#x"), Value: tt.value}, &e)
			if got := d.js("x.value"); got != tt.want || e.Value != tt.want {
				t.Errorf("holds %v (%q told), want %q", got, e.Value, tt.want)
			}
			if got := d.js("ev.join(' ')"); got != tt.events {
				t.Errorf("events %q, want %q", got, tt.events)
			}
			if e.Checked != nil && *e.Checked != (tt.value == "true") {
				t.Errorf("checked %v", *e.Checked)
			}
		})
	}
}

func TestSetValueRefuses(t *testing.T) {
	tests := []struct{ what, html, value, code, says string }{
		{"date", `<input id=x type=date value=2020-01-02>`, "2026-13-45", "BAD_ARGS", "YYYY-MM-DD"},
		{"range", `<input id=x type=range value=50>`, "500", "BAD_ARGS", "from 0 to 100"},
		{"color", `<input id=x type=color value=#123456>`, "reddish", "BAD_ARGS", "#rrggbb"},
		{"checkbox", `<input id=x type=checkbox>`, "maybe", "BAD_ARGS", "true or false"},
		{"radio off", `<input id=x type=radio checked>`, "false", "BAD_ARGS", "another one"},
		{"read-only", `<input id=x type=date value=2020-01-02 readonly>`, "2021-01-02", "NOT_ACTIONABLE", "read-only"},
	}
	d := load(t, "<!doctype html>")
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			d.write(tt.html)
			before := d.js("x.value+x.checked")
			d.fails("setValue", pagefn.SetValueArgs{Target: css("#x"), Value: tt.value}, tt.code, tt.says)
			if after := d.js("x.value+x.checked"); after != before {
				t.Errorf("changed from %v to %v", before, after)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	const page = `<!doctype html><select id=x><option value="">Any country</option><option value=US>United States</option><option value=UM>United States Minor
		Outlying Islands</option><option value=DE disabled>Germany</option><option value=FR label="France (label)">fr</option>
		<optgroup label=G disabled><option value=IT>Italy</option></optgroup></select>
		<select id=m multiple><option value=1>One<option value=2 selected>Two<option value=3>Three</select><p id=p>p</p>
		<script>x.value='UM';window.ev=[];for(const k of ['input','change'])document.addEventListener(k,e=>ev.push(k+':'+e.target.value))</script>`
	tests := []struct {
		what, target string
		values       []string
		want, events string // or a code and words
	}{
		{"empty value by label", "#x", []string{"Any country"}, "", "input: change:"},
		{"label attribute", "#x", []string{"France (label)"}, "FR", "input:FR change:FR"},
		{"not a prefix", "#x", []string{"United States"}, "US", "input:US change:US"},
		{"folded", "#x", []string{"united states minor outlying islands"}, "UM", ""},
		{"by value", "#x", []string{"US"}, "US", "input:US change:US"},
		{"several", "#m", []string{"One", "3"}, "1,3", "input:1 change:1"},
		{"option as target", "#x option[value=US]", nil, "US", "input:US change:US"},
		{"disabled", "#x", []string{"Germany"}, "BAD_ARGS", "disabled"},
		{"in a disabled group", "#x", []string{"Italy"}, "BAD_ARGS", "disabled"},
		{"unknown", "#x", []string{"Franse"}, "SELECTOR_NOT_FOUND", "France (label)"},
		{"too many", "#x", []string{"US", "FR"}, "BAD_ARGS", "one value"},
		{"no select", "#p", []string{"US"}, "BAD_ARGS", "not a <select>"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d := load(t, page)
			args := pagefn.SelectArgs{Target: css(tt.target), Values: tt.values}
			if strings.ToUpper(tt.want) == tt.want && strings.Contains(tt.want, "_") {
				d.fails("select", args, tt.want, tt.events)
				if got := d.js("ev.length"); got != 0.0 {
					t.Errorf("%v events", got)
				}
				return
			}
			var s pagefn.Selected
			d.run("select", args, &s)
			if got := strings.Join(s.Values, ","); got != tt.want {
				t.Errorf("selected %q, want %q", got, tt.want)
			}
			if got := d.js("ev.join(' ')"); got != tt.events {
				t.Errorf("events %q, want %q", got, tt.events)
			}
		})
	}
}
