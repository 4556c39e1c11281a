package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"chrome-mcp/installer"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/doctor"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
)

// report is what status tells. No field can hold a token.
type report struct {
	Version  string                `json:"version"`
	DataDir  string                `json:"dataDir"`
	Servers  []serverReport        `json:"servers"`
	Browsers []installer.View      `json:"browsers"`
	Paired   []state.PairedBrowser `json:"paired"`
	LastSeen *state.LastSeen       `json:"lastSeen,omitempty"` // what the native host last heard
	Browser  []browserReport       `json:"connected"`          // browsers that answered just now, and whose tabs are whose
	Problems []string              `json:"problems"`
	Next     string                `json:"next,omitempty"` // what to do
}

// browserReport is a browser whose extension answered.
type browserReport struct {
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Tabs     int             `json:"tabs"` // all of them
	Sessions []sessionReport `json:"sessions"`
}

// sessionReport is the work of one MCP client.
type sessionReport struct {
	Session string            `json:"session"`
	Client  string            `json:"client,omitempty"` // as far as a server here knows the session
	Tabs    []browser.TabInfo `json:"tabs"`
}

type serverReport struct {
	Session string    `json:"session"`
	Client  string    `json:"client,omitempty"`
	Version string    `json:"version,omitempty"`
	PID     int       `json:"pid"`
	Port    int       `json:"port"`
	Since   time.Time `json:"since"`
	Answers bool      `json:"answers"` // its port takes a connection
}

func runStatus(inv *invocation) int {
	r := look()
	r.ask()
	if inv.has("json") {
		enc := json.NewEncoder(inv.stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return inv.fail(err)
		}
		return 0
	}
	r.print(newPaper(inv.stdout))
	return 0
}

// look walks the path that a call walks.
func look() report {
	r := report{Version: version.Version, Servers: []serverReport{}, Browsers: []installer.View{}, Paired: []state.PairedBrowser{}, Browser: []browserReport{}, Problems: []string{}}
	o, err := installOptions()
	r.DataDir = o.Data
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
	}
	store := state.Open(o.Data)
	live, errs := store.Live()
	for _, err := range errs {
		r.Problems = append(r.Problems, err.Error())
	}
	for _, h := range live {
		r.addServer(h)
	}
	r.Browsers = append(r.Browsers, installer.Look(installer.ThisSystem(), o)...)
	for _, b := range r.Browsers {
		r.Problems = append(r.Problems, b.Problems...)
	}
	paired, err := store.Paired()
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
	}
	r.Paired = append(r.Paired, paired...)
	r.addLastSeen(store)
	r.Next = r.next()
	return r
}

func (r *report) addServer(h state.Handshake) {
	s := serverReport{Session: h.SessionID, Client: h.Client, Version: h.Version, PID: h.PID, Port: h.Port, Since: time.UnixMilli(h.TS).UTC()}
	if c, err := net.DialTimeout("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(h.Port)), 500*time.Millisecond); err == nil {
		s.Answers = true
		c.Close()
	}
	switch {
	case !s.Answers:
		r.Problems = append(r.Problems, fmt.Sprintf("server %d does not answer on port %d; restart its MCP client", h.PID, h.Port))
	case h.Version != "" && h.Version != version.Version:
		r.Problems = append(r.Problems, fmt.Sprintf("server %d is version %s and this program %s; run `chrome-mcp install` of the newer one and restart the MCP client", h.PID, h.Version, version.Version))
	}
	r.Servers = append(r.Servers, s)
}

func (r *report) addLastSeen(store *state.Store) {
	seen, err := store.LastSeen()
	switch {
	case err != nil:
		r.Problems = append(r.Problems, err.Error())
	case !seen.Time.IsZero():
		r.LastSeen = &seen
		if seen.Problem != "" {
			r.Problems = append(r.Problems, "the extension's last try failed: "+seen.Problem)
		}
	}
}

// askTime is how long an extension whose port is open has to dial. It takes some 20 ms.
const askTime = 2 * time.Second

// ask lets the browsers say which tabs their sessions work in. Servers know only their
// own, so this program is one of them for a moment. Without an extension that holds the
// host's port nobody would answer, and nobody is asked.
func (r *report) ask() {
	if r.LastSeen == nil || !r.LastSeen.Open() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	answer, err := doctor.Try(ctx, r.DataDir, "chrome-mcp status")
	if err != nil {
		r.Problems = append(r.Problems, "the extension holds the host's port and does not answer; run `chrome-mcp doctor`")
		return
	}
	for _, b := range answer.Browsers {
		br := browserReport{Name: b.Name, Version: b.Version, Sessions: []sessionReport{}}
		for _, t := range answer.Tabs {
			if t.Browser == "" || t.Browser == b.Name { // with one browser it is not named
				br.add(t, r.Servers)
			}
		}
		r.Browser = append(r.Browser, br)
	}
}

// add counts a tab, and notes it with the session that it belongs to.
func (b *browserReport) add(t browser.TabInfo, servers []serverReport) {
	b.Tabs++
	if t.Owner == "" {
		return // the user's own is nobody's business here
	}
	i := slices.IndexFunc(b.Sessions, func(s sessionReport) bool { return s.Session == t.Owner })
	if i < 0 {
		i = len(b.Sessions)
		s := sessionReport{Session: t.Owner}
		if j := slices.IndexFunc(servers, func(v serverReport) bool { return v.Session == t.Owner }); j >= 0 {
			s.Client = servers[j].Client
		}
		b.Sessions = append(b.Sessions, s)
	}
	b.Sessions[i].Tabs = append(b.Sessions[i].Tabs, t)
}

// next names the one step that is missing first.
func (r *report) next() string {
	ready, served := false, false
	for _, b := range r.Browsers {
		ready = ready || b.Host == "ready"
		served = served || b.Installed
	}
	switch {
	case !served:
		return "no browser was found; install one, then run `chrome-mcp install`"
	case !ready:
		return "run `chrome-mcp install`"
	case r.LastSeen == nil:
		return "load the extension at chrome://extensions (its folder: `chrome-mcp extension-path`) and press Pair on its options page"
	case len(r.Problems) > 0:
		return ""
	case len(r.Paired) == 0:
		return "start your MCP client, then press Pair on the extension's options page"
	case len(r.Servers) == 0:
		return "start your MCP client; the extension connects by itself"
	}
	return ""
}
