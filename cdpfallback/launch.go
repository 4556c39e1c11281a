package cdpfallback

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/browser"
)

// process is a browser that we started.
type process struct {
	cmd       *exec.Cmd
	exited    chan struct{} // closed when it has ended and its profile is free
	said      *tail
	temporary bool // its profile is removed at the end
	tethered  bool // it ends when this process does, and has time to
}

// ownerSwitch marks a browser as started by us, and by which process. Chrome ignores
// switches that it does not know.
const ownerSwitch = "--chrome-mcp-owner="

// arguments are the command line for cfg, without the debugging transport.
func arguments(cfg Config, root bool) []string {
	args := []string{
		"--user-data-dir=" + cfg.ProfileDir,
		ownerSwitch + strconv.Itoa(os.Getpid()),
		"--no-first-run",
		"--no-default-browser-check",
		"--hide-crash-restore-bubble",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-quic",
		"--disable-search-engine-choice-screen",
		// Pages need not know who started the browser.
		"--disable-blink-features=AutomationControlled",
		// A background tab has to work at full speed: nobody looks at any of them.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--password-store=basic",
		"--use-mock-keychain",
	}
	if cfg.Headless {
		args = append(args, "--headless=new", "--disable-gpu", "--window-size=1280,720")
	}
	if root {
		// Chrome refuses to run as root with its sandbox: containers only.
		args = append(args, "--no-sandbox")
	}
	return append(args, cfg.ExtraArgs...)
}

// run starts cmd and watches for its end. home is freed when it has ended.
func run(cmd *exec.Cmd, cfg Config, home *profile) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{}), said: &tail{}, temporary: home.temporary}
	cmd.Stderr = p.said
	if cfg.Log != nil {
		cmd.Stderr = io.MultiWriter(p.said, cfg.Log)
	}
	// The browser's children inherit stderr and may outlive it.
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w; name a Chrome that runs with --chrome or CHROME_PATH", cfg.Path, err)
	}
	var untie func()
	untie, p.tethered = tether(cmd)
	go func() {
		_ = cmd.Wait()
		killGroup(cmd)
		untie()
		home.release()
		close(p.exited)
	}()
	return p, nil
}

// kill ends the browser and its children at once.
func (p *process) kill() {
	killGroup(p.cmd)
	<-p.exited
}

// explain says why a browser that was started does not answer, by what it said itself.
func (p *process) explain(ctx context.Context, cfg Config, err error) error {
	if browser.CodeOf(err) == browser.LaunchFailed {
		return err
	}
	said := p.said.String()
	for _, e := range complaints {
		if strings.Contains(said, e.says) {
			return browser.Errorf(browser.LaunchFailed, "%s did not start: %s", cfg.Path, e.means)
		}
	}
	if strings.Contains(cfg.Path, "/snap/") && strings.Contains(said, "ermission denied") {
		return browser.Errorf(browser.LaunchFailed, "%s did not start: it is a snap, which may not write to %s; set CHROME_MCP_DATA to a folder below ~/snap, or name another browser with --chrome", cfg.Path, cfg.ProfileDir)
	}
	if ctx.Err() != nil {
		return browser.Errorf(browser.LaunchFailed, "%s did not answer in time; the machine may be busy: call again", cfg.Path)
	}
	if last := lastLine(said); last != "" {
		return browser.Errorf(browser.LaunchFailed, "%s did not start; its last words: %s", cfg.Path, last)
	}
	return browser.Errorf(browser.LaunchFailed, "%s ended at once and said nothing (%v); try it by hand, or name another browser with --chrome", cfg.Path, err)
}

// complaints are what Chrome says on its standard error when it cannot start, and what
// that means for the user.
var complaints = []struct{ says, means string }{
	{"Missing X server or $DISPLAY", noDisplay},
	{"annot open display", noDisplay},
	{"nable to open X display", noDisplay},
	{"No usable sandbox", "its sandbox does not work here; allow unprivileged user namespaces on this machine, or in a container that you trust add --chrome-arg=--no-sandbox"},
	{"without --no-sandbox is not supported", "it does not run as root with its sandbox; in a container that you trust add --chrome-arg=--no-sandbox"},
	{"No space left on device", "the disk is full; free some space"},
	{"error while loading shared libraries", "libraries that it needs are missing; install it with the system's package manager"},
	{"profile appears to be in use", "its profile is in use by another browser, perhaps on another computer; close that one"},
}

const noDisplay = "there is no display to show its window on; start chrome-mcp with --headless, or from a desktop session"

// displayed refuses to start a browser whose window nobody could see.
func displayed(cfg Config) error {
	if cfg.Headless || !needsDisplay || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return nil
	}
	for _, a := range cfg.ExtraArgs {
		if strings.HasPrefix(a, "--headless") || strings.HasPrefix(a, "--ozone-platform=headless") {
			return nil
		}
	}
	return browser.Errorf(browser.LaunchFailed, "no browser was started: %s", noDisplay)
}

// tail keeps the last that was written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const maxTail = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if over := len(t.last) - maxTail; over > 0 {
		t.last = append(t.last[:0:0], t.last[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if len(last) > 300 {
		last = last[:300]
	}
	return strings.ToValidUTF8(last, "�")
}
