//go:build !windows

package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chrome-mcp/extension"
	"chrome-mcp/manifests"
)

// home is a home folder with Chrome and Chromium in it, and a program to install.
type home struct {
	System
	opts   Options
	source string
	chrome string // Chrome's manifest
}

func newHome(t *testing.T) home {
	t.Helper()
	dir := t.TempDir()
	h := home{
		System: System{OS: "linux", Home: dir, Config: filepath.Join(dir, ".config"), Exists: exists},
		opts:   Options{Data: filepath.Join(dir, ".local/share/chrome-mcp"), Host: "com.chrome_mcp.host"},
		source: filepath.Join(dir, "download"),
	}
	for _, b := range []string{"google-chrome", "chromium"} {
		write(t, filepath.Join(h.Config, b, "Local State"), "{}")
	}
	write(t, h.source, "#!/bin/sh\necho one\n")
	h.chrome = filepath.Join(h.Config, "google-chrome/NativeMessagingHosts/com.chrome_mcp.host.json")
	return h
}

func (h home) install(t *testing.T) error {
	t.Helper()
	p, err := NewPlan(h.System, h.opts)
	if err != nil {
		t.Fatal(err)
	}
	return Apply(p, h.source)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree lists all files and folders with the files' content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(p)
			out[p] = string(b)
		} else {
			out[p] = ""
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTree(t *testing.T, before, after map[string]string) {
	t.Helper()
	for p := range after {
		if _, ok := before[p]; !ok {
			t.Errorf("left behind: %s", p)
		}
	}
	for p, content := range before {
		if got, ok := after[p]; !ok || got != content {
			t.Errorf("changed or gone: %s", p)
		}
	}
}

func TestInstallAndUninstallLeaveNoTrace(t *testing.T) {
	h := newHome(t)
	before := tree(t, h.Home)
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(h.chrome)
	if err != nil {
		t.Fatal(err)
	}
	n, err := manifests.ParseNativeHost(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range manifests.Check(n, h.chrome, "linux", nil) {
		if !f.Warn || !strings.Contains(f.Text, "temporary") { // the test's own folder is
			t.Errorf("manifest: %s", f)
		}
	}
	if fi, err := os.Stat(n.Path); err != nil || fi.Mode().Perm() != 0o755 {
		t.Errorf("program: %v, %v", fi, err)
	}
	if _, err := os.Stat(filepath.Join(h.opts.Extension(h.System), "manifest.json")); err != nil {
		t.Error(err)
	}
	if err := h.install(t); err != nil { // again: nothing changes
		t.Fatal(err)
	}
	if _, err := Undo(h.opts.Data, true); err != nil || !exists(h.chrome) {
		t.Errorf("a dry uninstall removed something: %v", err)
	}
	got, err := Undo(h.opts.Data, false)
	if err != nil || len(got.Left) != 0 || !slices.Contains(got.Removed, h.chrome) {
		t.Errorf("Undo() = %+v, %v", got, err)
	}
	sameTree(t, before, tree(t, h.Home))
}

func TestNoFolderForTheExtension(t *testing.T) {
	h := newHome(t)
	dir := h.opts.Extension(h.System)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.install(t); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "run install again") {
		t.Errorf("install: %v", err)
	}
}

func TestUpgradeReplacesOurOwn(t *testing.T) {
	h := newHome(t)
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(h.opts.Extension(h.System), "old.js")
	write(t, stale, "of the release before")
	r, _ := LoadRecord(h.opts.Data)
	r.note(File{Kind: PutExtension, Path: stale, SHA256: hash([]byte("of the release before"))})
	r.save(h.opts.Data)
	write(t, h.source, "#!/bin/sh\necho two\n")
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(h.opts.Program(h.System)); !strings.Contains(string(b), "two") {
		t.Error("the program is still the old one")
	}
	if exists(stale) {
		t.Error("a file of the old extension is still there")
	}
}

// The program can be replaced while it runs, and can install itself in its own place.
func TestReplaceRunningProgram(t *testing.T) {
	h := newHome(t)
	b, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	write(t, h.source, string(b))
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	p := start(t, h.opts.Program(h.System), "60")
	defer p.Kill()
	write(t, h.source, "two")
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	h.source = h.opts.Program(h.System)
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(h.source); string(b) != "two" {
		t.Error("the program is not the new one")
	}
}

func start(t *testing.T, name string, args ...string) *os.Process {
	t.Helper()
	p, err := os.StartProcess(name, append([]string{name}, args...), &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill(); p.Wait() })
	return p
}

