package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

// call sends one command to a browser and decodes the answer into result. A command
// whose answer was lost is sent once more if it only reads; one that acts is reported
// as outcome unknown.
func (b *Bridge) call(ctx context.Context, p *peer, method wire.Method, tab int, params, result any) error {
	ctx, cancel := withDeadline(ctx, method)
	defer cancel()
	cmd, err := command(ctx, method, tab, params)
	if err != nil {
		return err
	}
	cmd.Session = cmp.Or(cmd.Session, b.config.SessionID)
	if err := b.reach(cmd.Session, p, method); err != nil {
		return err
	}
	acts := wire.Acts(method, params)
	for resent := false; ; {
		c, err := b.await(ctx, p)
		if err != nil {
			return err
		}
		r, maybe, err := c.exchange(ctx, cmd)
		switch {
		case err != nil:
			return unanswered(err, cmd, p, acts && maybe)
		case r.err != nil:
			return r.err
		case !r.lost:
			return decode(r.data, result, cmd)
		case acts && maybe:
			return lost(c, cmd)
		case maybe && resent:
			return disconnected(c)
		}
		resent = resent || maybe
	}
}

// withDeadline gives a call its method's deadline unless the caller set one.
func withDeadline(ctx context.Context, method wire.Method) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, cmp.Or(wire.Specs[method].Time, wire.CommandTime))
}

func command(ctx context.Context, method wire.Method, tab int, params any) (wire.Command, error) {
	who := browser.CallerFrom(ctx)
	cmd := wire.Command{Header: header(wire.TypeCommand), Method: method, TabID: tab, Tool: who.Tool, Call: who.Call, Session: who.Session}
	if params == nil {
		return cmd, nil
	}
	raw, err := wire.Encode(params)
	if err != nil {
		return cmd, browser.Errorf(browser.BadArgs, "arguments of %s cannot be sent: %v; change them", method, err)
	}
	cmd.Params = raw
	return cmd, nil
}

// exchange sends the command and waits for its answer. maybe says whether the browser
// may have got it. An error is the context's or the queue's.
func (c *conn) exchange(ctx context.Context, cmd wire.Command) (r reply, maybe bool, err error) {
	if err := ctx.Err(); err != nil {
		return reply{}, false, err
	}
	deadline, _ := ctx.Deadline()
	cmd.ID = ulid.Make().String()
	cmd.TimeoutMS = max(1, int(time.Until(deadline).Milliseconds()))
	frame, err := wire.Encode(cmd)
	if err != nil {
		return reply{}, false, browser.Errorf(browser.BadArgs, "%s cannot be sent: %v; change its arguments", cmd.Method, err)
	}
	k, refused := c.send(cmd.ID, frame)
	if refused != nil {
		return reply{}, false, refused
	}
	select {
	case r = <-k.reply:
		return r, !k.fate.CompareAndSwap(waiting, dropped), nil
	case <-ctx.Done():
		return reply{}, c.forget(cmd.ID, k), ctx.Err()
	}
}

// await returns the browser's socket. One that was lost a moment ago is waited for:
// the extension dials again by itself.
func (b *Bridge) await(ctx context.Context, p *peer) (*conn, error) {
	if c := p.conn.Load(); c != nil {
		return c, nil
	}
	late := time.NewTimer(b.config.Wait)
	defer late.Stop()
	for {
		b.mu.Lock()
		arrived, over, stopped, closed := b.arrived, p.over, b.stopped, b.closed
		b.mu.Unlock()
		switch c := p.conn.Load(); {
		case c != nil:
			return c, nil
		case closed:
			return nil, browser.Errorf(browser.ExtensionDisconnected, "this server is shutting down; its client has to start it again")
		case over:
			return nil, browser.Errorf(browser.StaleTab, "%s was closed and started anew; call tabs_list for the tabs it has now", p.name())
		case stopped:
			return nil, browser.Errorf(browser.ExtensionDisconnected, "%s", stoppedText)
		}
		select {
		case <-arrived:
		case <-late.C:
			return nil, browser.Errorf(browser.ExtensionDisconnected, "%s is not connected any more; if Chrome is running, ask the user to open the chrome-mcp extension's popup, else to start Chrome; it connects by itself, then call again", p.name())
		case <-ctx.Done():
			return nil, browser.Errorf(browser.ExtensionDisconnected, "%s is not connected and did not come back in time; call chrome_status for the next step", p.name())
		}
	}
}

// unanswered is the error of a call that ended before its answer.
func unanswered(err error, cmd wire.Command, p *peer, unknown bool) error {
	var e *browser.Error
	if errors.As(err, &e) {
		return e
	}
	what := fmt.Sprintf("%s did not answer %s in time", p.name(), naming(cmd))
	if errors.Is(err, context.Canceled) {
		what = fmt.Sprintf("%s was cancelled", naming(cmd))
	}
	if unknown {
		return &browser.Error{Code: browser.Timeout, Unknown: true, Message: what + "; outcome unknown: it may have happened, so look at the page (snapshot) before you try again"}
	}
	return browser.Errorf(browser.Timeout, "%s; try again, and if it stays so see chrome_status", what)
}

// lost is the error of an action whose answer went down with the socket.
func lost(c *conn, cmd wire.Command) error {
	return &browser.Error{
		Code: browser.ExtensionDisconnected, Unknown: true,
		Message: fmt.Sprintf("%s while %s was on its way; outcome unknown: it may have happened, so look at the page (snapshot) before you try again", c.reason(), naming(cmd)),
	}
}

func disconnected(c *conn) error {
	return browser.Errorf(browser.ExtensionDisconnected, "%s twice before it answered; try again, and if it stays so see chrome_status", c.reason())
}

// reason is why the socket ended, as the beginning of a sentence.
func (c *conn) reason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%s disconnected (%s)", c.peer.name(), c.why)
}

// naming says what a command is, for messages: the tool, which the reader knows.
func naming(cmd wire.Command) string {
	return cmp.Or(cmd.Tool, string(cmd.Method))
}

func decode(data json.RawMessage, result any, cmd wire.Command) error {
	if result == nil {
		return nil
	}
	if raw, ok := result.(*json.RawMessage); ok {
		*raw = data
		return nil
	}
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	if err := wire.Unmarshal(data, result); err != nil {
		return browser.Errorf(browser.CDPError, "the extension answered %s with something else than expected; reload it at chrome://extensions", cmd.Method)
	}
	return nil
}
