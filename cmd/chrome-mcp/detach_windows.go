package main

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach lets a browser live on when this program, or its terminal, ends.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
