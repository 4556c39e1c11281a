//go:build !windows

package installer

import "os"

// moveOver renames; a running program keeps its old file.
func moveOver(from, to string) error { return os.Rename(from, to) }

func removeProgram(path string) error { return os.Remove(path) }

func userRegistry() keys { return noRegistry{} }

// noRegistry is the registry where there is none: empty, and never written, because
// plans for this system have no such step.
type noRegistry struct{}

func (noRegistry) get(string) (string, bool, error) { return "", false, nil }
func (noRegistry) set(string, string) error         { return os.ErrInvalid }
func (noRegistry) remove(string) error              { return nil }
