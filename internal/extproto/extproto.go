// Package extproto is the protocol between extensions as data: its names and limits, who
// is an extension, what the state of a provider is called, and MCP's transport over a
// relayed port.
//
// Two layers: one message that says whether a provider can be used (the probe), and plain
// MCP over a runtime port. We play both sides, host and provider. The package holds no
// connection to a browser and no policy; what TypeScript needs of it is generated into
// wire.gen.ts, so that each fact stands once.
package extproto

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Names of the protocol, and the version of its probe. They are fixed.
const (
	ProbeChannel = "lumo:probe"
	ProbeVersion = 1
	PortName     = "lumo:mcp"
	PlainPort    = "mcp" // what the public browser transports call theirs
)

// What we are called as a provider.
const (
	ServiceNamespace = "chrome"
	ServiceName      = "chrome-mcp"
)

// Limits. The whole name has to stay below the 64 characters of the strictest model
// provider, with room for what clients put before it: do not widen them by themselves.
const (
	MaxTools     = 64 // of one provider
	MaxNamespace = 16 // characters
	MaxTool      = 40 // characters
	MaxName      = 57 // characters: namespace, separator and tool
	Separator    = "_"

	WriteLimit = 30 // writes of one caller within WriteWindow

	// MaxMessage is the most bytes of one message through a port, either way. The largest
	// answer of our own, 3 MB of pictures and its text, fits; what is larger is nothing
	// that a model could take.
	MaxMessage = 4 << 20
	// MaxWaiting and MaxWaitingBytes bound what waits in a port for its reader: before
	// authorization in the extension, before MCP in the server. Beyond that it is closed.
	MaxWaiting      = 1024
	MaxWaitingBytes = 8 << 20
	// MaxPorts and MaxCallerPorts bound the ports that are open towards us, of all
	// extensions and of one.
	MaxPorts       = 32
	MaxCallerPorts = 8
	// MaxOpens is how many ports one extension may open within WriteWindow.
	MaxOpens = 60
)

// Times.
const (
	ProbeWithin  = 1500 * time.Millisecond
	ReviewWithin = 60 * time.Second // the user has this long to allow a write
	WriteWindow  = 60 * time.Second
)

// Reserved are the namespaces that no provider may have: our own tools could be taken
// for theirs.
var Reserved = []string{"browser", "page", "file", "network", "devtools", "webmcp", "ext"}

// ExtensionIDPattern is what an extension's id looks like.
const ExtensionIDPattern = "^[a-p]{32}$"

var extensionID = regexp.MustCompile(ExtensionIDPattern)

// IsExtensionID is the only judge of extension ids, on every path by which one comes in.
func IsExtensionID(s string) bool { return extensionID.MatchString(s) }

// toolName is what MCP and the model providers take in a name.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CheckNamespace says what is wrong with a provider's namespace, or nil.
func CheckNamespace(ns string) error {
	switch {
	case !toolName.MatchString(ns):
		return fmt.Errorf("namespace %q is not of letters, digits, _ and -; the provider has to change it", clip(ns))
	case len(ns) > MaxNamespace:
		return fmt.Errorf("namespace %q has %d characters, at most %d are allowed; the provider has to shorten it", clip(ns), len(ns), MaxNamespace)
	}
	for _, r := range Reserved {
		if strings.EqualFold(ns, r) {
			return fmt.Errorf("namespace %q is reserved; the provider has to choose another", ns)
		}
	}
	return nil
}

// CheckTool says what is wrong with the name of a tool in a namespace, or nil.
func CheckTool(ns, tool string) error {
	whole := ToolName(ns, tool)
	switch {
	case !toolName.MatchString(tool):
		return fmt.Errorf("tool %q is not of letters, digits, _ and -; the provider has to rename it", clip(tool))
	case len(tool) > MaxTool:
		return fmt.Errorf("tool %q has %d characters, at most %d are allowed; the provider has to shorten it", clip(tool), len(tool), MaxTool)
	case len(whole) > MaxName:
		return fmt.Errorf("tool %q has %d characters with its namespace, at most %d are allowed; the provider has to shorten it", clip(whole), len(whole), MaxName)
	}
	return nil
}

// ToolName is what a host calls a provider's tool.
func ToolName(ns, tool string) string { return ns + Separator + tool }

// clip shortens what others named, for messages.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
