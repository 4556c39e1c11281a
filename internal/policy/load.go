package policy

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
)

// Schema is the JSON schema of a policy file, for editors and docs.
//
//go:embed policy.schema.json
var Schema []byte

// maxFile bounds a policy file.
const maxFile = 1 << 20

// Load reads a policy file. It is strict, because a rule that is misspelled and passed
// over would allow or deny what the user did not mean.
func Load(path string) (Policy, error) {
	p, err := load(path)
	if err != nil {
		return Policy{}, fmt.Errorf("policy file %s: %w", path, err)
	}
	return p, nil
}

func load(path string) (Policy, error) {
	f, err := os.Open(path)
	if err != nil {
		return Policy{}, errors.Unwrap(err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return Policy{}, errors.New("is not a regular file")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Policy{}, err
	}
	if len(b) > maxFile {
		return Policy{}, fmt.Errorf("is larger than %d bytes", maxFile)
	}
	return Parse(b)
}

// Parse reads the text of a policy file.
func Parse(b []byte) (Policy, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if err := checkKeys(b); err != nil {
		return Policy{}, err
	}
	var p Policy
	if err := json.Unmarshal(b, &p); err != nil {
		return Policy{}, badJSON(err)
	}
	return p, p.Validate()
}

// checkKeys reads the object key by key: encoding/json would take keys in any case, and
// the last of two equal ones.
func checkKeys(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("is not one JSON object, such as {\"allowDomains\": [\"example.com\"]}")
	}
	known, seen := keys(), map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return badJSON(err)
		}
		key := t.(string)
		switch {
		case seen[key]:
			return fmt.Errorf("has the key %q twice", key)
		case key != "$schema" && !slices.Contains(known, key):
			return fmt.Errorf("has the unknown key %q; known are %s", key, strings.Join(known, ", "))
		}
		seen[key] = true
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return badJSON(err)
		}
		if bytes.Equal(skip, []byte("null")) {
			return fmt.Errorf("has no value for %q; leave the key out", key)
		}
	}
	if _, err := dec.Token(); err != nil {
		return badJSON(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("has something after its JSON object")
	}
	return nil
}

func badJSON(err error) error {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn):
		return fmt.Errorf("is not JSON at byte %d: %w", syn.Offset, err)
	case errors.As(err, &typ):
		return fmt.Errorf("has a %s for %q, which is a %s", typ.Value, typ.Field, typ.Type)
	}
	return fmt.Errorf("is not JSON: %w", err)
}

// keys lists the keys of a policy file, in the order of the struct.
func keys() []string {
	var list []string
	for f := range reflect.TypeFor[Policy]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list = append(list, name)
	}
	return list
}
