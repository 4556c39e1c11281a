package main

import "os"

// notifyHangup does nothing: Windows has no SIGHUP. `chrome-mcp revoke` works there too.
func notifyHangup(chan<- os.Signal) {}
