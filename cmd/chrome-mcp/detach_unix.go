//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach lets a browser live on when this program, or its terminal, ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
