package wire

// Providers are extensions whose tools the server offers to its client. The user names
// them in the browser; the server asks them and tells the user how they stand.

// ExtReport tells how providers stand: ExtReportParams.
const ExtReport Method = "ext_report"

// EventExtProviders has the providers that the user named: ExtProviders, after welcome,
// at each change, and when the user wants them asked again.
const EventExtProviders = "ext_providers"

// ExtProviders lists them in the order of naming.
type ExtProviders struct {
	Providers []ExtProvider `json:"providers"`
}

// ExtProvider is a provider that the user named.
type ExtProvider struct {
	Extension string `json:"extension"`
	Namespace string `json:"namespace,omitempty"` // in place of its own
	Off       bool   `json:"off,omitempty"`
	Writes    bool   `json:"writes,omitempty"` // it may do more than read
}

// ExtReportParams has all providers of a server, those of its command line too.
type ExtReportParams struct {
	Providers []ExtStanding `json:"providers"`
}

// ExtStanding is how a provider stands.
type ExtStanding struct {
	Extension string   `json:"extension"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty"` // as it calls itself
	Version   string   `json:"version,omitempty"`
	State     string   `json:"state"`
	Text      string   `json:"text,omitempty"` // why it is not connected
	Tools     int      `json:"tools"`
	Held      int      `json:"held,omitempty"`    // tools that wait for the user to allow writes
	Refused   []string `json:"refused,omitempty"` // what exceeds the limits, and why
}
