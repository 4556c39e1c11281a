//go:build unix

package e2e

import (
	"os"
	"runtime"
	"syscall"
)

// kill ends a process, or with a negative number a process group, at once.
func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// peakMemory is the most that an ended process had, in KiB.
func peakMemory(p *os.ProcessState) int64 {
	use, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin": // told in bytes there
		return int64(use.Maxrss) >> 10
	}
	return int64(use.Maxrss)
}
