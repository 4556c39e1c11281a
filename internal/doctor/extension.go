package doctor

import "strings"

// extension says in which profiles the extension is.
func (e *exam) extension() {
	on, _, _ := e.withExtension()
	ours := e.Options.Extension(e.System)
	var names []string
	for _, p := range on {
		if !same(p.from, ours) {
			e.warn("extension.folder", "the extension was loaded from another folder, which updates do not reach", p.String()+": "+p.from, "remove it at chrome://extensions, and load "+ours)
			continue
		}
		names = append(names, p.String())
	}
	if names != nil {
		e.fine("extension", "the extension is loaded and switched on", "%s", few(names))
	}
	if seen, err := e.store.LastSeen(); err == nil && !seen.Time.IsZero() {
		words := "the host last heard extension " + seen.Version
		if seen.Open() {
			words += ", whose port is open"
		}
		e.fine("seen", words, "at %s, instance %s", seen.Time.Local().Format("2006-01-02 15:04:05"), seen.Instance)
	}
}

// faulty reports whether a step has a fault.
func (e *exam) faulty(steps ...string) bool {
	for _, f := range e.list {
		step, _, fault := strings.Cut(f.ID, ".")
		for _, s := range steps {
			if fault && step == s && f.State == Fail {
				return true
			}
		}
	}
	return false
}
