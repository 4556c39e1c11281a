package installer

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
)

// System is what the planner knows of the machine. Plans for any OS can be computed on
// any OS, so it says which one and holds no call of its own.
type System struct {
	OS       string   // a GOOS value
	Home     string   // home folder
	Config   string   // base of user data folders
	PATH     []string // folders of programs
	Programs []string // application folders, macOS and Windows
	Roaming  string   // base of configuration, Windows
	WSL      bool     // Linux beside Windows
	Exists   func(path string) bool

	// What only MCP clients need; nil means that there is nothing.
	Env  func(name string) string
	List func(dir string) []string // names in a folder
	Read func(path string) ([]byte, error)
}

// ThisSystem describes the machine and user that we run as.
func ThisSystem() System {
	s := System{OS: runtime.GOOS, Home: xdg.Home, Exists: exists, Env: os.Getenv, List: list, Read: os.ReadFile}
	s.PATH = filepath.SplitList(os.Getenv("PATH"))
	switch s.OS {
	case "windows":
		s.Config, s.Roaming = os.Getenv("LOCALAPPDATA"), os.Getenv("APPDATA")
		for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
			if dir := os.Getenv(name); dir != "" {
				s.Programs = append(s.Programs, dir)
			}
		}
	case "darwin":
		s.Config = path.Join(s.Home, "Library/Application Support")
		s.Programs = []string{"/Applications", path.Join(s.Home, "Applications")}
	default:
		s.Config = xdg.ConfigHome
		s.WSL = os.Getenv("WSL_DISTRO_NAME") != ""
	}
	return s
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func list(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (s System) env(name string) string {
	if s.Env == nil || name == "" {
		return ""
	}
	return s.Env(name)
}

func (s System) list(dir string) []string {
	if s.List == nil {
		return nil
	}
	return s.List(dir)
}

func (s System) readFile(path string) ([]byte, error) {
	if s.Read == nil {
		return nil, fs.ErrNotExist
	}
	return s.Read(path)
}

// join joins in the system's own way, not that of the machine we run on.
func (s System) join(elem ...string) string {
	if s.OS != "windows" {
		return path.Join(elem...)
	}
	var parts []string
	for _, e := range elem {
		if e = strings.TrimRight(e, `\`); e != "" {
			parts = append(parts, e)
		}
	}
	return strings.Join(parts, `\`)
}

// place returns the browser's row for this OS, and whether there is one.
func (s System) place(b Browser) (Place, bool) {
	p := b.Linux
	switch s.OS {
	case "windows":
		p = b.Windows
	case "darwin":
		p = b.Darwin
	}
	return p, p.Dir != ""
}

func (s System) userData(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		return s.join(s.Home, rest)
	}
	return s.join(s.Config, dir)
}

// Installed reports whether the browser is there, by its program or by a profile. The
// user data folder alone proves nothing: installers of native hosts create it.
func (s System) Installed(b Browser) bool {
	p, ok := s.place(b)
	if !ok {
		return false
	}
	if s.Exists(s.join(s.userData(p.Dir), "Local State")) {
		return true
	}
	for _, program := range p.Programs {
		if s.hasProgram(b, program) {
			return true
		}
	}
	return false
}

func (s System) hasProgram(b Browser, program string) bool {
	switch {
	case s.OS != "windows" && path.IsAbs(program):
		return s.Exists(program)
	case b.Name == "chromium" && s.OS == "linux" && s.Exists(snapProgram):
		return false
	}
	dirs := s.Programs
	if s.OS == "linux" {
		dirs = s.PATH
	}
	for _, dir := range dirs {
		if dir != "" && s.Exists(s.join(dir, program)) {
			return true
		}
	}
	return false
}

// hostDirs lists the folders that get a manifest.
func (s System) hostDirs(p Place) []string {
	dirs := p.Hosts
	if len(dirs) == 0 {
		dirs = []string{p.Dir}
	}
	var out []string
	for _, d := range dirs {
		out = append(out, s.join(s.userData(d), hostsDir))
	}
	return out
}

const hostsDir = "NativeMessagingHosts"

// byName finds a row.
func byName(name string) (Browser, error) {
	var names []string
	for _, b := range Browsers {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Browser{}, fmt.Errorf("unknown browser %q; known are %s", name, strings.Join(names, ", "))
}
