package state

// Alive reports whether the process that wrote h still runs. A later process with the
// same pid does not count.
func (h Handshake) Alive() bool { return sameProcess(h.PID, h.Proc) }
