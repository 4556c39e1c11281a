package cdpfallback

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"chrome-mcp/internal/browser"
)

// places lists where browsers are, best first. A bare name is looked up in PATH;
// ${NAME} is an environment variable.
var places = map[string][]string{
	"linux": {
		"google-chrome-stable", "google-chrome", "chromium", "chromium-browser",
		"microsoft-edge-stable", "brave-browser",
		"/opt/google/chrome/chrome", "/usr/lib/chromium/chromium",
	},
	"darwin": {
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"${HOME}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		"/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
	},
	"windows": {
		`${ProgramFiles}\Google\Chrome\Application\chrome.exe`,
		`${ProgramFiles(x86)}\Google\Chrome\Application\chrome.exe`,
		`${LocalAppData}\Google\Chrome\Application\chrome.exe`,
		`${LocalAppData}\Chromium\Application\chrome.exe`,
		`${ProgramFiles(x86)}\Microsoft\Edge\Application\msedge.exe`,
		`${ProgramFiles}\Microsoft\Edge\Application\msedge.exe`,
	},
}

// Find returns the executable of a browser: CHROME_PATH when it is set, else the
// first of this system's usual places.
func Find() (string, error) {
	if path := os.Getenv("CHROME_PATH"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", browser.Errorf(browser.LaunchFailed, "CHROME_PATH names %s, which cannot be run (%v); correct it or unset it", path, err)
		}
		return found, nil
	}
	return find(runtime.GOOS, os.LookupEnv, exec.LookPath)
}

// FindChromium is Find for who has to load an unpacked extension from the command line,
// which Chrome itself no longer does.
func FindChromium() (string, error) {
	if os.Getenv("CHROME_PATH") != "" {
		return Find()
	}
	for _, name := range []string{"chromium", "chromium-browser", "/Applications/Chromium.app/Contents/MacOS/Chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return absolute(path), nil
		}
	}
	return "", browser.Errorf(browser.LaunchFailed, "no Chromium found; install it (Debian, Ubuntu: apt-get install chromium) or set CHROME_PATH to one")
}

func find(system string, env func(string) (string, bool), look func(string) (string, error)) (string, error) {
	for _, place := range places[system] {
		complete := true
		place = os.Expand(place, func(name string) string {
			value, ok := env(name)
			complete = complete && ok
			return value
		})
		if !complete {
			continue
		}
		if path, err := look(place); err == nil {
			return absolute(path), nil
		}
	}
	return "", browser.Errorf(browser.LaunchFailed, "no Chrome or Chromium found (looked for %s); install one or set CHROME_PATH", strings.Join(places[system], ", "))
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
