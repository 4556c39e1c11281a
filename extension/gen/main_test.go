package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chrome-mcp/extension"
)

// TestDistIsFresh builds again and compares with what is committed and embedded.
func TestDistIsFresh(t *testing.T) {
	dir := t.TempDir()
	if err := build("..", dir); err != nil {
		t.Fatal(err)
	}
	want, got := tree(t, os.DirFS(dir)), tree(t, extension.FS)
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("dist/%s is stale; run go generate ./extension", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("dist/%s comes from no source; run go generate ./extension", name)
		}
	}
}

// TestManifestNames holds that every file the manifest names is there.
func TestManifestNames(t *testing.T) {
	m := newManifest()
	names := []string{m.Background.ServiceWorker, m.Action.DefaultPopup, m.OptionsPage}
	for _, icon := range m.Icons {
		names = append(names, icon)
	}
	for _, name := range names {
		if _, err := fs.Stat(extension.FS, name); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingFromOutside holds that pages of the extension load only their own files
// and run no inline code, which their CSP would refuse anyway.
func TestNothingFromOutside(t *testing.T) {
	for name, data := range tree(t, extension.FS) {
		if filepath.Ext(name) != ".html" && filepath.Ext(name) != ".css" {
			continue
		}
		for _, bad := range []string{"http://", "https://", "//cdn", "@import", " style=", "onclick", "javascript:"} {
			if bytes.Contains(data, []byte(bad)) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
}

func TestPruneKeepsOnlyWhatIsBuilt(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.js")
	if err := os.WriteFile(old, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := build("..", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("old.js is still there")
	}
}

func TestManifestIsNarrow(t *testing.T) {
	data, err := fs.ReadFile(extension.FS, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	// A page that could talk to our extension, or read its files, would be a way around
	// the user. Other extensions may ask, and the worker decides by the user's word.
	if got := fmt.Sprint(m["externally_connectable"]); got != "map[ids:[*]]" {
		t.Errorf("externally_connectable is %s: web pages must not come in", got)
	}
	for _, key := range []string{"host_permissions", "web_accessible_resources", "content_scripts"} {
		if _, ok := m[key]; ok {
			t.Errorf("the manifest has %s", key)
		}
	}
	if strings.Contains(pageCSP, "unsafe") {
		t.Error("the CSP has an unsafe source")
	}
}

// TestPermissionsAreUsed holds that nobody is asked for more than the code needs.
func TestPermissionsAreUsed(t *testing.T) {
	code := string(tree(t, extension.FS)["worker.js"])
	use := map[string]string{"nativeMessaging": "chrome.runtime.connectNative"}
	for _, permission := range newManifest().Permissions {
		call := use[permission]
		if call == "" {
			call = "chrome." + permission + "."
		}
		if !strings.Contains(code, call) {
			t.Errorf("the permission %s is asked for, and worker.js has no %s", permission, call)
		}
	}
}

func tree(t *testing.T, fsys fs.FS) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(fsys, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
