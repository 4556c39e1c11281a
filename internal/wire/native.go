package wire

// Native messages, between the extension and the native messaging host. The host
// answers each message, and sends NativeHandshakes unasked whenever the set of live
// servers changes.

// Native message types.
const (
	NativeHelloType      = "hello"
	NativeReadyType      = "ready"
	NativeGetType        = "get_handshakes"
	NativeHandshakesType = "handshakes"
	NativeErrorType      = "error"
	NativeByeType        = "bye"
)

// NativeHello is the extension's first message on a port.
type NativeHello struct {
	Header
	Ext NativeExt `json:"ext"`
}

// NativeExt says which extension asks.
type NativeExt struct {
	ID       string `json:"id"`
	Version  string `json:"version"`
	Instance string `json:"instance"`
	// Probe marks a hello that no browser sent: the host is only tried, and notes nothing.
	Probe bool `json:"probe,omitempty"`
}

// NativeBye is the extension's last message on a port that it closes by itself. The
// host notes why, and ends.
type NativeBye struct {
	Header
	Reason string `json:"reason"` // "stopped": the user pressed Stop
}

// NativeReady answers NativeHello.
type NativeReady struct {
	Header
	HostVersion string   `json:"hostVersion"`
	DataDir     string   `json:"dataDir"`
	Servers     []Server `json:"servers"`
}

// NativeGet asks for the live servers.
type NativeGet struct {
	Header
}

// NativeHandshakes lists the live servers; empty, not null, when none runs.
type NativeHandshakes struct {
	Header
	Servers []Server `json:"servers"`
}

// Server is one live server as its handshake file tells it.
type Server struct {
	SessionID string `json:"sessionId"`
	Port      int    `json:"port"`
	Token     string `json:"token"`
	PID       int    `json:"pid"`
	TS        int64  `json:"ts"` // start, milliseconds since the epoch
	Client    string `json:"client,omitempty"`
}

// NativeError is the host's refusal.
type NativeError struct {
	Header
	Code    NativeCode `json:"code"`
	Message string     `json:"message"`
}

// NativeCode is the machine-readable half of a NativeError. The list only grows.
type NativeCode string

// The host's error codes.
const (
	BadMessage          NativeCode = "BAD_MESSAGE"
	WrongCaller         NativeCode = "WRONG_CALLER"
	HandshakeUnreadable NativeCode = "HANDSHAKE_UNREADABLE"
	VersionMismatch     NativeCode = "VERSION_MISMATCH"
)
