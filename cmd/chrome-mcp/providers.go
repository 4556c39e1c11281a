package main

import (
	"errors"

	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/provider"
)

func checkProvider(text string) error {
	_, err := provider.ParseEntry(text)
	return err
}

// extProviders are the extensions that the command line names.
func extProviders(inv *invocation) []extproto.Entry {
	var list []extproto.Entry
	for _, text := range inv.all("ext-provider") {
		if e, err := provider.ParseEntry(text); err == nil { // checked by the flag table
			list = append(list, e)
		}
	}
	return list
}

// checkProviderFlags refuses providers where no extension is reached.
func checkProviderFlags(inv *invocation) error {
	if inv.has("ext-provider") && inv.last("backend") == "cdp" {
		return errors.New("flag --ext-provider needs the chrome-mcp extension, which --backend cdp leaves out; leave one of them out")
	}
	return nil
}
