// Package installer puts chrome-mcp where browsers find it and takes it away again:
// Plan computes from one table what would be written, Apply writes it and keeps a
// record, Undo removes exactly what the record says.
//
// It never writes for a browser or an MCP client that is not there or was not chosen,
// never replaces what somebody else wrote without being told to, and starts nothing but a
// client's own command for this.
package installer

import (
	"errors"
	"fmt"
	"strings"

	"chrome-mcp/extension"
	"chrome-mcp/manifests"
)

// Options says what to install for whom.
type Options struct {
	Data         string   // data folder
	Host         string   // name of the native host
	Browsers     []string // names; none means every browser that is found
	UserDataDirs []string // further user data folders; alone, they are all that is served
	Force        bool     // replace manifests and entries of other programs, which are kept
	Clients      []string // MCP clients that get an entry: names, or AllClients
	Args         []string // what they start the program with; nil leaves what is there
	ProgramOnly  bool     // serve no browser: the program brings its own
}

// Kind is what a step does.
type Kind string

// The kinds of step.
const (
	PutProgram   Kind = "program"   // copy the running binary to Path
	PutExtension Kind = "extension" // unpack the extension into the folder Path
	PutManifest  Kind = "manifest"  // write Content to Path
	SetKey       Kind = "registry"  // set HKCU\Path to Value
	PutClient    Kind = "client"    // set our entry in the client's configuration Path
)

// Step is one thing that Apply does. It is data, so that plans can be shown and tested.
type Step struct {
	Kind    Kind
	Path    string
	For     []string // titles of the browsers that it serves
	Content []byte
	Value   string
	Client  *ClientStep
}

// Plan is what would be written, and what the user has to know.
type Plan struct {
	System  System
	Options Options
	Steps   []Step
	Notes   []string
	// Warnings are added by Apply: what went otherwise than planned, and is mended.
	Warnings []string
	// Done, if set, is told of each step that Apply has carried out.
	Done func(Step)
}

// ErrNoBrowser is returned when there is nothing to install for.
var ErrNoBrowser = errors.New("no browser found")

// Program returns the path of the installed binary.
func (o Options) Program(s System) string {
	name := "chrome-mcp"
	if s.OS == "windows" {
		name += ".exe"
	}
	return s.join(o.Data, "bin", name)
}

// Extension returns the folder of the unpacked extension.
func (o Options) Extension(s System) string { return s.join(o.Data, "extension") }

// NewPlan computes the plan. It only looks; it changes nothing.
func NewPlan(s System, o Options) (*Plan, error) {
	p := &Plan{System: s, Options: o}
	p.Steps = []Step{{Kind: PutProgram, Path: o.Program(s)}}
	if !o.ProgramOnly {
		if err := p.browsers(); err != nil {
			return nil, err
		}
	}
	if err := p.clients(); err != nil {
		return nil, err
	}
	return p, nil
}

// browsers adds the steps for the browsers that were chosen.
func (p *Plan) browsers() error {
	s, o := p.System, p.Options
	p.Steps = append(p.Steps, Step{Kind: PutExtension, Path: o.Extension(s)})
	if s.WSL {
		p.note("this is WSL: a browser on the Windows side cannot start Linux programs; for that one run chrome-mcp.exe install on Windows")
	}
	chosen, err := p.choose()
	if err != nil {
		return err
	}
	content, err := p.content()
	if err != nil {
		return err
	}
	for _, b := range chosen {
		place, _ := s.place(b)
		p.serve(place, b.Title, content)
		if b.Note != "" {
			p.note(b.Title + ": " + strings.ReplaceAll(b.Note, "{data}", quote(o.Data)))
		}
		if place.Unsure {
			p.note(b.Title + ": this place is not verified; if the extension does not find the host, please report it")
		}
	}
	for _, dir := range o.UserDataDirs {
		if s.OS == "windows" {
			return fmt.Errorf("--user-data-dir %s: on Windows browsers find the host through the registry, whatever the folder; use --browser", dir)
		}
		p.add(Step{Kind: PutManifest, Path: s.join(dir, hostsDir, o.Host+".json"), For: []string{dir}, Content: content})
	}
	return nil
}

// content is the manifest that browsers get.
func (p *Plan) content() ([]byte, error) {
	return manifests.NewNativeHost(p.Options.Host, p.Options.Program(p.System), extension.Origin).Encode()
}

// choose returns the browsers to serve: those named, else those found.
func (p *Plan) choose() ([]Browser, error) {
	var chosen []Browser
	for _, name := range p.Options.Browsers {
		b, err := byName(name)
		if err == nil {
			err = p.servable(b)
		}
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, b)
	}
	if len(chosen)+len(p.Options.UserDataDirs) > 0 {
		return chosen, nil
	}
	for _, b := range Browsers {
		place, ok := p.System.place(b)
		switch {
		case !ok || !p.System.Installed(b):
		case b.Refuse != "":
			p.note(b.Title + ": left out; " + b.Refuse)
		case place.Unsure:
			p.note(fmt.Sprintf("%s: left out, because its place is not verified; choose it with --browser %s", b.Title, b.Name))
		default:
			chosen = append(chosen, b)
		}
	}
	if len(chosen) == 0 {
		why := ErrNoBrowser
		if len(p.Notes) > 0 {
			why = fmt.Errorf("%w that can be served\n  %s", ErrNoBrowser, strings.Join(p.Notes, "\n  "))
		}
		return nil, fmt.Errorf("%w; install one, or name the folder of your profile with --user-data-dir", why)
	}
	return chosen, nil
}

func (p *Plan) servable(b Browser) error {
	_, ok := p.System.place(b)
	switch {
	case !ok:
		return fmt.Errorf("%s does not exist for this system", b.Title)
	case b.Refuse != "":
		return fmt.Errorf("%s: %s", b.Title, b.Refuse)
	case !p.System.Installed(b):
		return fmt.Errorf("%s is not installed for this user; start it once, or name the folder of its profile with --user-data-dir", b.Title)
	}
	return nil
}

// serve adds the steps for one browser. Windows browsers share one file, named by a
// registry key of each.
func (p *Plan) serve(place Place, title string, content []byte) {
	file := p.Options.Host + ".json"
	if p.System.OS != "windows" {
		for _, dir := range p.System.hostDirs(place) {
			p.add(Step{Kind: PutManifest, Path: p.System.join(dir, file), For: []string{title}, Content: content})
		}
		return
	}
	manifest := p.System.join(p.Options.Data, "host", file)
	p.add(Step{Kind: PutManifest, Path: manifest, For: []string{title}, Content: content})
	for _, key := range place.Keys {
		p.add(Step{Kind: SetKey, Path: `Software\` + key + `\` + hostsDir + `\` + p.Options.Host, For: []string{title}, Value: manifest})
	}
}

// add appends a step, or adds its browsers to the same step.
func (p *Plan) add(step Step) {
	for i, have := range p.Steps {
		if have.Kind == step.Kind && have.Path == step.Path {
			p.Steps[i].For = append(have.For, step.For...)
			return
		}
	}
	p.Steps = append(p.Steps, step)
}

// Quote makes a path one word for the system's shell.
func (s System) Quote(path string) string {
	switch {
	case s.OS != "windows":
		return quote(path)
	case strings.ContainsAny(path, " &()^;,="):
		return `"` + path + `"`
	}
	return path
}

func quote(path string) string {
	if !strings.ContainsAny(path, " '\"\\$&;()<>|*?[]#~`!") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func (p *Plan) note(text string) { p.Notes = append(p.Notes, text) }
