package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chrome-mcp/extension"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/manifests"
)

// ForeignError is a manifest of our name that somebody else wrote.
type ForeignError struct {
	Path   string // file or registry key
	Points string // the program it names, or why it cannot be read
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s exists already and points to another program (%s); remove that program, or run `chrome-mcp install --force` to replace the entry (the old one is kept aside)", e.Path, e.Points)
}

// keys is the part of the Windows registry below HKCU that the installer needs.
type keys interface {
	get(key string) (value string, found bool, err error)
	set(key, value string) error
	remove(key string) error // the key, if it has no sub-keys
}

// applier carries out one plan.
type applier struct {
	plan   *Plan
	record Record
	reg    keys
	run    func(argv []string) error
}

// Apply carries out the plan. source is the binary to install. Conflicts are looked
// for before anything is written; after a failure half way the record says what was
// written, so that Undo can take it back.
func Apply(p *Plan, source string) error { return apply(p, source, userRegistry()) }

func apply(p *Plan, source string, reg keys) (err error) {
	a := &applier{plan: p, reg: reg, run: runCommand}
	if a.record, err = LoadRecord(p.Options.Data); err != nil {
		return fmt.Errorf("the record of the last install cannot be read: %w", err)
	}
	if err := a.conflicts(); err != nil {
		return err
	}
	if err := a.mkdir(p.Options.Data); err != nil {
		return err
	}
	if err := state.Open(p.Options.Data).Ensure(); err != nil {
		return err
	}
	a.record.Version = version.Version
	defer func() { err = errors.Join(err, a.record.save(p.Options.Data)) }()
	var errs []error // of clients: one that fails does not keep the others waiting
	for _, step := range p.Steps {
		if err := a.step(step, source); err != nil && step.Kind != PutClient {
			return fmt.Errorf("install: %w", err)
		} else if err != nil {
			errs = append(errs, fmt.Errorf("install: %s: %w", step.Client.Client.Title, err))
		} else if p.Done != nil {
			p.Done(step)
		}
	}
	return errors.Join(errs...)
}

func (a *applier) step(s Step, source string) error {
	switch s.Kind {
	case PutProgram:
		return a.program(s.Path, source)
	case PutExtension:
		return a.extension(s.Path)
	case PutManifest:
		return a.manifest(s)
	case SetKey:
		return a.setKey(s)
	case PutClient:
		return a.client(s)
	}
	return fmt.Errorf("unknown step %q", s.Kind)
}

// conflicts finds entries of our name that are not ours.
func (a *applier) conflicts() error {
	if a.plan.Options.Force {
		return nil
	}
	var errs []error
	for _, s := range a.plan.Steps {
		switch s.Kind {
		case PutManifest:
			if points, foreign := a.foreign(s.Path); foreign {
				errs = append(errs, &ForeignError{s.Path, points})
			}
		case SetKey:
			value, found, err := a.reg.get(s.Path)
			if err != nil {
				errs = append(errs, err)
			} else if found && value != s.Value && a.record.key(s.Path) == nil {
				errs = append(errs, &ForeignError{`HKCU\` + s.Path, value})
			}
		}
	}
	return errors.Join(errs...)
}

// foreign reports whether a manifest is there that neither the record nor its content
// shows to be ours, and what it points to.
func (a *applier) foreign(path string) (points string, foreign bool) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if err != nil {
		return err.Error(), true
	}
	if f := a.record.file(path); f != nil && f.SHA256 == hash(b) {
		return "", false
	}
	n, err := manifests.ParseNativeHost(b)
	if err != nil {
		return "it is not valid JSON", true
	}
	return n.Path, n.Path != a.plan.Options.Program(a.plan.System)
}

func (a *applier) manifest(s Step) error {
	f := File{Kind: s.Kind, Path: s.Path, SHA256: hash(s.Content), For: s.For}
	if _, foreign := a.foreign(s.Path); foreign {
		f.Kept = s.Path + ".before-chrome-mcp"
		if err := os.Rename(s.Path, f.Kept); err != nil {
			return fmt.Errorf("cannot keep the old manifest: %w", err)
		}
	}
	if err := a.mkdir(filepath.Dir(s.Path)); err != nil {
		return err
	}
	a.record.note(f)
	return replace(s.Path, bytes.NewReader(s.Content), 0o644)
}

func (a *applier) setKey(s Step) error {
	old, found, err := a.reg.get(s.Path)
	if err != nil {
		return err
	}
	k := Key{Path: s.Path, Value: s.Value}
	if found && old != s.Value && a.record.key(s.Path) == nil {
		k.Kept = old
	}
	a.record.noteKey(k)
	return a.reg.set(s.Path, s.Value)
}

// program copies the binary, unless it is the installed one that runs.
func (a *applier) program(path, source string) error {
	b, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("cannot read this program: %w", err)
	}
	a.record.note(File{Kind: PutProgram, Path: path, SHA256: hash(b)})
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, b) {
		return os.Chmod(path, 0o755)
	}
	if err := a.mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	return replace(path, bytes.NewReader(b), 0o755)
}

// extension unpacks, and removes files of the release before that are no more.
func (a *applier) extension(dir string) error {
	names, err := extension.Files()
	if err != nil {
		return err
	}
	before := a.record
	a.record.Files = nil
	var stale []string
	for _, f := range before.Files {
		if f.Kind == PutExtension {
			stale = append(stale, f.Path)
		} else {
			a.record.Files = append(a.record.Files, f)
		}
	}
	now := map[string]bool{}
	for _, name := range names {
		b, err := fs.ReadFile(extension.FS, name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := a.mkdir(filepath.Dir(path)); err != nil {
			return err
		}
		now[path] = true
		a.record.note(File{Kind: PutExtension, Path: path, SHA256: hash(b)})
	}
	if err := extension.Unpack(dir); err != nil {
		return err
	}
	for _, path := range stale {
		if !now[path] && strings.HasPrefix(path, dir+string(filepath.Separator)) {
			os.Remove(path)
		}
	}
	return nil
}

// mkdir makes a folder and notes each part of the path that was not there.
func (a *applier) mkdir(dir string) error {
	var missing []string
	for d := dir; !exists(d) && d != filepath.Dir(d); d = filepath.Dir(d) {
		missing = append([]string{d}, missing...)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder: %w; make the one above it writable and run install again", err)
	}
	a.record.Dirs = append(a.record.Dirs, missing...)
	return nil
}

// replace writes a file by temp file and rename, which works while the old one runs.
func replace(path string, r io.Reader, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := moveOver(f.Name(), path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
