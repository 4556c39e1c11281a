package e2e

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"chrome-mcp/internal/task"
)

// uploadsDir is the folder that tests upload from.
func uploadsDir() string {
	dir, err := filepath.Abs(filepath.Join(casesDir(), "files"))
	if err != nil {
		return casesDir()
	}
	return dir
}

func init() {
	toolTests["download_file"] = func(t *testing.T, s *server) {
		s.open(t, `<a href="/attach/linked.csv">Linked</a><a id=plain href="/form">A page</a>
			<button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['made here'])); a.download = 'made.txt'; a.click()">Make</button>`)
		kept := func(a args, name, text string) {
			t.Helper()
			r := s.call(t, "download_file", a)
			path := str(r.data["path"])
			b, err := os.ReadFile(path)
			if err != nil || !strings.HasPrefix(filepath.Base(path), name) || !strings.Contains(string(b), text) || float64(len(b)) != r.data["bytes"] {
				t.Errorf("download_file %v: %v, %q, %v", a, r.data, clip(string(b)), err)
			}
			if !strings.Contains(filepath.ToSlash(path), "/tasks/") {
				t.Errorf("kept outside the tasks: %s", path)
			}
		}
		kept(args{"url": rig.site.base + "/attach/report%20Q3.csv"}, "report Q3", "a,b\n1,2\n")
		kept(args{"url": rig.site.base + "/form"}, "form", "<h1>Order</h1>")
		kept(args{"url": rig.site.base + "/redir?to=" + rig.site.alt + "/attach/away.csv"}, "away", "a,b\n1,2\n")
		kept(args{"role": "link", "name": "Linked"}, "linked", "a,b\n1,2\n")
		kept(args{"selector": "#plain"}, "form", "<h1>Order</h1>")
		kept(args{"role": "button", "name": "Make"}, "made", "made here")
		kept(args{"url": rig.site.base + "/bin", "suggestedName": "../../bits"}, "bits", "\x00\x01\x02")
		s.wantValue(t, "document.querySelector('#plain').textContent", "A page")
		s.refuse(t, "download_file", args{"url": rig.site.base + "/missing"}, "DOWNLOAD_FAILED")
		s.refuse(t, "download_file", args{"url": "http://127.0.0.1:1/x"}, "DOWNLOAD_FAILED")
		s.refuse(t, "download_file", nil, "BAD_ARGS", "target")
	}
	toolTests["upload_file"] = func(t *testing.T, s *server) {
		s.open(t, `<input id=i type=file multiple style="display:none"><button onclick="i.click()">Choose</button>
			<script>i.onchange = async () => window.got = (await Promise.all([...i.files].map(async f => f.name + '=' + await f.text()))).join()</script>`)
		s.call(t, "upload_file", args{"selector": "#i", "files": []string{"a.txt", "b.txt"}})
		s.wantValue(t, "new Promise(r => setTimeout(() => r(window.got), 100))", "a.txt=hello A,b.txt=hello B")
		// A click opens no window of the system and says what to do instead.
		if r := s.call(t, "click", args{"role": "button", "name": "Choose"}); !strings.Contains(r.text, "file chooser") || !strings.Contains(r.text, "upload_file") {
			t.Errorf("the click says %s", r.text)
		}
		r := s.call(t, "upload_file", args{"role": "button", "name": "Choose", "files": filepath.Join(uploadsDir(), "b.txt")})
		if !strings.Contains(r.text, `"b.txt" (7 bytes)`) {
			t.Errorf("the answer is %s", r.text)
		}
		s.wantValue(t, "new Promise(r => setTimeout(() => r(window.got), 100))", "b.txt=hello B")
		s.refuse(t, "upload_file", args{"selector": "#i", "files": []string{"/etc/hostname"}}, "UPLOAD_FAILED", "--uploads-dir")
		s.refuse(t, "upload_file", args{"selector": "#i", "files": []string{"none.txt"}}, "UPLOAD_FAILED", "a.txt")
	}
	toolTests["print_pdf"] = func(t *testing.T, s *server) {
		s.open(t, `<title>Printed</title><style>@page { size: 50mm 70mm }</style><p>words</p>`)
		check := pdfCheck{Pages: 1, Box: []float64{141.7, 198.4}, Tolerance: 2}
		check.judge(t, s.call(t, "print_pdf", nil))
		check = pdfCheck{Pages: 1, Box: []float64{360, 504}, Tolerance: 2}
		check.judge(t, s.call(t, "print_pdf", args{"paperWidth": 5, "paperHeight": 7}))
		s.refuse(t, "print_pdf", args{"pageRanges": "all"}, "BAD_ARGS")
	}
	toolTests["task_new"] = tasks
	toolTests["tasks_list"] = tasks
	toolTests["task_status"] = tasks
	toolTests["profile_use"] = profiles
	toolTests["profile_rename"] = profiles
}

