package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/choice"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/state"
)

// Folders in the data folder.
const (
	profileDir   = "profile"   // of the browser that is started
	downloadsDir = "downloads" // where that browser puts files until a task takes them
)

// contradictions are flags that cannot stand together.
var contradictions = []struct{ flag, value, with, other string }{
	{"backend", "extension", "prefer", "cdp"},
	{"backend", "extension", "cdp-endpoint", ""},
	{"backend", "extension", "chrome", ""},
	{"backend", "extension", "headless", ""},
	{"backend", "cdp", "prefer", "extension"},
	{"backend", "cdp", "no-cdp-fallback", ""},
	{"no-cdp-fallback", "", "prefer", "cdp"},
	{"no-cdp-fallback", "", "cdp-endpoint", ""},
	{"no-cdp-fallback", "", "chrome", ""},
	{"no-cdp-fallback", "", "headless", ""},
	{"cdp-endpoint", "", "chrome", ""},
	{"cdp-endpoint", "", "chrome-arg", ""},
	{"cdp-endpoint", "", "headless", ""},
}

// checkBackend refuses flags that contradict each other, before anything starts.
func checkBackend(inv *invocation) error {
	is := func(flag, value string) bool {
		return inv.has(flag) && (value == "" || inv.last(flag) == value)
	}
	for _, c := range contradictions {
		if is(c.flag, c.value) && is(c.with, c.other) {
			return fmt.Errorf("flags --%s and --%s contradict each other; leave one out", strings.TrimSpace(c.flag+" "+c.value), strings.TrimSpace(c.with+" "+c.other))
		}
	}
	if inv.has("cdp-header") && !inv.has("cdp-endpoint") {
		return fmt.Errorf("flag --cdp-header goes with --cdp-endpoint, which is missing")
	}
	return nil
}

// useBackends makes the backends that the command line asks for. dataErr is why there is
// no data folder, where browsers find this server.
func (s *server) useBackends(inv *invocation, dataErr error) {
	c := choice.Config{
		PreferFallback: inv.last("prefer") == "cdp",
		StandIn:        inv.has("cdp-endpoint"),
	}
	name := inv.last("backend")
	if name != "cdp" {
		if dataErr == nil {
			c.Extension = s.useBridge(inv)
			c.Paired = s.everPaired
		} else {
			c.Extension = choice.None{Which: browser.Extension, Why: browser.Errorf(browser.NoBackend, "browsers cannot find this server: %v; chrome-mcp doctor says what to mend", dataErr)}
		}
	}
	if name != "extension" && !inv.has("no-cdp-fallback") {
		c.Fallback = cdpfallback.NewStandby(s.fallback(inv, dataErr == nil))
	}
	all := choice.New(c)
	s.backend, s.notice = all, all.Notice
}

// everPaired says whether an extension has paired with this data folder. A record that
// cannot be read counts: no browser of our own is better than the wrong one.
func (s *server) everPaired() bool {
	list, err := state.Open(s.data).Paired()
	return err != nil || len(list) > 0
}

// fallback says how the browser of our own is started or attached to.
func (s *server) fallback(inv *invocation, keep bool) cdpfallback.Config {
	c := cdpfallback.Config{
		Path: inv.last("chrome"), Headless: inv.has("headless"), ExtraArgs: inv.all("chrome-arg"),
		Bundle: bundle.Source, World: bundle.World,
		Endpoint: inv.last("cdp-endpoint"), Header: header(inv.all("cdp-header")),
		Allow: s.egress(),
	}
	if keep && c.Endpoint == "" {
		c.ProfileDir, c.Spare = filepath.Join(s.data, profileDir), true
	}
	if keep && s.policy.Downloads {
		c.Downloads = filepath.Join(s.data, downloadsDir)
	}
	return c
}

// egress is the rule for where tabs may navigate; nil while every site is allowed.
func (s *server) egress() func(string) bool {
	if slices.Contains(s.policy.AllowDomains, "*") && len(s.policy.DenyDomains) == 0 {
		return nil
	}
	decide := func(url string) policy.Decision { return policy.Evaluate(url, "", policy.Read, s.policy) }
	if s.grants != nil {
		decide = func(url string) policy.Decision { return s.grants.Decide(url, "", policy.Read) }
	}
	return func(url string) bool { return decide(url).Allow }
}

func header(lines []string) http.Header {
	var h http.Header
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":") // checked by the flag table
		if h == nil {
			h = http.Header{}
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h
}

func checkHeader(line string) error {
	name, _, ok := strings.Cut(line, ":")
	if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t\"(),/;<=>?@[\\]{}") {
		// The line may hold a secret, so it is not repeated.
		return fmt.Errorf("a header has the form 'Name: value'")
	}
	return nil
}

func checkEndpoints(list string) error {
	for _, e := range strings.Split(list, ",") {
		if err := cdpfallback.CheckEndpoint(e); err != nil {
			return err
		}
	}
	return nil
}
