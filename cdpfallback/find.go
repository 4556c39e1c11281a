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
		"google-chrome-beta", "google-chrome-unstable",
		"microsoft-edge-stable", "microsoft-edge", "brave-browser", "brave", "vivaldi-stable",
		"/opt/google/chrome/chrome", "/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser",
		"/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave", "/snap/bin/chromium",
	},
	"darwin": darwinPlaces("Google Chrome", "Chromium", "Google Chrome for Testing", "Google Chrome Beta", "Google Chrome Dev",
		"Google Chrome Canary", "Microsoft Edge", "Brave Browser", "Vivaldi"),
	"windows": windowsPlaces(`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`,
		`Google\Chrome Beta\Application\chrome.exe`, `Google\Chrome Dev\Application\chrome.exe`, `Google\Chrome SxS\Application\chrome.exe`,
		`Microsoft\Edge\Application\msedge.exe`, `BraveSoftware\Brave-Browser\Application\brave.exe`, `Vivaldi\Application\vivaldi.exe`),
}

func darwinPlaces(apps ...string) (list []string) {
	for _, app := range apps {
		for _, dir := range []string{"", "${HOME}"} {
			list = append(list, dir+"/Applications/"+app+".app/Contents/MacOS/"+app)
		}
	}
	return list
}

func windowsPlaces(programs ...string) (list []string) {
	for _, program := range programs {
		for _, dir := range []string{"${ProgramFiles}", "${ProgramFiles(x86)}", "${LocalAppData}"} {
			list = append(list, dir+`\`+program)
		}
	}
	return list
}

// Find returns the executable of a browser: CHROME_PATH when it is set, else the
// first of this system's usual places.
func Find() (string, error) { return executable("") }

// executable returns the browser to start: the named one, else what Find finds.
func executable(named string) (string, error) {
	if named != "" {
		return runnable("--chrome", named)
	}
	if path := os.Getenv("CHROME_PATH"); path != "" {
		return runnable("CHROME_PATH", path)
	}
	return find(runtime.GOOS, os.LookupEnv, exec.LookPath)
}

// runnable checks a path that the user gave.
func runnable(from, path string) (string, error) {
	name := path
	if app := strings.TrimSuffix(path, "/"); runtime.GOOS == "darwin" && strings.HasSuffix(app, ".app") {
		path = filepath.Join(app, "Contents", "MacOS", strings.TrimSuffix(filepath.Base(app), ".app"))
	}
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return "", browser.Errorf(browser.LaunchFailed, "%s names the folder %s; name the browser's program in it", from, name)
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", browser.Errorf(browser.LaunchFailed, "%s names %s, which cannot be run (%v); correct it, or leave it out to use the browser that is found", from, name, err)
	}
	return absolute(found), nil
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
	list, known := places[system]
	if !known {
		list = places["linux"] // the BSDs use its names
	}
	for _, place := range list {
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
	return "", browser.Errorf(browser.LaunchFailed, "no Chrome, Chromium, Edge or Brave found; install one (Debian, Ubuntu: apt-get install chromium), or name it with --chrome PATH or CHROME_PATH")
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
