package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"chrome-mcp/installer"
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
	Problems []string              `json:"problems"`
	Next     string                `json:"next,omitempty"` // what to do
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
	if inv.has("json") {
		enc := json.NewEncoder(inv.stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return inv.fail(err)
		}
		return 0
	}
	r.print(inv.stdout)
	return 0
}

// look walks the path that a call walks.
func look() report {
	r := report{Version: version.Version, Servers: []serverReport{}, Browsers: []installer.View{}, Paired: []state.PairedBrowser{}, Problems: []string{}}
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

func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "chrome-mcp %s, data in %s\n\nServers\n", r.Version, r.DataDir)
	for _, s := range r.Servers {
		client := s.Client
		if client == "" {
			client = "a client without a name"
		}
		fmt.Fprintf(w, "  %s: process %d, port %d, since %s, session %s\n", client, s.PID, s.Port, s.Since.Local().Format(time.DateTime), s.Session)
	}
	none(w, len(r.Servers), "none runs")
	fmt.Fprintln(w, "\nBrowsers")
	for _, b := range r.Browsers {
		fmt.Fprintf(w, "  %s: host %s\n", b.Title, b.Host)
	}
	none(w, len(r.Browsers), "none found")
	fmt.Fprintln(w, "\nPaired")
	for _, b := range r.Paired {
		name := strings.TrimSpace("Chrome " + b.Chrome + " " + b.Profile)
		fmt.Fprintf(w, "  %s: extension %s, last %s\n", name, b.Version, b.Last.Local().Format(time.DateTime))
	}
	none(w, len(r.Paired), "none yet")
	if s := r.LastSeen; s != nil {
		fmt.Fprintf(w, "\nThe host last heard extension %s at %s\n", s.Version, s.Time.Local().Format(time.DateTime))
	}
	if len(r.Problems) > 0 {
		fmt.Fprintln(w, "\nProblems")
		for _, p := range r.Problems {
			fmt.Fprintln(w, " ", p)
		}
	}
	if r.Next != "" {
		fmt.Fprintln(w, "\nNext:", r.Next)
	}
}

func none(w io.Writer, n int, text string) {
	if n == 0 {
		fmt.Fprintln(w, " ", text)
	}
}
