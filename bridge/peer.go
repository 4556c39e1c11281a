package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

// peer is one run of one browser: from its start to its end, over all its sockets.
// Chrome's tab numbers mean something only within a run, so a tab id names the run.
type peer struct {
	code  string                 // names the run in tab ids, the same in every server
	label atomic.Pointer[string] // what the user sees, unique
	conn  atomic.Pointer[conn]
	ping  atomic.Int64 // nanoseconds of the last heartbeat

	info  wire.ExtInfo // as of the last hello; guarded by Bridge.mu
	since time.Time    // of the current socket; guarded by Bridge.mu
	over  bool         // the browser was started anew; guarded by Bridge.mu
	owed  []string     // sessions that ended while it was away; guarded by Bridge.mu

	granted []policy.Grant // as it told last; guarded by grants.mu
	told    bool           // it has told; guarded by grants.mu

	serving wire.ExtServing    // as it told last; guarded by ports.mu
	named   []wire.ExtProvider // by its user, as it told last; guarded by ports.mu
}

// name is what the user sees.
func (p *peer) name() string { return *p.label.Load() }

// welcome registers the browser and serves its socket until it ends.
func (b *Bridge) welcome(ws *websocket.Conn, info wire.ExtInfo, epoch int) {
	c := b.newConn(ws)
	replaced, again := b.register(c, info, epoch)
	if c.peer == nil {
		c.cancel()
		ws.Close(closeRestart, "the token was changed")
		return
	}
	for _, old := range replaced {
		b.note("%s connected again; its older connection was closed", c.peer.name())
		b.group.Go(func() { old.close(wire.CloseReplaced, "the same browser connected again") })
	}
	if again {
		b.lostEvents(c.peer)
		b.group.Go(func() { b.pay(c.peer) })
	}
	b.group.Go(func() {
		err := b.store.SetPaired(state.PairedBrowser{Instance: info.Instance, Version: info.Version, Chrome: info.Chrome, Profile: info.ProfileName})
		if err != nil {
			b.log.Warn("pairing not recorded", "error", err)
		}
	})
	c.run()
}

// register finds or makes the peer, makes c its socket with the welcome as the first
// frame, and returns the sockets that c replaces. Without a peer c came too late.
func (b *Bridge) register(c *conn, info wire.ExtInfo, epoch int) (replaced []*conn, again bool) {
	given := b.givenName(info.Instance)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.epoch != epoch {
		return nil, false
	}
	for _, p := range b.browsers {
		if p.info.Instance != info.Instance {
			continue
		}
		p.over = p.over || p.info.Run != info.Run
		if old := p.conn.Swap(nil); old != nil {
			replaced = append(replaced, old)
		}
	}
	p := b.peerOf(info, given)
	again = !p.since.IsZero()
	p.info, p.since = info, time.Now()
	c.peer = p
	c.post(wire.Welcome{
		Header: header(wire.TypeWelcome), ServerVersion: b.config.Version, SessionID: b.config.SessionID,
		HeartbeatMS: int(b.times.heartbeat.Milliseconds()), Client: b.client, PID: b.published.Handshake().PID, Policy: b.config.Policy,
	})
	p.conn.Store(c)
	b.paired, b.stopped, b.waited = true, false, false
	b.log.Info("browser connected", "browser", p.name(), "chrome", printable(info.Chrome))
	close(b.arrived)
	b.arrived = make(chan struct{})
	go b.browsersChanged()
	return replaced, again
}

// peerOf returns the peer of a browser run; given is the name that the user gave to the
// browser. b.mu is held.
func (b *Bridge) peerOf(info wire.ExtInfo, given string) *peer {
	name := ""
	for _, p := range b.browsers {
		if p.info.Instance != info.Instance {
			continue
		}
		if p.info.Run == info.Run {
			return p
		}
		name = p.name()
	}
	if name == "" {
		name = b.freeName(cmp.Or(given, info.ProfileName))
	}
	p := &peer{code: b.freeCode(info)}
	p.label.Store(&name)
	b.browsers = append(b.browsers, p)
	return p
}

// freeCode makes the code of a browser run: a digest, so that a tab has the same id in
// every server and after a server's restart, and as short as its likes allow. b.mu is held.
func (b *Bridge) freeCode(info wire.ExtInfo) string {
	sum := sha256.Sum256([]byte(info.Instance + "\x00" + info.Run))
	digest := hex.EncodeToString(sum[:])
	n := 4
	for n < len(digest) && slices.ContainsFunc(b.browsers, func(p *peer) bool { return p.code == digest[:n] }) {
		n++
	}
	return digest[:n]
}

// freeName makes a name that no other browser has. b.mu is held.
func (b *Bridge) freeName(profile string) string {
	base := strings.TrimSpace(profile)
	if base == "" || len(base) > 64 {
		base = "Chrome"
	}
	name := base
	for i := 2; slices.ContainsFunc(b.browsers, func(p *peer) bool { return p.name() == name }); i++ {
		name = fmt.Sprintf("%s %d", base, i)
	}
	return name
}

// left notes that a socket ended.
func (b *Bridge) left(c *conn, why string) {
	b.mu.Lock()
	gone := c.peer.conn.CompareAndSwap(c, nil)
	closed := b.closed
	b.mu.Unlock()
	if gone && !closed {
		b.note("%s disconnected: %s", c.peer.name(), why)
		b.browsersChanged()
	}
}

// disconnect closes all sockets and waits a moment for the browsers to agree.
func (b *Bridge) disconnect(code websocket.StatusCode, why string) {
	var group sync.WaitGroup
	for _, c := range b.conns() {
		group.Go(func() { c.close(code, why) })
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// conns lists the live sockets, in the order of their browsers.
func (b *Bridge) conns() []*conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*conn
	for _, p := range b.browsers {
		if c := p.conn.Load(); c != nil {
			list = append(list, c)
		}
	}
	return list
}

// Tab ids.

func (p *peer) tabID(n int) browser.TabID {
	if n == 0 {
		return ""
	}
	return browser.TabID(string(browser.Extension) + ":" + p.code + ":" + strconv.Itoa(n))
}

// find resolves a tab id to a browser and Chrome's tab number.
func (b *Bridge) find(id browser.TabID) (*peer, int, error) {
	parts := strings.Split(string(id), ":")
	if len(parts) == 3 && parts[0] == string(browser.CDP) {
		return nil, 0, stale(id, "it belongs to another kind of browser")
	}
	if len(parts) != 3 || parts[0] != string(browser.Extension) {
		return nil, 0, browser.Errorf(browser.TabNotFound, "%q is no tab id; take one from tabs_list", string(id))
	}
	tab, err := strconv.Atoi(parts[2])
	if err != nil || parts[1] == "" || tab < 1 {
		return nil, 0, browser.Errorf(browser.TabNotFound, "%q is no tab id; take one from tabs_list", string(id))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.browsers, func(p *peer) bool { return p.code == parts[1] })
	if i < 0 {
		return nil, 0, stale(id, "its browser is not connected or was started anew")
	}
	p := b.browsers[i]
	if p.over {
		return nil, 0, stale(id, "that browser was closed and started anew")
	}
	return p, tab, nil
}

func stale(id browser.TabID, why string) error {
	return browser.Errorf(browser.StaleTab, "tab %s is no longer valid: %s; call tabs_list", id, why)
}
