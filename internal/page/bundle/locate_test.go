package bundle_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chrome-mcp/internal/pagefn"
)

func nth(n int) *int { return &n }

func TestLocate(t *testing.T) {
	d := load(t, `<!doctype html>
<button id=save>Save</button><button id=saveas>Save as…</button><button style="display:none" id=hiddensave>Save</button>
<button id=lower>delete</button><button id=upper>Delete</button>
<div role=dialog aria-label=Prefs><button id=ok1>OK</button></div><div role=dialog aria-label=Other><button id=ok2>OK</button></div>
<ul><li>Apple <button id=r1>Remove</button></li><li>Pear <button id=r2>Remove</button></li></ul>
<div id=host></div><a id=link href="#x">  Read
 more </a><div id=card onclick=1>Gift</div>
<select aria-label=Seat><option id=opt value=a>Aisle<option>Window</select>
<button id=nfd>Cafe&#x301; &ldquo;Zürich&rdquo;</button><button id=soft>Don&rsquo;t ver&shy;schie&shy;ben&#x200e;</button>
<label id=fancy>Fancy <input type=checkbox style="display:none"></label>
<script>host.attachShadow({mode:'closed'}).innerHTML='<button id=inner>Inner</button>'</script>`)
	tests := []struct {
		what string
		loc  pagefn.Locator
		want string // id, or a code
		says []string
	}{
		{"selector", pagefn.Locator{Selector: "#save"}, "save", nil},
		{"selector in a closed root", pagefn.Locator{Selector: "#inner"}, "inner", nil},
		{"role and name", pagefn.Locator{Role: "button", Name: "Save"}, "save", nil},
		{"hidden twin does not count", pagefn.Locator{Role: "button", Name: "save"}, "save", nil},
		{"name folds white space", pagefn.Locator{Role: "link", Name: "Read more"}, "link", nil},
		{"case decides", pagefn.Locator{Role: "button", Name: "Delete"}, "upper", nil},
		{"case does not matter otherwise", pagefn.Locator{Role: "button", Name: "inner"}, "inner", nil},
		{"accents and quotes in another form", pagefn.Locator{Role: "button", Name: "Caf\u00e9 \"Zu\u0308rich\""}, "nfd", nil},
		{"what has no width", pagefn.Locator{Role: "button", Name: "Don't verschieben"}, "soft", nil},
		{"clickable", pagefn.Locator{Role: "clickable", Name: "Gift"}, "card", nil},
		{"generic is clickable", pagefn.Locator{Role: "generic", Name: "Gift"}, "card", nil},
		{"option of a collapsed select", pagefn.Locator{Role: "option", Name: "Aisle"}, "opt", nil},
		{"label of a hidden box", pagefn.Locator{Role: "checkbox", Name: "Fancy"}, "fancy", nil},
		{"nth", pagefn.Locator{Role: "button", Name: "OK", Nth: nth(1)}, "ok2", nil},
		{"nth from the end", pagefn.Locator{Role: "button", Name: "Remove", Nth: nth(-1)}, "r2", nil},
		{"nth out of range", pagefn.Locator{Role: "button", Name: "OK", Nth: nth(2)}, "SELECTOR_NOT_FOUND", []string{"2 matches"}},
		{"several", pagefn.Locator{Role: "button", Name: "OK"}, "AMBIGUOUS", []string{"nth 0", "#ok1", `in dialog "Prefs"`, `in dialog "Other"`}},
		{"several in a list", pagefn.Locator{Selector: "li button"}, "AMBIGUOUS", []string{"Apple", "Pear"}},
		{"miss with nearest", pagefn.Locator{Role: "button", Name: "Save us"}, "SELECTOR_NOT_FOUND", []string{`button "Save as…"`}},
		{"miss with another role", pagefn.Locator{Role: "link", Name: "Save"}, "SELECTOR_NOT_FOUND", []string{`button "Save"`}},
		{"miss of a selector", pagefn.Locator{Selector: "#Save"}, "SELECTOR_NOT_FOUND", []string{"#save"}},
		{"bad selector", pagefn.Locator{Selector: "div["}, "BAD_ARGS", []string{"not a CSS selector"}},
		{"foreign selector", pagefn.Locator{Selector: "text=Save"}, "BAD_ARGS", []string{"role and name"}},
		{"nothing", pagefn.Locator{}, "BAD_ARGS", nil},
		{"unknown node", pagefn.Locator{Node: 9999}, "REF_EXPIRED", []string{"snapshot"}},
		{"other document", pagefn.Locator{Node: 1, Document: "x"}, "REF_EXPIRED", []string{"replaced"}},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			if tt.want[0] < 'a' {
				d.fails("box", pagefn.BoxArgs{Target: tt.loc}, tt.want, tt.says...)
				return
			}
			var same struct{ X, Y float64 }
			d.run("box", pagefn.BoxArgs{Target: tt.loc}, &same)
			if got := d.elementID(tt.loc); got != tt.want {
				t.Errorf("found #%s, want #%s", got, tt.want)
			}
		})
	}
}

