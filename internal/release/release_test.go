package main

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// TestArchives packs the same files in another order, elsewhere in the world.
func TestArchives(t *testing.T) {
	files := []entry{{"b/program", bytes.Repeat([]byte("code "), 1000), true}, {"a.txt", []byte("text"), false}}
	mirrored := slices.Clone(files)
	slices.Reverse(mirrored)
	for name, pack := range map[string]func([]entry, time.Time) ([]byte, error){"tar.gz": tarGz, "zip": zipped} {
		one, err := pack(files, at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack(mirrored, at.In(time.FixedZone("", 3600)))
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: other bytes (%v)", name, err)
		}
	}
}

func TestZip(t *testing.T) {
	b, err := zipped([]entry{{"program", []byte("code"), true}}, at)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	f := r.File[0]
	if f.Mode() != 0o755 || !f.Modified.Equal(at) {
		t.Errorf("mode %v, time %v", f.Mode(), f.Modified)
	}
	rc, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	if data, err := io.ReadAll(rc); err != nil || string(data) != "code" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestClear keeps what is not a release.
func TestClear(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	mine := filepath.Join(dir, "mine.txt")
	if err := clear(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := clear(dir); err == nil || !strings.Contains(err.Error(), "-out") {
		t.Errorf("error %v", err)
	}
	if err := os.Rename(mine, filepath.Join(dir, sumsName)); err != nil {
		t.Fatal(err)
	}
	if err := clear(dir); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestTargets(t *testing.T) {
	if list, err := parseTargets(allTargets()); err != nil || len(list) != 6 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := parseTargets("linux/amd64,plan9/386"); err == nil || !strings.Contains(err.Error(), "darwin/arm64") {
		t.Errorf("error %v", err)
	}
}

func TestSourceTime(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if got, err := sourceTime(context.Background()); err != nil || got.Format(time.RFC3339) != "2023-11-14T22:13:20Z" {
		t.Errorf("%v, %v", got, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := sourceTime(context.Background()); err == nil {
		t.Error("yesterday is taken for a time")
	}
}

// TestNoLicense refuses to publish what has none.
func TestNoLicense(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	m := &maker{licenses: map[string]string{"a.test/free@v1.0.0": "Do what you want.\n", "std@go1.0": "Go's.\n"}}
	info := &debug.BuildInfo{GoVersion: "go1.0", Deps: []*debug.Module{{Path: "a.test/free", Version: "v1.0.0"}}}
	text, err := m.allLicenses(t.Context(), info)
	if err != nil || !strings.Contains(string(text), "a.test/free v1.0.0\n") || !strings.Contains(string(text), "Do what you want.") {
		t.Errorf("%s, %v", text, err)
	}
	info.Deps[0].Version = "v2.0.0"
	if _, err := m.allLicenses(t.Context(), info); err == nil {
		t.Error("a module that cannot be found passes")
	}
}
