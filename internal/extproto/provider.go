package extproto

// Entry is a provider that the user named.
type Entry struct {
	ID        string // extension id
	Namespace string // in place of the provider's own; "" is its own
	Browser   string // name of the browser that it is in; "" is the one connected longest
	Off       bool   // the user switched it off
	Writes    bool   // the user lets it do more than read
}

// Status is how a provider stands, as the user sees it. What it says of itself is data.
type Status struct {
	ID        string   `json:"id"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty"`
	Version   string   `json:"version,omitempty"`
	Browser   string   `json:"browser,omitempty"`
	State     State    `json:"state"`
	Text      string   `json:"text,omitempty"`    // why it is not connected, for the user
	Theirs    bool     `json:"theirs,omitempty"`  // Text is in the provider's own words
	Tools     int      `json:"tools"`             // that are offered
	Held      int      `json:"held,omitempty"`    // of them, that wait for the user to allow writes
	Refused   []string `json:"refused,omitempty"` // what exceeds the limits, and why
	Open      bool     `json:"open"`              // a port is open
}

// Label names the provider in messages.
func (s Status) Label() string { return Label(s.Name, s.ID) }

// Label names a provider by what it calls itself and by its id, which proves who it is.
func Label(name, id string) string {
	if name == "" {
		return "extension " + id
	}
	if r := []rune(name); len(r) > 40 {
		name = string(r[:40]) + "…"
	}
	return name + " (" + id + ")"
}

// Lister are the browsers' users, who name providers on the options page.
type Lister interface {
	// Listed is what they named so far.
	Listed() []Entry
	// OnListed calls fn after each change, and when a user wants all to be asked again,
	// until cancel. fn must not block.
	OnListed(fn func()) (cancel func())
	// Report tells them how the providers stand. It does not block.
	Report([]Status)
}
