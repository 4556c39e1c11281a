package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func TestClickThatOpensAFileChooser(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := keeper(t, func(p *policy.Policy) { p.UploadsDir = dir }, 0)
	markup := `<input id=i type=file><label id=l for=i>Label</label><input id=m type=file multiple style="display:none">
		<button id=b onclick="m.click()">Many</button><button id=d onclick="Object.assign(document.createElement('input'),{type:'file'}).click()">Detached</button>
		<button id=n onclick="window.count=(window.count||0)+1">None</button>`
	f.navigate(html(markup + `<iframe id=x src="` + shared.alt + `/t?html=` + escape(`<input type=file aria-label=Inner>`) + `"></iframe>`))
	must(f.open, page.WaitFor, page.WaitForArgs{Selector: "iframe"})
	const words = "the page opened a file chooser"
	for range 5 {
		for what, want := range map[string]string{"#i": "the file with upload_file", "#l": "the file with", "#b": "the files with upload_file", "#d": "the file with"} {
			if r := must(f.open, page.Click, page.ClickArgs{Target: css(what)}); !strings.Contains(r.Text, words) || !strings.Contains(r.Text, want) || strings.Contains(r.Text, "switched off") {
				t.Fatalf("click on %s: %s", what, r.Text)
			}
		}
		if r := must(f.open, page.Click, page.ClickArgs{Target: css("#n")}); strings.Contains(r.Text, words) {
			t.Fatalf("click on a button: %s", r.Text)
		}
	}
	f.want("window.count", "5")
	if r := must(f.open, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Inner"}}); !strings.Contains(r.Text, words) {
		t.Errorf("in a frame of another process: %s", r.Text)
	}
	f.eval("document.querySelector('#i').focus()")
	if r := must(f.open, page.Press, page.PressArgs{Key: "Enter"}); !strings.Contains(r.Text, words) {
		t.Errorf("Enter: %s", r.Text)
	}
	// What was closed again does not stand in the way of giving the files.
	for _, target := range []string{"#i", "#b", "#d", "#l"} {
		r := must(f.open, page.UploadFile, page.UploadArgs{Target: css(target), Files: page.Strings{"a.txt"}})
		if !strings.Contains(r.Text, `"a.txt" (5 bytes)`) || strings.Contains(r.Text, words) {
			t.Errorf("upload to %s: %s", target, r.Text)
		}
	}

	o := visit(t, html(markup))
	says(t, must(o, page.Click, page.ClickArgs{Target: css("#b")}).Text, words, "uploads are switched off", "--enable-uploads")
}
