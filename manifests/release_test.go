package manifests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testRepo = "https://github.com/owner/chrome-mcp"

func testFile(name string) File {
	return File{"chrome-mcp-1.2.3-" + name, strings.Repeat("0123456789abcdef", 4)}
}

func TestReleaseGolden(t *testing.T) {
	registry, err := NewRegistry("1.2.3", testRepo, []File{testFile("darwin-arm64.mcpb"), testFile("windows-amd64.mcpb")})
	if err != nil {
		t.Fatal(err)
	}
	formula := NewFormula("1.2.3", testRepo, func(goos, goarch string) (File, bool) {
		return testFile(goos + "-" + goarch + ".tar.gz"), true
	})
	for file, m := range map[string]interface{ Encode() ([]byte, error) }{
		"bundle-linux.json":   NewBundle("1.2.3", "linux", testRepo),
		"bundle-windows.json": NewBundle("1.2.3", "windows", testRepo),
		"server.json":         registry,
		"chrome-mcp.rb":       formula,
	} {
		got, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "release", file)
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || string(got) != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s (%v)", file, got, want, err)
		}
	}
}

// TestRegistryLimits holds what the registry refuses beyond the shape of the file.
func TestRegistryLimits(t *testing.T) {
	if n := len(description); n > 100 {
		t.Errorf("the description has %d characters, at most 100", n)
	}
	for _, repo := range []string{"", "github.com/a/b", "http://github.com/a/b", "https://example.com/a/b", "https://github.com/a"} {
		if _, err := NewRegistry("1.0.0", repo, nil); err == nil {
			t.Errorf("repository %q is taken", repo)
		}
	}
	r, err := NewRegistry("1.0.0", "https://gitlab.com/a/b", []File{testFile("linux-amd64.mcpb")})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Name + " " + r.Packages[0].Identifier; got != "io.gitlab.a/chrome-mcp https://gitlab.com/a/b/-/releases/v1.0.0/downloads/chrome-mcp-1.2.3-linux-amd64.mcpb" {
		t.Error(got)
	}
}
