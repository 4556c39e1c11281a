//go:build unix

package cdpfallback

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
)

// singleton makes Chrome's lock as Chrome does.
func singleton(t *testing.T, dir, host string, pid int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(host+"-"+strconv.Itoa(pid), filepath.Join(dir, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
}

// sleeper is a process with a command line of our choice.
func sleeper(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	cmd.Args = args
	cmd.Path = os.Args[0]
	cmd.Env = append(os.Environ(), asSleeper+"=1")
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = out.Read(make([]byte, 1)) // it has its own command line now
	ended := make(chan struct{})     // reaped at once, so that a killed one is seen to be gone
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	return cmd
}

func TestClaimProfile(t *testing.T) {
	here, _ := os.Hostname()
	dead := exec.Command("true")
	_ = dead.Run()
	for name, test := range map[string]struct {
		prepare func(t *testing.T, dir string)
		words   []string // of the refusal; nil: it is claimed
	}{
		"new":         {func(*testing.T, string) {}, nil},
		"owner dead":  {func(t *testing.T, dir string) { singleton(t, dir, here, dead.Process.Pid) }, nil},
		"pid reused":  {func(t *testing.T, dir string) { singleton(t, dir, here, os.Getpid()) }, nil},
		"not a link":  {func(t *testing.T, dir string) { _ = os.MkdirAll(filepath.Join(dir, "SingletonLock"), 0o700) }, nil},
		"other place": {func(t *testing.T, dir string) { singleton(t, dir, "elsewhere", 1) }, []string{"elsewhere", "pid 1", "SingletonLock"}},
		"container that is gone": {func(t *testing.T, dir string) {
			singleton(t, dir, "abcdef", 7)
			_ = os.WriteFile(filepath.Join(dir, "chrome-mcp.lock"), []byte("1 abcdef\n"), 0o600)
		}, nil},
		"a person's browser": {func(t *testing.T, dir string) {
			p := sleeper(t, "chromium", "--user-data-dir="+dir)
			singleton(t, dir, here, p.Process.Pid)
		}, []string{"in use by pid", "close that browser"}},
		"browser with another profile": {func(t *testing.T, dir string) {
			p := sleeper(t, "chromium", "--user-data-dir=/elsewhere")
			singleton(t, dir, here, p.Process.Pid)
		}, nil},
		"browser that says no profile": {func(t *testing.T, dir string) {
			p := sleeper(t, "google-chrome")
			singleton(t, dir, here, p.Process.Pid)
		}, []string{"in use by pid"}},
		"orphan of ours": {func(t *testing.T, dir string) {
			p := sleeper(t, "chromium", "--user-data-dir="+dir+"/", ownerSwitch+"1")
			singleton(t, dir, here, p.Process.Pid)
		}, nil},
		"another server": {func(t *testing.T, dir string) {
			p, _, err := lockProfile(dir)
			if err != nil {
				t.Fatal(err)
			}
			p.sign()
			t.Cleanup(p.release)
		}, []string{"chrome-mcp with pid " + strconv.Itoa(os.Getpid())}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the orphan takes its time
			dir := filepath.Join(t.TempDir(), "profile")
			test.prepare(t, dir)
			p, err := claimProfile(testContext(t), Config{ProfileDir: dir})
			if err == nil {
				p.release()
			}
			if test.words == nil {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := os.Readlink(filepath.Join(dir, "SingletonLock")); err == nil {
					t.Error("Chrome's lock is still there")
				}
				return
			}
			if browser.CodeOf(err) != browser.LaunchFailed {
				t.Fatalf("got %v", err)
			}
			for _, w := range test.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v\ndoes not say %q", err, w)
				}
			}
		})
	}
}

func TestSpareProfiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profile")
	cfg := Config{ProfileDir: dir, Spare: true}
	var got []string
	for range 3 {
		p, err := claimProfile(testContext(t), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer p.release()
		got = append(got, strings.TrimPrefix(p.dir, dir))
	}
	if fmt.Sprint(got) != "[ -2 -3]" {
		t.Errorf("profiles %q", got)
	}
}

