package bundle_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"chrome-mcp/internal/pagefn"
)

var update = flag.Bool("update", false, "write the golden files")

// Each archive holds a page (in.html), its snapshot (full) and what can be acted on
// (interactive).
func TestSnapshot(t *testing.T) {
	files, err := filepath.Glob("testdata/snapshot/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			arc, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range arc.Files {
				parts[f.Name] = string(f.Data)
			}
			ext := "html"
			if strings.Contains(parts["in.html"], "xmlns=\"http://www.w3.org/1999/xhtml\"") {
				ext = "xhtml"
			}
			d := loadAs(t, ext, parts["in.html"])
			got := map[string]string{"full": d.snapshot(pagefn.SnapshotArgs{}), "interactive": d.snapshot(pagefn.SnapshotArgs{InteractiveOnly: true})}
			if *update {
				d.must(writeGolden(file, parts["in.html"], got))
				return
			}
			for name, text := range got {
				if diff := cmp.Diff(parts[name], text); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
		})
	}
}

func (d *doc) snapshot(args pagefn.SnapshotArgs) string {
	d.t.Helper()
	var s pagefn.Snapshot
	d.run("snapshot", args, &s)
	return dump(s)
}

func TestSnapshotLimits(t *testing.T) {
	d := load(t, `<!doctype html><main><h1>Top</h1><ul id=l><li><a href=#1>One</a></li><li>Two <button>B</button></li></ul></main>`)
	root := pagefn.Locator{Selector: "#l"}
	tests := []struct {
		what string
		args pagefn.SnapshotArgs
		want string
	}{
		{"depth", pagefn.SnapshotArgs{Depth: 2}, "main\n  heading \"Top\" level=1\n  list\n(5 left out)\n"},
		{"max", pagefn.SnapshotArgs{Max: 2}, "main\n  heading \"Top\" level=1\n(6 left out)\n"},
		{"root", pagefn.SnapshotArgs{Root: &root, Depth: 1}, "list\n(5 left out)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			d.t = t
			if diff := cmp.Diff(tt.want, d.snapshot(tt.args)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNumbersStay(t *testing.T) {
	d := load(t, `<!doctype html><div id=row><button>Lemon</button><button>Mango</button></div>`)
	number := func(name string) int {
		var s pagefn.Snapshot
		d.run("snapshot", pagefn.SnapshotArgs{}, &s)
		for _, n := range s.Nodes {
			if n.Name == name {
				return n.Node
			}
		}
		return 0
	}
	before := number("Mango")
	d.js(`row.insertAdjacentHTML('afterbegin','<button>Kiwi</button>')`)
	if after := number("Mango"); before == 0 || after != before {
		t.Errorf("Mango was %d and is %d", before, after)
	}
}

// big is a page of about 5,000 elements with 300 things to click, like the bench's.
func big() string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>big</title><style>.r{display:flex;gap:4px}.n{color:#555}</style><header><h1>Big</h1></header><main>")
	for i := range 150 {
		fmt.Fprintf(&b, `<section class=c><h3>Group %d</h3><div class=r><div class=n><span>Item <b>%d</b></span><em>note %d</em></div>`, i, i, i)
		for j := range 11 {
			fmt.Fprintf(&b, `<div class=x><span class=y>cell %d</span></div>`, j)
		}
		fmt.Fprintf(&b, `<a href="/item/%d">Open item %d</a><button class=d><span>Delete %d</span></button></div></section>`, i, i, i)
	}
	b.WriteString("</main>")
	return b.String()
}

// TestSnapshotSpeed compares with the least that anybody has to do who looks at each
// element, because how fast the machine is, and how busy, changes from run to run.
func TestSnapshotSpeed(t *testing.T) {
	d := load(t, big())
	const look = `for(const e of document.querySelectorAll('*')){const s=getComputedStyle(e);s.display;s.visibility;s.cursor;e.getBoundingClientRect()}`
	least, _ := d.time(look)
	t.Logf("%v elements; to look at each: best %.1f ms", d.js("document.querySelectorAll('*').length"), least)
	for _, call := range []struct {
		fn, args string
		most     float64 // times as long
	}{
		{"snapshot", `{"interactiveOnly":true}`, 2.5},
		{"snapshot", `{}`, 2.5},
		{"box", `{"target":{"role":"button","name":"Delete 149"}}`, 0.5},
		{"text", `{}`, 2.5},
	} {
		d.call(call.fn, jsonArgs(call.args)) // closed roots are asked for once
		ours := fmt.Sprintf(`await __chromeMcp.run(%q,%s)`, call.fn, call.args)
		best, median := d.time(ours)
		for tries := 0; best > call.most*least && tries < 4; tries++ { // others may have had the machine
			again, _ := d.time(look)
			quicker, _ := d.time(ours)
			least, best = min(least, again), min(best, quicker)
		}
		t.Logf("%s %s: best %.1f ms, median %.1f ms in the page, %.1f times as long", call.fn, call.args, best, median, best/least)
		if best > call.most*least {
			t.Errorf("%s %s takes %.1f ms, %.1f times as long as to look at each element", call.fn, call.args, best, best/least)
		}
	}
}

// time measures what is done inside the page, without the way there.
func (d *doc) time(code string) (best, median float64) {
	d.t.Helper()
	var r struct{ Result struct{ Value []float64 } }
	d.must(d.c.cdp("Runtime.evaluate", object{"contextId": d.world, "awaitPromise": true, "returnByValue": true, "expression": fmt.Sprintf(`(async()=>{
		const times=[];
		for(let i=0;i<9;i++){
			document.body.style.setProperty('--i',i);document.body.offsetWidth;
			const t=performance.now();%s;times.push(performance.now()-t)}
		return times.sort((a,b)=>a-b)})()`, code)}, &r))
	times := r.Result.Value
	return times[0], times[len(times)/2]
}
