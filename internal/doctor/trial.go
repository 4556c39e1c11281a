package doctor

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"chrome-mcp/bridge"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/version"
)

// Answer is what browsers said to a server of ours.
type Answer struct {
	Browsers []browser.BrowserStatus
	Tabs     []browser.TabInfo // of all of them, with their owners
	Took     time.Duration     // from the server's start to the answer
}

// StartError is why there is no server to dial.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// commandTime is how long the browser has for the command.
const commandTime = 3 * time.Second

// tries counts the trials of this process, each of which has a file of its own.
var tries atomic.Int32

// Try starts a server as a client would, waits until an extension has found and dialled
// it, and asks for the list of tabs. Its handshake file has a name of its own: to take
// the usual one would replace what stands there.
func Try(ctx context.Context, data, client string) (Answer, error) {
	b := bridge.New(bridge.Config{
		DataDir: data, File: fmt.Sprintf("handshake.%d.try%d.json", os.Getpid(), tries.Add(1)), Port: -1,
		Version: version.Version, BundleHash: bundle.Hash, ExtensionID: extension.ID,
	})
	begin := time.Now()
	if err := b.Start(ctx, client); err != nil {
		return Answer{}, &StartError{err}
	}
	defer shutdown(b)
	if err := b.Await(ctx); err != nil {
		return Answer{}, err
	}
	// Whoever waits for the extension has waited long enough; the command has its own time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTime)
	defer cancel()
	tabs, err := b.Tabs(ctx)
	return Answer{Browsers: b.Status().Browsers, Tabs: tabs, Took: time.Since(begin)}, err
}

func shutdown(b *bridge.Bridge) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = b.Shutdown(ctx)
}
