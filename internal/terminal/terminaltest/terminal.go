// Package terminaltest runs a program in a pseudo-terminal, for tests of what a person
// sees and types. No program of ours may import it.
package terminaltest
