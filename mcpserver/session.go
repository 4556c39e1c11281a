package mcpserver

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/task"
)

// session is one client's connection.
type session struct {
	id      string // owner of its tabs
	httpID  string // its Mcp-Session-Id, if it has one
	srv     *Server
	life    context.Context // ends when the client is gone or the server ends
	turns   *turns          // nil: the transport does not know the order of calls
	caller  *caller         // the extension that it runs for; nil for an MCP client
	start   starter
	greeted atomic.Bool // hands are shaken
	running atomic.Int64
	calls   atomic.Int64 // so far, to name them
	mcp     *mcp.Server

	offering  sync.Mutex       // held while tools are added and removed
	offered   map[string]*tool // tools that the client sees
	pageTools int              // that pages offered then; offering is held
	unwatch   func()           // ends watching the grants

	mu     sync.Mutex
	client string
	page   *page.Session
	work   *task.Work
}

func newSession(srv *Server, id string, life context.Context, t *turns) *session {
	s := &session{id: id, srv: srv, life: life, turns: t}
	s.start = starter{life: life, run: srv.cfg.Start, log: srv.log}
	return s
}

// server returns the SDK's server for this session.
func (s *session) server() *mcp.Server {
	opts := &mcp.ServerOptions{
		Instructions: s.instructions(),
		Capabilities: &mcp.ServerCapabilities{Tools: s.toolsCapability(), Resources: s.resourcesCapability()},
		Logger:       slog.New(warnings{s.srv.log.Handler()}),
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		GetSessionID: func() string { return s.httpID },
	}
	extend := func(*mcp.Server) {}
	if s.srv.cfg.Extend != nil {
		extend = s.srv.cfg.Extend(opts)
	}
	m := mcp.NewServer(&mcp.Implementation{Name: "chrome-mcp", Title: "Chrome", Version: s.srv.cfg.Version}, opts)
	extend(m)
	s.mcp = m
	s.watch()
	s.offer()
	s.offerResources()
	m.AddReceivingMiddleware(s.receive)
	return m
}

// watch has the tools follow what the user allows, until the session is closed.
func (s *session) watch() {
	var stops []func()
	if g := s.srv.cfg.Grants; g != nil {
		stops = append(stops, g.OnGrants(s.reoffer))
	}
	if s.caller != nil {
		stops = append(stops, s.srv.cfg.Callers.OnServing(s.reoffer))
	} else if h := s.srv.providers; h != nil {
		stops = append(stops, h.OnChange(s.reoffer))
	}
	s.unwatch = func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// reoffer follows a change. Before hands are shaken nobody is told of changes: what holds
// then is offered as soon as they are.
func (s *session) reoffer() {
	if s.greeted.Load() {
		s.offer()
	}
}

func (s *session) instructions() string {
	if s.caller != nil {
		return s.caller.instructions()
	}
	return Instructions
}

// shakenHands starts the backend, without waiting for it.
func (s *session) shakenHands(client string) {
	s.mu.Lock()
	if s.client == "" {
		s.client = client
	}
	client = s.client
	s.mu.Unlock()
	if !s.greeted.Swap(true) {
		s.offer()
	}
	s.start.kick(client)
}

// pages returns the session's work in the browser.
func (s *session) pages() *page.Session {
	title, work := s.title(), s.tasks()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page == nil {
		cfg := s.srv.cfg
		with := page.Config{ID: s.id, Title: title, Policy: cfg.Policy, Backend: s.backend, Redact: s.srv.redact, Tasks: work}
		if cfg.Grants != nil {
			with.Decide, with.DecideTool = cfg.Grants.Decide, cfg.Grants.DecideTool
		}
		with.OnPageTools = s.reoffer
		s.page = page.NewSession(with)
	}
	return s.page
}

// title is what the session's tab group is called.
func (s *session) title() string {
	client, project := s.clientName(), s.srv.cfg.Project
	if s.caller != nil {
		return callerTitle(client, s.caller.port.Peer())
	}
	switch {
	case client == "" && project == "":
		return "chrome-mcp"
	case client == "" || project == "":
		return client + project
	}
	return client + " · " + project
}

func (s *session) clientName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

func (s *session) backend(ctx context.Context) (browser.Backend, error) {
	if err := s.start.wait(ctx); err != nil {
		return nil, err
	}
	return s.srv.cfg.Backend, nil
}

// close gives the tabs back.
func (s *session) close(d time.Duration) {
	if s.unwatch != nil {
		s.unwatch()
	}
	s.mu.Lock()
	p := s.page
	s.mu.Unlock()
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	p.Close(ctx)
}

// starter runs Config.Start once, and again at the next need after it has failed.
type starter struct {
	life context.Context
	run  func(ctx context.Context, client string) error
	log  *slog.Logger

	mu     sync.Mutex
	client string
	busy   chan struct{} // closed when the running attempt has ended
	done   bool
	err    error
}

// kick begins an attempt unless one runs or has succeeded.
func (s *starter) kick(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if client != "" {
		s.client = client
	}
	if s.done || s.busy != nil {
		return
	}
	busy := make(chan struct{})
	s.busy = busy
	client = s.client
	go func() {
		var err error
		if s.run != nil {
			err = s.run(s.life, client)
		}
		if err != nil {
			s.log.Error("cannot be reached by browsers", "error", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done, s.err, s.busy = err == nil, err, nil
		close(busy)
	}()
}

// wait returns when the backend has been started.
func (s *starter) wait(ctx context.Context) error {
	s.kick("")
	s.mu.Lock()
	busy := s.busy
	s.mu.Unlock()
	if busy != nil {
		select {
		case <-busy:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return s.problem()
}

// problem is why the last attempt failed, or nil.
func (s *starter) problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		return nil
	}
	if browser.CodeOf(s.err) != "" {
		return s.err
	}
	return browser.Errorf(browser.NoBackend, "browsers cannot reach this server: %v; mend that and call again", s.err)
}

// warnings drops what the SDK tells of its ordinary work.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}
