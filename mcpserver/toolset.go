package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// table is every tool there is, in the order of the documentation.
func table() []*tool {
	return slices.Concat(statusTools(), tabTools(), navigationTools(), inputTools(), readTools(), evalTools(), stateTools(), fileTools(), observeTools(), sessionTools(), providerTools(), []*tool{batchTool()})
}

// Toolsets are the values of Config.Toolset.
var Toolsets = []string{"core", "read", "full"}

// ToolNames lists all tools, for flags and documentation.
func ToolNames() []string {
	var names []string
	for _, t := range table() {
		names = append(names, t.name)
	}
	return names
}

// toolset is the table as one server offers it.
type toolset struct {
	all    []*tool
	byName map[string]*tool
	names  []string
	policy policy.Policy
	grants Grants            // nil: none
	left   map[string]string // tools that a flag left out: name → flag
	brief  bool              // schemas leave out what is seldom needed

	hasProviders func() bool // whether other extensions are configured; nil where none can be
}

func newToolset(cfg Config, rows []*tool) (*toolset, error) {
	s := &toolset{all: rows, byName: map[string]*tool{}, left: map[string]string{}, policy: cfg.Policy, grants: cfg.Grants, brief: cfg.Toolset == "core"}
	for _, t := range s.all {
		s.byName[t.name] = t
		s.names = append(s.names, t.name)
	}
	if cfg.Toolset != "" && !slices.Contains(Toolsets, cfg.Toolset) {
		return nil, fmt.Errorf("there is no toolset %q; use one of %s", cfg.Toolset, strings.Join(Toolsets, ", "))
	}
	for _, name := range cfg.Tools {
		if s.byName[name] == nil {
			return nil, fmt.Errorf("there is no tool %q%s", name, s.suggest(name))
		}
	}
	for _, t := range s.all {
		switch {
		case len(cfg.Tools) > 0 && !slices.Contains(cfg.Tools, t.name):
			s.left[t.name] = "--tools"
		case cfg.Toolset == "core" && !t.core, cfg.Toolset == "read" && t.access != policy.Read:
			s.left[t.name] = "--toolset"
		}
	}
	return s, nil
}

// refusal says why a tool is not offered, or nil.
func (s *toolset) refusal(t *tool) error {
	if flag := s.left[t.name]; flag != "" {
		return browser.Errorf(browser.PolicyDenied,
			"%s is left out by the user's %s; work without it, or ask the user to start chrome-mcp with another %s", t.name, flag, flag)
	}
	switch {
	case t.providers && s.hasProviders == nil:
		return browser.Errorf(browser.PolicyDenied, "%s needs the chrome-mcp extension, and this server works without it; do the task another way, or ask the user to start it with --backend extension", t.name)
	case t.providers && !s.hasProviders():
		return browser.Errorf(browser.PolicyDenied,
			"%s is for tools of other extensions, and the user has named none; only they can, on the options page of chrome-mcp or with --ext-provider", t.name)
	case s.enabled(t.access):
		return nil
	case s.grantable(t.access):
		return askForAct(t)
	default:
		return browser.Errorf(browser.PolicyDenied,
			"%s is switched off; only the user can permit it, by starting chrome-mcp with %s", t.name, policy.Flag(t.access))
	}
}

// listed returns the tools that clients see.
func (s *toolset) listed() []*tool {
	return slices.DeleteFunc(slices.Clone(s.all), func(t *tool) bool { return s.refusal(t) != nil })
}

func (s *toolset) suggest(name string) string {
	if near := nearest(name, s.names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are " + strings.Join(s.names, ", ")
}

// describe returns the row as the protocol has it.
func (t *tool) describe(brief bool) *mcp.Tool {
	yes, no := true, false // openWorldHint is true where nothing is said
	hints := &mcp.ToolAnnotations{
		Title:          t.heading(),
		ReadOnlyHint:   t.onlyReads(),
		IdempotentHint: t.idempotent,
	}
	if t.onServer != nil {
		hints.OpenWorldHint = &no
	}
	if !hints.ReadOnlyHint {
		hints.DestructiveHint = &no
		if t.destructive {
			hints.DestructiveHint = &yes
		}
	}
	return &mcp.Tool{Name: t.name, Description: t.desc, InputSchema: t.spec.schema(brief), Annotations: hints}
}

// onlyReads says whether a call leaves everything as it is, but for files and lists of our
// own. A client may let such a tool run without asking.
func (t *tool) onlyReads() bool {
	reads := t.access == policy.Read || t.access == policy.Observe
	return t.readOnly || reads && !t.destructive && !t.changes
}

// heading is the title for people: fill_form is "Fill form".
func (t *tool) heading() string {
	if t.title != "" {
		return t.title
	}
	s := strings.ReplaceAll(t.name, "_", " ")
	return strings.ToUpper(s[:1]) + s[1:]
}
