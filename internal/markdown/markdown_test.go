package markdown

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files again")

// Each file holds clean HTML and the Markdown for it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := render(string(a.Files[0].Data)) + "\n"
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func render(clean string) string { return Render(Parse(clean), "http://x.test/p").String() }

func TestCut(t *testing.T) {
	short := func(s string, n int) string {
		for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		return s[:min(n, len(s))]
	}
	d := Render(Parse(`<h1>Head</h1><p>First words here</p><pre lang="go">line one
line two
line three</pre><p>Last</p>`), "")
	whole := d.String()
	tests := []struct {
		limit int
		want  string
	}{
		{len(whole), whole},
		{len(whole) - 1, "# Head\n\nFirst words here\n\n```go\nline one\nline two\nline three\n```"},
		{48, "# Head\n\nFirst words here\n\n```go\nline one\n```"},
		{30, "# Head\n\nFirst words here"},
		{18, "# Head\n\nFirst"},
		{4, "#"},
		{0, ""},
	}
	for _, tt := range tests {
		got, total := d.Cut(tt.limit, short)
		if got != tt.want || total != len(whole) || len(got) > tt.limit {
			t.Errorf("%d bytes: %q (%d)\nwant %q", tt.limit, got, total, tt.want)
		}
	}
}

// A page decides what is in the tree: nothing of it may end the server or go on for ever.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{`<ul><li>a<table><tr><td colspan=99999 rowspan=99999>`, `</p></p><a href="x"><div>`, `<sup><a href="#n">1</a></sup><p id=n>`, "<pre>```", `<frame n="1">`, "a!\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, clean string) {
		d := Render(Parse(clean), "http://x.test/")
		whole := d.String()
		for _, limit := range []int{0, 1, 7, len(whole) / 2} {
			if got, _ := d.Cut(limit, func(s string, n int) string { return s[:n] }); len(got) > limit {
				t.Errorf("%d bytes asked for, got %d", limit, len(got))
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	page := strings.Repeat(`<h2>Head</h2><p>Some <strong>bold</strong> words and a <a href="http://x.test/">link</a>.</p><ul><li>one</li><li>two</li></ul>`, 5000)
	for b.Loop() {
		render(page)
	}
}

// What nests without end, or says that it spans everything, takes no longer than what
// does not.
func TestHostileTrees(t *testing.T) {
	for name, clean := range map[string]string{
		"deep":   strings.Repeat("<strong>", 100_000) + "<p>x</p>" + strings.Repeat("</strong>", 100_000),
		"raised": strings.Repeat("<sup>", 100) + `<a href="http://x.test/">x</a>`,
		"spans":  "<table>" + strings.Repeat("<tr>"+strings.Repeat(`<td colspan="9999" rowspan="9999">x</td>`, 20)+"</tr>", 200) + "</table>",
		"tables": strings.Repeat("<table><tr><td>", 1000) + "x",
		"lists":  strings.Repeat("<ul><li>a", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			if out := render(clean); len(out) > 2<<20 || !strings.ContainsAny(out, "xa") {
				t.Errorf("%d bytes", len(out))
			}
		})
	}
}
