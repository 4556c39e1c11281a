package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"chrome-mcp/extension"
	"chrome-mcp/manifests"
)

// View is how one browser stands towards us.
type View struct {
	Name      string   `json:"name"` // browser, or user data folder
	Title     string   `json:"title"`
	Installed bool     `json:"installed"`
	UserData  string   `json:"userData,omitempty"` // folder of its profiles
	Manifest  string   `json:"manifest,omitempty"` // file that the browser reads
	Host      string   `json:"host"`               // "ready", "absent", "foreign" or "faulty"
	Problems  []string `json:"problems,omitempty"`

	Row     *Browser `json:"-"` // of the table; nil for a folder
	Chosen  bool     `json:"-"` // install was told to serve it, says the record
	Program string   `json:"-"` // that its manifest names
	Faults  []Fault  `json:"-"` // what the problems are
}

// Fault is what keeps a browser from finding the host.
type Fault struct {
	Kind FaultKind
	Text string
}

// FaultKind tells faults apart.
type FaultKind string

// The kinds of fault.
const (
	NotServable     FaultKind = "not-servable" // this kind of browser cannot be served
	ManifestMissing FaultKind = "missing"      // though the record says that we wrote it
	ManifestBroken  FaultKind = "broken"       // it cannot be read, or a field is wrong
	ManifestName    FaultKind = "name"
	ManifestOrigin  FaultKind = "origin" // it does not let our extension in
	ManifestPath    FaultKind = "path"   // it points to nothing that can be started
	ManifestForeign FaultKind = "foreign"
	ManifestRival   FaultKind = "rival" // another host claims our extension
	NotExecutable   FaultKind = "not-executable"
	Temporary       FaultKind = "temporary" // the program may vanish
)

// Look examines the manifests of every browser that is installed and every folder that
// was installed for. It changes nothing.
func Look(s System, o Options) []View {
	var out []View
	record, _ := LoadRecord(o.Data)
	for i, b := range Browsers {
		place, ok := s.place(b)
		if !ok || !s.Installed(b) {
			continue
		}
		v := View{Name: b.Name, Title: b.Title, Installed: true, UserData: s.userData(place.Dir), Row: &Browsers[i]}
		switch {
		case b.Refuse != "":
			v.Host = "absent"
			v.fault(NotServable, "%s", b.Refuse)
		case s.OS == "windows":
			v.keys(s, o, place, record)
		default:
			for _, dir := range s.hostDirs(place) {
				v.file(s, o, s.join(dir, o.Host+".json"), record)
			}
		}
		out = append(out, v)
	}
	for _, f := range record.Files {
		known := func(v View) bool { return v.Manifest == f.Path }
		if f.Kind == PutManifest && s.OS != "windows" && !slices.ContainsFunc(out, known) {
			dir := filepath.Dir(filepath.Dir(f.Path))
			v := View{Name: dir, Title: dir, Installed: exists(dir), UserData: dir}
			v.file(s, o, f.Path, record)
			out = append(out, v)
		}
	}
	return out
}

func (v *View) fault(kind FaultKind, format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	v.Faults = append(v.Faults, Fault{kind, text})
	v.Problems = append(v.Problems, text)
}

// keys follows the registry to the manifest.
func (v *View) keys(s System, o Options, p Place, record Record) {
	v.Host = "absent"
	for _, key := range p.Keys {
		name := `Software\` + key + `\` + hostsDir + `\` + o.Host
		path, found, err := userRegistry().get(name)
		switch {
		case err != nil:
			v.fault(ManifestBroken, "%v", err)
		case found:
			v.file(s, o, path, record)
		case record.key(name) != nil:
			v.Chosen, v.Manifest = true, record.key(name).Value
			v.fault(ManifestMissing, `HKCU\%s is gone, so the browser does not find the host; run `+"`chrome-mcp install`", name)
		}
	}
}

// file judges one manifest file.
func (v *View) file(s System, o Options, path string, record Record) {
	v.Manifest, v.Chosen = path, record.file(path) != nil
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		v.Host = "absent"
		if v.Chosen {
			v.fault(ManifestMissing, "%s is gone, so the browser does not find the host; run `chrome-mcp install`", path)
		}
		return
	}
	var n manifests.NativeHost
	if err == nil {
		n, err = manifests.ParseNativeHost(b)
	}
	if err != nil {
		v.Host = "faulty"
		v.fault(ManifestBroken, "%s: %v", path, err)
		return
	}
	v.judge(s, o, n)
	rivals(v, o.Host)
}

// judge names the faults of a manifest that can be read.
func (v *View) judge(s System, o Options, n manifests.NativeHost) {
	v.Host, v.Program = "ready", n.Path
	for _, f := range manifests.Check(n, v.Manifest, s.OS, nil) {
		v.fault(kindOf(f), "%s: %s", v.Manifest, f)
		if f.Kind != manifests.Temporary && (!f.Warn || f.Kind != "") {
			v.Host = "faulty"
		}
	}
	switch {
	case n.Path != o.Program(s):
		v.Host = "foreign"
		v.fault(ManifestForeign, "%s points to another program, %s; `chrome-mcp install --force` replaces the entry", v.Manifest, n.Path)
	case !slices.Contains(n.AllowedOrigins, extension.Origin):
		v.Host = "faulty"
		v.fault(ManifestOrigin, "%s does not let our extension in; run `chrome-mcp install`", v.Manifest)
	case n.Name != o.Host:
		v.Host = "faulty"
		v.fault(ManifestName, "%s is for a host called %q, not %q; run `chrome-mcp install`", v.Manifest, n.Name, o.Host)
	}
}

func kindOf(f manifests.Finding) FaultKind {
	switch {
	case f.Kind == manifests.NotExecutable:
		return NotExecutable
	case f.Kind == manifests.Temporary:
		return Temporary
	case f.Field == "path":
		return ManifestPath
	case f.Field == "allowed_origins":
		return ManifestOrigin
	case f.Field == "name", f.Field == "file":
		return ManifestName
	}
	return ManifestBroken
}

// rivals names other manifests beside the browser's that claim our extension.
func rivals(v *View, host string) {
	dir := filepath.Dir(v.Manifest)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() == host+".json" || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		other := filepath.Join(dir, e.Name())
		b, err := os.ReadFile(other)
		if err != nil {
			continue
		}
		if n, err := manifests.ParseNativeHost(b); err == nil && slices.Contains(n.AllowedOrigins, extension.Origin) {
			v.fault(ManifestRival, "two manifests name our extension: %s and %s", v.Manifest, other)
		}
	}
}
