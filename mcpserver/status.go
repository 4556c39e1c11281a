package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func statusTools() []*tool {
	return []*tool{
		onServer("chrome_status", "Connection, tabs, permissions, and the next step if something is missing.", chromeStatus, core, idempotent),
		onServer("guide", "How to work with these tools, by topic.", guide, core, idempotent),
	}
}

// StatusArgs are those of chrome_status.
type StatusArgs struct{}

// status is the structured form of chrome_status.
type status struct {
	Version  string                  `json:"version"`
	Session  string                  `json:"session"`
	Backend  browser.Kind            `json:"backend"`
	Ready    bool                    `json:"ready"`
	NextStep string                  `json:"nextStep,omitempty"`
	Browsers []browser.BrowserStatus `json:"browsers"`
	Uses     string                  `json:"uses,omitempty"` // the browser that new tabs open in
	Tabs     []statusTab             `json:"tabs"`
	Offered  int                     `json:"pageTools,omitempty"` // tools that pages of the session offer
	Sites    []string                `json:"allowedSites"`
	Denied   []string                `json:"deniedSites,omitempty"`
	Granted  []policy.Grant          `json:"grantedInChrome,omitempty"`
	Off      []switchedOff           `json:"off"`
	Others   []extproto.Status       `json:"providers,omitempty"` // extensions whose tools are offered
	Callers  []string                `json:"callers,omitempty"`   // extensions that use our tools now
	Events   []browser.StatusEvent   `json:"events,omitempty"`
}

type statusTab struct {
	ID      browser.TabID `json:"tabId"`
	URL     string        `json:"url,omitempty"` // only of allowed sites
	Current bool          `json:"current,omitempty"`
}

type switchedOff struct {
	Flag  string   `json:"flag"`
	Tools []string `json:"tools"`
}

// statusWait bounds the one question to the browser that chrome_status asks.
const statusWait = 2 * time.Second

// chromeStatus must answer when nothing else does, so it waits for nothing but a
// short list of tabs, and only when a browser is there.
func chromeStatus(ctx context.Context, s *session, _ StatusArgs) (*page.Result, error) {
	cfg := s.srv.cfg
	b := cfg.Backend.Status()
	st := status{
		Version: cfg.Version, Session: s.id, Backend: b.Kind, Ready: b.Ready, NextStep: b.Detail,
		Browsers: b.Browsers, Events: b.Events, Tabs: []statusTab{}, Off: s.srv.tools.off(),
		Sites: append([]string{}, cfg.Policy.AllowDomains...), Denied: cfg.Policy.DenyDomains,
		Granted: s.srv.granted(), Offered: s.countPageTools(), Others: s.providers(), Callers: s.srv.guests.list(),
	}
	if c := browser.ChooserOf(cfg.Backend); c != nil {
		st.Uses = c.Used(s.id)
	}
	if st.Browsers == nil {
		st.Browsers = []browser.BrowserStatus{}
	}
	if err := s.start.problem(); err != nil {
		st.Ready, st.NextStep = false, asError(err).Message
	}
	if st.Ready {
		st.Tabs = s.ownTabs(ctx)
	}
	return &page.Result{Text: st.String(), Data: st}, nil
}

func (s *session) ownTabs(ctx context.Context) []statusTab {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	pages, own := s.pages(), []statusTab{}
	list, err := s.srv.cfg.Backend.Tabs(ctx)
	if err != nil {
		return own
	}
	for _, t := range list {
		if t.Owner != s.id {
			continue
		}
		st := statusTab{ID: t.ID, Current: t.ID == pages.Current()}
		if pages.Judge(t.URL, "", policy.Read) == nil {
			st.URL = t.URL
		}
		own = append(own, st)
	}
	return own
}

// off lists what is not offered, by the flag that would change it.
func (s *toolset) off() []switchedOff {
	off := []switchedOff{}
	for _, t := range s.all {
		flag := s.left[t.name]
		switch {
		case t.providers && s.hasProviders == nil:
			continue // nothing that the user could change
		case t.providers && flag == "" && !s.hasProviders():
			flag = "--ext-provider"
		}
		if flag == "" && !s.enabled(t.access) {
			flag = policy.Flag(t.access)
		}
		if flag == "" {
			continue
		}
		i := slices.IndexFunc(off, func(o switchedOff) bool { return o.Flag == flag })
		if i < 0 {
			i = len(off)
			off = append(off, switchedOff{Flag: flag})
		}
		off[i].Tools = append(off[i].Tools, t.name)
	}
	return off
}

func (st status) String() string {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	line("chrome-mcp %s, session %s", st.Version, st.Session)
	if st.Ready {
		line("connected (%s)", st.backendName())
	} else {
		line("not connected (%s)", st.backendName())
	}
	if st.NextStep != "" {
		line("next step: %s", st.NextStep)
	}
	for _, br := range st.Browsers {
		line("browser %s%s", br.Name, details(br))
	}
	if st.Uses != "" && len(st.Browsers) > 1 {
		line("new tabs open in %s (another: profile_use)", st.Uses)
	}
	st.writeTabs(line)
	if st.Offered > 0 {
		line("tools that these pages offer: %d; webmcp_list shows them", st.Offered)
	}
	if len(st.Sites) == 0 {
		line("allowed sites: none; the user can start chrome-mcp with --allow-domain HOST")
	} else {
		line("allowed sites: %s", strings.Join(st.Sites, ", "))
	}
	if len(st.Granted) > 0 {
		line("by the user's word in Chrome: %s", grantWords(st.Granted))
	}
	if len(st.Denied) > 0 {
		line("denied sites: %s", strings.Join(st.Denied, ", "))
	}
	for _, p := range st.Others {
		line("provider %s", standing(p))
	}
	for _, name := range st.Callers {
		line("used by %s, as the user allowed", name)
	}
	for _, o := range st.Off {
		line("off: %s (the user can change it with %s)", strings.Join(o.Tools, ", "), o.Flag)
	}
	for _, e := range st.Events {
		line("%s %s", e.Time.Format(time.TimeOnly), e.What)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (st status) writeTabs(line func(string, ...any)) {
	if st.Ready && len(st.Tabs) == 0 {
		line("tabs of this session: none; open one with navigate or tab_new")
	}
	for _, t := range st.Tabs {
		current, url := "", t.URL
		if t.Current {
			current = ", current"
		}
		if url == "" {
			url = "(a site that is not allowed)"
		}
		line("tab %s%s: %s", t.ID, current, url)
	}
}

func (st status) backendName() string {
	attached := func(b browser.BrowserStatus) bool { return b.Mode == "attached" }
	switch {
	case st.Backend == browser.Extension:
		return "the user's Chrome, through the extension"
	case slices.ContainsFunc(st.Browsers, attached):
		return "a browser that it was told to attach to"
	}
	return "a Chrome of its own"
}

func details(br browser.BrowserStatus) string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"Chrome ", br.Version}, {"profile ", br.Profile}, {"", br.Mode},
	} {
		if p.value != "" {
			parts = append(parts, p.name+p.value)
		}
	}
	if !br.Since.IsZero() {
		parts = append(parts, "since "+br.Since.Format(time.TimeOnly))
	}
	if br.PingMS > 0 {
		parts = append(parts, fmt.Sprintf("ping %.1f ms", br.PingMS))
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
