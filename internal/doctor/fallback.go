package doctor

import (
	"os"
	"runtime"

	"chrome-mcp/cdpfallback"
)

// fallback looks whether a browser of our own could be started, which calls go to while
// the user's has never paired.
func (e *exam) fallback() {
	path, err := cdpfallback.Find()
	if err != nil {
		e.warn("fallback.chrome", "a browser of our own cannot be started", err.Error(), "set CHROME_PATH to the program of a Chrome, Chromium, Edge or Brave")
		return
	}
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		e.warn("fallback.display", "a browser of our own has no display for its window", "neither DISPLAY nor WAYLAND_DISPLAY is set", "add --headless to the server's arguments in the MCP client's configuration")
		return
	}
	e.fine("fallback", "a browser of our own could be started", "%s", path)
}
