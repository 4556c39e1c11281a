package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/provider"
)

// providerTools reach the tools of other extensions for clients that take no changes of
// the list of tools.
func providerTools() []*tool {
	t := newTool[ExtCallArgs]("ext_call", policy.Read, "Call a tool of another extension.", []option{unordered, destructive, long})
	t.onCall = extCall
	list := []*tool{
		onServer("ext_list", "Extensions that offer tools: state, tools.", extList, idempotent),
		onServer("ext_tools", "What an extension's tools do and take.", extTools, idempotent),
		t,
		onServer("ext_probe", "Ask an extension anew whether it can be used.", extProbe, idempotent),
	}
	for _, t := range list {
		t.providers = true
	}
	return list
}

// ExtListArgs are those of ext_list.
type ExtListArgs struct{}

// ExtToolsArgs are those of ext_tools.
type ExtToolsArgs struct {
	Provider string `json:"provider,omitempty" desc:"Namespace or extension id."`
	Tool     string `json:"tool,omitempty" desc:"Only this one."`
}

// ExtCallArgs are those of ext_call.
type ExtCallArgs struct {
	Tool string       `json:"tool" desc:"As ext_list has it: namespace_name." required:"true"`
	Args *page.Object `json:"args,omitempty"`
}

// ExtProbeArgs are those of ext_probe.
type ExtProbeArgs struct {
	Provider string `json:"provider" desc:"Namespace or extension id." required:"true"`
}

// refreshWithin bounds how long ext_list waits for providers that were not connected.
const refreshWithin = 2 * time.Second

// standing says how a provider stands, for people and models. Its own words are quoted.
func standing(p extproto.Status) string {
	var b strings.Builder
	b.WriteString(cmp.Or(p.Namespace, "(no namespace)"))
	if p.Name != "" {
		fmt.Fprintf(&b, " %q", oneLine(p.Name, 40))
	}
	fmt.Fprintf(&b, " %s: %s", p.ID, p.State)
	switch {
	case p.State == extproto.Connected || p.Tools > 0:
		fmt.Fprintf(&b, ", %s", plural(p.Tools, "tool"))
	}
	if p.Held > 0 {
		fmt.Fprintf(&b, ", %d of them held: they may change something, which the user has not permitted", p.Held)
	}
	if p.Text != "" && p.Theirs {
		fmt.Fprintf(&b, "; its own words: %q", oneLine(p.Text, 300))
	} else if p.Text != "" {
		fmt.Fprintf(&b, "; %s", oneLine(p.Text, 300))
	}
	for _, r := range p.Refused {
		fmt.Fprintf(&b, "; not offered: %s", oneLine(r, 300))
	}
	return b.String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// providers lists how the extensions stand whose tools are offered.
func (s *session) providers() []extproto.Status {
	if s.srv.providers == nil || s.caller != nil {
		return nil
	}
	return s.srv.providers.Statuses()
}

// needBrowser has the server reach for the browsers, which reach the extensions.
func (s *session) needBrowser(ctx context.Context) error {
	_, err := s.backend(ctx)
	return err
}

// extState is the structured form of ext_list.
type extState struct {
	Providers []extListed `json:"providers"`
}

type extListed struct {
	extproto.Status
	Names []string `json:"names"` // of its tools
}

func extList(ctx context.Context, s *session, _ ExtListArgs) (*page.Result, error) {
	if err := s.needBrowser(ctx); err != nil {
		return nil, err
	}
	h := s.srv.providers
	h.Refresh(ctx, refreshWithin)
	names := map[string][]string{}
	for _, t := range h.Tools() {
		names[t.ID] = append(names[t.ID], t.Name)
	}
	var b strings.Builder
	data := extState{Providers: []extListed{}}
	for _, p := range h.Statuses() {
		fmt.Fprintln(&b, standing(p))
		if list := names[p.ID]; list != nil {
			fmt.Fprintf(&b, "  %s\n", strings.Join(list, ", "))
		}
		data.Providers = append(data.Providers, extListed{p, append([]string{}, names[p.ID]...)})
	}
	return &page.Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: data}, nil
}

func extTools(ctx context.Context, s *session, a ExtToolsArgs) (*page.Result, error) {
	if err := s.needBrowser(ctx); err != nil {
		return nil, err
	}
	h := s.srv.providers
	if len(h.Tools()) == 0 {
		h.Refresh(ctx, refreshWithin)
	}
	list := slices.DeleteFunc(h.Tools(), func(t *provider.Tool) bool {
		return a.Provider != "" && a.Provider != t.Namespace && a.Provider != t.ID ||
			a.Tool != "" && a.Tool != t.Name && a.Tool != t.Said.Name
	})
	if len(list) == 0 {
		return nil, browser.Errorf(browser.BadArgs, "no such tool%s", s.suggest(cmp.Or(a.Tool, a.Provider)))
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%s%s: %s\n%s\n", t.Name, held(t), t.Said.Description, t.Schema)
	}
	return &page.Result{Text: plural(len(list), "tool") + ", with the input schema of each:", Page: b.String(), Origin: "the extensions that offer them"}, nil
}

func held(t *provider.Tool) string {
	switch {
	case t.Reads:
		return " (only reads)"
	case !t.Allowed:
		return " (held until the user permits changes)"
	}
	return ""
}

// extCall goes on as the call of the tool that it names, so that gate, log and limits are
// that tool's.
func extCall(ctx context.Context, s *session, c *call) (*page.Result, error) {
	if err := s.needBrowser(ctx); err != nil {
		return nil, err
	}
	a := c.args.(*ExtCallArgs)
	h := s.srv.providers
	t := h.Tool(a.Tool)
	if t == nil { // it may not have been asked yet
		h.Refresh(ctx, refreshWithin)
		t = h.Tool(a.Tool)
	}
	if t == nil {
		return nil, browser.Errorf(browser.BadArgs, "no extension offers %q%s", clip(a.Tool, 80), s.suggest(a.Tool))
	}
	args, err := argumentsObject(a.Args.JSON())
	if err != nil {
		return nil, browser.Errorf(browser.BadArgs, "args %v; give the tool less", err)
	}
	c.row, c.raw, c.args = remoteRow(t), args, args
	return s.callRemote(ctx, c, t)
}

func extProbe(ctx context.Context, s *session, a ExtProbeArgs) (*page.Result, error) {
	if err := s.needBrowser(ctx); err != nil {
		return nil, err
	}
	st, took, err := s.srv.providers.Probe(ctx, a.Provider)
	if err != nil {
		return nil, err
	}
	return &page.Result{Text: fmt.Sprintf("%s (%d ms)", standing(st), took.Milliseconds()), Data: st}, nil
}
