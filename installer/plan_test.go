package installer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// testSystem is a machine of each kind on which the given paths exist.
func testSystem(goos string, paths ...string) System {
	s := System{OS: goos, Home: "/home/u", Config: "/home/u/.config", PATH: []string{"/usr/local/bin", "/usr/bin"}}
	switch goos {
	case "darwin":
		s.Home, s.Config = "/Users/u", "/Users/u/Library/Application Support"
		s.PATH, s.Programs = nil, []string{"/Applications", "/Users/u/Applications"}
	case "windows":
		s.Home, s.Config = `C:\Users\Two Words`, `C:\Users\Two Words\AppData\Local`
		s.PATH, s.Programs = nil, []string{`C:\Program Files`, `C:\Program Files (x86)`, s.Config}
	}
	s.Exists = func(p string) bool {
		for _, have := range paths {
			if p == have || strings.HasPrefix(have, p+"/") {
				return true
			}
		}
		return false
	}
	return s
}

func testOptions(goos string) Options {
	o := Options{Data: "/home/u/.local/share/chrome-mcp", Host: "com.chrome_mcp.host"}
	switch goos {
	case "darwin":
		o.Data = "/Users/u/Library/Application Support/chrome-mcp"
	case "windows":
		o.Data = `C:\Users\Two Words\AppData\Local\chrome-mcp`
	}
	return o
}

// everything is a machine with every browser of the table, by its program or, where
// that is not known, its profile.
func everything(goos string) System {
	s := testSystem(goos)
	var paths []string
	for _, b := range Browsers {
		if p, ok := s.place(b); ok {
			paths = append(paths, s.join(s.userData(p.Dir), "Local State"))
		}
	}
	return testSystem(goos, paths...)
}

func TestPlansGolden(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			p, err := NewPlan(everything(goos), testOptions(goos))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "plan-"+goos+".txt", dump(p))
		})
	}
}

// dump shows a plan with all that Apply would use.
func dump(p *Plan) string {
	var b strings.Builder
	b.WriteString(p.String())
	seen := map[string]bool{}
	for _, s := range p.Steps {
		if s.Kind == PutManifest && !seen[string(s.Content)] {
			seen[string(s.Content)] = true
			fmt.Fprintf(&b, "\n%s\n%s", s.Path, s.Content)
		}
		if s.Kind == SetKey {
			fmt.Fprintf(&b, "\n%s = %s", s.Path, s.Value)
		}
	}
	return b.String() + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal([]byte(got), want) {
		t.Errorf("%s differs (%v); run with -update and look at the diff. Got:\n%s", path, err, got)
	}
}

func TestTableIsSound(t *testing.T) {
	names := map[string]bool{}
	for _, b := range Browsers {
		if names[b.Name] || b.Name == "" || b.Title == "" || b.Name != strings.ToLower(b.Name) {
			t.Errorf("row %q is doubled or incomplete", b.Name)
		}
		names[b.Name] = true
		if b.Linux.Dir+b.Darwin.Dir+b.Windows.Dir == "" {
			t.Errorf("%s exists nowhere", b.Name)
		}
		if b.Windows.Dir != "" && len(b.Windows.Keys) == 0 {
			t.Errorf("%s has no registry key", b.Name)
		}
		for _, p := range []Place{b.Linux, b.Darwin} {
			if len(p.Keys) > 0 {
				t.Errorf("%s has registry keys outside Windows", b.Name)
			}
		}
	}
}

func TestChoice(t *testing.T) {
	chrome, chromium := "/usr/bin/google-chrome-stable", "/usr/bin/chromium"
	cases := []struct {
		name  string
		there []string
		opts  Options
		want  []string // parts of the manifest paths
		err   string
	}{
		{name: "all that is there", there: []string{chrome, chromium}, want: []string{"/google-chrome/", "/chromium/"}},
		{name: "the chosen one", there: []string{chrome, chromium}, opts: Options{Browsers: []string{"chromium"}}, want: []string{"/chromium/"}},
		{name: "a folder alone", there: []string{chrome}, opts: Options{UserDataDirs: []string{"/p"}}, want: []string{"/p/NativeMessagingHosts/"}},
		{name: "a folder and a browser", there: []string{chrome}, opts: Options{Browsers: []string{"chrome"}, UserDataDirs: []string{"/p"}}, want: []string{"/google-chrome/", "/p/"}},
		{name: "a folder that other hosts made proves nothing", there: []string{"/home/u/.config/google-chrome/NativeMessagingHosts/x.json"}, err: "no browser found"},
		{name: "nothing there", err: "no browser found; install one, or"},
		{name: "not there", there: []string{chrome}, opts: Options{Browsers: []string{"brave"}}, err: "Brave is not installed for this user"},
		{name: "unknown", opts: Options{Browsers: []string{"netscape"}}, err: `unknown browser "netscape"; known are chrome, `},
		{name: "elsewhere", opts: Options{Browsers: []string{"arc"}}, err: "Arc does not exist for this system"},
		{name: "snap", there: []string{"/snap/bin/chromium", "/usr/bin/chromium-browser"}, err: "Chromium (snap): left out; a snap cannot start programs"},
		{name: "snap by name", there: []string{"/snap/bin/chromium"}, opts: Options{Browsers: []string{"chromium-snap"}}, err: "a snap cannot start programs"},
		{name: "unverified", there: []string{"/usr/bin/google-chrome-canary"}, err: "--browser chrome-canary"},
		{name: "unverified by name", there: []string{"/usr/bin/google-chrome-canary"}, opts: Options{Browsers: []string{"chrome-canary"}}, want: []string{"/google-chrome-canary/"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.opts.Data, c.opts.Host = "/home/u/.local/share/chrome-mcp", "com.chrome_mcp.host"
			p, err := NewPlan(testSystem("linux", c.there...), c.opts)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v; want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range p.Steps {
				if s.Kind == PutManifest {
					got = append(got, s.Path)
				}
			}
			if len(got) != len(c.want) {
				t.Fatalf("manifests %v; want %v", got, c.want)
			}
			for i := range got {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("manifest %s; want %s", got[i], c.want[i])
				}
			}
		})
	}
}

func TestUserDataDirOnWindowsIsRefused(t *testing.T) {
	o := testOptions("windows")
	o.UserDataDirs = []string{`C:\p`}
	if _, err := NewPlan(testSystem("windows"), o); err == nil || !strings.Contains(err.Error(), "registry") {
		t.Errorf("error %v", err)
	}
}

func TestFlatpakCommandIsShown(t *testing.T) {
	o := testOptions("linux")
	o.Data = "/home/u/my data"
	p, err := NewPlan(testSystem("linux", "/home/u/.var/app/org.chromium.Chromium/config/chromium/Local State"), o)
	if err != nil {
		t.Fatal(err)
	}
	want := "flatpak override --user --filesystem='/home/u/my data':ro org.chromium.Chromium"
	if !strings.Contains(p.String(), want) {
		t.Errorf("no %q in\n%s", want, p)
	}
}
