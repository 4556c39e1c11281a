package e2e

import "os"

// kill ends a process at once. There are no process groups.
func kill(pid int) {
	if p, err := os.FindProcess(max(pid, -pid)); err == nil {
		_ = p.Kill()
	}
}

// peakMemory is not told here.
func peakMemory(*os.ProcessState) int64 { return 0 }
