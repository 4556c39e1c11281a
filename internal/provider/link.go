package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
)

const (
	openWithin  = 10 * time.Second // all of probe, port, initialize and list
	pingWithin  = time.Second      // of a session in which something went wrong
	followEvery = 3 * time.Second
	followFor   = 5 * time.Minute

	// revision is what a provider is greeted with. Newer ones begin with a question that
	// older servers leave unanswered.
	revision = "2025-11-25"

	// maxListed bounds what is read of a list. Beyond extproto.MaxTools it only serves
	// to say what is refused.
	maxListed = 512
	maxPages  = 64

	// relistEvery is how often a provider that tells of changes is asked for its list:
	// each time all clients are told.
	relistEvery = time.Second
)

// helloWithin is the time for initialize, and for each page of a list; tests shorten it.
var helloWithin = 5 * time.Second

// link is one port and the MCP session in it. A port that closed is never used again: the
// next begins with a new initialize.
type link struct {
	provider *provider
	port     extproto.Port
	session  *mcp.ClientSession
	suspect  atomic.Bool // something went wrong: probe before the next call
	news     news
	outdated chan struct{} // holds one: its list has changed since it was read
}

// usable says whether a call may go out at once.
func (l *link) usable() bool { return !l.closed() && !l.suspect.Load() }

func (l *link) closed() bool {
	select {
	case <-l.port.Done():
		return true
	default:
		return false
	}
}

// close ends port and session. The port goes first: closing a session waits for calls
// that run in it.
func (l *link) close(why string) {
	l.port.Close(why)
	if l.session != nil {
		_ = l.session.Close()
	}
}

// open probes the provider and opens a session with it, or finds out that the one that
// is open is well.
func (p *provider) open(ctx context.Context) (*link, error) {
	p.mu.Lock()
	old, at := p.link, p.entry.Browser
	p.mu.Unlock()
	probed, err := p.host.cfg.Ports.ProbeExtension(ctx, at, p.id)
	if err != nil {
		return nil, err
	}
	v := extproto.Judge(probed)
	p.judged(v)
	if old != nil {
		if v.Row == extproto.Usable && old.wellAfterAll(ctx) {
			return old, nil
		}
		p.leave("it is opened anew")
	}
	switch v.Row {
	case extproto.Usable:
		return p.dial(ctx, extproto.PortName)
	case extproto.Absent:
		// An extension on the public transports takes MCP and knows no probe.
		if l, err := p.dial(ctx, extproto.PlainPort); err == nil {
			return l, nil
		}
	}
	theirs := v.Row == extproto.Fault || v.Row == extproto.Unready
	return nil, &stateError{words: v.Words, theirs: theirs}
}

// judged keeps what a probe said. Who the provider is stays known when it says nothing.
func (p *provider) judged(v extproto.Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.Service.Namespace == "" {
		v.Service = p.found.Service
	}
	p.found = v
}

// wellAfterAll asks a session that a call failed in.
func (l *link) wellAfterAll(ctx context.Context) bool {
	if l.closed() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	if l.session.Ping(ctx, nil) != nil {
		return false
	}
	l.suspect.Store(false)
	return true
}

// dial opens a port, shakes hands and reads the list.
func (p *provider) dial(ctx context.Context, name string) (*link, error) {
	p.mu.Lock()
	at := p.entry.Browser
	p.mu.Unlock()
	port, err := p.host.cfg.Ports.OpenPort(ctx, at, p.id, name)
	if err != nil {
		return nil, err
	}
	l := &link{provider: p, port: port, outdated: make(chan struct{}, 1)}
	if err := l.hello(ctx); err != nil {
		l.close("it did not answer")
		return nil, &stateError{words: fmt.Sprintf("it took the port and did not speak MCP through it: %v", err), theirs: true}
	}
	tools, err := l.listTools(ctx)
	if err != nil {
		l.close("it did not list its tools")
		return nil, &stateError{words: fmt.Sprintf("it did not list its tools: %v", err), theirs: true}
	}
	if name == extproto.PlainPort {
		p.judged(plain(l.session.InitializeResult()))
	}
	p.mu.Lock()
	p.said = tools
	p.mu.Unlock()
	p.host.background(l.watch)
	return l, nil
}

