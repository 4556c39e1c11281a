package wire

import "encoding/json"

// Ports between our extension and others, relayed over the socket.
//
// A port belongs to the socket that it was opened on: when the socket ends, by whatever
// cause, the extension closes its ports, and a new one begins with a new initialize. Ids
// are random, of whoever opened the port: the server (a provider is called) or the
// extension (a caller came). Messages go in order in both directions. Towards a provider
// each is a command with an answer, which is the backpressure; from there they are
// events, bounded in number and bytes at both ends.

// The methods, server to extension.
const (
	ExtPortOpen    Method = "ext_port_open"    // ExtPort: connect to another extension
	ExtPortMessage Method = "ext_port_message" // ExtMessage
	ExtPortClose   Method = "ext_port_close"   // ExtClose
	ExtProbe       Method = "ext_probe"        // ExtProbeParams → ExtProbeResult
	ExtReview      Method = "ext_review"       // ExtReviewParams → ExtReviewResult; waits for the user
)

// The events, extension to server.
const (
	EventExtPortOpen    = "ext_port_open"    // ExtPort: another extension connected to us
	EventExtPortMessage = "ext_port_message" // ExtMessage
	EventExtPortClose   = "ext_port_close"   // ExtClose
	EventExtServing     = "ext_serving"      // ExtServing, after welcome and at each change
	EventExtRefused     = "ext_refused"      // ExtRefused
)

// ExtPort opens a port.
type ExtPort struct {
	Port      string `json:"port"`
	Extension string `json:"extension"` // the other one's id; of a caller, as Chrome says
	Name      string `json:"name"`      // of the port
	Caller    string `json:"caller,omitempty"`
}

// ExtMessage is one message through a port.
type ExtMessage struct {
	Port    string          `json:"port"`
	Message json.RawMessage `json:"message"`
}

// ExtClose ends a port. Reason is for people.
type ExtClose struct {
	Port   string `json:"port"`
	Reason string `json:"reason,omitempty"`
}

// ExtProbeParams names the extension to probe.
type ExtProbeParams struct {
	Extension string `json:"extension"`
}

// ExtProbeResult is what came of a probe.
type ExtProbeResult struct {
	Answer  json.RawMessage `json:"answer,omitempty"`  // as the provider gave it
	Problem string          `json:"problem,omitempty"` // why there is none
	Late    bool            `json:"late,omitempty"`    // nobody answered in time
}

// ExtServing is what the user lets other extensions do through this browser.
type ExtServing struct {
	Enabled bool     `json:"enabled"`
	Writes  bool     `json:"writes"`
	Review  bool     `json:"review"`
	Callers []string `json:"callers"` // ids that are allowed
}

// ExtRefused tells of callers that were turned away before any server was asked, for the
// audit log.
type ExtRefused struct {
	Extension string `json:"extension"`
	Reason    string `json:"reason"`
	Count     int    `json:"count"`
}

// ExtReviewParams is a write that waits for the user's word. It is shown and not kept.
type ExtReviewParams struct {
	Port   string `json:"port"`
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// ExtReviewResult is their word.
type ExtReviewResult struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // why not
}
