package manifests

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Finding is one fault of a manifest. A browser says nothing but "Specified native
// messaging host not found" for each of them.
type Finding struct {
	Field string // the manifest's field, or "file"
	Text  string // what is wrong, and what to do
	Warn  bool   // works now or elsewhere, or cannot be judged from the text alone
	Kind  Kind   // what it is, where the field alone does not tell
}

// Kind tells findings of one field apart.
type Kind string

// The kinds of finding about the program that a manifest names.
const (
	Missing       Kind = "missing"
	NotExecutable Kind = "not-executable"
	Temporary     Kind = "temporary" // it may vanish
)

func (f Finding) String() string { return f.Field + ": " + f.Text }

var (
	nameRule   = regexp.MustCompile(`^[a-z0-9_]+(\.[a-z0-9_]+)*$`)
	originRule = regexp.MustCompile(`^chrome-extension://[a-p]{32}/$`)
)

// Check names every fault of a manifest that stands in a file of the given name on the
// given OS (a GOOS value). fileName may be "" when it is not known. stat looks at the
// program; nil is os.Stat.
func Check(n NativeHost, fileName, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	var out []Finding
	fault := func(field, format string, a ...any) {
		out = append(out, Finding{Field: field, Text: fmt.Sprintf(format, a...)})
	}
	if !nameRule.MatchString(n.Name) {
		fault("name", "%q is no host name: lower-case letters, digits, _ and single dots only", n.Name)
	}
	if fileName != "" && filepath.Base(fileName) != n.FileName() {
		fault("file", "is called %s, but the browser looks for %s, the name plus .json; rename it", filepath.Base(fileName), n.FileName())
	}
	if n.Type != "stdio" {
		fault("type", `is %q; it has to be "stdio"`, n.Type)
	}
	for _, o := range n.AllowedOrigins {
		if text := originFault(o); text != "" {
			fault("allowed_origins", "%s", text)
		}
	}
	if n.AllowedOrigins == nil {
		fault("allowed_origins", "is missing, so no extension may use the host")
	}
	if stat == nil {
		stat = os.Stat
	}
	return append(out, checkPath(n.Path, goos, stat)...)
}

func originFault(o string) string {
	switch {
	case originRule.MatchString(o):
		return ""
	case strings.Contains(o, "*"):
		return fmt.Sprintf("%q: wildcards are not allowed; name the extension", o)
	case originRule.MatchString(o + "/"):
		return fmt.Sprintf("%q needs a trailing slash", o)
	}
	return fmt.Sprintf("%q is no extension origin; it looks like chrome-extension://<32 letters a-p>/", o)
}

var windowsAbs = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)

func checkPath(path, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	fault := func(warn bool, format string, a ...any) []Finding {
		return []Finding{{Field: "path", Text: fmt.Sprintf(format, a...), Warn: warn}}
	}
	kind := func(kind Kind, format string, a ...any) []Finding {
		return []Finding{{Field: "path", Text: fmt.Sprintf(format, a...), Warn: true, Kind: kind}}
	}
	windows := goos == "windows"
	switch {
	case path == "":
		return fault(false, "is missing")
	case !windows && !strings.HasPrefix(path, "/") && !windowsAbs.MatchString(path):
		return fault(false, "%q must be absolute", path)
	case windowsAbs.MatchString(path) && wrapper(path):
		// Browsers start anything but an .exe through cmd /d /s /c.
		return fault(true, "%q is a script: it runs through cmd, and must quote its own paths, which may hold spaces; point at the .exe instead", path)
	case !windows && windowsAbs.MatchString(path):
		return fault(false, "%q is a Windows path; here it must be absolute and start with /", path)
	}
	var out []Finding
	if temporary(path) {
		out = kind(Temporary, "%q lies in a temporary or build folder and may vanish; run `chrome-mcp install` from a kept copy", path)
	}
	fi, err := stat(path)
	switch {
	case err != nil:
		out = append(out, kind(Missing, "%q: file missing (%v); run `chrome-mcp install`", path, err)...)
	case fi.IsDir():
		out = append(out, fault(true, "%q is a folder", path)...)
	case !windows && fi.Mode()&0o111 == 0:
		out = append(out, kind(NotExecutable, "%q: file not executable; run chmod +x on it", path)...)
	}
	return out
}

func wrapper(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".bat" || ext == ".cmd"
}

// temporary tells places that something cleans up: temp folders and the Go build's.
func temporary(path string) bool {
	p := strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	for _, part := range []string{"/go-build", "/tmp/", "/temp/", "/var/folders/", "/.cache/"} {
		if strings.Contains(p, part) {
			return true
		}
	}
	return false
}
