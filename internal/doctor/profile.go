package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chrome-mcp/extension"
	"chrome-mcp/installer"
	"chrome-mcp/internal/state"
)

// profile is one profile of a browser, as its files tell. Browsers write them some
// seconds late.
type profile struct {
	view    installer.View
	dir     string // "Default", "Profile 1"
	name    string // what the user calls it
	running bool   // its browser
	open    bool   // it has a window, as far as is known
	loaded  bool   // our extension is in it
	on      bool   // and is not switched off
	from    string // the folder that the extension was loaded from
}

func (p profile) String() string {
	if p.name == "" || p.name == p.dir {
		return p.view.Title + ", profile " + p.dir
	}
	return p.view.Title + ", profile " + p.name + " (" + p.dir + ")"
}

// lookForProfiles reads the profiles of every browser that can be served.
func (e *exam) lookForProfiles() []profile {
	var list []profile
	for _, v := range e.views {
		if v.UserData == "" || v.Row != nil && v.Row.Refuse != "" {
			continue
		}
		local := readLocalState(v.UserData)
		running := Running(v.UserData)
		entries, _ := os.ReadDir(v.UserData)
		for _, d := range entries {
			p := profile{view: v, dir: d.Name(), running: running, name: local.Profile.Cache[d.Name()].Name}
			if !d.IsDir() || !p.read(filepath.Join(v.UserData, d.Name())) {
				continue
			}
			active := local.Profile.Active
			p.open = running && (len(active) == 0 || slices.Contains(active, p.dir))
			list = append(list, p)
		}
	}
	return list
}

type localState struct {
	Profile struct {
		Active []string `json:"last_active_profiles"`
		Cache  map[string]struct {
			Name string `json:"name"`
		} `json:"info_cache"`
	} `json:"profile"`
}

func readLocalState(dir string) (s localState) {
	b, err := os.ReadFile(filepath.Join(dir, "Local State"))
	if err == nil {
		_ = json.Unmarshal(b, &s) // without it names are missing, no more
	}
	return s
}

// read looks for our extension in a profile's preferences, and reports whether this is a
// profile at all. Windows and macOS keep extensions in the second file.
func (p *profile) read(dir string) bool {
	is := false
	for _, name := range []string{"Preferences", "Secure Preferences"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		is = true
		var file struct {
			Extensions struct {
				Settings map[string]installed `json:"settings"`
			} `json:"extensions"`
		}
		if json.Unmarshal(b, &file) != nil {
			continue
		}
		if ext, ok := file.Extensions.Settings[extension.ID]; ok {
			p.loaded, p.on, p.from = true, ext.on(), ext.Path
		}
	}
	return is
}

// installed is an extension in the preferences.
type installed struct {
	Path    string          `json:"path"`
	State   *int            `json:"state"`           // older browsers: 0 is off
	Reasons json.RawMessage `json:"disable_reasons"` // a list, in older browsers a bit set
}

func (i installed) on() bool {
	reasons := strings.Trim(string(i.Reasons), " []")
	return (i.State == nil || *i.State != 0) && (reasons == "" || reasons == "0" || reasons == "null")
}

// Running reports whether a browser runs with that user data folder. It keeps a link
// named after the process there; on Windows, a file while it runs.
func Running(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "lockfile")); err == nil {
		return true
	}
	lock, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return false
	}
	i := strings.LastIndexByte(lock, '-')
	if host, _ := os.Hostname(); i < 0 || lock[:i] != host {
		return false
	}
	pid, err := strconv.Atoi(lock[i+1:])
	return err == nil && state.Running(pid)
}

// start is the command that opens the profile, "" where it is not known.
func (e *exam) start(p profile, page string) string {
	if p.view.Row == nil {
		return ""
	}
	words := e.System.Command(*p.view.Row)
	if words == nil {
		return ""
	}
	words = append(words, "--profile-directory="+p.dir)
	if page != "" {
		words = append(words, page)
	}
	for i, w := range words {
		words[i] = e.quote(w)
	}
	return strings.Join(words, " ")
}
