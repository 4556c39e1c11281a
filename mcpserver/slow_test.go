//go:build !race

package mcpserver

// slow stretches limits of time; see slow_race_test.go.
const slow = 1
