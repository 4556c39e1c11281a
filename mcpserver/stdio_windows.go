package mcpserver

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Stdio returns the process's standard input, and a private copy of its standard
// output. From then on the public one leads to standard error, so that no stray print
// of any library can break the protocol.
func Stdio() (in *os.File, out *os.File, err error) {
	out = os.Stdout
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, nil, fmt.Errorf("redirect standard output: %w", err)
	}
	os.Stdout = os.Stderr
	return os.Stdin, out, nil
}

// watchParent calls gone once the process that started this one has ended: some
// clients die without closing our input, because another child still holds it.
func watchParent(ctx context.Context, every time.Duration, gone func()) {
	parent, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		return
	}
	defer windows.CloseHandle(parent)
	for ctx.Err() == nil {
		if ev, err := windows.WaitForSingleObject(parent, uint32(every.Milliseconds())); err != nil || ev == windows.WAIT_OBJECT_0 {
			if err == nil {
				gone()
			}
			return
		}
	}
}