// plain is the verdict about a provider without a probe: that it answers is all there is
// to know, and its name the only namespace that it has.
func plain(r *mcp.InitializeResult) extproto.Verdict {
	v := extproto.Verdict{Row: extproto.Usable, State: extproto.Connected}
	if r.ServerInfo != nil {
		v.Service = extproto.Service{Name: r.ServerInfo.Name, Version: r.ServerInfo.Version, Namespace: namespaceOf(r.ServerInfo.Name)}
	}
	return v
}

// namespaceOf makes a name fit the form of a namespace, though not its length.
func namespaceOf(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name), "-_")
}

// hello shakes hands. A provider that takes the port and says nothing is given up.
func (l *link) hello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloWithin)
	defer cancel()
	var shaken atomic.Bool
	defer context.AfterFunc(ctx, func() {
		if !shaken.Load() {
			l.port.Close("no answer to initialize")
		}
	})()
	c := mcp.NewClient(&mcp.Implementation{Name: l.provider.host.cfg.Name, Version: l.provider.host.cfg.Version}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.expire() },
	})
	session, err := c.Connect(ctx, transport{l}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return err
	}
	shaken.Store(true)
	l.session = session
	return nil
}

// listTools reads the whole list, page by page.
func (l *link) listTools(ctx context.Context) ([]*mcp.Tool, error) {
	var all []*mcp.Tool
	params := &mcp.ListToolsParams{}
	for pages := 0; len(all) < maxListed; pages++ {
		if pages == maxPages {
			return nil, fmt.Errorf("its list has more than %d pages", maxPages)
		}
		ctx, cancel := context.WithTimeout(ctx, helloWithin)
		list, err := l.session.ListTools(ctx, params)
		cancel()
		if err != nil {
			return nil, err
		}
		all = append(all, list.Tools...)
		if list.NextCursor == "" || list.NextCursor == params.Cursor {
			return all, nil
		}
		params.Cursor = list.NextCursor
	}
	return nil, fmt.Errorf("it lists more than %d", maxListed)
}

// expire notes that the list has changed. It comes at any time, even before hands are
// shaken, and as often as the provider likes.
func (l *link) expire() {
	select {
	case l.outdated <- struct{}{}:
	default:
	}
}

// relist follows a change of the list.
func (l *link) relist() {
	tools, err := l.listTools(l.provider.host.life)
	if err != nil {
		return // the next session lists anew
	}
	l.provider.mu.Lock()
	current := l.provider.link == l
	if current {
		l.provider.said = tools
	}
	l.provider.mu.Unlock()
	if current {
		l.provider.host.settle()
	}
}

// watch follows changes of the list, and lets go of the session when its port has closed.
// The tools stay: Chrome stops workers that have nothing to do, and the next call starts
// them.
func (l *link) watch() {
	for !l.closed() {
		select {
		case <-l.outdated:
			l.relist()
			l.rest(relistEvery)
		case <-l.port.Done():
		}
	}
	_ = l.session.Close()
	p := l.provider
	p.mu.Lock()
	if p.link == l {
		p.link = nil
	}
	p.mu.Unlock()
	p.host.report()
}

// rest waits, but not for a port that is closed.
func (l *link) rest(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.port.Done():
	}
}

// Call calls a tool. A call that only reads is made once more if the port closed under
// it; one that acts is not, unless it certainly did not go out.
func (h *Host) Call(ctx context.Context, t *Tool, args any, progress Progress) (*mcp.CallToolResult, error) {
	for again := false; ; again = true {
		l, err := t.provider.use(ctx)
		if err != nil {
			return nil, err
		}
		res, err := l.call(ctx, t, args, progress)
		if err == nil {
			return res, nil
		}
		sent, closed := wasSent(err), l.closed()
		if ctx.Err() == nil && closed && !again && (t.Reads || !sent) {
			continue
		}
		return nil, l.failure(ctx, t, err, sent)
	}
}

func (l *link) call(ctx context.Context, t *Tool, args any, progress Progress) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: t.Said.Name, Arguments: args}
	if progress != nil {
		token, end := l.news.follow(progress)
		defer end()
		params.SetProgressToken(token)
	}
	return l.session.CallTool(ctx, params)
}

// wasSent says whether a request may have reached the provider. The port knows when it
// certainly did not.
func wasSent(err error) bool {
	var e *browser.Error
	return !errors.As(err, &e) || e.Unknown
}
