package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDistIsFresh builds again and compares with what is committed.
func TestDistIsFresh(t *testing.T) {
	for _, name := range examples {
		files, err := build(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		dist := filepath.Join("..", name, "dist")
		for file, want := range files {
			got, err := os.ReadFile(filepath.Join(dist, file))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s is stale; run go generate ./extension/examples/gen", dist, file)
			}
		}
		entries, err := os.ReadDir(dist)
		if err != nil || len(entries) != len(files) {
			t.Errorf("%s has %d files, %d are built (%v)", dist, len(entries), len(files), err)
		}
	}
}

// TestExamplesAreSmall: they are read by those who write their own.
func TestExamplesAreSmall(t *testing.T) {
	for _, name := range examples {
		sources, err := filepath.Glob(filepath.Join("..", name, "*.ts"))
		if err != nil || len(sources) == 0 {
			t.Fatal(err, sources)
		}
		lines := 0
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
		if lines >= 200 {
			t.Errorf("%s has %d lines of TypeScript, and should have less than 200", name, lines)
		}
	}
}
