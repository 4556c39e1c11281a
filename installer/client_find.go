package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"chrome-mcp/internal/conf"
)

// ClientView is how one MCP client stands towards us.
type ClientView struct {
	Name      string      `json:"name"`
	Title     string      `json:"title"`
	Installed bool        `json:"installed"`
	Path      string      `json:"path"` // its configuration, there or not
	State     ClientState `json:"state"`
	Problem   string      `json:"problem,omitempty"`
}

// ClientState is what stands in a client's configuration.
type ClientState string

// The states of a client.
const (
	ClientAbsent     ClientState = "absent"     // it does not know us
	ClientOurs       ClientState = "ours"       // it starts the installed program
	ClientOther      ClientState = "other"      // it has an entry of our name for another program
	ClientUnreadable ClientState = "unreadable" // its file cannot be read, or makes no sense
)

// LookClients examines the configuration of every client of the table. It changes nothing.
func LookClients(s System, o Options) []ClientView {
	var out []ClientView
	for _, c := range Clients {
		v := ClientView{Name: c.Name, Title: c.Title, Installed: s.hasClient(c), Path: s.clientFile(c)}
		v.State, _, v.Problem = s.examine(c, o)
		out = append(out, v)
	}
	return out
}

// examine reads a client's file and returns what our entry there is.
func (s System) examine(c Client, o Options) (state ClientState, entry map[string]any, problem string) {
	file := s.clientFile(c)
	b, err := s.readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ClientAbsent, nil, ""
	}
	var found bool
	if err == nil {
		entry, found, err = conf.Get(c.Format, b, c.path())
	}
	switch {
	case err != nil:
		return ClientUnreadable, nil, fmt.Sprintf("%s: %v", file, err)
	case !found:
		return ClientAbsent, nil, ""
	}
	command, _ := c.Entry.command(entry)
	if !s.samePath(command, o.Program(s)) {
		return ClientOther, entry, fmt.Sprintf("%s: %q starts another program, %s; `chrome-mcp install --client %s --force` replaces it", file, ServerKey, command, c.Name)
	}
	if !s.Exists(command) {
		return ClientOurs, entry, fmt.Sprintf("%s starts %s, which is not there; run `chrome-mcp install`", c.Title, command)
	}
	return ClientOurs, entry, ""
}

// samePath compares paths as the system does.
func (s System) samePath(a, b string) bool {
	if s.OS == "windows" {
		return strings.EqualFold(strings.ReplaceAll(a, "/", `\`), strings.ReplaceAll(b, "/", `\`))
	}
	return a == b
}

// path is the path of our entry.
func (c Client) path() []string { return append(slices.Clone(c.Under), ServerKey) }

func (s System) files(c Client) Files {
	switch s.OS {
	case "windows":
		return c.Windows
	case "darwin":
		return c.Darwin
	}
	return c.Linux
}

// clientFile is the client's configuration, there or not.
func (s System) clientFile(c Client) string {
	var list []string
	for _, f := range s.files(c) {
		list = append(list, s.expand(f)...)
	}
	if dir := s.env(c.Home); dir != "" {
		list = []string{s.join(dir, path.Base(s.files(c)[0]))}
	}
	for _, f := range list {
		if s.Exists(f) {
			return f
		}
	}
	for _, f := range list {
		if s.Exists(s.dir(f)) {
			return f
		}
	}
	return list[0]
}

// expand makes paths of one of the table; none if it holds a * that nothing matches.
func (s System) expand(file string) []string {
	dir, rest, _ := strings.Cut(file, "/")
	switch dir {
	case "~":
		dir = s.Home
	case "~config":
		dir = s.Config
		if s.OS == "windows" {
			dir = s.Roaming
		}
	case "~local":
		dir = s.Config
	}
	before, behind, wild := strings.Cut(rest, "*")
	if !wild {
		return []string{s.join(append([]string{dir}, strings.Split(rest, "/")...)...)}
	}
	// The name with the * is the last of before and the first of behind.
	parent, prefix := path.Split(before)
	base := s.join(append([]string{dir}, strings.Split(strings.Trim(parent, "/"), "/")...)...)
	var out []string
	for _, name := range s.list(base) {
		if strings.HasPrefix(name, prefix) {
			out = append(out, s.join(append([]string{base, name}, strings.Split(strings.Trim(behind, "/"), "/")...)...))
		}
	}
	return out
}

// dir is the folder of a path of the system.
func (s System) dir(file string) string {
	sep := "/"
	if s.OS == "windows" {
		sep = `\`
	}
	return file[:max(strings.LastIndex(file, sep), 0)]
}

// hasClient reports whether the client is there: by its configuration, its folder, its
// program or its command.
func (s System) hasClient(c Client) bool {
	file := s.clientFile(c)
	if s.Exists(file) || s.dir(file) != s.Home && s.Exists(s.dir(file)) {
		return true
	}
	if c.CLI.Program != "" && s.program(c.CLI) != "" {
		return true
	}
	sign := c.Signs.Windows
	if s.OS == "darwin" {
		sign = c.Signs.Darwin
	}
	return sign != "" && s.OS != "linux" && slices.ContainsFunc(s.Programs, func(dir string) bool {
		return s.Exists(s.join(dir, sign))
	})
}

// program finds a client's own command.
func (s System) program(c CLI) string {
	if c.Program == "" {
		return ""
	}
	var places []string
	for _, dir := range s.PATH {
		// Programs of the Windows side of WSL, and of an editor that is connected from
		// elsewhere, are on PATH too; they write the files of that other machine.
		elsewhere := s.WSL && strings.HasPrefix(dir, "/mnt/") || strings.Contains(dir, "/.vscode-server/")
		if dir != "" && !elsewhere {
			places = append(places, s.join(dir, c.Program))
		}
	}
	for _, p := range c.Places {
		places = append(places, s.expand(p)...)
	}
	for _, p := range places {
		if s.OS == "windows" {
			// npm installs batch files, which cannot be given every argument safely.
			p += ".exe"
		}
		if s.Exists(p) {
			return p
		}
	}
	return ""
}

// ClientNamed finds a row.
func ClientNamed(name string) (Client, error) {
	var names []string
	for _, c := range Clients {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Client{}, fmt.Errorf("unknown client %q; known are %s", name, strings.Join(names, ", "))
}
