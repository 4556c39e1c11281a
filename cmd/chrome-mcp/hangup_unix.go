//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// notifyHangup delivers SIGHUP, which by default would end the process.
func notifyHangup(c chan<- os.Signal) { signal.Notify(c, syscall.SIGHUP) }

// shutdownWithin is the time for browsers to hear of our end.
const shutdownWithin = 150 * time.Millisecond
