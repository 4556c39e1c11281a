package state

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processStamp is <boot id>/<pid namespace>/<start, ticks since boot>. Wall-clock start
// times would do until somebody sets the clock; then a live server would look dead.
func processStamp(pid int) string {
	start := startTicks(pid)
	if start == "" {
		return ""
	}
	return bootID() + "/" + pidSpace() + "/" + start
}

func sameProcess(pid int, stamp string) bool {
	if stamp == "" {
		return startTicks(pid) != ""
	}
	boot, rest, _ := strings.Cut(stamp, "/")
	space, start, _ := strings.Cut(rest, "/")
	if boot != bootID() {
		return false
	}
	// Inside another pid namespace (a flatpak browser, a container) the number says
	// nothing. The extension will find out by dialling.
	if space != pidSpace() {
		return true
	}
	return start == startTicks(pid)
}

// startTicks returns field 22 of /proc/<pid>/stat, or "" if no such process runs. A
// zombie does not run.
func startTicks(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name in parentheses may hold spaces and parentheses itself.
	i := bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[i+1:]))
	const state, start = 0, 19 // counted from field 3
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return ""
	}
	return fields[start]
}

func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

func pidSpace() string {
	s, _ := os.Readlink("/proc/self/ns/pid")
	return s
}
