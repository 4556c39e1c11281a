package cdpfallback

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	proc "github.com/shirou/gopsutil/v4/process"

	"chrome-mcp/internal/browser"
)

// How long an orphaned browser of ours may take to end by itself, and after we asked it.
const (
	orphanEnds = 4 * time.Second
	orphanObey = 2 * time.Second
)

// owner is who Chrome's own lock on a profile names.
type owner struct {
	host string // "" is this computer
	pid  int
}

// vacate sees to it that no browser uses the profile, on which we hold our lock. A lock
// of Chrome is taken away only after its owner is proved to be gone; a browser is ended
// only if one of our servers started it and is gone. A browser that a person started is
// left alone. lastHost is the computer of the server that had our lock before.
func vacate(ctx context.Context, dir, lastHost string) error {
	o, found := lockOwner(dir)
	if !found {
		return nil
	}
	if o.host != "" && o.host == lastHost {
		// A container that is gone has a name that is gone. Our lock is free, so the
		// server there has ended, and its browser with it.
		clearLocks(dir)
		return nil
	}
	if o.host != "" {
		return browser.Errorf(browser.LaunchFailed, "the profile %s is in use by a browser on the computer %s (pid %d); close it there, or if it is gone for good, delete %s", dir, o.host, o.pid, filepath.Join(dir, "SingletonLock"))
	}
	p, use := look(o.pid, dir)
	if use == orphaned {
		use = endOrphan(ctx, p)
	}
	if use != unused {
		return browser.Errorf(browser.LaunchFailed, "the profile %s is in use by pid %d (%s), which chrome-mcp did not start; close that browser, or let it be driven: start it with --remote-debugging-port=0 and chrome-mcp with --cdp-endpoint %q", dir, o.pid, nameOf(p), dir)
	}
	clearLocks(dir)
	return nil
}

// use is what a process has to do with a profile.
type use int

const (
	unused   use = iota // no such process, or one that is no browser with this profile
	inUse               // a browser with this profile, or one that may be
	orphaned            // a browser with this profile that a server of ours started
)

// look finds out what the process with that id has to do with the profile. In doubt it
// uses it.
func look(pid int, dir string) (*proc.Process, use) {
	p, err := proc.NewProcess(int32(pid))
	if err != nil {
		return nil, unused
	}
	if status, err := p.Status(); err == nil && len(status) > 0 && status[0] == proc.Zombie {
		return nil, unused
	}
	args, err := p.CmdlineSlice()
	if err != nil || len(args) == 0 {
		return p, inUse
	}
	return p, useOf(args, dir)
}

// useOf judges a command line.
func useOf(args []string, dir string) use {
	named, ours := "", false
	for _, a := range args {
		if value, ok := strings.CutPrefix(a, "--user-data-dir="); ok {
			named = value
		}
		ours = ours || strings.HasPrefix(a, ownerSwitch)
	}
	switch {
	case named == "" && isBrowser(args[0]):
		return inUse
	case named == "" || !sameFolder(named, dir):
		return unused
	case ours:
		return orphaned
	}
	return inUse
}

func isBrowser(program string) bool {
	name := strings.ToLower(filepath.Base(program))
	for _, known := range []string{"chrom", "edge", "brave", "vivaldi", "opera"} {
		if strings.Contains(name, known) {
			return true
		}
	}
	return false
}

func sameFolder(a, b string) bool {
	ia, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
}

// endOrphan waits for a browser whose server is gone to end, and ends it if it does not.
func endOrphan(ctx context.Context, p *proc.Process) use {
	if hasEnded(ctx, p, orphanEnds) {
		return unused
	}
	_ = p.Terminate()
	if hasEnded(ctx, p, orphanObey) {
		return unused
	}
	_ = p.Kill()
	if hasEnded(ctx, p, orphanObey) {
		return unused
	}
	return inUse
}

// hasEnded waits for the end of a process that is no child of ours: nothing tells of it.
func hasEnded(ctx context.Context, p *proc.Process, within time.Duration) bool {
	late := time.After(within)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if running, err := p.IsRunning(); err == nil && !running || isZombie(p) {
			return true
		}
		select {
		case <-tick.C:
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func isZombie(p *proc.Process) bool {
	status, err := p.Status()
	return err == nil && len(status) > 0 && status[0] == proc.Zombie
}

func nameOf(p *proc.Process) string {
	if p == nil {
		return "unknown"
	}
	if name, err := p.Name(); err == nil {
		return name
	}
	return "unknown"
}
