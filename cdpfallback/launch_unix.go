//go:build unix

package cdpfallback

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// needsDisplay says whether a window needs an X server or Wayland.
const needsDisplay = runtime.GOOS != "darwin" && runtime.GOOS != "ios"

// launch starts the browser with its debugging pipe on file descriptors 3 and 4. The
// pipe, unlike a port, is out of reach of other processes, and its end is the
// browser's end, however this process ends.
func launch(_ context.Context, cfg Config, home *profile) (*process, transport, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a debugging pipe: %w", err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		closeAll(theirIn, ourOut)
		return nil, nil, fmt.Errorf("make a debugging pipe: %w", err)
	}
	cmd := exec.Command(cfg.Path, append(arguments(cfg, os.Geteuid() == 0), "--remote-debugging-pipe")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	p, err := run(cmd, cfg, home)
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

// tether ends the browser when this process ends, even by a kill. The debugging pipe
// does that already and lets the browser write its profile; one that hangs does not
// notice. So a small watcher waits for our end and then, after a moment of grace, ends
// the browser's process group. (Linux could signal the browser at our death instead,
// but then either without grace or too weakly for one that hangs; and it counts the
// death of the thread that started it.)
func tether(cmd *exec.Cmd) (untie func(), tied bool) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}, false
	}
	watcher := exec.Command("/bin/sh", "-c", `read _ || { sleep 3; kill -9 "-$1"; }`, "chrome-mcp-watcher", strconv.Itoa(cmd.Process.Pid))
	watcher.Stdin = r
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = watcher.Start()
	_ = r.Close()
	if err != nil {
		_ = w.Close()
		return func() {}, false
	}
	return func() {
		_, _ = w.WriteString("\n")
		_ = w.Close()
		_ = watcher.Wait()
	}, true
}
