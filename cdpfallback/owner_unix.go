//go:build unix

package cdpfallback

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockOwner reads Chrome's lock: a link to <host>-<pid> that leads nowhere.
func lockOwner(dir string) (owner, bool) {
	link, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return owner{}, false
	}
	i := strings.LastIndexByte(link, '-')
	if i < 0 {
		return owner{}, false
	}
	pid, err := strconv.Atoi(link[i+1:])
	if err != nil {
		return owner{}, false
	}
	host := link[:i]
	if here, err := os.Hostname(); err == nil && here == host {
		host = ""
	}
	return owner{host, pid}, true
}

func clearLocks(dir string) {
	for _, name := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
}

// tryLock locks the file for as long as it is open.
func tryLock(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, err
}
