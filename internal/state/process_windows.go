package state

import (
	"strconv"

	"golang.org/x/sys/windows"
)

// processStamp is the creation time of the process in Windows' units.
func processStamp(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	// A process that ended stays openable while somebody holds a handle to it.
	if ev, err := windows.WaitForSingleObject(h, 0); err != nil || ev != uint32(windows.WAIT_TIMEOUT) {
		return ""
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

func sameProcess(pid int, stamp string) bool {
	now := processStamp(pid)
	return now != "" && (stamp == "" || stamp == now)
}