// TestKeptProfile has a cookie outlive the browser, and the profile free at once.
func TestKeptProfile(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		b := startFor(t, Config{ProfileDir: dir})
		ctx, tab := openIn(t, b, "s")
		load(t, ctx, tab, page("x"))
		if i == 0 {
			script(t, ctx, tab, "document.cookie = 'kept=1; max-age=1000'")
		} else if got := script(t, ctx, tab, "document.cookie"); got != "kept=1" {
			t.Errorf("the cookie is %q", got)
		}
		if err := b.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// asServer and asSleeper make the test binary something else, see TestMain.
const (
	asServer  = "CDPFALLBACK_TEST_SERVER"
	asSleeper = "CDPFALLBACK_TEST_SLEEPER"
)

// otherMain runs in place of the tests where the binary is something else.
func otherMain() bool {
	switch {
	case os.Getenv(asSleeper) != "":
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case os.Getenv(asServer) != "":
		b, err := Start(context.Background(), Config{Headless: true, ProfileDir: os.Getenv(asServer), Bundle: tinyBundle, World: "test"})
		if err != nil {
			fmt.Println(err)
			return true
		}
		fmt.Println(b.PID())
		time.Sleep(time.Minute)
	default:
		return false
	}
	return true
}

// serverWithBrowser starts a server that has started a browser.
func serverWithBrowser(t *testing.T, dir string) (server *exec.Cmd, chrome int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"="+dir)
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := fmt.Fscan(out, &chrome); err != nil {
		t.Fatal(err)
	}
	return cmd, chrome
}

// groupEnds waits until no process of the browser's group is left.
func groupEnds(t *testing.T, chrome int, within time.Duration) {
	t.Helper()
	begin := time.Now()
	for syscall.Kill(-chrome, 0) == nil {
		if time.Since(begin) > within {
			_ = syscall.Kill(-chrome, syscall.SIGKILL)
			t.Fatalf("the browser is still there after %v", within)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("the browser ended %v after its server", time.Since(begin).Round(time.Millisecond))
}

func TestBrowserEndsWithItsServer(t *testing.T) {
	server, chrome := serverWithBrowser(t, t.TempDir())
	_ = server.Process.Kill()
	_ = server.Wait()
	groupEnds(t, chrome, 10*time.Second)
}

func TestHungBrowserEndsWithItsServer(t *testing.T) {
	server, chrome := serverWithBrowser(t, t.TempDir())
	_ = syscall.Kill(chrome, syscall.SIGSTOP)
	_ = server.Process.Kill()
	_ = server.Wait()
	groupEnds(t, chrome, 15*time.Second)
}

// TestProfileOfKilledServer starts a browser with the profile right after the server that
// had it was killed.
func TestProfileOfKilledServer(t *testing.T) {
	dir := t.TempDir()
	server, _ := serverWithBrowser(t, dir)
	if _, err := Start(testContext(t), Config{Headless: true, ProfileDir: dir}); browser.CodeOf(err) != browser.LaunchFailed {
		t.Errorf("a profile in use: %v", err)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	startFor(t, Config{ProfileDir: dir})
}

func TestNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	_, err := Start(testContext(t), Config{})
	if browser.CodeOf(err) != browser.LaunchFailed || !strings.Contains(err.Error(), "--headless") {
		t.Errorf("without a display: %v", err)
	}
	t.Setenv("DISPLAY", ":987")
	_, err = Start(testContext(t), Config{})
	if browser.CodeOf(err) != browser.LaunchFailed || !strings.Contains(err.Error(), "--headless") {
		t.Errorf("with a display that is not there: %v", err)
	}
}

// TestStartFails holds that what a browser says is told.
func TestStartFails(t *testing.T) {
	for name, test := range map[string]struct{ script, words string }{
		"silent":  {"exit 3", "ended at once"},
		"words":   {"echo the dog ate it >&2; exit 1", "the dog ate it"},
		"sandbox": {"echo 'No usable sandbox! Update your kernel' >&2; exit 1", "--chrome-arg=--no-sandbox"},
		"disk":    {"echo 'write: No space left on device' >&2; exit 1", "disk is full"},
	} {
		path := filepath.Join(t.TempDir(), "chrome")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := Start(testContext(t), Config{Path: path, Headless: true})
		if browser.CodeOf(err) != browser.LaunchFailed || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for path, words := range map[string]string{t.TempDir(): "names the folder", "/no/such/chrome": "cannot be run"} {
		_, err := Start(testContext(t), Config{Path: path})
		if browser.CodeOf(err) != browser.LaunchFailed || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
