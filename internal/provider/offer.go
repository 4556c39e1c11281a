package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/extproto"
)

// maxSchema is the most bytes of a tool's input schema: every client reads all of them.
const maxSchema = 16 << 10

// Tool is a provider's tool under the name that clients see.
type Tool struct {
	Name    string    // namespace, separator, the provider's own name
	Said    *mcp.Tool // as the provider describes it: data, not to be believed
	Schema  json.RawMessage
	Reads   bool // the provider says that it changes nothing
	Allowed bool // Reads, or the user lets it do more

	ID        string // of the extension
	Namespace string
	Service   string // what the provider calls itself
	provider  *provider
	digest    string
}

// Label names the tool's provider in messages.
func (t *Tool) Label() string { return extproto.Label(t.Service, t.ID) }

// Same says whether clients would see no difference.
func (t *Tool) Same(o *Tool) bool { return o != nil && t.digest == o.digest }

// Tools lists what is offered, in the order of the providers.
func (h *Host) Tools() []*Tool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.offered)
}

// Tool finds a tool by the name that clients see, nil for none.
func (h *Host) Tool(name string) *Tool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byName[name]
}

// Now is a tool as it is offered now, nil if it is not any more.
func (h *Host) Now(t *Tool) *Tool {
	if now := h.Tool(t.Name); now != nil && now.ID == t.ID {
		return now
	}
	return nil
}

// settle decides anew what is offered: who has a namespace keeps it, then the order of
// naming counts. Everything that is not offered is kept with its reason.
func (h *Host) settle() {
	h.mu.Lock()
	wants := map[*provider]string{}
	holders, byName := map[string]string{}, map[string]*Tool{}
	for _, p := range h.list {
		ns := p.wants()
		wants[p] = ns
		if ns != "" && h.holders[fold(ns)] == p.id {
			holders[fold(ns)] = p.id
		}
	}
	// Those who hold their namespace come first, so that nobody who comes later takes a
	// name from them by writing it otherwise ("a_b" with "c", "a" with "b_c").
	for _, p := range h.list {
		if ns := wants[p]; ns != "" && h.holders[fold(ns)] == p.id {
			h.settleOne(p, ns, holders, byName)
		}
	}
	// Of the others the order of naming counts, so one that was named before and has not
	// answered yet is waited for: who is quickest has no advantage.
	for _, p := range h.list {
		if p.undecided() {
			break
		}
		if ns := wants[p]; ns != "" && h.holders[fold(ns)] != p.id {
			h.settleOne(p, ns, holders, byName)
		}
	}
	var offered []*Tool
	for _, p := range h.list {
		p.mu.Lock()
		offered = append(offered, p.tools...)
		p.mu.Unlock()
	}
	h.holders, h.offered, h.byName = holders, offered, byName
	h.mu.Unlock()
	h.changed()
}

// fold makes names equal that differ in the size of letters only: people, models and some
// clients take them for the same.
func fold(name string) string { return strings.ToLower(name) }

// undecided says whether the provider was not asked so far.
func (p *provider) undecided() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.asked && !p.entry.Off
}

// wants is the namespace that a provider would have, "" before it was ever connected. It
// forgets what was decided about the provider.
func (p *provider) wants() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.namespace, p.tools, p.refused, p.held = "", nil, nil, 0
	if p.entry.Off || p.said == nil {
		return ""
	}
	return cmp.Or(p.entry.Namespace, p.found.Service.Namespace)
}

// settleOne decides about one provider. h.mu is held.
func (h *Host) settleOne(p *provider, ns string, holders map[string]string, byName map[string]*Tool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	refuse := func(format string, a ...any) { p.refused = append(p.refused, fmt.Sprintf(format, a...)) }
	if err := extproto.CheckNamespace(ns); err != nil {
		refuse("%v, or the user gives it another", err)
		return
	}
	if holder, ok := holders[fold(ns)]; ok && holder != p.id {
		refuse("namespace %q is taken by %s, which came first; the user can give this one another", ns, holder)
		return
	}
	holders[fold(ns)], p.namespace = p.id, ns
	for i, said := range p.said {
		name := extproto.ToolName(ns, said.Name)
		schema, problem := schemaOf(said)
		switch err := extproto.CheckTool(ns, said.Name); {
		case i >= extproto.MaxTools:
			refuse("tool %q is number %d, at most %d of a provider are taken", clip(said.Name, 80), i+1, extproto.MaxTools)
		case err != nil:
			refuse("%v", err)
		case h.own[fold(name)]:
			refuse("tool %q: the name %s is taken by a tool of chrome-mcp", said.Name, name)
		case byName[name] != nil:
			refuse("tool %q: the name %s is taken by %s, which came first", said.Name, name, byName[name].Label())
		case problem != "":
			refuse("tool %q: %s", said.Name, problem)
		default:
			t := p.tool(name, ns, said, schema)
			byName[name] = t
			p.tools = append(p.tools, t)
			if !t.Allowed {
				p.held++
			}
		}
	}
}

// tool makes the offered form of a tool. p.mu is held.
func (p *provider) tool(name, ns string, said *mcp.Tool, schema json.RawMessage) *Tool {
	t := &Tool{Name: name, Said: said, Schema: schema, ID: p.id, Namespace: ns, Service: p.found.Service.Name, provider: p}
	t.Reads = said.Annotations != nil && said.Annotations.ReadOnlyHint
	t.Allowed = t.Reads || p.entry.Writes || p.host.cfg.Writes
	text, _ := json.Marshal([]any{t.Name, said.Title, said.Description, said.Annotations, schema, t.Service, t.Allowed})
	t.digest = string(text)
	return t
}

// schemaOf returns the input schema in a form that no client chokes on, or says why there
// is none. One schema that a client does not like makes it drop all tools.
func schemaOf(t *mcp.Tool) (json.RawMessage, string) {
	m, ok := t.InputSchema.(map[string]any)
	if !ok || m["type"] != "object" {
		return nil, `its input schema is no object with "type": "object"`
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		if _, has := m[key]; has {
			return nil, fmt.Sprintf("its input schema has %q at the top, which clients refuse", key)
		}
	}
	out := map[string]any{}
	for key, value := range m {
		if key != "$schema" && key != "$id" { // dialects that some clients do not know
			out[key] = value
		}
	}
	if _, has := out["properties"].(map[string]any); !has {
		out["properties"] = map[string]any{}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, "its input schema cannot be read"
	}
	if len(raw) > maxSchema {
		return nil, fmt.Sprintf("its input schema has %d bytes, at most %d are taken", len(raw), maxSchema)
	}
	return raw, ""
}
