package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestGate(t *testing.T) {
	cases := []struct {
		name    string
		env     map[string]string
		in, out bool
		err     string
	}{
		{"a person", nil, true, true, ""},
		{"CI off", map[string]string{"CI": "false", "GITHUB_ACTIONS": "0"}, true, true, ""},
		{"CI", map[string]string{"CI": "true"}, true, true, "CI is set"},
		{"CI with an odd value", map[string]string{"CI": "woodpecker"}, true, true, "never runs in CI"},
		{"GitLab", map[string]string{"GITLAB_CI": "true"}, true, true, "GITLAB_CI is set"},
		{"Jenkins", map[string]string{"JENKINS_URL": "https://ci.test/"}, true, true, "JENKINS_URL is set"},
		{"input from a file", nil, false, true, "needs a terminal"},
		{"output to a file", nil, true, false, "needs a terminal"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := gate(func(k string) string { return c.env[k] }, c.in, c.out)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	yes := true
	cases := []struct {
		tool  string
		hints *mcp.ToolAnnotations
		want  bool
	}{
		{"snapshot", nil, false},
		{"navigate", &mcp.ToolAnnotations{ReadOnlyHint: true}, false},
		{"snapshot", &mcp.ToolAnnotations{DestructiveHint: &yes}, true}, // the server says so
		{"click", nil, true},
		{"click", &mcp.ToolAnnotations{ReadOnlyHint: true}, true}, // whatever the server says
		{"reload", nil, true}, // may send a form again
		{"storage", nil, true},
		{"a_tool_of_tomorrow", nil, true},
	}
	for _, c := range cases {
		if got := changes(c.tool, c.hints); got != c.want {
			t.Errorf("%s %+v: %v", c.tool, c.hints, got)
		}
	}
}

// TestServerFlags holds that a check without leave starts a server that can change
// nothing, and that no check's server knows other sites.
func TestServerFlags(t *testing.T) {
	sites := []site{{URL: "https://a.test:8443/x", Also: []string{"b.test"}, Steps: []step{{Tool: "click"}, {Tool: "eval"}, {Tool: "download_file"}}}}
	without := serverFlags(sites, false)
	if got := strings.Join(without, " "); got != "--backend extension --no-site-grants --allow-domain a.test:8443 --allow-domain b.test" {
		t.Error(got)
	}
	with := serverFlags(sites, true)
	for _, f := range []string{"--enable-mutations", "--enable-downloads", "--unsafe-enable-eval"} {
		if !slices.Contains(with, f) {
			t.Errorf("no %s in %v", f, with)
		}
	}
	sites[0].Steps = nil
	if got := serverFlags(sites, true); slices.Contains(got, "--unsafe-enable-eval") || slices.Contains(got, "--enable-downloads") {
		t.Errorf("more than the steps need: %v", got)
	}
}
