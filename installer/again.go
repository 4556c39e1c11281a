package installer

import (
	"slices"
	"strings"
)

// Again is the plan that writes one manifest of the record anew, with the registry keys
// that name it, and nothing for anybody who was not chosen before. A file that stands
// there and is not ours is kept aside.
func Again(s System, o Options, manifest string) (*Plan, error) {
	record, err := LoadRecord(o.Data)
	if err != nil {
		return nil, err
	}
	o.Force = true
	p := &Plan{System: s, Options: o}
	content, err := p.content()
	if err != nil {
		return nil, err
	}
	if f := record.file(manifest); f != nil && f.Kind == PutManifest {
		p.Steps = append(p.Steps, Step{Kind: PutManifest, Path: manifest, For: f.For, Content: content})
	}
	for _, k := range record.Keys {
		if k.Value == manifest {
			p.Steps = append(p.Steps, Step{Kind: SetKey, Path: k.Path, Value: k.Value})
		}
	}
	return p, nil
}

// Program is the plan that puts the program in its place, and nothing else.
func Program(s System, o Options) *Plan {
	return &Plan{System: s, Options: o, Steps: []Step{{Kind: PutProgram, Path: o.Program(s)}}}
}

// Command is the words that start the browser from a terminal, nil where they are not
// known.
func (s System) Command(b Browser) []string {
	p, ok := s.place(b)
	if !ok {
		return nil
	}
	if id := b.Flatpak(); id != "" {
		return []string{"flatpak", "run", id}
	}
	i := slices.IndexFunc(p.Programs, func(program string) bool { return s.hasProgram(b, program) })
	switch {
	case i < 0:
		return nil
	case s.OS == "linux":
		return []string{p.Programs[i]}
	}
	for _, dir := range s.Programs {
		path := s.join(dir, p.Programs[i])
		if !s.Exists(path) {
			continue
		}
		if s.OS == "darwin" {
			path = s.join(path, "Contents/MacOS", strings.TrimSuffix(p.Programs[i], ".app"))
		}
		return []string{path}
	}
	return nil
}
