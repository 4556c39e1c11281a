package cdpfallback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"chrome-mcp/internal/browser"
)

// profile is a user data folder that is ours while a browser uses it. Two locks stand
// before it: ours, between servers, which the system frees with its holder, and Chrome's
// own, which stays behind when Chrome is killed.
type profile struct {
	dir       string
	temporary bool
	lock      *os.File
	once      sync.Once
}

// release frees the profile, and removes a temporary one.
func (p *profile) release() {
	p.once.Do(func() {
		if p.lock != nil {
			_ = p.lock.Close()
		}
		if p.temporary {
			_ = os.RemoveAll(p.dir)
		}
	})
}

// maxSpare is how many profiles are tried: as many servers can have a browser of their
// own at the same time.
const maxSpare = 32

// claimProfile returns the profile for a browser that is about to start.
func claimProfile(ctx context.Context, cfg Config) (*profile, error) {
	if cfg.ProfileDir == "" {
		dir, err := os.MkdirTemp("", "chrome-mcp-profile-")
		if err != nil {
			return nil, browser.Errorf(browser.LaunchFailed, "no temporary profile: %v; make the temporary folder writable", err)
		}
		return &profile{dir: dir, temporary: true}, nil
	}
	dir := cfg.ProfileDir
	for n := 2; ; n++ {
		p, lastHost, err := lockProfile(dir)
		if err == nil {
			if err := vacate(ctx, dir, lastHost); err != nil {
				p.release()
				return nil, err
			}
			p.sign()
			return p, nil
		}
		var busy *busyError
		if !errors.As(err, &busy) || !cfg.Spare || n > maxSpare {
			return nil, browser.Errorf(browser.LaunchFailed, "%v", err)
		}
		dir = fmt.Sprintf("%s-%d", cfg.ProfileDir, n)
	}
}

// busyError says that another server has the profile.
type busyError struct{ dir, pid string }

func (e *busyError) Error() string {
	return fmt.Sprintf("the profile %s is in use by the chrome-mcp with pid %s; end its MCP client, or wait for it", e.dir, e.pid)
}

// lockProfile makes the folder and takes our lock on it. The file names who holds the
// lock, or had it last: pid and computer.
func lockProfile(dir string) (p *profile, lastHost string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("no folder for the browser's profile: %w; set CHROME_MCP_DATA to a folder that you can write", err)
	}
	file := filepath.Join(dir, "chrome-mcp.lock")
	f, err := tryLock(file)
	holder, _ := os.ReadFile(file)
	pid, host, _ := strings.Cut(strings.TrimSpace(string(holder)), " ")
	if errors.Is(err, errLocked) {
		return nil, "", &busyError{dir, pid}
	}
	if err != nil {
		return nil, "", fmt.Errorf("the browser's profile cannot be locked: %w; set CHROME_MCP_DATA to a folder on a local disk", err)
	}
	return &profile{dir: dir, lock: f}, host, nil
}

// sign names this process as the holder of the lock.
func (p *profile) sign() {
	host, _ := os.Hostname()
	if p.lock.Truncate(0) == nil {
		_, _ = p.lock.WriteAt(fmt.Appendf(nil, "%d %s\n", os.Getpid(), host), 0)
	}
}

var errLocked = errors.New("locked by another process")
