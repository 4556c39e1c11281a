package cdpfallback

import (
	"errors"
	"os"
	"path/filepath"

	proc "github.com/shirou/gopsutil/v4/process"
	"golang.org/x/sys/windows"
)

// lockOwner finds the browser that holds Chrome's lock: a file that nobody else can open.
func lockOwner(dir string) (owner, bool) {
	f, err := os.OpenFile(filepath.Join(dir, "lockfile"), os.O_RDWR, 0)
	if err == nil {
		_ = f.Close()
		return owner{}, false
	}
	if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return owner{}, false
	}
	list, err := proc.Processes()
	if err != nil {
		return owner{}, false
	}
	for _, p := range list {
		args, err := p.CmdlineSlice()
		if err != nil || len(args) == 0 || !isBrowser(args[0]) {
			continue
		}
		if u := useOf(args, dir); u == inUse || u == orphaned {
			if parent, err := p.Parent(); err == nil && usesToo(parent, dir) {
				continue // a child of the browser
			}
			return owner{pid: int(p.Pid)}, true
		}
	}
	return owner{}, false
}

func usesToo(p *proc.Process, dir string) bool {
	args, err := p.CmdlineSlice()
	return err == nil && len(args) > 0 && isBrowser(args[0]) && useOf(args, dir) != unused
}

// clearLocks has nothing to do: Chrome's lock goes with its holder.
func clearLocks(string) {}

// tryLock opens the file for nobody else to write.
func tryLock(file string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(file)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_READ, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), file), nil
}
