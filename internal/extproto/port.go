package extproto

import (
	"context"
	"encoding/json"
)

// Port is a runtime port between our extension and another, relayed to this process.
// Its methods are safe for concurrent use.
type Port interface {
	// Peer says who is at the other end.
	Peer() Peer
	// Send passes a message on, in the order of calls. It returns when the browser has
	// it. An error that is unknown (browser.Error) may have sent it.
	Send(ctx context.Context, message json.RawMessage) error
	// Recv returns the next message in the order in which they came. When the port is
	// closed and all that came before is taken, it returns a *ClosedError.
	Recv(ctx context.Context) (json.RawMessage, error)
	// Close closes the port and tells the other end why, where it can be told. Closing
	// twice is harmless.
	Close(reason string)
	// Done is closed when the port is.
	Done() <-chan struct{}
}

// Peer is the other end of a port.
type Peer struct {
	Browser   string // name of the browser that both extensions are in
	Extension string // id, as the browser says
	Name      string // of the port
	Caller    string // what it calls itself; "" if it opened the port without a probe
}

// ClosedError says why a port is closed.
type ClosedError struct{ Reason string }

func (e *ClosedError) Error() string { return "the port is closed: " + e.Reason }

// Ports reach other extensions through ours: the host's side.
type Ports interface {
	// Browsers lists the connected browsers by name.
	Browsers() []string
	// OnBrowsers calls fn after each change of that list, until cancel. fn must not block.
	OnBrowsers(fn func()) (cancel func())
	// ProbeExtension sends the probe. "" is the browser that has been there longest.
	ProbeExtension(ctx context.Context, browser, extension string) (Probed, error)
	// OpenPort opens a port to an extension, which need not be there: then the port is
	// closed a moment later.
	OpenPort(ctx context.Context, browser, extension, name string) (Port, error)
}

// Callers are the ports that other extensions open towards us: the provider's side.
type Callers interface {
	// OnPort calls fn for each port, until cancel. fn must not block. Without anyone to
	// call, ports are refused.
	OnPort(fn func(Port)) (cancel func())
	// Confine keeps a session to the browser that the port came from, until it is freed.
	Confine(session string, p Port) (free func())
	// Serving is what the user of the port's browser lets its caller do now.
	Serving(p Port) Serving
	// OnServing calls fn after each change of it, until cancel. fn must not block.
	OnServing(fn func()) (cancel func())
	// OnRefused calls fn for callers that the browser turned away, until cancel. fn must
	// not block.
	OnRefused(fn func(Refusal)) (cancel func())
	// Review asks the user about a write and waits for their word, at most ReviewWithin.
	// nil allows it; NOT_APPROVED says why not.
	Review(ctx context.Context, p Port, r Review) error
}

// Serving is what a user lets one calling extension do.
type Serving struct {
	Enabled    bool // other extensions may call at all
	Authorized bool // this one may
	Writes     bool // it may do more than read
	Review     bool // each write waits for the user's click
}

// Refusal is a caller that was turned away before it reached a server.
type Refusal struct {
	Browser   string
	Extension string
	Reason    string
	Count     int // times, since the last word of it
}

// Review is a write that waits for the user. It is shown, and kept nowhere.
type Review struct {
	Tool   string
	Target string // site or tab that it is about
	Detail string // arguments, cut short
}
