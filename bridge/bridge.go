// Package bridge carries commands to tabs of browsers whose extension dialled in.
//
// It listens on loopback only and believes nobody without the token. It holds no
// page logic: what a click is belongs to package page.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
)

// PortEnv names the environment variable with the port to try first.
const PortEnv = "CHROME_MCP_WS_PORT"

// Config says how a Bridge listens and whom it expects.
type Config struct {
	DataDir     string // where the handshake file goes
	File        string // what it is called; "" chooses
	Port        int    // port to try first; 0 is $CHROME_MCP_WS_PORT, else wire.DefaultPort; below 0 any
	SessionID   string // this server's id; "" makes one
	Version     string // the extension's has to be the same; "" is this release
	BundleHash  string // the page bundle's; the extension's has to be the same; "" does not compare
	ExtensionID string // the only extension that may dial; "" is any that knows the token
	Policy      policy.Policy
	Log         *slog.Logger // nil discards
	// Wait is how long a call waits for a browser that has paired before to dial, and
	// for one that was lost to come back. 0 is 5 s.
	Wait time.Duration
}

// Bridge is the WebSocket server of one chrome-mcp server, and the backend of the
// browsers that dialled it. Its methods are safe for concurrent use.
type Bridge struct {
	config Config
	log    *slog.Logger
	store  *state.Store
	times  times
	gate   gate
	events events
	notes  notes
	grants grants
	ports  ports

	starting sync.Mutex // held by Start
	ctx      context.Context
	cancel   context.CancelFunc
	group    sync.WaitGroup
	server   *http.Server
	addr     string

	mu        sync.Mutex
	client    string
	published *state.Published
	closed    bool
	epoch     int // counts the tokens
	paired    bool
	waited    bool // a call waited its whole time for a browser, and none came since
	stopped   bool // the user pressed Stop in the extension, and nobody dialled since
	browsers  []*peer
	bound     map[string]*peer  // session → browser it works in
	chosen    map[string]string // session → instance of the browser that it insists on
	kept      map[string]*peer  // session → the only browser that it may know of; see Confine
	arrived   chan struct{}     // closed and renewed when a browser is welcomed
	refused   chan Refusal      // holds the first that nobody has read
}

// times are the protocol's; tests shorten them.
type times struct {
	hello, heartbeat, probe time.Duration
}

// New makes a Bridge that is not yet listening.
func New(c Config) *Bridge {
	c.SessionID = cmp.Or(c.SessionID, ulid.Make().String())
	c.Version = cmp.Or(c.Version, version.Version)
	c.Wait = cmp.Or(c.Wait, 5*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &Bridge{
		config:  c,
		log:     c.Log,
		store:   state.Open(c.DataDir),
		times:   times{wire.HelloTimeout, wire.Heartbeat, wire.ProbeTimeout},
		ctx:     ctx,
		cancel:  cancel,
		bound:   map[string]*peer{},
		chosen:  map[string]string{},
		arrived: make(chan struct{}),
		refused: make(chan Refusal, 1),
	}
	b.gate.init()
	return b
}

// Start listens and publishes the handshake file, which is what makes browsers dial.
// client is the MCP client's name and version, for the user to see. Once it has
// succeeded, further calls do nothing.
func (b *Bridge) Start(ctx context.Context, client string) error {
	b.starting.Lock()
	defer b.starting.Unlock()
	b.mu.Lock()
	started, closed := b.published != nil, b.closed
	b.mu.Unlock()
	switch {
	case closed:
		return errors.New("this server is shutting down; restart it from the MCP client")
	case started:
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.start(client)
}

func (b *Bridge) start(client string) error {
	l, err := listen(b.config.Port)
	if err != nil {
		return fmt.Errorf("cannot listen on 127.0.0.1: %w; a firewall or sandbox forbids it, allow chrome-mcp to open a loopback port", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	paired, _ := b.store.Paired() // damaged is as good as none: it only decides how long a call waits
	b.mu.Lock()
	b.client, b.paired = client, b.paired || len(paired) > 0
	b.mu.Unlock()
	published, err := b.store.Publish(state.Handshake{
		Port: port, SessionID: b.config.SessionID, Client: client, ExpectedExtensionID: b.config.ExtensionID, Path: b.config.File,
	})
	if err != nil {
		l.Close()
		return err
	}
	b.addr = l.Addr().String()
	b.mu.Lock()
	b.published = published
	b.mu.Unlock()
	b.serve(l, port)
	b.group.Go(func() {
		published.Guard(b.ctx, func() {
			b.note("the handshake file was removed (chrome-mcp revoke): every browser was disconnected and the token changed")
			if err := b.Rotate(); err != nil {
				b.log.Error("token not changed", "error", err)
			}
		})
	})
	return nil
}

// listen binds the wanted port, or any when it is taken: the port of another program
// is left alone.
func listen(want int) (net.Listener, error) {
	if want == 0 {
		want = wire.DefaultPort
		if n, err := strconv.Atoi(os.Getenv(PortEnv)); err == nil && n >= 0 && n <= 65535 {
			want = n
		}
	}
	if want > 0 {
		if l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(want))); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp4", "127.0.0.1:0")
}

// Addr is the address that the bridge listens on; "" before Start.
func (b *Bridge) Addr() string {
	b.starting.Lock()
	defer b.starting.Unlock()
	return b.addr
}

// Rotate is the kill switch: it changes the token and drops every connection. The
// extension may dial again, with the new token.
func (b *Bridge) Rotate() error {
	b.mu.Lock()
	published, closed := b.published, b.closed
	b.mu.Unlock()
	if published == nil || closed {
		return nil
	}
	_, err := published.Rotate()
	b.mu.Lock()
	b.epoch++ // a hello that was judged by the old token comes too late
	b.mu.Unlock()
	b.disconnect(closeRestart, "the token was changed")
	return err
}

// Shutdown disconnects every browser, withdraws the handshake file and stops
// listening. It ends no browser.
func (b *Bridge) Shutdown(ctx context.Context) error {
	b.starting.Lock()
	defer b.starting.Unlock()
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	published := b.published
	b.mu.Unlock()
	var err error
	if published != nil {
		err = published.Remove()
	}
	b.disconnect(closeGoing, "the server ended")
	if b.server != nil {
		b.server.Close()
	}
	b.cancel()
	done := make(chan struct{})
	go func() { b.group.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return err
}
