package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		have, err := os.ReadFile(f.path)
		if err != nil {
			t.Errorf("%v; run go generate ./internal/wire", err)
			continue
		}
		if diff := cmp.Diff(string(have), string(f.content)); diff != "" {
			t.Errorf("%s is stale; run go generate ./internal/wire (-have +want):\n%s", filepath.Base(f.path), diff)
		}
	}
}
