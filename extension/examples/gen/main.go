// Command gen builds the example extensions: their TypeScript with esbuild, the rest
// copied, each into its dist folder. It needs no network and no Node.
package main

import (
	"errors"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
)

//go:generate go run . ..

// examples are the folders, and each has these files.
var (
	examples = []string{"provider", "host"}
	scripts  = []string{"worker.ts", "page.ts"}
	static   = []string{"manifest.json", "page.html"}
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("extension/examples/gen: ")
	for _, name := range examples {
		dir := filepath.Join(os.Args[1], name)
		files, err := build(dir)
		if err == nil {
			err = write(filepath.Join(dir, "dist"), files)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// build makes the content of every file of an example's dist.
func build(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range static {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: slices.Clone(scripts), AbsWorkingDir: abs, Outdir: filepath.Join(abs, "dist"), // names only: nothing is written
		Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
	})
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	var errs []error
	for _, m := range api.FormatMessages(result.Errors, api.FormatMessagesOptions{}) {
		errs = append(errs, errors.New(m))
	}
	return files, errors.Join(errs...)
}

func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
