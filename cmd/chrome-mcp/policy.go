package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"chrome-mcp/internal/policy"
)

// switches are the flags that switch one thing on in the policy.
var switches = map[string]func(*policy.Policy){
	"enable-mutations":   func(p *policy.Policy) { p.Mutations = true },
	"enable-downloads":   func(p *policy.Policy) { p.Downloads = true },
	"enable-uploads":     func(p *policy.Policy) { p.Uploads = true },
	"enable-observers":   func(p *policy.Policy) { p.Observers = true },
	"unsafe-enable-eval": func(p *policy.Policy) { p.Eval = true },
	"redact":             func(p *policy.Policy) { p.Redact = true },
	"unsafe-all-tabs":    func(p *policy.Policy) { p.AllTabs = true },
	"no-site-grants":     func(p *policy.Policy) { p.NoSiteGrants = true },
	"unsafe-all-domains": func(p *policy.Policy) { p.AllowDomains = append(p.AllowDomains, "*") },
}

// buildPolicy joins the policy file and the flags. Flags only add.
func buildPolicy(inv *invocation) (p policy.Policy, err error) {
	if file := inv.last("policy"); file != "" {
		if p, err = policy.Load(file); err != nil {
			return p, err
		}
	}
	p.AllowDomains = append(p.AllowDomains, sites(inv.all("allow-domain")...)...)
	p.DenyDomains = append(p.DenyDomains, sites(inv.all("deny-domain")...)...)
	p.PageTools = append(p.PageTools, inv.all("allow-page-tool")...)
	p.RedactPatterns = append(p.RedactPatterns, inv.all("redact-pattern")...)
	for name, set := range switches {
		if inv.has(name) {
			set(&p)
		}
	}
	if dir := inv.last("uploads-dir"); dir != "" {
		if p.UploadsDir, err = filepath.Abs(dir); err != nil {
			return p, fmt.Errorf("flag --uploads-dir: %w", err)
		}
	}
	return p, p.Validate()
}

// sites takes lists apart: a client that asks its user for the sites has one field for
// all of them, which may be empty.
func sites(values ...string) (list []string) {
	for _, v := range values {
		list = append(list, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })...)
	}
	return list
}

func checkSites(value string) error {
	for _, s := range sites(value) {
		if err := policy.CheckGlob(s); err != nil {
			return err
		}
	}
	return nil
}

func checkPageTool(value string) error { return policy.CheckPageTool(value) }
