package cdpfallback

import (
	"errors"
	"os"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
)

func TestFind(t *testing.T) {
	env := map[string]string{"ProgramFiles": `C:\Program Files`, "HOME": "/Users/u"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, test := range []struct{ system, installed, want string }{
		{"linux", "chromium", "chromium"},
		{"darwin", "/Users/u/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Users/u/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"},
		{"windows", `C:\Program Files\Microsoft\Edge\Application\msedge.exe`, "msedge.exe"},
		{"linux", "", ""},
		{"freebsd", "chromium", "chromium"},
	} {
		got, err := find(test.system, lookup, func(name string) (string, error) {
			if name == test.installed {
				return name, nil
			}
			return "", errors.New("not there")
		})
		if test.want == "" {
			if browser.CodeOf(err) != browser.LaunchFailed {
				t.Errorf("%s: %q, %v", test.system, got, err)
			}
			continue
		}
		if err != nil || !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: got %q, %v, want %q", test.system, got, err, test.want)
		}
	}
}

func TestFindHonoursChromePath(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CHROME_PATH", self)
	if got, err := Find(); err != nil || got != self {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv("CHROME_PATH", self+"-not-there")
	if _, err := Find(); browser.CodeOf(err) != browser.LaunchFailed {
		t.Errorf("a CHROME_PATH that cannot be run: %v", err)
	}
}
