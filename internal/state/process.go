package state

// Running reports whether a process of that number runs.
func Running(pid int) bool { return sameProcess(pid, "") }

// Alive reports whether the process that wrote h still runs. A later process with the
// same pid does not count.
func (h Handshake) Alive() bool { return sameProcess(h.PID, h.Proc) }
