// Package cdpfallback drives a Chrome that this program started itself, over the
// DevTools protocol, for when no browser has paired.
//
// It finds, starts and ends a browser and implements the waist over a raw DevTools
// session. It holds no page logic and makes no judgement: what may be touched is
// decided above the waist, what a click is belongs to package page.
package cdpfallback

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"chrome-mcp/internal/browser"
)

// Config says which browser to start and what runs in its pages.
type Config struct {
	Path       string    // executable; "" is CHROME_PATH, else the first that Find finds
	ProfileDir string    // user data folder; "" is a temporary one, removed at Shutdown
	Headless   bool      //
	Bundle     string    // source of the page bundle
	World      string    // isolated world it runs in
	ExtraArgs  []string  // further command-line arguments
	Downloads  string    // folder that downloads are saved in until somebody takes them; "" refuses those that pages begin
	Log        io.Writer // the browser's stderr; nil discards it
}

// Start starts a browser and returns when it answers. The context bounds the start
// only; the browser lives until Shutdown, or until this process ends.
func Start(ctx context.Context, cfg Config) (*Backend, error) {
	if cfg.Path == "" {
		path, err := Find()
		if err != nil {
			return nil, err
		}
		cfg.Path = path
	}
	temporary := ""
	if cfg.ProfileDir == "" {
		dir, err := os.MkdirTemp("", "chrome-mcp-profile-")
		if err != nil {
			return nil, fmt.Errorf("make a temporary profile: %w", err)
		}
		cfg.ProfileDir, temporary = dir, dir
	}
	p, t, err := launch(ctx, cfg)
	if err != nil {
		_ = os.RemoveAll(temporary)
		return nil, browser.Errorf(browser.LaunchFailed, "%v", err)
	}
	b := newBackend(cfg, p, temporary)
	if err := b.connect(ctx, t); err != nil {
		_ = b.Shutdown(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

func newBackend(cfg Config, p *process, temporary string) *Backend {
	return &Backend{
		cfg:       cfg,
		process:   p,
		temporary: temporary,
		// A handle of an earlier run must not name a tab of this one.
		number:   1 + rand.IntN(999),
		since:    time.Now(),
		tabs:     map[int]*Tab{},
		targets:  map[string]*Tab{},
		sessions: map[string]*session{},

		sides:        map[string]*side{},
		sideSessions: map[string]*side{},
	}
}
