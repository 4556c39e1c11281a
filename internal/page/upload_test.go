package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// uploader is a session with an uploads folder: a.txt, b.png, big.bin, tree/one.txt,
// tree/sub/two.txt, and links in and out of it.
func uploader(t *testing.T) (f filer, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "uploads")
	outside := filepath.Join(t.TempDir(), "secret.txt")
	for name, text := range map[string]string{
		filepath.Join(dir, "a.txt"): "hello A", filepath.Join(dir, "b.png"): "no picture", outside: "secret",
		filepath.Join(dir, "tree", "one.txt"): "1", filepath.Join(dir, "tree", "sub", "two.txt"): "22",
		filepath.Join(dir, "big.bin"): string(bytes.Repeat([]byte("0123456789"), 300_000)),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out.txt": outside, "in.txt": filepath.Join(dir, "a.txt")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return keeper(t, func(p *policy.Policy) { p.UploadsDir = dir }, 0), dir
}

const showFiles = `<script>
show = async i => window.got = (await Promise.all([...i.files].map(async f => (f.webkitRelativePath || f.name) + '=' + (f.size > 100 ? f.size : await f.text())))).join()
</script>`

func TestUpload(t *testing.T) {
	f, dir := uploader(t)
	for name, c := range map[string]struct {
		html   string
		target page.Target
		files  []string
		want   string
	}{
		"input":           {`<input type=file onchange=show(this)>`, css("input"), []string{"a.txt"}, "a.txt=hello A"},
		"absolute":        {`<input type=file onchange=show(this)>`, css("input"), []string{filepath.Join(dir, "a.txt")}, "a.txt=hello A"},
		"link inside":     {`<input type=file onchange=show(this)>`, css("input"), []string{"in.txt"}, "a.txt=hello A"},
		"hidden":          {`<input type=file onchange=show(this) style=display:none multiple>`, css("input"), []string{"a.txt", "b.png"}, "a.txt=hello A,b.png=no picture"},
		"label":           {`<label>Photo <input type=file hidden onchange=show(this)></label>`, css("label"), []string{"a.txt"}, "a.txt=hello A"},
		"label by id":     {`<label for=i>Photo</label><input id=i type=file hidden onchange=show(this)>`, css("label"), []string{"a.txt"}, "a.txt=hello A"},
		"drop zone":       {`<div id=z><p>Drop here</p></div><script>z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();show(e.dataTransfer)}</script>`, css("#z p"), []string{"a.txt", "b.png"}, "a.txt=hello A,b.png=no picture"},
		"big drop":        {`<div id=z>Drop here</div><script>z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();show(e.dataTransfer)}</script>`, css("#z"), []string{"big.bin"}, "big.bin=3000000"},
		"zone":            {`<div id=z><p>Drop here</p><input type=file hidden onchange=show(this)></div>`, css("#z"), []string{"a.txt"}, "a.txt=hello A"},
		"button":          {`<button onclick=i.click()>Choose</button><input id=i type=file hidden onchange=show(this)>`, css("button"), []string{"a.txt"}, "a.txt=hello A"},
		"detached":        {`<button onclick="const i=document.createElement('input');i.type='file';i.onchange=()=>show(i);i.click()">Choose</button>`, css("button"), []string{"big.bin"}, "big.bin=3000000"},
		"shadow root":     {`<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML='<input type=file>';</script>`, css("input"), []string{"a.txt"}, ""},
		"folder":          {`<input type=file webkitdirectory onchange=show(this)>`, css("input"), []string{"tree"}, "tree/one.txt=1,tree/sub/two.txt=22"},
		"accepted":        {`<input type=file accept="image/*,.txt" multiple onchange=show(this)>`, css("input"), []string{"a.txt", "b.png"}, "a.txt=hello A,b.png=no picture"},
		"clearing page":   {`<input type=file onchange="show(this).then(()=>this.value='')">`, css("input"), []string{"a.txt"}, "a.txt=hello A"},
		"submitting page": {`<form><input type=file onchange="window.name='sent '+this.files[0].name;this.form.submit()"></form>`, css("input"), []string{"a.txt"}, ""},
	} {
		f.navigate(html(showFiles + c.html))
		r, err := do(f.open, page.UploadFile, page.UploadArgs{Target: c.target, Files: c.files})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		raw, _ := json.Marshal(r.Data)
		if c.want == "" {
			says(t, r.Text, "a.txt")
			continue
		}
		got := ""
		for range 50 {
			if _ = json.Unmarshal([]byte(f.eval("new Promise(r=>setTimeout(()=>r(window.got??''),20))")), &got); got != "" {
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: the page got %q, want %q; result %s", name, got, c.want, raw)
		}
	}
}

func TestUploadRefusals(t *testing.T) {
	f, dir := uploader(t)
	f.navigate(html(`<input id=one type=file><input id=txt type=file accept=".txt"><input id=off type=file disabled><input id=dir type=file webkitdirectory><button id=b>Nothing</button><input id=text>`))
	for _, c := range []struct {
		target string
		files  []string
		words  []string
	}{
		{"#one", []string{"out.txt"}, []string{dir, "--uploads-dir"}},
		{"#one", []string{"../secret.txt"}, []string{dir, "--uploads-dir"}},
		{"#one", []string{"/etc/passwd"}, []string{dir, "--uploads-dir"}},
		{"#one", []string{"/etc/no-such-file"}, []string{"--uploads-dir"}},
		{"#dir", []string{"a.txt"}, []string{"takes a folder"}},
		{"#one", []string{"none.txt"}, []string{"there is no file", "a.txt"}},
		{"#one", []string{"tree"}, []string{"is a folder"}},
		{"#one", []string{"a.txt", "b.png"}, []string{"takes one file"}},
		{"#txt", []string{"b.png"}, []string{".txt", "b.png"}},
		{"#off", []string{"a.txt"}, []string{"disabled"}},
		{"#b", []string{"a.txt"}, []string{"no file chooser", "input[type=file]"}},
	} {
		_, err := do(f.open, page.UploadFile, page.UploadArgs{Target: css(c.target), Files: c.files})
		refused(t, err, browser.UploadFailed, c.words...)
	}
	_, err := do(f.open, page.UploadFile, page.UploadArgs{Target: css("#nowhere"), Files: []string{"a.txt"}})
	refused(t, err, browser.SelectorNotFound)
	bare := keeper(t, nil, 0)
	bare.navigate(html("<input type=file>"))
	_, err = do(bare.open, page.UploadFile, page.UploadArgs{Target: css("input"), Files: []string{"a.txt"}})
	refused(t, err, browser.UploadFailed, "--uploads-dir")
}

// The page is told of files that the input holds already, though Chrome by itself would not.
func TestUploadAgain(t *testing.T) {
	f, _ := uploader(t)
	f.navigate(html(`<input type=file onchange="window.n=(window.n||0)+1">`))
	for range 2 {
		must(f.open, page.UploadFile, page.UploadArgs{Target: css("input"), Files: []string{"a.txt"}})
	}
	f.want("window.n", "2")
}

// bytesOnly is a browser that may not open files by their path, as the user's without
// their leave for the extension.
type bytesOnly struct{ browser.Backend }

func (b bytesOnly) Tab(id browser.TabID) (browser.Tab, error) {
	t, err := b.Backend.Tab(id)
	return bytesOnlyTab{t}, err
}

type bytesOnlyTab struct{ browser.Tab }

func (t bytesOnlyTab) Call(ctx context.Context, f browser.FrameID, method string, params, result any) error {
	if method == "DOM.setFileInputFiles" {
		return browser.Errorf(browser.CDPError, "this browser refuses DOM.setFileInputFiles: Not allowed")
	}
	return t.Tab.Call(ctx, f, method, params, result)
}

func TestUploadOfBytes(t *testing.T) {
	f, dir := uploader(t)
	p := everything
	p.Uploads, p.UploadsDir = true, dir
	f.s = page.NewSession(page.Config{ID: t.Name(), Title: t.Name(), Policy: p, Tasks: f.work,
		Backend: func(context.Context) (browser.Backend, error) { return bytesOnly{shared.backend}, nil }})
	f.navigate(html(showFiles + `<input type=file multiple onchange=show(this)>`))
	must(f.open, page.UploadFile, page.UploadArgs{Target: css("input"), Files: []string{"a.txt", "big.bin"}})
	f.want("show(document.querySelector('input'))", `"a.txt=hello A,big.bin=3000000"`)
	f.want("document.querySelector('input').files[0].type", `"text/plain"`)
	f.navigate(html(`<input type=file webkitdirectory>`))
	_, err := do(f.open, page.UploadFile, page.UploadArgs{Target: css("input"), Files: []string{"tree"}})
	refused(t, err, browser.UploadFailed, "Allow access to file URLs")
	if _, err := page.TabClose(f.ctx(), f.s, page.TabCloseArgs{TabID: f.s.Current()}); err != nil {
		t.Error(err)
	}
}
