package cdpfallback

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// launch starts the browser with a debugging port of its own choice: Windows hands no
// numbered file descriptors to children.
func launch(ctx context.Context, cfg Config) (*process, transport, error) {
	file := filepath.Join(cfg.ProfileDir, "DevToolsActivePort")
	_ = os.Remove(file)
	p, err := run(exec.Command(cfg.Path, append(arguments(cfg, false), "--remote-debugging-port=0")...), cfg)
	if err != nil {
		return nil, nil, err
	}
	url, err := portFile(ctx, p, file)
	if err != nil {
		p.end(0)
		return nil, nil, err
	}
	s, err := dial(ctx, url)
	if err != nil {
		p.end(0)
		return nil, nil, err
	}
	return p, s, nil
}

// portFile waits for the file in which the browser names its debugging address.
func portFile(ctx context.Context, p *process, file string) (string, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		raw, err := os.ReadFile(file)
		port, path, ok := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		if err == nil && ok {
			return "ws://127.0.0.1:" + strings.TrimSpace(port) + strings.TrimSpace(path), nil
		}
		select {
		case <-tick.C:
		case <-p.exited:
			return "", fmt.Errorf("%s ended at once; is another browser using the profile %s?", p.cmd.Path, filepath.Dir(file))
		case <-ctx.Done():
			return "", fmt.Errorf("the browser did not open its debugging port in time: %w", ctx.Err())
		}
	}
}

// ownGroup puts the browser into a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
