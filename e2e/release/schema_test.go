package release

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"chrome-mcp/manifests"
)

// registryModule has the registry's schemas; it is read, not linked.
const registryModule = "github.com/modelcontextprotocol/registry@v1.8.9"

// TestRegistry validates server.json with the schema that it names.
func TestRegistry(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", registryModule).Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", registryModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	version := path.Base(path.Dir(manifests.RegistrySchema))
	s := schema(t, filepath.Join(module.Dir, "internal", "validators", "schemas", version+".json"))
	if s.ID != manifests.RegistrySchema {
		t.Errorf("the schema is %s", s.ID)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, r, read(t, "server.json"))
}

// TestSBOM validates the list of what is in the program with CycloneDX's schema.
func TestSBOM(t *testing.T) {
	dir := npm("@cyclonedx/cyclonedx-library/res/schema")
	r, err := schema(t, filepath.Join(dir, "bom-1.6.SNAPSHOT.schema.json")).Resolve(&jsonschema.ResolveOptions{
		Loader: func(u *url.URL) (*jsonschema.Schema, error) {
			return loadSchema(filepath.Join(dir, path.Base(u.Path)))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	list := read(t, made.base+".cdx.json")
	validate(t, r, list)
	var parts struct {
		Components []struct{ Name, PURL string }
	}
	if err := json.Unmarshal(list, &parts); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, c := range parts.Components {
		have[c.Name] = c.PURL != ""
	}
	if !have["std"] || !have["github.com/modelcontextprotocol/go-sdk"] {
		t.Errorf("the list lacks what is surely in the program: %v", have)
	}
}

func schema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	s, err := loadSchema(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func loadSchema(file string) (*jsonschema.Schema, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w; run make setup", err)
	}
	s := new(jsonschema.Schema)
	return s, json.Unmarshal(raw, s)
}

func validate(t *testing.T, r *jsonschema.Resolved, document []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, document)
	}
}
