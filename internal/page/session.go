package page

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/redact"
	"chrome-mcp/internal/task"
)

// Config is what a session is made of.
type Config struct {
	ID      string // MCP session id: owner of the session's tabs
	Title   string // client and project, the name of the tab group
	Policy  policy.Policy
	Backend func(ctx context.Context) (browser.Backend, error)
	// Decide replaces the gate's decision, so that what the user granted in the browser
	// can be added to Policy. nil is policy.Evaluate.
	Decide func(url, origin string, a policy.Access) policy.Decision
	// DecideTool is the same for policy.EvaluateTool.
	DecideTool func(url, origin, tool string) policy.Decision
	// OnPageTools, if set, is called when PageTools may have changed.
	OnPageTools func()
	// Redact masks secrets in what observers record; nil knows the built-in rules only.
	Redact *redact.Redactor
	// Tasks keeps the files of the session; nil keeps none.
	Tasks *task.Work
}

// Session is one MCP client's work: its tabs, its refs and what it was shown last.
type Session struct {
	cfg      Config
	refs     refs
	observed atomic.Int64 // tabs with an observer

	mu     sync.Mutex
	tabs   map[browser.TabID]*Tab
	recent []browser.TabID // the session's own, the current one last
}

// NewSession returns a session without tabs.
func NewSession(c Config) *Session {
	s := &Session{cfg: c, tabs: map[browser.TabID]*Tab{}}
	if s.cfg.Decide == nil {
		s.cfg.Decide = func(url, origin string, a policy.Access) policy.Decision {
			return policy.Evaluate(url, origin, a, c.Policy)
		}
	}
	if s.cfg.DecideTool == nil {
		s.cfg.DecideTool = func(url, origin, tool string) policy.Decision {
			return policy.EvaluateTool(url, origin, tool, c.Policy, nil)
		}
	}
	return s
}

// Close ends the session: its tabs lose their owner and stay open.
func (s *Session) Close(ctx context.Context) {
	s.mu.Lock()
	tabs := s.tabs
	s.tabs, s.recent = map[browser.TabID]*Tab{}, nil
	s.mu.Unlock()
	if len(tabs) == 0 {
		return
	}
	for _, t := range tabs {
		t.cancel()
	}
	if b, err := s.backend(ctx); err == nil {
		_ = b.Release(s.caller(ctx), s.cfg.ID)
	}
}

// Judge asks the gate about a document. The error says what would permit it.
func (s *Session) Judge(url, origin string, a policy.Access) error {
	return refused(s.cfg.Decide(url, origin, a), a)
}

// JudgeTool asks the gate about a tool that a document registered with the browser.
func (s *Session) JudgeTool(url, origin, tool string) error {
	return refused(s.cfg.DecideTool(url, origin, tool), policy.Act)
}

func refused(d policy.Decision, a policy.Access) error {
	if d.Allow {
		return nil
	}
	e := browser.Errorf(browser.PolicyDenied, "%s", d.Reason)
	if d.Site != "" { // the user can be asked for it
		want := map[string]any{"site": d.Site, "access": a}
		if d.PageTool != "" {
			want["pageTool"] = d.PageTool
		}
		e.Data, _ = json.Marshal(want)
	}
	return e
}

func (s *Session) backend(ctx context.Context) (browser.Backend, error) {
	return s.cfg.Backend(s.caller(ctx))
}

// caller marks the context with the session, and keeps the tool that mcpserver set.
func (s *Session) caller(ctx context.Context) context.Context {
	c := browser.CallerFrom(ctx)
	c.Session, c.Title = s.cfg.ID, s.cfg.Title
	return browser.WithCaller(ctx, c)
}

// Resolve returns the tab of a call: the named one, else the session's current one,
// else for reads the one that the user looks at.
func (s *Session) Resolve(ctx context.Context, id browser.TabID, a policy.Access) (*Tab, error) {
	if id != "" {
		t, err := s.tab(ctx, id)
		if err == nil {
			s.use(id)
		}
		return t, err
	}
	if t, err := s.current(ctx); t != nil || err != nil {
		return t, err
	}
	if a != policy.Read {
		return nil, browser.Errorf(browser.TabNotFound, "this session has no tab yet: open one with navigate or tab_new, or name one of the user's with tabId (tabs_list shows them)")
	}
	return s.front(ctx)
}

// current returns the session's current tab, or nil if it has none.
func (s *Session) current(ctx context.Context) (*Tab, error) {
	for {
		s.mu.Lock()
		if len(s.recent) == 0 {
			s.mu.Unlock()
			return nil, nil
		}
		id := s.recent[len(s.recent)-1]
		s.mu.Unlock()
		t, err := s.tab(ctx, id)
		switch browser.CodeOf(err) {
		case browser.TabNotFound, browser.StaleTab:
			s.drop(id)
		default:
			return t, err
		}
	}
}

// front returns the tab that the user looks at.
func (s *Session) front(ctx context.Context) (*Tab, error) {
	b, err := s.backend(ctx)
	if err != nil {
		return nil, err
	}
	list, err := b.Tabs(s.caller(ctx))
	if err != nil {
		return nil, err
	}
	for _, info := range list {
		if info.Active && (info.Owner == "" || info.Owner == s.cfg.ID) {
			return s.tab(ctx, info.ID)
		}
	}
	return nil, browser.Errorf(browser.TabNotFound, "no tab is open that could be read: open one with navigate or tab_new")
}

// tab returns the session's view of a tab and makes it on first use.
func (s *Session) tab(ctx context.Context, id browser.TabID) (*Tab, error) {
	b, err := s.backend(ctx)
	if err != nil {
		return nil, err
	}
	bt, err := b.Tab(id)
	if err != nil {
		s.drop(id)
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tabs[id]; t != nil && t.backend == b {
		return t, nil
	} else if t != nil {
		t.cancel()
	}
	t := newTab(s, b, bt)
	s.tabs[id] = t
	return t, nil
}

// use makes a tab the session's own and current one.
func (s *Session) use(id browser.TabID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent = append(slices.DeleteFunc(s.recent, func(x browser.TabID) bool { return x == id }), id)
}

// adopt makes a tab the session's own without making it current.
func (s *Session) adopt(id browser.TabID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.recent, id) {
		s.recent = slices.Insert(s.recent, 0, id)
	}
}

// drop forgets a tab that is gone.
func (s *Session) drop(id browser.TabID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tabs[id]; t != nil {
		t.cancel()
		delete(s.tabs, id)
	}
	s.recent = slices.DeleteFunc(s.recent, func(x browser.TabID) bool { return x == id })
}

// Owns says whether the tab is one of the session's own.
func (s *Session) Owns(id browser.TabID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.recent, id)
}

// Current is the id of the session's current tab, "" if it has none.
func (s *Session) Current() browser.TabID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) == 0 {
		return ""
	}
	return s.recent[len(s.recent)-1]
}
