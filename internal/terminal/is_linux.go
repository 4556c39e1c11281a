package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Is asks the driver: /dev/null is a character device as well.
func Is(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
