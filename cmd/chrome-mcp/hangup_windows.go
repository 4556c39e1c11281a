package main

import (
	"os"
	"time"
)

// notifyHangup does nothing: Windows has no SIGHUP. `chrome-mcp revoke` works there too.
func notifyHangup(chan<- os.Signal) {}

// shutdownWithin is the time for browsers to hear of our end, and for one of ours to end
// itself: it ends with us.
const shutdownWithin = 700 * time.Millisecond
