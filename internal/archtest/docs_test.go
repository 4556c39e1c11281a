package archtest

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`)
	link     = regexp.MustCompile(`\]\(([^)#:]+)\)`)
)

// TestNamedTestsExist holds that a defence in SECURITY.md has the test it names.
func TestNamedTestsExist(t *testing.T) {
	all := files(t)
	var tests strings.Builder
	for name, data := range all {
		if strings.HasSuffix(name, "_test.go") {
			tests.Write(data)
		}
	}
	have := tests.String()
	for name, data := range all {
		if path.Ext(name) != ".md" || strings.HasPrefix(name, "e2e/testdata/") {
			continue
		}
		for _, test := range testName.FindAllString(string(data), -1) {
			if !strings.Contains(have, "func "+test+"(") {
				t.Errorf("%s names %s, which does not exist", name, test)
			}
		}
	}
}

// TestLinksLead holds that what documents link to in the repository is there.
func TestLinksLead(t *testing.T) {
	all := files(t)
	for name, data := range all {
		if path.Ext(name) != ".md" || strings.HasPrefix(name, "e2e/testdata/") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			target := path.Join(path.Dir(name), m[1])
			if _, ok := all[target]; !ok && !hasFolder(all, target) {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
	}
}

func hasFolder(all map[string][]byte, dir string) bool {
	for name := range all {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}
