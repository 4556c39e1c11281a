package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// isTerminal asks the driver: /dev/null is a character device as well.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
