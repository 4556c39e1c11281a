// Command gen builds the extension's sources into its dist folder: the manifest from
// Go values, the scripts with esbuild, the rest copied. It needs no network and no
// Node, and the same sources always give the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// pageBundle is the script that runs in pages, relative to the extension's folder.
const pageBundle = "../internal/page/bundle/bundle.gen.js"

// scripts are the entry points in src, each built to one file of the same name. The
// pages' run before the page is parsed, which modules cannot.
var scripts = []struct {
	name   string
	format api.Format
}{
	{"worker.ts", api.FormatESModule},
	{"options.ts", api.FormatIIFE},
	{"popup.ts", api.FormatIIFE},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("extension/gen: ")
	out := flag.String("out", "dist", "folder to fill, relative to the extension's own")
	flag.Parse()
	if err := build(".", *out); err != nil {
		log.Fatal(err)
	}
}

// build fills out from the extension's folder src and removes what does not belong.
func build(src, out string) error {
	files, err := collect(src)
	if err != nil {
		return err
	}
	for name, data := range files {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return prune(out, files)
}

// collect makes the content of every file of dist.
func collect(src string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := addStatic(files, filepath.Join(src, "static")); err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(src, pageBundle))
	if err != nil {
		return nil, fmt.Errorf("%w; run go generate ./internal/page/bundle", err)
	}
	files["page.js"] = page
	if err := addScripts(files, src); err != nil {
		return nil, err
	}
	m, err := json.MarshalIndent(newManifest(), "", "  ")
	files["manifest.json"] = append(m, '\n')
	return files, err
}

func addStatic(files map[string][]byte, dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		// An SVG is the drawing that the PNGs beside it were made from.
		if err != nil || d.IsDir() || filepath.Ext(path) == ".svg" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		return err
	}
	return share(files)
}

// rows are the templates that several pages have in common. HTML cannot include a file,
// so each page has the file's name in a comment, which becomes its content.
const rows = "rows.html"

func share(files map[string][]byte) error {
	shared := files[rows]
	delete(files, rows)
	mark := []byte("<!-- " + rows + " -->\n")
	for name, data := range files {
		if filepath.Ext(name) != ".html" {
			continue
		}
		if !bytes.Contains(data, mark) {
			return fmt.Errorf("%s has no line %q for the rows that pages share", name, mark)
		}
		files[name] = bytes.Replace(data, mark, shared, 1)
	}
	return nil
}

func addScripts(files map[string][]byte, src string) error {
	abs, err := filepath.Abs(src)
	if err != nil {
		return err
	}
	for _, script := range scripts {
		result := api.Build(api.BuildOptions{
			EntryPoints:   []string{filepath.Join("src", script.name)},
			AbsWorkingDir: abs,
			Bundle:        true,
			Format:        script.format,
			Target:        api.ES2022,
			Charset:       api.CharsetUTF8,
			Outdir:        filepath.Join(abs, "dist"), // names only: nothing is written
		})
		if err := failures(result.Errors); err != nil {
			return err
		}
		for _, f := range result.OutputFiles {
			files[filepath.Base(f.Path)] = f.Contents
		}
	}
	return nil
}

func failures(messages []api.Message) error {
	var errs []error
	for _, m := range api.FormatMessages(messages, api.FormatMessagesOptions{}) {
		errs = append(errs, errors.New(m))
	}
	return errors.Join(errs...)
}

// prune removes the files under out that are not in files.
func prune(out string, files map[string][]byte) error {
	return filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, path)
		if err != nil {
			return err
		}
		if _, ok := files[filepath.ToSlash(rel)]; ok {
			return nil
		}
		return os.Remove(path)
	})
}
