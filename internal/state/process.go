package state

// alive reports whether the process that wrote h still runs. A later process with the
// same pid does not count.
func alive(h Handshake) bool { return sameProcess(h.PID, h.Proc) }
