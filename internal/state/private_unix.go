//go:build unix

package state

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func makeFilePrivate(f *os.File) error { return f.Chmod(0o600) }

func makeDirPrivate(dir string) error {
	fi, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if uid := owner(fi); uid != os.Geteuid() {
		return fmt.Errorf("it belongs to user %d", uid)
	}
	if fi.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	if fi, err = os.Stat(dir); err != nil {
		return err
	}
	// File systems without permissions (FAT, some mounts) take the chmod and ignore it.
	if perm := fi.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("its mode stays %04o", perm)
	}
	return nil
}

// openPrivate opens without following a link and without waiting on a pipe, and judges
// the file that it opened, not the name.
func openPrivate(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	case errors.Is(err, unix.ELOOP):
		return nil, &FileError{Path: path, Fault: FaultSymlink, Detail: "is a symbolic link"}
	case err != nil:
		return nil, &FileError{Path: path, Fault: FaultUnreadable, Detail: "cannot be opened", Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	if ferr := checkPrivate(f, os.Geteuid()); ferr != nil {
		f.Close()
		ferr.Path = path
		return nil, ferr
	}
	return f, nil
}

func checkPrivate(f *os.File, me int) *FileError {
	fi, err := f.Stat()
	if err != nil {
		return &FileError{Fault: FaultUnreadable, Detail: "cannot be examined", Err: err}
	}
	if !fi.Mode().IsRegular() {
		return &FileError{Fault: FaultKind, Detail: "is not a regular file"}
	}
	if uid := owner(fi); uid != me {
		return &FileError{Fault: FaultOwner, Detail: fmt.Sprintf("belongs to user %d, not to you (%d)", uid, me)}
	}
	if perm := fi.Mode().Perm(); perm&0o077 != 0 {
		return &FileError{Fault: FaultMode, Detail: fmt.Sprintf("has mode %04o, so others can read or write it; it must be 0600", perm)}
	}
	return nil
}

func owner(fi os.FileInfo) int { return int(fi.Sys().(*syscall.Stat_t).Uid) }

func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
