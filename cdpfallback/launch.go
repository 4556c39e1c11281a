package cdpfallback

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// process is a browser that we started.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when it has ended
}

// arguments are the command line for cfg, without the debugging transport.
func arguments(cfg Config, root bool) []string {
	args := []string{
		"--user-data-dir=" + cfg.ProfileDir,
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-quic",
		"--disable-search-engine-choice-screen",
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

// run starts cmd and watches for its end.
func run(cmd *exec.Cmd, cfg Config) (*process, error) {
	if cfg.Log != nil {
		cmd.Stderr = cfg.Log
		// The browser's children inherit stderr and may outlive it.
		cmd.WaitDelay = time.Second
	}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w; set CHROME_PATH to a Chrome that runs", cfg.Path, err)
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// end waits for the browser to go by itself and then ends it and its children.
func (p *process) end(grace time.Duration) {
	select {
	case <-p.exited:
	case <-time.After(grace):
	}
	killGroup(p.cmd)
	<-p.exited
}

func isRoot() bool { return os.Geteuid() == 0 }
