// Package terminal tells whether a person sits at the other end of a file. It changes no
// setting of a terminal.
package terminal