func TestForeignManifestIsNotTouched(t *testing.T) {
	for name, content := range map[string]string{
		"another program": `{"name":"com.chrome_mcp.host","path":"/Applications/Other.app/host","type":"stdio","allowed_origins":[]}`,
		"not JSON":        "oops",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			write(t, h.chrome, content)
			before := tree(t, h.Home)
			err := h.install(t)
			var foreign *ForeignError
			if !errors.As(err, &foreign) || foreign.Path != h.chrome || !strings.Contains(err.Error(), "--force") {
				t.Fatalf("error %v; want a ForeignError of %s", err, h.chrome)
			}
			if strings.Contains(content, "Other") && !strings.Contains(err.Error(), "/Applications/Other.app/host") {
				t.Errorf("the error does not name the other program: %v", err)
			}
			sameTree(t, before, tree(t, h.Home))

			h.opts.Force = true
			if err := h.install(t); err != nil {
				t.Fatal(err)
			}
			if err := h.install(t); err != nil { // does not forget what it kept
				t.Fatal(err)
			}
			if _, err := Undo(h.opts.Data, false); err != nil {
				t.Fatal(err)
			}
			sameTree(t, before, tree(t, h.Home))
		})
	}
}

func TestUninstallLeavesWhatIsNotOurs(t *testing.T) {
	h := newHome(t)
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(h.chrome), "com.other.host.json")
	inside := filepath.Join(h.opts.Extension(h.System), "mine.txt")
	write(t, beside, "{}")
	write(t, inside, "notes")
	write(t, h.chrome, "changed by hand")
	got, err := Undo(h.opts.Data, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Left) != 1 || !strings.HasPrefix(got.Left[0], h.chrome) {
		t.Errorf("left %v; want %s", got.Left, h.chrome)
	}
	for _, p := range []string{beside, inside, h.chrome} {
		if !exists(p) {
			t.Errorf("%s is gone", p)
		}
	}
	if exists(h.opts.Program(h.System)) {
		t.Error("the program is still there")
	}
}

func TestUninstallWithoutInstall(t *testing.T) {
	h := newHome(t)
	before := tree(t, h.Home)
	got, err := Undo(h.opts.Data, false)
	if err != nil || len(got.Removed)+len(got.Left) != 0 {
		t.Errorf("Undo() = %+v, %v", got, err)
	}
	sameTree(t, before, tree(t, h.Home))
}

func TestLook(t *testing.T) {
	h := newHome(t)
	write(t, h.source, "x")
	state := func() string {
		for _, v := range Look(h.System, h.opts) {
			if v.Name == "chrome" {
				return v.Host + " " + strings.Join(v.Problems, "\n")
			}
		}
		return "not listed"
	}
	expect := func(want string) {
		t.Helper()
		if got := state(); !strings.Contains(got, want) {
			t.Errorf("chrome is %q; want %q", got, want)
		}
	}
	expect("absent")
	h.opts.UserDataDirs = []string{filepath.Join(h.Home, "profile")}
	h.opts.Browsers = []string{"chrome"}
	if err := h.install(t); err != nil {
		t.Fatal(err)
	}
	expect("ready")
	if views := Look(h.System, h.opts); !slices.ContainsFunc(views, func(v View) bool { return v.Name == h.opts.UserDataDirs[0] && v.Host == "ready" }) {
		t.Errorf("the profile's folder is not listed: %+v", views)
	}
	rival := filepath.Join(filepath.Dir(h.chrome), "com.rival.json")
	write(t, rival, `{"name":"com.rival","allowed_origins":["`+extension.Origin+`"]}`)
	expect("two manifests name our extension: " + h.chrome + " and " + rival)
	os.Remove(h.opts.Program(h.System))
	expect("faulty")
	write(t, h.chrome, `{"name":"com.chrome_mcp.host","path":"/opt/other","type":"stdio","allowed_origins":[]}`)
	expect("foreign")
	expect("/opt/other")
	write(t, h.chrome, `{`)
	expect("faulty")
}
