// Package archtest holds the rules that no compiler checks: which package may import
// which, that each says what it is, and that files stay short and free of what
// belongs to one machine. It has tests only and nothing may import it.
package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "chrome-mcp"
)

// maxLines is where a file has to be split: more than one subject is in it.
const maxLines = 400

// lineLimits are the files that may be longer, with the reason.
var lineLimits = map[string]int{}

// foreign finds paths of the machine that something was written on. The classes keep
// the pattern from finding itself.
var foreign = regexp.MustCompile(`(^|[^\w.$}/-])/(wor[k]|roo[t]|tm[p]/brief)/`)

func TestNothingOfOneMachine(t *testing.T) {
	for name, data := range files(t) {
		if strings.HasPrefix(name, "e2e/testdata/cases/") {
			continue // pages and inputs with paths of many systems on purpose
		}
		if m := foreign.FindIndex(data); m != nil && !bytes.Contains(data[:min(len(data), 8000)], []byte{0}) {
			line := 1 + bytes.Count(data[:m[0]], []byte("\n"))
			t.Errorf("%s:%d names a path of one machine: %q", name, line, data[m[0]:m[1]])
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for name, data := range files(t) {
		ext := path.Ext(name)
		if ext != ".go" && ext != ".ts" || strings.Contains(name, ".gen.") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".test.ts") {
			continue
		}
		limit := maxLines
		if l, ok := lineLimits[name]; ok {
			limit = l
		}
		if n := bytes.Count(data, []byte("\n")); n > limit {
			t.Errorf("%s has %d lines, more than %d; split it by subject", name, n, limit)
		}
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	docs := map[string]string{}
	for _, f := range sources(t) {
		docs[f.dir] += f.ast.Doc.Text()
	}
	for dir, doc := range docs {
		if strings.TrimSpace(doc) == "" {
			t.Errorf("package %s has no comment; say what it is and what it must not do", dir)
		}
	}
}

// source is one Go file that is not a test.
type source struct {
	name, dir string
	ast       *ast.File
	set       *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	for name, data := range files(t) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, data, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Error(err)
			continue
		}
		list = append(list, source{name, path.Dir(name), f, set})
	}
	slices.SortFunc(list, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return list
}

// files reads the repository, by slash-separated path from its top.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	skip := []string{".git", ".tools", "build", "node_modules"}
	all := map[string][]byte{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skip, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || !d.Type().IsRegular() || isBinary(rel) {
			return err
		}
		all[filepath.ToSlash(rel)], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isBinary names what is built at the top of the repository and never committed.
func isBinary(rel string) bool {
	return rel == module || rel == module+".exe" || strings.HasSuffix(rel, ".test") || strings.HasSuffix(rel, ".out")
}
