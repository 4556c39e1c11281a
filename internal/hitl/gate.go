package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// automatic are variables that say that no person is there.
var automatic = []string{"CI", "CONTINUOUS_INTEGRATION", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD"}

// gate refuses to begin where nobody can watch and judge.
func gate(getenv func(string) string, in, out bool) error {
	for _, name := range automatic {
		if v := getenv(name); v != "" && v != "false" && v != "0" {
			return fmt.Errorf("%s is set: this is a check by a person, in their own Chrome, and never runs in CI; make test is for machines", name)
		}
	}
	if !in || !out {
		return errors.New("this is a check by a person and needs a terminal for both input and output")
	}
	return nil
}

// reading are the tools that change nothing anywhere. All others count as changing, those
// too that are not known here.
var reading = []string{
	"chrome_status", "tabs_list", "navigate", "snapshot", "find", "get_text", "get_html", "read_as_markdown",
	"extract_links", "screenshot", "wait_for", "frames_list", "auth_check", "console_logs", "network_log",
}

// opaque are tools whose call does not show what it would do, so no yes can be meant.
var opaque = []string{"batch", "upload_file", "ext_call"}

// changes tells whether a step needs leave. The server's own word can only add to ours.
func changes(tool string, hints *mcp.ToolAnnotations) bool {
	if !slices.Contains(reading, tool) {
		return true
	}
	return hints != nil && hints.DestructiveHint != nil && *hints.DestructiveHint
}

// serverFlags permit what the steps need, on their sites. Without leave to change, the
// server has nothing switched on that could.
func serverFlags(sites []site, changing bool) []string {
	flags := []string{"--backend", "extension", "--no-site-grants"}
	for _, s := range sites {
		for _, h := range s.hosts() {
			flags = append(flags, "--allow-domain", h)
		}
	}
	uses := func(tools ...string) bool {
		return slices.ContainsFunc(sites, func(s site) bool {
			return slices.ContainsFunc(s.Steps, func(s step) bool { return slices.Contains(tools, s.Tool) })
		})
	}
	if uses("console_logs", "network_log", "get_cookies") {
		flags = append(flags, "--enable-observers")
	}
	if !changing {
		return flags
	}
	flags = append(flags, "--enable-mutations")
	if uses("download_file", "print_pdf") {
		flags = append(flags, "--enable-downloads")
	}
	if uses("eval") {
		flags = append(flags, "--unsafe-enable-eval")
	}
	return flags
}
