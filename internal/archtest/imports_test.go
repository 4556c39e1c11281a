package archtest

import (
	"strconv"
	"strings"
	"testing"
)

// imports is the rule "imports point one way": each package of ours, and what else of
// ours it may import. A package that is not listed may not exist. What runs in no
// binary of ours (generators, end-to-end tests) may import what it needs.
var imports = []struct {
	dir string
	may []string
}{
	// Wiring: the only package that knows all roles.
	{"cmd/chrome-mcp", []string{"mcpserver", "nmhost", "bridge", "cdpfallback", "installer", "extension", "manifests", "internal/browser", "internal/choice", "internal/extproto", "internal/doctor", "internal/policy", "internal/provider", "internal/redact", "internal/state", "internal/task", "internal/terminal", "internal/version", "internal/wire", "internal/page/bundle"}},

	// Roles. None imports another.
	{"mcpserver", []string{"internal/browser", "internal/extproto", "internal/page", "internal/policy", "internal/provider", "internal/redact", "internal/task", "internal/version"}},
	{"nmhost", []string{"internal/state", "internal/wire", "internal/version"}},
	{"installer", []string{"extension", "manifests", "internal/conf", "internal/state", "internal/version", "internal/wire"}},

	// Backends: they carry, and know no page logic.
	{"bridge", []string{"internal/browser", "internal/extproto", "internal/pagefn", "internal/policy", "internal/state", "internal/version", "internal/wire"}},
	{"cdpfallback", []string{"internal/browser", "internal/page/bundle", "internal/pagefn", "internal/version"}},

	{"internal/choice", []string{"internal/browser"}},

	// It tries every role as its counterpart would.
	{"internal/doctor", []string{"bridge", "cdpfallback", "nmhost", "installer", "extension", "internal/browser", "internal/page/bundle", "internal/state", "internal/version", "internal/wire"}},

	// Above the waist: written once, for every backend.
	{"internal/page", []string{"internal/article", "internal/browser", "internal/markdown", "internal/pagefn", "internal/policy", "internal/redact", "internal/task"}},

	// What several share. The waist imports nothing, or it would not be one.
	{"internal/browser", nil},
	{"internal/page/bundle", nil},
	{"internal/pagefn", []string{"internal/policy"}},
	{"internal/policy", nil},
	{"internal/article", nil},
	{"internal/extproto", nil},
	{"internal/provider", []string{"internal/browser", "internal/extproto"}},
	{"internal/conf", nil},
	{"internal/markdown", nil},
	{"internal/redact", nil},
	{"internal/state", []string{"internal/version"}},
	{"internal/task", []string{"internal/state"}},
	{"internal/terminal", nil},
	{"internal/terminal/terminaltest", nil},
	{"internal/version", nil},
	{"internal/wire", []string{"internal/browser", "internal/pagefn", "internal/policy"}},
	{"extension", nil},
	{"manifests", []string{"internal/version"}},

	{"internal/wire/gen", []string{anything}},
	{"extension/gen", []string{anything}},
	{"extension/icongen", nil},
	{"internal/hitl", []string{"internal/terminal", "internal/version"}},
	{"internal/release", []string{"extension", "internal/version", "manifests"}},
	{"extension/examples/gen", nil},
	{"e2e", []string{anything}},
}

const anything = "*"

func TestImportsPointOneWay(t *testing.T) {
	for _, f := range sources(t) {
		may, ok := rule(f.dir)
		if !ok {
			t.Errorf("%s: package %s has no row in the import rule; add one that says what it may import", f.name, f.dir)
			continue
		}
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
			}
			dir, ours := strings.CutPrefix(imported, module+"/")
			if ours && !allowed(may, dir) {
				t.Errorf("%s: %s must not import %s", f.set.Position(spec.Pos()), f.dir, dir)
			}
		}
	}
}

// TestRuleIsNotCircular walks the rule itself: a row that closes a circle would let
// code compile only until somebody uses it.
func TestRuleIsNotCircular(t *testing.T) {
	var visit func(dir string, path []string)
	visit = func(dir string, path []string) {
		for _, p := range path {
			if p == dir {
				t.Fatalf("the rule is circular: %s", strings.Join(append(path, dir), " → "))
			}
		}
		may, _ := rule(dir)
		for _, next := range may {
			if next != anything {
				visit(next, append(path[:len(path):len(path)], dir))
			}
		}
	}
	for _, r := range imports {
		visit(r.dir, nil)
	}
}

// rule finds a package's row; packages under e2e share one.
func rule(dir string) ([]string, bool) {
	for _, r := range imports {
		if r.dir == dir || r.dir == "e2e" && strings.HasPrefix(dir, "e2e/") {
			return r.may, true
		}
	}
	return nil, false
}

func allowed(may []string, dir string) bool {
	for _, m := range may {
		if m == anything || m == dir {
			return true
		}
	}
	return false
}
