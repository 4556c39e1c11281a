// Package cdpfallback drives a Chrome that this program started itself, or was told to
// attach to, over the DevTools protocol, for when no browser has paired.
//
// It finds, starts and ends a browser and implements the waist over a raw DevTools
// session. It owns what it started and nothing else: an attached browser and its tabs
// are the user's. It holds no page logic and makes no judgement: what may be touched is
// decided above the waist, what a click is belongs to package page.
package cdpfallback

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"chrome-mcp/internal/browser"
)

// Config says which browser to start or to attach to, and what runs in its pages.
type Config struct {
	Path       string    // executable; "" is CHROME_PATH, else the first that Find finds
	ProfileDir string    // user data folder; "" is a temporary one, removed at Shutdown
	Spare      bool      // while another chrome-mcp has ProfileDir, use ProfileDir-2, -3 and so on
	Headless   bool      //
	Bundle     string    // source of the page bundle
	World      string    // isolated world it runs in
	ExtraArgs  []string  // further command-line arguments
	Downloads  string    // folder that downloads are saved in until somebody takes them; "" refuses those that pages begin
	Log        io.Writer // the browser's stderr; nil discards it

	// LeaveDownloads leaves it to the browser's own settings what becomes of downloads.
	LeaveDownloads bool

	// Endpoint makes it attach instead of start: an address (http, https, ws, wss,
	// host:port) or a folder with DevToolsActivePort. Header goes with each request
	// to it. It is never written to a log or an error: it may hold credentials.
	Endpoint string
	Header   http.Header

	// Allow judges where the tabs of sessions navigate, each redirect and their popups
	// included, before the request leaves. nil lets everything through and costs
	// nothing.
	Allow func(url string) bool
	// MaxTabs bounds the open tabs of one session; 0 is 256.
	MaxTabs int
}

// Start starts a browser and returns when it answers. The context bounds the start
// only; the browser lives until Shutdown, or until this process ends.
func Start(ctx context.Context, cfg Config) (*Backend, error) {
	path, err := executable(cfg.Path)
	if err != nil {
		return nil, err
	}
	cfg.Path = path
	if err := displayed(cfg); err != nil {
		return nil, err
	}
	home, err := claimProfile(ctx, cfg)
	if err != nil {
		return nil, err
	}
	cfg.ProfileDir = home.dir
	p, t, err := launch(ctx, cfg, home)
	if err != nil {
		home.release()
		return nil, browser.Errorf(browser.LaunchFailed, "%v", err)
	}
	b := newBackend(cfg, p)
	if err := b.connect(ctx, t); err != nil {
		_ = b.Shutdown(context.WithoutCancel(ctx))
		return nil, p.explain(ctx, cfg, err)
	}
	return b, nil
}

// Attach connects to the browser of cfg.Endpoint. Shutdown leaves that browser running,
// with all its tabs but those that were opened through this backend.
func Attach(ctx context.Context, cfg Config) (*Backend, error) {
	at, err := resolve(ctx, cfg.Endpoint, cfg.Header)
	if err != nil {
		return nil, err
	}
	t, err := at.dial(ctx)
	if err != nil {
		return nil, err
	}
	b := newBackend(cfg, nil)
	b.name = at.name
	if err := b.connect(ctx, t); err != nil {
		_ = t.close()
		return nil, at.explain(ctx, err)
	}
	return b, nil
}

func newBackend(cfg Config, p *process) *Backend {
	if cfg.MaxTabs == 0 {
		cfg.MaxTabs = 256
	}
	return &Backend{
		cfg:     cfg,
		process: p,
		name:    "started",
		// A handle of an earlier run must not name a tab of this one.
		number:   1 + chance(9999),
		since:    time.Now(),
		tabs:     map[int]*Tab{},
		targets:  map[string]*Tab{},
		sessions: map[string]*session{},

		sides:        map[string]*side{},
		sideSessions: map[string]*side{},
	}
}

// chance is a number below n.
func chance(n int) int { return rand.IntN(n) }

// answerTime is how long a browser may take to answer the first command.
const answerTime = 20 * time.Second

// connect shakes hands over t.
func (b *Backend) connect(ctx context.Context, t transport) error {
	b.conn = newConn(t, b.event)
	go b.conn.read()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var version struct{ Product string }
	if err := b.conn.call(ctx, "", "Browser.getVersion", nil, &version); err != nil {
		return fmt.Errorf("no answer to the first command: %w", err)
	}
	b.version = version.Product
	if !b.attached() {
		if err := b.downloading(ctx); err != nil {
			return err
		}
	}
	if err := b.conn.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil); err != nil {
		return err
	}
	return b.guard(ctx)
}
