package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"chrome-mcp/internal/version"
)

// sbom is a list of what is in a binary, in CycloneDX 1.6. It holds what the binary says
// of itself.
type sbom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp  string     `json:"timestamp"`
	Component  component  `json:"component"`
	Properties []property `json:"properties"`
}

type component struct {
	Ref     string `json:"bom-ref"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func newSBOM(info *debug.BuildInfo, program []byte, at time.Time) sbom {
	sum := sha256.Sum256(program)
	self := component{
		Ref: "chrome-mcp", Type: "application", Name: "chrome-mcp", Version: version.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	list := []component{{Ref: "std", Type: "library", Name: "std", Version: goVersion, PURL: "pkg:golang/std@" + goVersion}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		list = append(list, module(d))
	}
	root := dependency{Ref: self.Ref}
	for _, c := range list {
		root.On = append(root.On, c.Ref)
	}
	var settings []property
	for _, s := range info.Settings {
		if s.Value != "" {
			settings = append(settings, property{"go:build:" + s.Key, s.Value})
		}
	}
	return sbom{
		Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1,
		Metadata:   metadata{at.Format(time.RFC3339), self, settings},
		Components: list, Dependencies: []dependency{root},
	}
}

func module(d *debug.Module) component {
	purl := "pkg:golang/" + strings.ToLower(d.Path) + "@" + d.Version
	c := component{Ref: purl, Type: "library", Name: d.Path, Version: d.Version, PURL: purl}
	// go.sum's h1 is a SHA-256 over the hashes of the module's files.
	if b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(d.Sum, "h1:")); err == nil && len(b) == sha256.Size {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(b)}}
	}
	return c
}

// serial is a UUID, version 8, made from the program: one program, one list.
func serial(sum [sha256.Size]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func (s sbom) encode() ([]byte, error) {
	b, err := json.MarshalIndent(s, "", "  ")
	return append(b, '\n'), err
}
