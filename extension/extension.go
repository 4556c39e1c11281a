// Package extension holds the browser extension, built and embedded, so that one
// binary installs both halves of chrome-mcp.
//
// The sources are TypeScript in src and the files in static; gen builds them into
// dist, which is committed. The package says what the extension is and puts it on
// disk; where that disk is, and who loads it, is the installer's business.
package extension

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:generate go run ./gen

//go:embed dist
var embedded embed.FS

// manifest is written last: Chrome reads it first when it loads a folder, so a
// folder with the new manifest has everything the manifest names.
const manifest = "manifest.json"

// FS is the unpacked extension, manifest.json at its root.
var FS = func() fs.FS {
	sub, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return sub
}()

// Unpack makes dir hold the extension. Each file that differs is replaced in one
// step and the others are left alone, so a browser that has the folder loaded never
// reads half a file. Files in dir that are not ours stay.
func Unpack(dir string) error {
	names, err := Files()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := unpackFile(dir, name); err != nil {
			return fmt.Errorf("unpack the extension: %w; check that %s can be written", err, dir)
		}
	}
	return nil
}

// Files lists the extension's files as slash-separated paths, the manifest last.
func Files() ([]string, error) {
	var names []string
	err := fs.WalkDir(FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != manifest {
			names = append(names, path)
		}
		return err
	})
	return append(names, manifest), err
}

func unpackFile(dir, name string) error {
	want, err := fs.ReadFile(FS, name)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".unpack-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, as it should
	_, err = tmp.Write(want)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
