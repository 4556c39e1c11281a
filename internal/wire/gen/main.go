// Gen writes the TypeScript side of the contracts: extension/src/wire.gen.ts from
// packages wire, browser and policy, and internal/page/bundle/pagefn.gen.ts from
// package pagefn. The Go structs stay the only source; nothing is spelled out twice.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	files, err := generate()
	if err == nil {
		err = write(files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// file is one generated file; its path is absolute.
type file struct {
	path    string
	content []byte
}

func generate() ([]file, error) {
	src, err := load()
	if err != nil {
		return nil, err
	}
	return []file{
		{filepath.Join(src.root, "extension", "src", "wire.gen.ts"), wireFile(src)},
		{filepath.Join(src.root, "internal", "page", "bundle", "pagefn.gen.ts"), pagefnFile(src)},
	}, nil
}

func write(files []file) error {
	for _, f := range files {
		if old, err := os.ReadFile(f.path); err == nil && string(old) == string(f.content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.path, f.content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
