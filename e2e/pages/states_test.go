package pages

import (
	"encoding/json"
	"strings"
)

// show is one state of the extension and what its pages are given of the rest.
type show struct {
	name   string
	page   string // options.html or popup.html
	status string // what #status must say
	State  any    `json:"state"`
	Site   []any  `json:"site,omitempty"`
	URL    string `json:"url,omitempty"`   // of the tab under the popup
	Press  string `json:"press,omitempty"` // what to press as soon as it is parsed
}

type object = map[string]any

// The states that the worker can be in, as state.ts has them.
var (
	fresh = object{
		"stopped": false, "paired": false, "host": object{"state": "off"},
		"steps": steps(), "servers": []any{}, "browserName": "Work", "asks": []any{}, "grants": []any{},
		"others": others(false, false, true),
	}
	pairing = with(fresh, object{
		"host":  ready,
		"steps": steps("done", "0.1.0", "done", "1 running", "doing", "port 38017"),
	})
	noHost = with(fresh, object{
		"host": object{"state": "error", "problem": object{
			"what": "Chrome does not know the native messaging host.",
			"why":  "Specified native messaging host not found.", "command": "chrome-mcp install --browser chrome",
		}},
		"steps": steps("failed", "Not installed for this browser"),
	})
	waiting = with(fresh, object{
		"paired": true, "host": ready, "steps": steps("done", "0.1.0", "done", "none running"),
	})
	connected = with(waiting, object{
		"steps":   steps("done", "0.1.0", "done", "2 running", "done", "ports 38017, 41233", "done", "in 240 ms"),
		"servers": []any{claude, cursor},
	})
	refused = with(connected, object{"problem": tooOld, "servers": []any{claude, with(cursor, object{
		"state": "refused", "since": 0, "version": "", "problem": tooOld,
	})}})
	asked = with(connected, object{
		"asks": []any{
			object{"id": "a2", "site": "mail.example.com", "client": "Cursor 1.9", "server": "01B", "access": "read", "tool": "", "at": 1796047390000},
			object{"id": "a1", "site": "github.com", "client": "claude-code 2.1.4", "server": "01A", "access": "act", "tool": "click", "tab": 1, "at": 1796047380000},
			object{"id": "a0", "site": "the-name-of-a-host-that-is-longer-than-the-popup-is-wide.example.com:8443", "client": "claude-code 2.1.4", "server": "01A", "access": "read", "tool": "navigate", "at": 1796047380000},
		},
		"grants": []any{always, once, denied},
	})
	offered = with(connected, object{ // a page's tools; the second has a name that pretends
		"asks": []any{
			object{"id": "t1", "site": "https://shop.example.com", "client": "claude-code 2.1.4", "server": "01A", "access": "act", "tool": "webmcp_call", "pageTool": "add_to_cart", "tab": 1, "at": 1796047390000},
			object{"id": "t2", "site": "https://shop.example.com", "client": "claude-code 2.1.4", "server": "01A", "access": "act", "tool": "webmcp_call", "pageTool": "x\u202e\n\nnothing at all", "tab": 1, "at": 1796047380000},
		},
		"grants": []any{object{"id": "g7", "site": "https://shop.example.com", "client": "claude-code 2.1.4", "level": "full", "until": "session", "pageTool": "search"}, always},
	})
	calling = with(connected, object{"others": with(others(true, true, true), object{
		"callers": []any{
			object{"id": strings.Repeat("abcdefgh", 4), "name": "Lumo", "state": "pending", "at": 1796047390000},
			object{"id": strings.Repeat("p", 32), "name": "", "state": "pending", "at": 1796047390000},
			object{"id": strings.Repeat("o", 32), "name": "Example host", "state": "allowed", "at": 1796047390000},
			object{"id": strings.Repeat("n", 32), "name": "A name that is as long as a name may be before it is cut off…", "state": "denied", "at": 1796047390000},
		},
		"reviews": []any{object{
			"id": "r1", "extension": strings.Repeat("o", 32), "name": "Example host", "tool": "type", "target": "github.com",
			"detail": `{"ref":"e12","text":"Thank you for the quick review"}`, "until": 1796047450000,
		}},
		"problem": "That is no extension id. It has 32 letters from a to p; chrome://extensions shows it.",
		"providers": []any{
			provider("m", object{"name": "Notes", "namespace": "notes", "state": "connected", "tools": 5, "held": 2, "own": true}),
			provider("l", object{"name": "Scripts", "namespace": "scripts", "state": "error", "text": "waiting for your approval in the provider", "own": true, "writes": true}),
			provider("k", object{"name": "Many", "namespace": "many", "state": "connected", "tools": 64, "refused": []any{`tool "x64" is number 65, at most 64 of a provider are taken`, "y"}}),
			provider("j", object{"state": "off", "off": true, "own": true}),
			provider("i", object{"state": "waiting", "own": true}),
		},
	})})
	always = object{"id": "g1", "site": "github.com", "client": "", "level": "full", "until": "always"}
	once   = object{"id": "g2", "site": "localhost:3000", "client": "claude-code 2.1.4", "level": "read", "until": "session"}
	denied = object{"id": "g3", "site": "bank.example.com", "client": "Cursor 1.9", "level": "deny", "until": "always"}

	stopped   = with(waiting, object{"stopped": true, "steps": steps()})
	cancelled = with(connected, object{"stopped": true})

	tooOld = object{
		"what": "The server is version 0.2.0, the extension is 0.1.0.",
		"why":  "bad_version", "command": "chrome-mcp install",
	}
	ready  = object{"state": "ready", "version": "0.1.0", "dataDir": "/home/ada/.local/share/chrome-mcp"}
	claude = object{
		"sessionId": "01A", "client": "claude-code 2.1.4", "version": "0.1.0", "port": 38017, "pid": 4242,
		"since": 1796047380000, "state": "connected", "tabs": []any{
			object{"id": 1, "title": "Pull request #214: Keep the socket when a command times out", "url": "https://github.com/a/b/pull/214"},
			object{"id": 2, "title": "Latency", "url": "https://grafana.internal.example/d/1"},
		}}
	cursor = object{
		"sessionId": "01B", "client": "Cursor 1.9", "version": "0.1.0", "port": 41233, "pid": 4300,
		"since": 1796047390000, "state": "connected", "tabs": []any{}}
	granting = []any{
		object{"client": "claude-code 2.1.4", "read": true, "act": false, "rule": "*.github.com", "site": "github.com", "here": true},
		object{"client": "Cursor 1.9", "read": true, "act": true, "rule": "granted in Chrome (always)", "site": "github.com", "grant": always},
		object{"client": "zed", "read": false, "act": false, "site": "github.com"},
	}
	access = []any{
		object{"client": "claude-code 2.1.4", "read": true, "act": false, "rule": "*.github.com"},
		object{"client": "Cursor 1.9", "read": false, "act": false},
	}
)

