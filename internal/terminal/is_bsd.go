//go:build unix && !linux

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Is asks the driver: /dev/null is a character device as well.
func Is(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TIOCGETA)
	return err == nil
}
