//go:build unix

package cdpfallback

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// launch starts the browser with its debugging pipe on file descriptors 3 and 4. The
// pipe, unlike a port, is out of reach of other processes, and its end is the
// browser's end, however this process ends.
func launch(_ context.Context, cfg Config) (*process, transport, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a debugging pipe: %w", err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		closeAll(theirIn, ourOut)
		return nil, nil, fmt.Errorf("make a debugging pipe: %w", err)
	}
	cmd := exec.Command(cfg.Path, append(arguments(cfg, isRoot()), "--remote-debugging-pipe")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	p, err := run(cmd, cfg)
	closeAll(theirIn, theirOut)
	if err != nil {
		closeAll(ourIn, ourOut)
		return nil, nil, err
	}
	return p, newPipe(ourIn, ourOut), nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// ownGroup keeps a terminal's interrupt from reaching the browser before we end it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
