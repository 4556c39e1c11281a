// Package mcpserver offers the page actions to an MCP client: transports, the table
// of tools, the one pipeline that every call passes, results, instructions and guide.
//
// It holds no page logic and opens nothing by itself: package page knows what a click
// is, a browser.Backend carries it out. In stdio mode it is the only package that
// writes to the client.
package mcpserver

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/provider"
	"chrome-mcp/internal/redact"
)

// Config is what a server needs. Backend, SessionID and Version are required.
type Config struct {
	// Backend reaches the browsers. It need not be started: see Start.
	Backend browser.Backend
	// Notice returns, once, what the session's next result has to tell of its browser;
	// nil if there is never anything.
	Notice func(session string) string
	// Start makes the backend reachable for browsers. It is called once the client
	// has shaken hands, never before, because clients start servers only to probe
	// them. It is called by one goroutine at a time and again after it failed.
	Start func(ctx context.Context, client string) error
	// SessionID is the owner of the tabs of the client on standard input and output; the
	// backend was given the same. Every other client's session has an id of its own.
	SessionID string
	// Policy is what the user allows. Tools that it switches off are not listed.
	Policy policy.Policy
	// Grants is what the user permits in the browser; nil where there is no such thing.
	Grants Grants
	// Ports reach other extensions, for their tools; nil where there are none.
	Ports extproto.Ports
	// Providers are extensions whose tools are offered, by the command line.
	Providers []extproto.Entry
	// Lister are the users who name more of them in the browser; nil for none.
	Lister extproto.Lister
	// ExtensionID is that of our own extension, which is no provider.
	ExtensionID string
	// Callers are the ports of other extensions that use ours; nil where there are none.
	Callers extproto.Callers
	// Audit is told of every call; nil keeps no log.
	Audit *policy.Audit
	// Version is the version of chrome-mcp.
	Version string
	// Project names the work, usually the base name of the working directory. It
	// stands in the title of the session's tab group.
	Project string
	// Toolset restricts the tools to a set: "core", "read" or "full"; "" is "full".
	Toolset string
	// Tools restricts the tools to these names; empty means all of the set.
	Tools []string
	// DataDir is the folder that files of the session's tasks go below; "" keeps none.
	DataDir string
	// MaxFile is the most bytes of a file that is kept; 0 is task.DefaultMax.
	MaxFile int64
	// Extend adds to what a session offers, for servers that are tested with fixtures: it
	// changes the SDK's options, and the function that it returns adds to the SDK's
	// server. nil adds nothing.
	Extend func(*mcp.ServerOptions) func(*mcp.Server)
	// Log takes what a user may want to know; nil discards it.
	Log *slog.Logger
}

// Server is an MCP server over one backend.
type Server struct {
	cfg   Config
	tools *toolset
	log   *slog.Logger

	redact    *redact.Redactor
	redactAll bool // the user wants all text of pages scrubbed

	pace      pace
	windows   writeWindows   // writes of other extensions
	guests    guests         // their sessions
	providers *provider.Host // tools of other extensions; nil without Config.Ports
	nonce     string         // marks what providers say of their tools
}

// New checks the configuration and builds the table of tools. It reads, writes and
// opens nothing.
func New(cfg Config) (*Server, error) { return newServer(cfg, table()) }

func newServer(cfg Config, rows []*tool) (*Server, error) {
	if cfg.Backend == nil || cfg.SessionID == "" || cfg.Version == "" {
		return nil, fmt.Errorf("mcpserver: Backend, SessionID and Version are required")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	tools, err := newToolset(cfg, rows)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, tools: tools, log: cfg.Log, pace: newPace()}
	if s.redact, s.redactAll, err = newRedactor(cfg); err != nil {
		return nil, err
	}
	s.useProviders()
	return s, nil
}

// Close ends what outlives the clients: the sessions with other extensions.
func (s *Server) Close(ctx context.Context) {
	if s.providers != nil {
		s.providers.Close(ctx)
	}
}

// ServeStdio talks to one client over in and out until in ends, the context ends or
// the parent process is gone; it returns within a second then. Calls that still run
// are cancelled. What Stdio returns is what it is meant for.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.serveStdio(ctx, in, out)
}
