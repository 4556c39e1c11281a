package main

import (
	"fmt"

	"chrome-mcp/internal/state"
)

// runToken tells where the token for clients over HTTP is, and makes it if need be.
func runToken(inv *invocation) int {
	dir, err := dataDir()
	if err != nil {
		return inv.fail(err)
	}
	store := state.Open(dir)
	token, err := store.HTTPToken()
	if err != nil {
		return inv.fail(err)
	}
	if inv.has("show") {
		fmt.Fprintln(inv.stdout, token)
		return 0
	}
	fmt.Fprintln(inv.stdout, store.HTTPTokenPath())
	return 0
}
