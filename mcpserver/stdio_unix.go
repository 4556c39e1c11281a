//go:build unix

package mcpserver

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Stdio returns the process's standard input, and a private copy of its standard
// output. From then on the public one leads to standard error, so that no stray print
// of any library can break the protocol; and a client that is gone shows as an error
// of a write, not as a SIGPIPE.
func Stdio() (in *os.File, out *os.File, err error) {
	fd, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, nil, fmt.Errorf("copy standard output: %w", err)
	}
	if err := unix.Dup2(int(os.Stderr.Fd()), int(os.Stdout.Fd())); err != nil {
		return nil, nil, fmt.Errorf("redirect standard output: %w", err)
	}
	return os.Stdin, os.NewFile(uintptr(fd), "stdout"), nil
}

// watchParent calls gone once the process that started this one has ended: some
// clients die without closing our input, because another child still holds it.
func watchParent(ctx context.Context, every time.Duration, gone func()) {
	parent := os.Getppid()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				gone()
				return
			}
		}
	}
}
