//go:build race

package mcpserver

// slow stretches limits of time: the race detector costs five to twenty times.
const slow = 20
