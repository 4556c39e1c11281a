package provider

import (
	"cmp"

	"chrome-mcp/internal/extproto"
)

// label is Label with p.mu held.
func (p *provider) label() string { return extproto.Label(p.found.Service.Name, p.id) }

// Statuses lists all providers in their order.
func (h *Host) Statuses() []extproto.Status {
	var list []extproto.Status
	for _, p := range h.providers() {
		list = append(list, p.status())
	}
	return list
}

func (p *provider) status() extproto.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := extproto.Status{
		ID: p.id, Name: p.found.Service.Name, Version: p.found.Service.Version, Browser: p.entry.Browser,
		Namespace: cmp.Or(p.namespace, p.entry.Namespace, p.found.Service.Namespace),
		Tools:     len(p.tools), Held: p.held, Refused: p.refused,
		Open: p.link != nil && !p.link.closed(), State: extproto.Failed, Text: p.problem, Theirs: p.theirs,
	}
	switch {
	case p.entry.Off:
		s.State, s.Text = extproto.StateOff, "switched off by you"
	case !p.asked:
		s.State, s.Text = extproto.StateWaiting, "it was not asked yet; it is when a browser is connected"
	case p.problem == "" && p.namespace == "" && p.refused == nil:
		s.State, s.Text = extproto.StateWaiting, "it waits for those that were named before it"
	case p.problem == "" && p.namespace == "" && len(p.refused) > 0:
		s.Text = p.refused[0]
	case p.problem == "":
		s.State = extproto.Connected
	}
	return s
}