// What a page makes of a download: also from a data: address, and in a tab of its own,
// which Chrome closes again.
func TestDownloadsOfClicks(t *testing.T) {
	onBackends(t, func(t *testing.T, s *server) {
		s.open(t, `<a download="dä ta.txt" href="data:text/plain,hello">Data</a> <a id=long download="long.csv">Long</a>
			<script>document.querySelector('#long').href = 'data:text/csv,' + 'x'.repeat(3_000_000)</script> <a target=_blank href="/attach/away.csv">Away</a> <button onclick="window.open('/attach/script.csv')">Script</button> <a target=_blank href="/form">Page</a>`)
		says := func(role, name string, want ...string) {
			t.Helper()
			r := s.call(t, "click", args{"role": role, "name": name})
			for _, w := range want {
				if !strings.Contains(r.text, w) {
					t.Errorf("click on %s says no %q: %s", name, w, r.text)
				}
			}
		}
		says("link", "Data", "downloaded", "dä ta.txt", "5 bytes")
		// Of a long address Chrome lists the beginning only.
		if r := s.call(t, "download_file", args{"selector": "#long"}); !strings.Contains(r.text, "3000000 bytes") {
			t.Errorf("a long address: %s", r.text)
		}
		says("link", "Away", "closed itself", "download_file", "/attach/away.csv")
		says("button", "Script", "closed itself", "download_file", "/attach/script.csv")
		says("link", "Page", "opened tab", "/form")
	})
}

func tasks(t *testing.T, s *server) {
	r := s.call(t, "task_new", args{"name": "Errands / " + t.Name()})
	path := str(r.data["path"])
	s.open(t, `<a href="/attach/linked.csv">Linked</a>`)
	if r := s.call(t, "click", args{"role": "link", "name": "Linked"}); !strings.Contains(r.text, path) {
		t.Errorf("the click does not say where the file is: %s", r.text)
	}
	for _, tool := range []string{"task_status", "tasks_list"} {
		if r := s.call(t, tool, nil); !strings.Contains(r.text, path) {
			t.Errorf("%s does not tell of %s:\n%s", tool, path, r.text)
		}
	}
	history, err := os.ReadFile(filepath.Join(path, "history.jsonl"))
	if err != nil || !strings.Contains(string(history), `"tool":"click"`) {
		t.Errorf("history: %v\n%s", err, history)
	}
}

func profiles(t *testing.T, s *server) {
	status := s.call(t, "chrome_status", nil)
	browsers, _ := status.data["browsers"].([]any)
	if len(browsers) == 0 {
		t.Fatalf("no browser in %s", status.text)
	}
	name := str(browsers[0].(map[string]any)["name"])
	s.call(t, "profile_rename", args{"name": name, "to": "Renamed"})
	defer s.call(t, "profile_rename", args{"name": "Renamed", "to": name})
	s.call(t, "profile_use", args{"name": "renamed"})
	s.refuse(t, "profile_use", args{"name": "Nobody's"}, "BAD_ARGS", "Renamed")
	if r := s.call(t, "chrome_status", nil); !strings.Contains(r.text, "browser Renamed") {
		t.Errorf("the status is\n%s", r.text)
	}
}

// pdfCheck says what a printed file has to be.
type pdfCheck struct {
	Pages     int       `json:"pages"`
	Box       []float64 `json:"media_box_pt"`
	Tolerance float64   `json:"tolerance"`
}

var (
	pdfPage = regexp.MustCompile(`/Type\s*/Page\b[^s]`)
	pdfBox  = regexp.MustCompile(`/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]`)
)

func (c pdfCheck) judge(t *testing.T, r result) {
	t.Helper()
	b, err := os.ReadFile(str(r.data["path"]))
	if err != nil || !strings.HasPrefix(string(b), "%PDF") {
		t.Errorf("no PDF at %v: %v\n%s", r.data, err, r.text)
		return
	}
	if n := len(pdfPage.FindAll(b, -1)); n != c.Pages || r.data["pages"] != float64(n) {
		t.Errorf("%d pages, said %v, want %d", n, r.data["pages"], c.Pages)
	}
	for _, m := range pdfBox.FindAllSubmatch(b, -1) {
		for i, want := range c.Box {
			if got, _ := strconv.ParseFloat(string(m[i+1]), 64); math.Abs(got-want) > c.Tolerance {
				t.Errorf("a page is %s×%s, want %v", m[1], m[2], c.Box)
			}
		}
	}
}

var (
	deviceName = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]|conin\$|conout\$|clock\$)$`)
	fallback   = regexp.MustCompile(`^download( \(\d+\))?$`)
)

// fileNames holds safe names, and the files that get them, to the vectors.
func fileNames(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct{ In, Want string }
	}](t, raw)
	dir := t.TempDir()
	work := task.Open(dir, "", 0)
	for _, v := range file.Vectors {
		got := task.Base(v.In)
		stem, _, _ := strings.Cut(got, ".")
		ok := got != "" && !strings.ContainsAny(got, "<>:\"|?*/\\\x00") && strings.TrimRight(got, ". ") == got && !deviceName.MatchString(strings.TrimSpace(stem))
		switch want := v.Want; {
		case strings.HasPrefix(want, "no "), strings.HasPrefix(want, "not reserved"), strings.HasPrefix(want, "does not start"):
			if strings.HasPrefix(want, "no traversal") {
				ok = ok && !strings.Contains(got, "%2f") && !strings.Contains(got, "..")
			}
		case strings.HasPrefix(want, "fallback"):
			ok = ok && fallback.MatchString(got)
		case want == "kept as is":
			ok = got == v.In
		default:
			ok = ok && got == want
		}
		if !ok {
			t.Errorf("%q becomes %q, want %s", v.In, got, v.Want)
		}
		f, err := work.Save(task.Downloads, v.In, nil)
		if rel, rerr := filepath.Rel(dir, f.Path); err != nil || rerr != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("%q is kept at %q: %v", v.In, f.Path, err)
		}
	}
}
