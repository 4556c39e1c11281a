package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Is asks the console.
func Is(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}
