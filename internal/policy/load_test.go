package policy

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	write := func(text string) { t.Helper(); os.WriteFile(path, []byte(text), 0o600) }

	write("\ufeff" + `{"$schema":"x","allowDomains":["example.com"],"mutations":true,"uploadsDir":"/srv"}`)
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, Policy{AllowDomains: []string{"example.com"}, Mutations: true, UploadsDir: "/srv"}); diff != "" {
		t.Error(diff)
	}

	for text, want := range map[string]string{
		``:                               "is not one JSON object",
		`[]`:                             "is not one JSON object",
		`{"mutation":true}`:              `unknown key "mutation"; known are allowDomains,`,
		`{"Mutations":true}`:             `unknown key "Mutations"`,
		`{"eval":false,"eval":true}`:     `key "eval" twice`,
		`{"eval":"yes"}`:                 `has a string for "eval", which is a bool`,
		`{"eval":null}`:                  "leave the key out",
		`{"eval":true} {}`:               "something after",
		`{"eval":true`:                   "is not JSON",
		`{"allowDomains":["ex*.com"]}`:   `site rule "ex*.com"`,
		`{"denyDomains":["127.*"]}`:      `site rule "127.*"`,
		`{"allowDomains":"example.com"}`: `has a string for "allowDomains"`,
	} {
		write(text)
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	write(strings.Repeat(" ", maxFile+1))
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
	if _, err := Load(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
	if _, err := Load(path + "x"); err == nil || !strings.Contains(err.Error(), path+"x") {
		t.Error(err)
	}
}

func TestSchemaHasTheStructsKeys(t *testing.T) {
	var s struct{ Properties map[string]any }
	if err := json.Unmarshal(Schema, &s); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(append(keys(), "$schema")))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(s.Properties))); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"allowDomains":["example.com"],"eval":true}`))
	f.Add([]byte(`{"eval":true,"eval":false}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
