package installer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"chrome-mcp/internal/conf"
)

// UndoClients takes our entries out of the configuration of the named clients, and of
// nothing else. With dry it only tells.
func UndoClients(s System, o Options, names []string, dry bool) (Removal, error) {
	r, err := LoadRecord(o.Data)
	if err != nil {
		return Removal{}, fmt.Errorf("the record of the install cannot be read: %w", err)
	}
	u := &undoer{dry: dry, sys: s, opts: o, run: runCommand}
	entries, err := u.chosen(r, names)
	if err != nil {
		return Removal{}, err
	}
	for _, e := range entries {
		if !u.client(e) || dry {
			continue
		}
		r.Clients = slices.DeleteFunc(r.Clients, func(have ClientEntry) bool { return have == e })
		// The folder goes too, if it is ours and empty.
		for dir := filepath.Dir(e.Path); slices.Contains(r.Dirs, dir) && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			r.Dirs = slices.DeleteFunc(r.Dirs, func(d string) bool { return d == dir })
		}
	}
	if !dry && r.V != 0 {
		u.errs = append(u.errs, r.save(o.Data))
	}
	return u.result()
}

// chosen lists the entries that names mean: those of the record, and others of ours.
func (u *undoer) chosen(r Record, names []string) (entries []ClientEntry, err error) {
	for _, name := range names {
		for _, c := range Clients {
			if c.Name != name && name != AllClients {
				continue
			}
			if e := r.client(c.Name); e != nil {
				entries = append(entries, *e)
				continue
			}
			switch state, _, problem := u.sys.examine(c, u.opts); {
			case state == ClientOurs:
				entries = append(entries, ClientEntry{Name: c.Name, Path: u.sys.clientFile(c)})
			case state != ClientAbsent && name != AllClients:
				u.leave(c.Title, problem)
			}
		}
		if _, err := ClientNamed(name); err != nil && name != AllClients {
			return nil, err
		}
	}
	return entries, nil
}

// byHand tells of entries that start the program and are not in the record.
func (u *undoer) byHand(r Record) {
	for _, c := range Clients {
		if state, _, _ := u.sys.examine(c, u.opts); state == ClientOurs && r.client(c.Name) == nil {
			u.leave(u.sys.clientFile(c), fmt.Sprintf("its entry %q was not written by install; `chrome-mcp uninstall --client %s` takes it out", ServerKey, c.Name))
		}
	}
}

// client removes one entry and reports whether it needs no further thought.
func (u *undoer) client(e ClientEntry) bool {
	c, err := ClientNamed(e.Name)
	if err != nil {
		u.leave(e.Path, err.Error())
		return true
	}
	b, err := readOrNil(e.Path)
	var entry map[string]any
	var found bool
	if err == nil && b != nil {
		entry, found, err = conf.Get(c.Format, b, c.path())
	}
	if err != nil {
		u.leave(e.Path, err.Error())
		return false
	}
	if !found {
		u.dropBackup(e)
		return true
	}
	if command, _ := c.Entry.command(entry); !u.sys.samePath(command, u.opts.Program(u.sys)) {
		u.leave(e.Path, fmt.Sprintf("%q starts another program now, %s", ServerKey, command))
		return true
	}
	if err := u.takeOut(c, e, b); err != nil {
		u.errs = append(u.errs, err)
		return false
	}
	u.out.Removed = append(u.out.Removed, fmt.Sprintf("%s (%q, of %s)", e.Path, ServerKey, c.Title))
	return true
}

func (u *undoer) takeOut(c Client, e ClientEntry, b []byte) error {
	if c.CLIOnly {
		program := u.sys.program(c.CLI)
		if program == "" {
			return fmt.Errorf("the command `%s` was not found; remove %q from %s with it: %s", c.CLI.Program, ServerKey, c.Title, shown(append([]string{c.CLI.Program}, c.CLI.Remove...)))
		}
		if u.dry {
			return nil
		}
		err := u.run(append([]string{program}, c.CLI.Remove...))
		if err == nil && e.Old != "" {
			err = u.run(c.CLI.back(program, e.Old))
		}
		return err
	}
	edit := conf.Edit{Old: e.Old, New: e.New, Made: e.Made}
	after, ok := conf.Undo(c.Format, b, c.path(), edit)
	if !ok {
		edit, err := conf.Remove(c.Format, b, c.path(), e.Made)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		after = edit.After
	}
	if u.dry {
		return nil
	}
	var err error
	if rest := bytes.TrimSpace(after); e.Created && (len(rest) == 0 || string(rest) == "{}") {
		err = os.Remove(e.Path)
	} else {
		err = writeAs(e.Path, after, e.Path)
	}
	if err == nil {
		u.dropBackup(e)
	}
	return err
}

func (u *undoer) dropBackup(e ClientEntry) {
	if e.Backup != "" && !u.dry {
		os.Remove(e.Backup)
	}
}
