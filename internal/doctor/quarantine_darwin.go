package doctor

import "golang.org/x/sys/unix"

// quarantined returns the mark that macOS puts on what a browser downloaded: a host
// that has it is not started, and nobody is told.
func quarantined(path string) string {
	b := make([]byte, 256)
	n, err := unix.Getxattr(path, "com.apple.quarantine", b)
	if err != nil || n <= 0 {
		return ""
	}
	return "it has the attribute com.apple.quarantine " + string(b[:n])
}
