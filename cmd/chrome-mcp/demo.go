package main

import (
	"fmt"
	"io"
)

func runDemo(args []string, stdout, stderr io.Writer) int {
	fmt.Fprintln(stderr, "chrome-mcp: the demo is not in this build")
	return 1
}
