package cdpfallback

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const needsDisplay = false

// launch starts the browser with a debugging port of its own choice: Windows hands no
// numbered file descriptors to children.
func launch(ctx context.Context, cfg Config, home *profile) (*process, transport, error) {
	file := filepath.Join(cfg.ProfileDir, portFile)
	_ = os.Remove(file)
	p, err := run(exec.Command(cfg.Path, append(arguments(cfg, false), "--remote-debugging-port=0")...), cfg, home)
	if err != nil {
		return nil, nil, err
	}
	url, err := awaitPort(ctx, p, file)
	if err != nil {
		p.kill()
		return nil, nil, err
	}
	s, err := dial(ctx, url, nil)
	if err != nil {
		p.kill()
		return nil, nil, fmt.Errorf("connect to the browser that was started: %w", err)
	}
	return p, s, nil
}

// awaitPort waits for the file in which the browser names its debugging address.
func awaitPort(ctx context.Context, p *process, file string) (string, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if url, err := readPortFile(file); err == nil {
			return url, nil
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

// killGroup ends the browser; its children follow.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// tether puts the browser into a job that ends with the last handle to it, which is
// ours. It has no time to write its profile then, so it does not count as tied.
func tether(cmd *exec.Cmd) (untie func(), tied bool) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return func() {}, false
	}
	limit := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limit.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limit)), uint32(unsafe.Sizeof(limit)))
	if err == nil {
		err = assign(job, cmd.Process.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return func() {}, false
	}
	return func() { _ = windows.CloseHandle(job) }, false
}

func assign(job windows.Handle, pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(p)
	return windows.AssignProcessToJobObject(job, p)
}
