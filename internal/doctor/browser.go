package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"chrome-mcp/installer"
	"chrome-mcp/internal/state"
)

// browser looks at what keeps one browser from starting the host.
func (e *exam) browser(ctx context.Context, v installer.View) {
	if v.Row != nil && v.Row.Refuse != "" {
		e.warn("browser.snap", v.Title+" cannot be served", v.Row.Refuse, "flatpak install flathub org.chromium.Chromium && chrome-mcp install --browser chromium-flatpak")
		return
	}
	if e.record.V == 0 && v.Host == "absent" {
		return // nothing is installed at all, which is said
	}
	before := len(e.list)
	e.manifest(v)
	if v.Chosen && v.Row != nil {
		e.flatpak(v)
		e.policies(ctx, v)
	}
	if len(e.list) == before && v.Host == "ready" {
		e.fine("manifest", v.Title+" finds the host", "%s starts %s", v.Manifest, v.Program)
	}
}

func (e *exam) manifest(v installer.View) {
	if v.Host == "absent" && !v.Chosen {
		e.warn("manifest.none", v.Title+" is not served", "install was not told to serve it", e.installBrowser(v, ""))
		return
	}
	if other := dataOf(v.Program); v.Host == "foreign" && other != "" {
		e.twoFolders(v.Title+" starts the host of another data folder", fmt.Sprintf("%s starts %s, which looks for servers in %s", v.Manifest, v.Program, other))
		return
	}
	seen := map[installer.FaultKind]bool{}
	for _, f := range v.Faults {
		if !seen[f.Kind] {
			e.manifestFault(v, f)
		}
		seen[f.Kind] = true
	}
}

func (e *exam) manifestFault(v installer.View, f installer.Fault) {
	again := func() error { return e.again(v.Manifest) }
	gone := fmt.Sprintf("%s is in the way of our own", v.Manifest)
	switch f.Kind {
	case installer.NotExecutable:
		if v.Program != e.program() { // else installed says it
			e.fail("host.not-executable", v.Title+" may not run the host", f.Text, "chmod +x "+e.quote(v.Program))
		}
	case installer.ManifestPath:
		switch {
		case v.Program == e.program() && e.found("install.program"): // the cause is said
		case v.Chosen:
			e.fixable("manifest.path", v.Title+" is pointed to a program that is not there", f.Text, again)
		default:
			e.fail("manifest.path", v.Title+" is pointed to a program that is not there", f.Text, e.installBrowser(v, "--force"))
		}
	case installer.ManifestForeign:
		if !e.found("manifest.path") {
			e.fail("manifest.foreign", "another program answers for us in "+v.Title, f.Text, e.installBrowser(v, "--force"))
		}
	case installer.ManifestRival:
		e.warn("manifest.rival", "two programs claim our extension in "+v.Title, f.Text, "remove the one that you do not use; ours is "+v.Manifest)
	case installer.Temporary:
		if v.Program != e.program() {
			e.warn("manifest.temporary", v.Title+" starts a program that may vanish", f.Text, e.installBrowser(v, ""))
		}
	default:
		what := map[installer.FaultKind]string{
			installer.ManifestMissing: "the manifest by which " + v.Title + " finds the host is gone",
			installer.ManifestOrigin:  "the manifest in " + v.Title + " does not let our extension in",
			installer.ManifestName:    "the manifest in " + v.Title + " has another name",
		}[f.Kind]
		if what == "" {
			what = "the manifest in " + v.Title + " is broken"
		}
		if v.Chosen {
			e.fixable("manifest."+string(f.Kind), what, f.Text, again)
		} else {
			e.fail("manifest."+string(f.Kind), what, f.Text+"; "+gone, e.installBrowser(v, "--force"))
		}
	}
}

// again writes the manifest of the record.
func (e *exam) again(manifest string) error {
	p, err := installer.Again(e.System, e.Options, manifest)
	if err != nil {
		return err
	}
	return installer.Apply(p, e.Program)
}

// installBrowser is the command that installs for one browser.
func (e *exam) installBrowser(v installer.View, flag string) string {
	words := []string{installCommand}
	if flag != "" {
		words = append(words, flag)
	}
	if v.Row != nil {
		words = append(words, "--browser", v.Row.Name)
	} else {
		words = append(words, "--user-data-dir", e.quote(v.UserData))
	}
	return strings.Join(words, " ")
}

// twoFolders says that a host and this program look for servers in different places.
func (e *exam) twoFolders(what, evidence string) {
	evidence += "; this program looks in " + e.Options.Data
	if env := os.Getenv(state.DataEnv); env != "" {
		e.fail("data.two", what, evidence+", because "+state.DataEnv+" is set", "unset "+state.DataEnv)
		return
	}
	e.fail("data.two", what, evidence, forceCommand)
}

// dataOf is the data folder that a program was installed in, "" if it is no host of ours.
func dataOf(program string) string {
	bin := filepath.Dir(program)
	data := filepath.Dir(bin)
	if _, err := os.Stat(filepath.Join(data, installer.RecordFile)); err != nil || filepath.Base(bin) != "bin" {
		return ""
	}
	return data
}

// flatpak looks whether the sandbox lets the browser see the program.
func (e *exam) flatpak(v installer.View) {
	id := v.Row.Flatpak()
	if id == "" {
		return
	}
	for _, file := range []string{id, "global"} {
		b, err := os.ReadFile(filepath.Join(e.System.Home, ".local/share/flatpak/overrides", file))
		if err == nil && shares(string(b), e.Options.Data, e.System.Home) {
			return
		}
	}
	e.fail("browser.flatpak", v.Title+" cannot see the host, which is outside its sandbox", "no override for "+id+" shares "+e.Options.Data,
		"flatpak override --user --filesystem="+e.quote(e.Options.Data)+":ro "+id)
}

// shares reads an override file.
func shares(text, dir, home string) bool {
	for line := range strings.Lines(text) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "filesystems=")
		if !ok {
			continue
		}
		for _, place := range strings.Split(list, ";") {
			place, _, _ = strings.Cut(place, ":")
			if rest, ok := strings.CutPrefix(place, "~"); ok || place == "home" {
				place = home + strings.TrimPrefix(rest, "home")
			}
			if place == "host" || place != "" && (dir == place || strings.HasPrefix(dir, strings.TrimSuffix(place, "/")+"/")) {
				return true
			}
		}
	}
	return false
}
