// Package bridge carries commands to tabs of browsers whose extension dialled in.
//
// It listens on loopback only and believes nobody without the token. It holds no
// page logic: what a click is belongs to package page.
package bridge

import (
	"context"
	"errors"
	"log/slog"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// Config says how a Bridge listens and whom it expects.
type Config struct {
	DataDir     string // where handshake files live
	Port        int    // port to try first; 0 is CHROME_MCP_WS_PORT, else wire.DefaultPort; <0 is an ephemeral one
	SessionID   string // this server's id; "" makes one
	Version     string // ours; the extension's has to be the same
	BundleHash  string // the page bundle's; the extension's has to be the same
	ExtensionID string // the only extension that may dial; "" is any that knows the token
	Policy      policy.Policy
	Log         *slog.Logger // nil discards
}

// Bridge is the WebSocket server of one chrome-mcp server.
type Bridge struct {
	browser.Backend // until it is written
}

// New makes a Bridge that is not yet listening.
func New(c Config) *Bridge { return &Bridge{} }

// Start listens and publishes the handshake file. Calls after the first do nothing.
func (b *Bridge) Start(ctx context.Context, client string) error {
	return errors.New("bridge: not there yet")
}
