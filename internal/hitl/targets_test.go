package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExample(t *testing.T) {
	sites, err := readTargets(filepath.Join("..", "..", "test-targets.example.json"))
	if err != nil || len(sites) < 2 {
		t.Fatalf("%v, %v", sites, err)
	}
}

func TestReadTargets(t *testing.T) {
	cases := map[string]string{
		`{"sites":[]}`: "names no sites",
		`{"sites":[{"name":"a","url":"https://a.test/","step":[]}]}`:                     `unknown field "step"`,
		`{"sites":[{"name":"a","url":"a.test"}]}`:                                        "no address of a web page",
		`{"sites":[{"name":"a","url":"chrome://settings"}]}`:                             "no address of a web page",
		`{"sites":[{"name":"a","url":"https://a.test/","also":["*"]}]}`:                  "name each host",
		`{"sites":[{"name":"a","url":"https://a.test/","steps":[{}]}]}`:                  "names no tool",
		`{"sites":[{"name":"a","url":"https://a.test/","steps":[{"tool":"batch"}]}]}`:    "does not show what it would do",
		`{"sites":[{"name":"a","url":"https://a.test/","steps":[{"tool":"get_text"}]}]}`: "",
	}
	for text, want := range cases {
		path := filepath.Join(t.TempDir(), "test-targets.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readTargets(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	if _, err := readTargets(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "copy test-targets.example.json") {
		t.Errorf("error %v", err)
	}
}
