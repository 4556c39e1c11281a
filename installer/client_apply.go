package installer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"chrome-mcp/internal/conf"
)

// ClientEntry is an entry that was put into a client's configuration.
type ClientEntry struct {
	Name    string `json:"name"` // of the client
	Path    string `json:"path"`
	Created bool   `json:"created,omitempty"` // the file was not there before
	Backup  string `json:"backup,omitempty"`  // copy of the file as it was before
	// What was replaced by what, so that it can be taken back to the byte. Without, the
	// entry is taken out, and what was made around it. Old alone is the entry of another
	// program that a client's own command puts back.
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	Made int    `json:"made,omitempty"`
}

// backupSuffix is added to the name of a file before it is written.
const backupSuffix = ".chrome-mcp-backup"

// client puts the entry where the step says.
func (a *applier) client(s Step) error {
	cs := s.Client
	if cs.Client.CLIOnly {
		if err := a.byCommand(s); err != nil {
			return err
		}
		a.record.noteClient(ClientEntry{Name: cs.Client.Name, Path: s.Path, Old: cs.Had}, cs.Renews)
		return nil
	}
	before, err := readOrNil(s.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(before, cs.Before) {
		return fmt.Errorf("%s has changed since it was looked at; run it again", s.Path)
	}
	e := ClientEntry{Name: cs.Client.Name, Path: s.Path, Created: before == nil}
	if err := a.mkdir(filepath.Dir(s.Path)); err != nil {
		return err
	}
	if !e.Created {
		e.Backup = s.Path + backupSuffix
		if err := writeAs(e.Backup, before, s.Path); err != nil {
			return err
		}
	}
	edit := cs.Edit
	if cs.Command != nil {
		edit, err = a.orByFile(s, before)
	} else {
		err = writeAs(s.Path, edit.After, s.Path)
	}
	if err != nil {
		if e.Backup != "" {
			os.Remove(e.Backup)
		}
		return fmt.Errorf("%w; if another program makes that file, take the entry from `chrome-mcp config %s`", err, e.Name)
	}
	e.Old, e.New, e.Made = edit.Old, edit.New, edit.Made
	a.record.noteClient(e, cs.Renews)
	return nil
}

// orByFile runs the client's own command, and writes the file if that fails. Commands lay
// files out anew, and drop comments: where nothing else has changed, the file becomes what
// it was, with our entry.
func (a *applier) orByFile(s Step, before []byte) (conf.Edit, error) {
	cs := s.Client
	format, path := cs.Client.Format, cs.Client.path()
	failed := a.byCommand(s)
	after, err := readOrNil(s.Path)
	switch {
	case err != nil:
		return conf.Edit{}, err
	case failed == nil && before != nil && conf.Same(format, before, after, path):
		return cs.Edit, writeAs(s.Path, cs.Edit.After, s.Path)
	case failed == nil:
		return changed(before, after, cs.Edit.Made), nil
	}
	a.plan.Warnings = append(a.plan.Warnings, fmt.Sprintf("%s: %v; its file was written instead", cs.Client.Title, failed))
	edit, err := conf.Set(format, after, path, cs.Entry)
	if err != nil {
		return edit, fmt.Errorf("%s: %w", s.Path, err)
	}
	return edit, writeAs(s.Path, edit.After, s.Path)
}

// byCommand runs the client's own command and looks whether the entry is there then.
func (a *applier) byCommand(s Step) error {
	cs := s.Client
	if cs.First != nil {
		if err := a.run(cs.First); err != nil {
			return err
		}
	}
	if err := a.run(cs.Command); err != nil {
		if cs.Back != nil {
			err = errors.Join(err, a.run(cs.Back))
		}
		return err
	}
	state, _, problem := a.plan.System.examine(cs.Client, a.plan.Options)
	switch {
	case state == ClientOurs:
	case problem != "":
		return fmt.Errorf("`%s` ran, but %s", shown(cs.Command), problem)
	default:
		return fmt.Errorf("`%s` ran, but %s does not name chrome-mcp", shown(cs.Command), s.Path)
	}
	return nil
}

// changed is the edit that made one text of another, by whole lines.
func changed(before, after []byte, made int) conf.Edit {
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	start = bytes.LastIndexByte(after[:start], '\n') + 1
	end := 0
	for end < len(before)-start && end < len(after)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	e := conf.Edit{After: after, Old: string(before[start : len(before)-end]), New: string(after[start : len(after)-end]), Made: made}
	if len(e.Old)+len(e.New) > maxKept {
		e.Old, e.New = "", "" // the file was laid out anew
	}
	return e
}

// maxKept bounds what the record holds of a client's file.
const maxKept = 64 << 10

func (r *Record) client(name string) *ClientEntry {
	for i := range r.Clients {
		if r.Clients[i].Name == name {
			return &r.Clients[i]
		}
	}
	return nil
}

// noteClient adds an entry to the record, or renews it: then what stood there before us
// stays known.
func (r *Record) noteClient(e ClientEntry, renews bool) {
	old := r.client(e.Name)
	if renews {
		have := ClientEntry{}
		if old != nil {
			have = *old
		}
		// e replaced text inside of what the earlier edit wrote.
		if e.Old != "" && strings.Count(have.New, e.Old) == 1 {
			have.New = strings.Replace(have.New, e.Old, e.New, 1)
		} else if e.New != "" {
			have.Old, have.New = "", "" // the entry alone is taken out then
		}
		e.Old, e.New, e.Made, e.Created = have.Old, have.New, have.Made, have.Created
	}
	if old != nil {
		*old = e
	} else {
		r.Clients = append(r.Clients, e)
	}
}

// writeAs writes through a symbolic link and keeps the mode of the file like.
func writeAs(path string, b []byte, like string) error {
	mode := fs.FileMode(0o600)
	if fi, err := os.Stat(like); err == nil {
		mode = fi.Mode().Perm()
		if !fi.Mode().IsRegular() {
			return fmt.Errorf("%s is no file", like)
		}
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, lerr := os.Lstat(path); lerr == nil {
			return fmt.Errorf("%s is a link to nothing; remove it, or make what it points to", path)
		}
		target, err = path, nil
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return replace(target, bytes.NewReader(b), mode)
}

func readOrNil(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if b == nil {
		b = []byte{} // there, and empty
	}
	return b, err
}

// commandWithin is the time that a client's own command gets.
const commandWithin = 60 * time.Second

// runCommand runs a client's own command. What it said is in the error.
func runCommand(argv []string) error { return runWithin(argv, commandWithin) }

func runWithin(argv []string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = 2 * time.Second // children may hold its output open
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("no end after %s", within)
	}
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	words := strings.Join(strings.Fields(said.String()), " ")
	if len(words) > 500 {
		words = words[:500] + " …"
	}
	if words != "" {
		words = ": " + words
	}
	return fmt.Errorf("`%s` failed (%w)%s", shown(argv), err, words)
}

// shown is a command with the name only of its program, as a person would type it.
func shown(argv []string) string {
	words := []string{filepath.Base(argv[0])}
	for _, a := range argv[1:] {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}
