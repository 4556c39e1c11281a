// Package manifests describes chrome-mcp to the programs that start or install it: the
// native messaging manifest that browsers read, and what bundles, the MCP registry and
// Homebrew want to know.
//
// It turns structs into files' bytes and says what is wrong with such a file. It
// writes nothing and knows no browser's folders.
package manifests

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// NativeHost is a native messaging host manifest. The file is called Name + ".json".
type NativeHost struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Path           string   `json:"path"` // absolute path of the program
	Type           string   `json:"type"` // "stdio"
	AllowedOrigins []string `json:"allowed_origins"`
}

// NewNativeHost describes the program at path to the extension of that origin.
func NewNativeHost(name, path, origin string) NativeHost {
	return NativeHost{
		Name: name, Description: "chrome-mcp: lets AI agents of your choice work in this browser",
		Path: path, Type: "stdio", AllowedOrigins: []string{origin},
	}
}

// FileName is the name that a browser looks for.
func (n NativeHost) FileName() string { return n.Name + ".json" }

// Encode returns the file's bytes.
func (n NativeHost) Encode() ([]byte, error) { return encode("native host manifest", n) }

// encode writes JSON for people's eyes too.
func encode(what string, v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // paths may hold & and stay readable
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return b.Bytes(), nil
}

// ParseNativeHost reads a manifest as a browser does: fields that it does not know are
// none of its business.
func ParseNativeHost(b []byte) (NativeHost, error) {
	var n NativeHost
	if err := json.Unmarshal(bytes.TrimPrefix(b, []byte("\ufeff")), &n); err != nil {
		return n, fmt.Errorf("native host manifest is not valid JSON: %w; run `chrome-mcp install` to write it anew", err)
	}
	return n, nil
}
