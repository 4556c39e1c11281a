// Package policy decides what an agent may do where.
//
// Evaluate is the gate; EvaluateGranted adds what the user said in the browser, and
// EvaluateTool asks for their word on a page's own tool. The extension runs the same
// decisions in TypeScript; testdata/vectors.json is run against both. The package does no I/O
// but reading a policy file and writing the audit log, and knows no browser.
package policy

// Access is the class of a tool, a page function or a CDP command.
type Access string

// The access classes. Each but Read needs its switch in the Policy.
const (
	Read     Access = "read"
	Act      Access = "act"
	Eval     Access = "eval"
	Download Access = "download"
	Upload   Access = "upload"
	Observe  Access = "observe"
)

// Policy is what the user allows. The zero value allows nothing but about:blank.
// It is a policy file's content and travels to the extension in the welcome frame.
type Policy struct {
	AllowDomains []string `json:"allowDomains,omitempty"` // globs; see Evaluate
	DenyDomains  []string `json:"denyDomains,omitempty"`  // globs; they win over AllowDomains
	Mutations    bool     `json:"mutations,omitempty"`
	Eval         bool     `json:"eval,omitempty"`
	Downloads    bool     `json:"downloads,omitempty"`
	Uploads      bool     `json:"uploads,omitempty"`
	Observers    bool     `json:"observers,omitempty"`
	AllTabs      bool     `json:"allTabs,omitempty"` // the user's own tabs on denied sites are listed with title and URL
	UploadsDir   string   `json:"uploadsDir,omitempty"`
	PageTools    []string `json:"pageTools,omitempty"` // ORIGIN#TOOL; see EvaluateTool
	Redact       bool     `json:"redact,omitempty"`
	// RedactPatterns, in RE2 syntax, are masked too; one is enough to switch Redact on.
	RedactPatterns []string `json:"redactPatterns,omitempty"`
	// NoSiteGrants keeps what the user grants in the browser from this server. A Deny holds.
	NoSiteGrants bool `json:"noSiteGrants,omitempty"`
}

// Decision is the gate's answer.
type Decision struct {
	Allow  bool   `json:"allow"`
	Rule   string `json:"rule,omitempty"`   // the glob or switch that decided
	Reason string `json:"reason,omitempty"` // for a refusal: what is refused and how the user can permit it
	Site   string `json:"site,omitempty"`   // for a refusal that the user can lift in the browser: the site to ask for
	// PageTool is, for such a refusal of EvaluateTool, the tool to ask for; Site is the
	// origin then.
	PageTool string `json:"pageTool,omitempty"`
}
