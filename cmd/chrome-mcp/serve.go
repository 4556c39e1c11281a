package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"chrome-mcp/bridge"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/version"
	"chrome-mcp/mcpserver"
)

// endWithin is the time from a signal to the end, whatever hangs: a client that asked us
// to end waits a second at most, then it kills.
const endWithin = 950 * time.Millisecond

// server is what a server consists of: one MCP client's, or with --http that of several.
type server struct {
	session string
	data    string
	http    string // the address that it serves, with --http
	policy  policy.Policy
	log     *slog.Logger

	backend browser.Backend
	notice  func(session string) string
	start   func(ctx context.Context, client string) error // nil: nothing to start
	grants  mcpserver.Grants                               // what the user permits in the browser; nil without a bridge
	ports   *bridge.Bridge                                 // ports between extensions; nil without a bridge
	rotate  func() error                                   // the kill switch; nil without a bridge
	audit   *policy.Audit                                  // nil without a data folder
}

// memoryLimit is where collecting garbage becomes more important than being quick. Large
// pictures and pages leave garbage of many times what is in use; without a limit that
// alone would take the server beyond 80 MB, 18 of which are the program itself.
const memoryLimit = 48 << 20

// garbage is how much of it may lie about, in percent of what is in use. What is in use
// is little, so that with Go's 100 a batch which reads ten pages is interrupted at each
// turn; 200 costs 5 MB and saves a sixth of the work.
const garbage = 200

func limitMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" { // the user knows better
		debug.SetMemoryLimit(memoryLimit)
	}
}

func runServe(inv *invocation) int {
	limitMemory()
	s, err := newServer(inv)
	if err != nil {
		complain(inv.stderr, err)
		return 2
	}
	if err := s.serve(inv); err != nil {
		return inv.fail(err)
	}
	return 0
}

// newServer judges the command line. It opens and writes nothing but the log that was
// asked for: clients start servers only to probe them.
func newServer(inv *invocation) (*server, error) {
	p, err := checkServe(inv)
	if err != nil {
		return nil, err
	}
	if inv.has("unsafe-all-domains") {
		fmt.Fprintln(inv.stderr, "chrome-mcp: WARNING: --unsafe-all-domains lets the agent use every site that you are logged in to")
	}
	log, err := openLog(inv)
	if err != nil {
		return nil, err
	}
	s := &server{session: ulid.Make().String(), policy: p, log: log}
	s.data, err = dataDir()
	if err == nil {
		s.audit = policy.NewAudit(filepath.Join(s.data, auditDir), s.session)
	}
	s.useBackends(inv, err)
	return s, nil
}

// checkServe judges the flags of serve as a whole.
func checkServe(inv *invocation) (policy.Policy, error) {
	p, err := buildPolicy(inv)
	for _, check := range []func(*invocation) error{checkBackend, checkHTTPFlags, checkProviderFlags} {
		if err == nil {
			err = check(inv)
		}
	}
	return p, err
}

func (s *server) useBridge(inv *invocation) browser.Backend {
	port := 0
	if text := inv.last("port"); text != "" {
		port, _ = strconv.Atoi(text) // checked by the flag table
		if port == 0 {
			port = -1 // any
		}
	}
	b := bridge.New(bridge.Config{
		DataDir: s.data, Port: port, SessionID: s.session, Version: version.Version,
		BundleHash: bundle.Hash, ExtensionID: extension.ID, Policy: s.policy, Log: s.log,
	})
	s.start, s.rotate, s.grants, s.ports = b.Start, b.Rotate, b, b
	return b
}

// serve holds the session until its client, its parent or a signal ends it.
func (s *server) serve(inv *invocation) error {
	srv, err := mcpserver.New(s.config(inv))
	if err != nil {
		return err
	}
	transport, err := s.transport(inv, srv)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	hup := make(chan os.Signal, 1)
	notifyHangup(hup)
	go s.revokeOn(hup)
	watchdog := context.AfterFunc(ctx, func() {
		time.Sleep(endWithin)
		os.Exit(1)
	})
	defer watchdog() // before stop, which would set it off
	unserve := srv.ServeExtensions(ctx)
	err = transport(ctx)
	unserve()
	srv.Close(ctx)
	s.close()
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// transport returns what serves the clients until its context ends.
func (s *server) transport(inv *invocation, srv *mcpserver.Server) (func(context.Context) error, error) {
	if inv.has("http") {
		return s.overHTTP(inv, srv)
	}
	in, out, err := mcpserver.Stdio()
	return func(ctx context.Context) error { return srv.ServeStdio(ctx, in, out) }, err
}

func (s *server) config(inv *invocation) mcpserver.Config {
	c := mcpserver.Config{
		Backend: s.backend, Notice: s.notice, Start: s.start, SessionID: s.session, Policy: s.policy, Grants: s.grants, Audit: s.audit,
		Version: version.Version, Project: project(), Toolset: inv.last("toolset"), Log: s.log,
	}
	if s.ports != nil {
		c.Ports, c.Callers, c.Lister = s.ports, s.ports, s.ports
		c.Providers, c.ExtensionID = extProviders(inv), extension.ID
	}
	if s.audit != nil { // there is a data folder
		c.DataDir = s.data
	}
	if mb, err := strconv.ParseInt(inv.last("max-file-mb"), 10, 64); err == nil { // checked by the flag table
		c.MaxFile = mb << 20
	}
	if inv.has("http") {
		// The clients' work is elsewhere, and they come and go.
		c.Project = ""
		c.Start = s.startForHTTP
	}
	for _, names := range inv.all("tools") {
		c.Tools = append(c.Tools, strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return c
}

// close withdraws the handshake file and lets go of the browsers.
func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownWithin)
	defer cancel()
	if err := s.backend.Shutdown(ctx); err != nil {
		s.log.Warn("shutdown", "err", err)
	}
	if s.audit != nil {
		s.audit.Close()
	}
}

// revokeOn changes the token at each SIGHUP.
func (s *server) revokeOn(hup <-chan os.Signal) {
	for range hup {
		if s.rotate == nil {
			continue
		}
		if err := s.rotate(); err != nil {
			s.log.Error("the token was not changed", "err", err)
		}
	}
}

// openLog returns the log: the file asked for, else warnings on standard error.
func openLog(inv *invocation) (*slog.Logger, error) {
	file := inv.last("log-file")
	if file == "" {
		return slog.New(slog.NewTextHandler(inv.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("flag --log-file: %w", err)
	}
	return slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})), nil
}

// project names the work: the folder that the client was started in.
func project() string {
	dir, err := os.Getwd()
	if err != nil || dir == filepath.Dir(dir) {
		return ""
	}
	return filepath.Base(dir)
}
