//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyHangup delivers SIGHUP, which by default would end the process.
func notifyHangup(c chan<- os.Signal) { signal.Notify(c, syscall.SIGHUP) }
