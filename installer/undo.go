package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"chrome-mcp/internal/state"
)

// Removal is what Undo did, for the user.
type Removal struct {
	Removed []string
	Left    []string // what is not as we left it, with the reason
}

// Undo removes what the record names, as long as it is as install wrote it, and puts
// back what install kept aside. With dry it only tells.
func Undo(data string, dry bool) (Removal, error) { return undo(data, dry, userRegistry()) }

func undo(data string, dry bool, reg keys) (Removal, error) {
	u := &undoer{dry: dry, reg: reg, sys: ThisSystem(), opts: Options{Data: data}, run: runCommand}
	return u.all(data)
}

// all undoes everything in the record.
func (u *undoer) all(data string) (Removal, error) {
	r, err := LoadRecord(data)
	if err != nil {
		return Removal{}, fmt.Errorf("the record of the install cannot be read: %w", err)
	}
	var left Record
	u.byHand(r)
	// Clients first: none must start a program that is gone.
	for _, e := range r.Clients {
		if !u.client(e) {
			left.Clients = append(left.Clients, e)
		}
	}
	// Then keys and manifests: a browser must not find a manifest without a program.
	for _, k := range r.Keys {
		if !u.key(k) {
			left.Keys = append(left.Keys, k)
		}
	}
	for i := len(r.Files) - 1; i >= 0; i-- {
		if !u.file(r.Files[i]) {
			left.Files = append(left.Files, r.Files[i])
		}
	}
	if u.dry {
		return u.out, nil
	}
	if len(left.Files)+len(left.Keys)+len(left.Clients) > 0 {
		left.Version, left.Dirs = r.Version, r.Dirs
		return u.out, errors.Join(append(u.errs, left.save(data))...)
	}
	if r.V != 0 {
		u.errs = append(u.errs, os.Remove(state.Open(data).Path(RecordFile)))
	}
	for i := len(r.Dirs) - 1; i >= 0; i-- {
		if os.Remove(r.Dirs[i]) == nil { // only empty folders go
			u.out.Removed = append(u.out.Removed, r.Dirs[i])
		}
	}
	return u.result()
}

type undoer struct {
	dry  bool
	reg  keys
	sys  System
	opts Options
	run  func(argv []string) error
	out  Removal
	errs []error
}

func (u *undoer) result() (Removal, error) { return u.out, errors.Join(u.errs...) }

// file removes one file and reports whether it needs no further thought.
func (u *undoer) file(f File) bool {
	b, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		u.leave(f.Path, err.Error())
		return false
	case hash(b) != f.SHA256:
		u.leave(f.Path, "it was changed after the install")
		return true
	}
	if !u.dry {
		if err := removeProgram(f.Path); err != nil {
			u.errs = append(u.errs, fmt.Errorf("cannot remove %s: %w", f.Path, err))
			return false
		}
		if f.Kept != "" {
			u.errs = append(u.errs, os.Rename(f.Kept, f.Path))
		}
	}
	u.out.Removed = append(u.out.Removed, f.Path)
	return true
}

func (u *undoer) key(k Key) bool {
	value, found, err := u.reg.get(k.Path)
	switch {
	case err != nil:
		u.leave(`HKCU\`+k.Path, err.Error())
		return false
	case !found:
		return true
	case value != k.Value:
		u.leave(`HKCU\`+k.Path, "it was changed after the install")
		return true
	}
	if !u.dry {
		if k.Kept != "" {
			err = u.reg.set(k.Path, k.Kept)
		} else {
			err = u.reg.remove(k.Path)
		}
		if err != nil {
			u.errs = append(u.errs, err)
			return false
		}
	}
	u.out.Removed = append(u.out.Removed, `HKCU\`+k.Path)
	return true
}

func (u *undoer) leave(path, why string) { u.out.Left = append(u.out.Left, path+" ("+why+")") }
