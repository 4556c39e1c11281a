package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chrome-mcp/extension"
	"chrome-mcp/manifests"
)

// View is how one browser stands towards us.
type View struct {
	Name      string   `json:"name"` // browser, or user data folder
	Title     string   `json:"title"`
	Installed bool     `json:"installed"`
	Manifest  string   `json:"manifest,omitempty"` // file that the browser reads
	Host      string   `json:"host"`               // "ready", "absent", "foreign" or "faulty"
	Problems  []string `json:"problems,omitempty"`
}

// Look examines the manifests of every browser that is installed and every folder that
// was installed for. It changes nothing.
func Look(s System, o Options) []View {
	var out []View
	for _, b := range Browsers {
		place, ok := s.place(b)
		if !ok || !s.Installed(b) {
			continue
		}
		v := View{Name: b.Name, Title: b.Title, Installed: true}
		switch {
		case b.Refuse != "":
			v.Host, v.Problems = "absent", []string{b.Refuse}
		case s.OS == "windows":
			v.keys(s, o, place)
		default:
			for _, dir := range s.hostDirs(place) {
				v.file(s, o, s.join(dir, o.Host+".json"))
			}
		}
		out = append(out, v)
	}
	record, _ := LoadRecord(o.Data)
	for _, f := range record.Files {
		known := func(v View) bool { return v.Manifest == f.Path }
		if f.Kind == PutManifest && s.OS != "windows" && !slices.ContainsFunc(out, known) {
			dir := filepath.Dir(filepath.Dir(f.Path))
			v := View{Name: dir, Title: dir, Installed: exists(dir)}
			v.file(s, o, f.Path)
			out = append(out, v)
		}
	}
	return out
}

// keys follows the registry to the manifest.
func (v *View) keys(s System, o Options, p Place) {
	v.Host = "absent"
	for _, key := range p.Keys {
		path, found, err := userRegistry().get(`Software\` + key + `\` + hostsDir + `\` + o.Host)
		if err != nil {
			v.Problems = append(v.Problems, err.Error())
		}
		if found {
			v.file(s, o, path)
		}
	}
}

// file judges one manifest file.
func (v *View) file(s System, o Options, path string) {
	v.Manifest = path
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		v.Host = "absent"
		return
	}
	var n manifests.NativeHost
	if err == nil {
		n, err = manifests.ParseNativeHost(b)
	}
	if err != nil {
		v.Host = "faulty"
		v.Problems = append(v.Problems, fmt.Sprintf("%s: %v", path, err))
		return
	}
	v.Host = "ready"
	for _, f := range manifests.Check(n, path, s.OS, nil) {
		v.Problems = append(v.Problems, fmt.Sprintf("%s: %s", path, f))
		if !f.Warn || strings.Contains(f.Text, "file ") {
			v.Host = "faulty"
		}
	}
	switch {
	case n.Path != o.Program(s):
		v.Host = "foreign"
		v.Problems = append(v.Problems, fmt.Sprintf("%s points to another program, %s; `chrome-mcp install --force` replaces the entry", path, n.Path))
	case !slices.Contains(n.AllowedOrigins, extension.Origin):
		v.Host = "faulty"
		v.Problems = append(v.Problems, fmt.Sprintf("%s does not let our extension in; run `chrome-mcp install`", path))
	}
	v.Problems = append(v.Problems, rivals(path, o.Host)...)
}

// rivals names other manifests beside this one that claim our extension.
func rivals(path, host string) []string {
	var out []string
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if e.Name() == host+".json" || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		other := filepath.Join(filepath.Dir(path), e.Name())
		b, err := os.ReadFile(other)
		if err != nil {
			continue
		}
		if n, err := manifests.ParseNativeHost(b); err == nil && slices.Contains(n.AllowedOrigins, extension.Origin) {
			out = append(out, fmt.Sprintf("two manifests name our extension: %s and %s", path, other))
		}
	}
	return out
}
