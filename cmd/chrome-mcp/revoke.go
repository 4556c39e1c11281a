package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chrome-mcp/internal/state"
)

// revokeWithin is how long servers have to confirm. They are told by the OS at once.
const revokeWithin = 2 * time.Second

func runRevoke(inv *invocation) int {
	dir, err := dataDir()
	if err != nil {
		return inv.fail(err)
	}
	store := state.Open(dir)
	before, err := store.Revoke()
	if err != nil {
		return inv.fail(err)
	}
	had, err := store.RevokeHTTPToken()
	if err != nil {
		return inv.fail(err)
	}
	if had {
		fmt.Fprintln(inv.stdout, "The token for clients over HTTP was changed, too; their configurations need the new one.")
	}
	if len(before) == 0 {
		fmt.Fprintln(inv.stdout, "No server runs, so nothing was connected.")
		return 0
	}
	silent := confirm(store, before)
	for _, h := range before {
		if silent[h.SessionID] {
			complain(inv.stderr, fmt.Errorf("server %d has not confirmed; its handshake file is gone, but end it to be sure that its connections are", h.PID))
		} else {
			fmt.Fprintf(inv.stdout, "Server %d (%s) dropped its connections and has a new token.\n", h.PID, h.Client)
		}
	}
	if len(silent) > 0 {
		return 1
	}
	return 0
}

// confirm waits until every server has published another token, or ended, and returns
// the sessions that did neither.
func confirm(store *state.Store, before []state.Handshake) map[string]bool {
	ctx, cancel := context.WithTimeout(context.Background(), revokeWithin)
	defer cancel()
	silent := map[string]bool{}
	old := map[string]string{}
	for _, h := range before {
		silent[h.SessionID], old[h.SessionID] = true, h.Token
	}
	store.Watch(ctx, func() {
		live, _ := store.Live()
		for _, h := range live {
			if silent[h.SessionID] && !state.TokenEqual(h.Token, old[h.SessionID]) {
				delete(silent, h.SessionID)
			}
		}
		for _, h := range before {
			if silent[h.SessionID] && !h.Alive() {
				delete(silent, h.SessionID)
			}
		}
		if len(silent) == 0 {
			cancel()
		}
	})
	return silent
}

func runPrintPairing(inv *invocation) int {
	dir, err := dataDir()
	if err != nil {
		return inv.fail(err)
	}
	live, errs := state.Open(dir).Live()
	for _, err := range errs {
		complain(inv.stderr, err)
	}
	if len(live) == 0 {
		return inv.fail(errors.New("no server runs, so there is no handshake file; start your MCP client first"))
	}
	// The name only: whoever reads the file has the token.
	for _, h := range live {
		fmt.Fprintln(inv.stdout, h.Path)
	}
	fmt.Fprintln(inv.stderr, "Choose this file on the extension's options page, under pairing by hand.")
	return 0
}