var shows = []show{
	options("fresh", "not paired", fresh),
	options("pairing", "pairing…", pairing),
	options("no-host", "needs your help", noHost),
	options("waiting", "ready", waiting),
	options("connected", "connected", connected),
	options("refused", "connected", refused),
	options("grants", "connected", asked),
	options("tools", "connected", offered),
	options("others", "connected", calling),
	options("stopped", "stopped", stopped),
	options("cancelled", "stopped", cancelled),
	popup("fresh", "not paired", fresh, "https://news.example.com:8443/x", nil),
	popup("connected", "connected", connected, "https://github.com/a/b", access),
	popup("asked", "connected", asked, "https://github.com/a/b", granting),
	popup("tools", "connected", offered, "https://shop.example.com/a", []any{object{"client": "claude-code 2.1.4", "read": true, "act": true, "rule": "*.example.com"}}),
	popup("alone", "connected", connected, "https://github.com/a/b", granting[2:]),
	popup("browser-page", "connected", connected, "chrome://settings/", access),
	popup("others", "connected", calling, "https://github.com/a/b", access),
	popup("stopped", "stopped", stopped, "https://github.com/", nil),
}

// provider is an extension whose tools are offered.
func provider(letter string, state object) object {
	return with(object{
		"id": strings.Repeat(letter, 32), "namespace": "", "name": "", "off": false, "writes": false, "own": false,
		"state": "", "text": "", "tools": 0, "held": 0, "refused": []any{},
	}, state)
}

// others is what other extensions may do, by the switches.
func others(enabled, writes, review bool) object {
	return object{"enabled": enabled, "writes": writes, "review": review, "callers": []any{}, "reviews": []any{}, "providers": []any{}, "problem": ""}
}

func options(name, status string, state object) show {
	return show{name: "options-" + name, page: "options.html", status: status, State: state}
}

func popup(name, status string, state object, url string, site []any) show {
	return show{name: "popup-" + name, page: "popup.html", status: status, State: state, URL: url, Site: site}
}

// steps makes the four steps from pairs of state and text; the rest is idle.
func steps(pairs ...string) []any {
	var list []any
	for i, id := range []string{"host", "servers", "dial", "welcome"} {
		step := object{"id": id, "state": "idle"}
		if 2*i < len(pairs) {
			step["state"], step["text"] = pairs[2*i], pairs[2*i+1]
		}
		list = append(list, step)
	}
	return list
}

func with(base, change object) object {
	o := object{}
	for _, m := range []object{base, change} {
		for k, v := range m {
			o[k] = v
		}
	}
	return o
}

func (s show) json() string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}
