package installer

import "slices"

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

// Command is how the browser is started from a terminal, "" where that is not known.
func (s System) Command(b Browser) string {
	p, ok := s.place(b)
	if id := b.Flatpak(); ok && id != "" {
		return "flatpak run " + id
	}
	if !ok || s.OS == "darwin" && len(p.Programs) == 0 {
		return ""
	}
	i := slices.IndexFunc(p.Programs, func(program string) bool { return s.hasProgram(b, program) })
	switch {
	case i < 0:
		return ""
	case s.OS == "linux":
		return p.Programs[i]
	}
	for _, dir := range s.Programs {
		path := s.join(dir, p.Programs[i])
		if !s.Exists(path) {
			continue
		}
		if s.OS == "darwin" {
			app := p.Programs[i]
			path = s.join(path, "Contents/MacOS", app[:len(app)-len(".app")])
		}
		return path
	}
	return ""
}
