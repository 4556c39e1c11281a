package mcpserver

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/provider"
)

// tool is one row of the table. All that is special about a tool is a value here; the
// pipeline reads it.
type tool struct {
	name   string
	title  string // "" is made from the name
	access policy.Access
	desc   string
	spec   *argSpec

	// decode checks the arguments and returns a pointer to the typed value.
	decode func(raw json.RawMessage) (any, error)
	// Exactly one of these runs the tool: on a tab that is resolved, queued for and
	// judged; on the session; on the server's own state; by calling other tools; or by
	// handing the call on to another extension.
	onTab     func(ctx context.Context, t *page.Tab, args any) (*page.Result, error)
	onSession func(ctx context.Context, s *page.Session, args any) (*page.Result, error)
	onServer  func(ctx context.Context, s *session, args any) (*page.Result, error)
	onBatch   func(s *session, ctx context.Context, c *call) (*mcp.CallToolResult, error)
	onCall    func(ctx context.Context, s *session, c *call) (*page.Result, error)

	// flags
	core        bool   // in the toolset "core"
	order       order  // when the next call may take its place in the queue of its tab
	destructive bool   // may lose something of the user's
	changes     bool   // changes the browser or the session, though its access is to read
	readOnly    bool   // changes nothing, though its access is to more
	idempotent  bool   // doing it twice is doing it once
	long        bool   // takes string arguments up to maxLongText
	waits       bool   // for what the page does; its place is soon another's
	exact       bool   // Data says all that the text says, with strings as they are
	more        string // how to go on after a cut
	counted     bool   // the description says how many tools the pages offer
	providers   bool   // is about providers, and not there without any

	remote *provider.Tool // of another extension; nil for a tool of ours
}

// order says how long a call holds up the calls that came after it.
type order int

const (
	untilQueued order = iota // until it has its place in the queue of its tab
	never                    // it has nothing to do with the order
	untilDone                // until it has ended: it changes which tab is current
)

type option func(*tool)

func core(t *tool)        { t.core = true }
func destructive(t *tool) { t.destructive = true }
func counted(t *tool)     { t.counted = true }
func idempotent(t *tool)  { t.idempotent = true }
func changes(t *tool)     { t.changes = true }
func readOnly(t *tool)    { t.readOnly = true }
func long(t *tool)        { t.long = true }
func waits(t *tool)       { t.waits = true }
func exact(t *tool)       { t.exact = true }
func unordered(t *tool)   { t.order = never }
func inOrder(t *tool)     { t.order = untilDone }

func more(how string) option { return func(t *tool) { t.more = how } }

// onTab makes a row of a tool that works on one tab.
func onTab[A any](name string, access policy.Access, desc string, run func(context.Context, *page.Tab, A) (*page.Result, error), opts ...option) *tool {
	t := newTool[A](name, access, desc, opts)
	t.onTab = func(ctx context.Context, tab *page.Tab, args any) (*page.Result, error) {
		return run(ctx, tab, *args.(*A))
	}
	return t
}

// onSession makes a row of a tool that finds, judges and queues for its tab itself.
func onSession[A any](name string, access policy.Access, desc string, run func(context.Context, *page.Session, A) (*page.Result, error), opts ...option) *tool {
	t := newTool[A](name, access, desc, opts)
	t.onSession = func(ctx context.Context, s *page.Session, args any) (*page.Result, error) {
		return run(ctx, s, *args.(*A))
	}
	return t
}

// onServer makes a row of a tool about this server.
func onServer[A any](name string, desc string, run func(context.Context, *session, A) (*page.Result, error), opts ...option) *tool {
	t := newTool[A](name, policy.Read, desc, append([]option{unordered}, opts...))
	t.onServer = func(ctx context.Context, s *session, args any) (*page.Result, error) {
		return run(ctx, s, *args.(*A))
	}
	return t
}

func newTool[A any](name string, access policy.Access, desc string, opts []option) *tool {
	t := &tool{name: name, access: access, desc: desc, spec: specOf(reflect.TypeFor[A]())}
	for _, o := range opts {
		o(t)
	}
	limit := maxText
	if t.long {
		limit = maxLongText
	}
	t.decode = func(raw json.RawMessage) (any, error) {
		args := new(A)
		if err := decodeArgs(t.spec, raw, args, limit); err != nil {
			return nil, err
		}
		return args, nil
	}
	return t
}

// tabOf returns the tab that the arguments name, "" for none.
func (t *tool) tabOf(args any) browser.TabID {
	f := t.spec.byName["tabId"]
	if f == nil {
		return ""
	}
	return browser.TabID(reflect.ValueOf(args).Elem().FieldByIndex(f.index).String())
}

// textLimit is how many characters of text the call may return.
func (t *tool) textLimit(args any) int {
	f := t.spec.byName["maxBytes"]
	if f == nil {
		return maxResultText
	}
	asked := int(reflect.ValueOf(args).Elem().FieldByIndex(f.index).Int())
	return min(max(asked, maxResultText), maxAskedText)
}
