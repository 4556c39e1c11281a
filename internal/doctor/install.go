package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"chrome-mcp/extension"
	"chrome-mcp/installer"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
)

const (
	installCommand = "chrome-mcp install"
	forceCommand   = "chrome-mcp install --force"
)

// folder looks at this program and the data folder.
func (e *exam) folder() {
	e.fine("program", "this program runs", "%s, version %s, %s", e.Program, version.Version, runtime.GOOS+"/"+runtime.GOARCH)
	dir := e.Options.Data
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // installed says so
	case err != nil:
		e.fail("data.unreadable", "the data folder cannot be read", err.Error(), "set "+state.DataEnv+" to a folder of your own")
		return
	case !fi.IsDir():
		e.fail("data.unreadable", "the data folder is no folder", dir, "set "+state.DataEnv+" to a folder of your own")
		return
	}
	if runtime.GOOS != "windows" && fi.Mode().Perm()&0o077 != 0 {
		e.fixable("data.mode", "others can look into the data folder, where tokens are", fmt.Sprintf("%s has mode %04o, not 0700", dir, fi.Mode().Perm()),
			func() error { return e.store.Ensure() })
		return
	}
	e.fine("data", "the data folder is private", "%s", dir)
}

// installed looks at the record, and at what it says is there for all browsers.
func (e *exam) installed() {
	var err error
	e.record, err = installer.LoadRecord(e.Options.Data)
	var file *state.FileError
	switch {
	case errors.As(err, &file) && file.Fault == state.FaultMode:
		e.fixable("install.record", "the record of the install is not private", err.Error(),
			func() error { return os.Chmod(file.Path, 0o600) })
		return
	case err != nil:
		e.fail("install.record", "the record of the install cannot be used", err.Error(), "rm "+e.quote(e.store.Path(installer.RecordFile))+" && "+installCommand)
		return
	case e.record.V == 0:
		e.fail("install.missing", "chrome-mcp is not installed for any browser", "no record in "+e.Options.Data, e.installFor())
		return
	}
	if !e.installedProgram() || !e.extensionFolder() {
		return
	}
	e.fine("install", "program and extension are installed", "%s, version %s", e.Options.Data, e.record.Version)
}

// installFor is the command that installs, for the data folder that is looked at.
func (e *exam) installFor() string { return installCommand }

func (e *exam) installedProgram() bool {
	path := e.program()
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		e.fixable("install.program", "the installed program is gone", err.Error(),
			func() error { return installer.Apply(installer.Program(e.System, e.Options), e.Program) })
	case runtime.GOOS != "windows" && fi.Mode()&0o111 == 0:
		e.fixable("host.not-executable", "the installed program may not be run", fmt.Sprintf("%s has mode %04o", path, fi.Mode().Perm()),
			func() error { return os.Chmod(path, 0o755) })
	default:
		return true
	}
	return false
}

// extensionFolder compares the unpacked extension with the one in this program.
func (e *exam) extensionFolder() bool {
	dir := e.Options.Extension(e.System)
	names, err := extension.Files()
	if err != nil {
		return true
	}
	var wrong []string
	for _, name := range names {
		want, err := fs.ReadFile(extension.FS, name)
		if err != nil {
			continue
		}
		if have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(have) != string(want) {
			wrong = append(wrong, name)
		}
	}
	if wrong == nil {
		return true
	}
	e.fixable("extension.files", "the extension's folder is not as this program wants it", fmt.Sprintf("%s: %s", dir, few(wrong)),
		func() error { _, err := installer.Unpack(e.System, e.Options); return err })
	return false
}

// few shortens a list.
func few(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

func (e *exam) quote(path string) string { return e.System.Quote(path) }
