package state

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// processStamp is the start time that the kernel noted.
func processStamp(pid int) string {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || k.Proc.P_stat == zombie {
		return ""
	}
	t := k.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec)
}

func sameProcess(pid int, stamp string) bool {
	now := processStamp(pid)
	return now != "" && (stamp == "" || stamp == now)
}