// elementID tells which element a locator finds, by reading its markup.
func (d *doc) elementID(loc pagefn.Locator) string {
	d.t.Helper()
	var text pagefn.Text
	d.run("html", pagefn.HTMLArgs{Target: &loc, Outer: true}, &text)
	_, after, _ := strings.Cut(text.Text, `id="`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}

func TestLocateFocus(t *testing.T) {
	d := load(t, `<!doctype html><div id=h></div><script>h.attachShadow({mode:'open',delegatesFocus:true}).innerHTML='<input id=in value=v>';h.focus()</script>`)
	var e pagefn.Editable
	d.run("value", pagefn.ValueArgs{Target: css(":focus:not(iframe)")}, &e)
	if e.Value != "v" || !e.Focused {
		t.Errorf("%+v", e)
	}
}

func TestAmbiguousData(t *testing.T) {
	d := load(t, `<!doctype html><p>A <button>Go</button></p><p>B <button>Go</button></p>`)
	env := d.call("box", pagefn.BoxArgs{Target: pagefn.Locator{Role: "button", Name: "Go"}})
	var data struct {
		Candidates []struct {
			Node       int
			Role, Name string
		}
	}
	if env.Error == nil || json.Unmarshal(env.Error.Data, &data) != nil || len(data.Candidates) != 2 || data.Candidates[1].Node == 0 {
		t.Errorf("candidates: %v %s", env.Error, env.Error.Data)
	}
}

func TestStaleReferences(t *testing.T) {
	d := load(t, `<!doctype html><button id=b>Remove row 3</button><input id=i value=a aria-label=Name><button id=f>Follow</button>`)
	var s pagefn.Snapshot
	d.run("snapshot", pagefn.SnapshotArgs{}, &s)
	env := d.call("probe", pagefn.ProbeArgs{})
	ref := func(i int) pagefn.BoxArgs {
		n := s.Nodes[i]
		return pagefn.BoxArgs{Target: pagefn.Locator{Node: n.Node, Document: env.Document, ShownAs: n.Role + " " + n.Name}}
	}
	d.run("box", ref(0), nil)
	d.js(`i.value='changed'`)
	d.run("box", ref(1), nil)
	d.js("b.innerHTML='  Remove\\n row 3 '")
	d.run("box", ref(0), nil)
	d.js(`b.textContent='Remove row 203';f.textContent='Unfollow'`)
	d.fails("box", ref(0), "REF_EXPIRED", "row 203", "snapshot")
	d.fails("box", ref(2), "REF_EXPIRED", "Unfollow")
	d.js(`i.remove()`)
	d.fails("box", ref(1), "REF_EXPIRED", "no longer")
	d2 := load(t, `<!doctype html><button>Remove row 3</button>`)
	d2.fails("box", ref(0), "REF_EXPIRED", "replaced")
}

func TestFind(t *testing.T) {
	d := load(t, `<!doctype html><h1>Prices</h1><p>Zu&#x308;rich isn&rsquo;t che&shy;ap</p><p>One costs 12.50 euro</p><button>Buy one</button><input aria-label=Coupon value="SAVE10">`)
	tests := []struct {
		what string
		args pagefn.FindArgs
		want string
	}{
		{"text", pagefn.FindArgs{Text: "ONE"}, "text \"One costs 12.50 euro\"\nbutton \"Buy one\" *\n"},
		{"text in another form", pagefn.FindArgs{Text: "Z\u00fcrich isn't cheap"}, "text \"Zu\u0308rich isn’t che\\u00adap\"\n"},
		{"value", pagefn.FindArgs{Text: "save10"}, "textbox \"Coupon\" * value=\"SAVE10\"\n"},
		{"pattern", pagefn.FindArgs{Pattern: `\d+\.\d\d`}, "text \"One costs 12.50 euro\"\n"},
		{"role", pagefn.FindArgs{Role: "heading"}, "heading \"Prices\" level=1\n"},
		{"max", pagefn.FindArgs{Text: "o", Max: 1}, "text \"One costs 12.50 euro\"\n(2 left out)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			var s pagefn.Snapshot
			d.run("find", tt.args, &s)
			for _, n := range s.Nodes {
				if n.Node == 0 {
					t.Errorf("%s %q has no number", n.Role, n.Name)
				}
			}
			if got := dump(s); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	d.fails("find", pagefn.FindArgs{Pattern: "("}, "BAD_ARGS", "pattern")
	var s pagefn.Snapshot
	d.run("find", pagefn.FindArgs{Text: "costs"}, &s)
	d.run("box", pagefn.BoxArgs{Target: pagefn.Locator{Node: s.Nodes[0].Node, ShownAs: "text One costs 12.50 euro"}}, nil)
}
