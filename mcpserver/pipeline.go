package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/provider"
)

const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodListTools   = "tools/list"
	methodCallTool    = "tools/call"
	methodListen      = "subscriptions/listen"

	stateless = "2026-07-28" // the first revision without a handshake

	maxRunning  = 256               // calls at once in one session
	callTimeout = 150 * time.Second // behind all deadlines of the tools themselves
)

// receive is around everything the client sends: it notices when hands are shaken,
// answers calls of tools that are not listed, and turns a panic into an answer.
func (s *session) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.srv.log.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; the server goes on"}
			}
		}()
		if s.caller != nil && strings.HasPrefix(method, "resources/") {
			if err := s.caller.admitted(); err != nil {
				return nil, &jsonrpc.Error{Code: codeRefused, Message: asError(err).Message}
			}
		}
		switch r := req.(type) {
		case *mcp.InitializedRequest:
			res, err = next(ctx, method, req)
			if err == nil {
				s.shakenHands(clientName(r.ClientInfo()))
			}
			return res, err
		case *mcp.ListResourcesRequest:
			res, err = next(ctx, method, req)
			if list, ok := res.(*mcp.ListResourcesResult); ok && err == nil {
				s.listFiles(list)
			}
			return res, err
		case *mcp.ListToolsRequest:
			if r.ProtocolVersion() >= stateless {
				s.shakenHands(clientName(r.ClientInfo()))
			}
		case *mcp.CallToolRequest:
			s.shakenHands(clientName(r.ClientInfo()))
			if refused := s.notOffered(r.Params.Name); refused != nil {
				return s.refuse(ctx, refused, r.Params.Arguments)
			}
			if t := s.row(r.Params.Name); t != nil && t.remote != nil {
				return s.callTool(ctx, r) // the SDK may not have it yet, or not any more
			}
			res, err = next(ctx, method, req)
			return quick(res), err
		}
		return next(ctx, method, req)
	}
}

func clientName(i *mcp.Implementation) string {
	if i == nil {
		return ""
	}
	if i.Title != "" {
		return clip(escapeText(i.Title), 60)
	}
	return clip(escapeText(i.Name), 60)
}

// refusedCall is the answer to a call of a tool that is not offered.
type refusedCall struct {
	err error
	row *tool // nil: there is no such tool
}

func (s *session) notOffered(name string) *refusedCall {
	t := s.row(name)
	if t == nil && s.srv.cfg.Extend != nil {
		return nil // the SDK knows
	}
	if t == nil {
		return &refusedCall{err: fmt.Errorf("unknown tool %q%s", clip(name, 80), s.suggest(name))}
	}
	err := s.srv.refusal(t)
	if s.caller != nil && (err == nil || isOwnOnly(name)) {
		err = s.caller.judge(t)
	}
	if err != nil {
		return &refusedCall{row: t, err: err}
	}
	return nil
}

func (s *session) refuse(ctx context.Context, r *refusedCall, args json.RawMessage) (mcp.Result, error) {
	if r.row == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: r.err.Error()}
	}
	res := errorResult(r.err)
	c := &call{row: r.row, raw: args, began: time.Now()}
	s.missed(ctx, c, r.err)
	s.audit(c, nil, r.err, res)
	return res, nil
}

// call is one call of a tool on its way through the pipeline.
type call struct {
	row   *tool
	raw   json.RawMessage
	args  any
	turn  uint64
	tab   browser.TabID
	began time.Time

	progress func(done, total int64) // nil for an op of a batch
	relay    provider.Progress       // hands on the progress of another extension; nil if nobody asked
	failed   bool                    // the tool says so itself
	links    bool                    // the client knows links in answers
	redacted int                     // secrets that were masked
	ready    *mcp.CallToolResult     // the answer of a tool that builds its own
}

// callTool is the pipeline: known and enabled (see receive) → arguments → session and
// tab → queue of the tab → gate → handler → result built and capped → audit.
//
// The gate comes behind the queue, because what the tab shows may change while a call
// waits; package page judges the answering document once more.
func (s *session) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := &call{row: s.row(req.Params.Name), raw: req.Params.Arguments, began: time.Now()}
	if req.Extra != nil {
		c.turn, _ = strconv.ParseUint(req.Extra.Header.Get(turnHeader), 10, 64)
	}
	defer s.passTurn(c.turn)
	tell := newTeller(ctx, req)
	c.progress = tell.progress
	c.relay = relay(ctx, req)
	c.links = req.ProtocolVersion() >= linksSince
	said := s.perform(ctx, c)
	tell.stop()
	res := said.build()
	s.notice(res, c.row)
	s.audit(c, said.result, said.err, res)
	return res, nil
}

// perform does a call that is known and enabled.
func (s *session) perform(ctx context.Context, c *call) outcome {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	r, err := s.run(ctx, c)
	if err != nil {
		err = explain(ctx, c.row, err)
		s.missed(ctx, c, err)
	} else if r != nil && r.Refusal != nil {
		s.missed(ctx, c, r.Refusal)
	}
	r, c.redacted, err = s.srv.scrub(c.row, r, err)
	r = s.keepWhole(c, r)
	return outcome{result: r, err: err, row: c.row, limit: c.limit(), ready: c.ready, failed: c.failed, links: s.links(c, r)}
}

// bound merges what can end a call: the client, the server's end, and the clock. Ops of
// a batch have the batch's clock, so that when it runs out there is no doubt whose did.
func (s *session) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := func() {}
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > callTimeout {
		ctx, timeout = context.WithTimeoutCause(ctx, callTimeout,
			browser.Errorf(browser.Timeout, "no answer within %v; look at the page, then do less in one call", callTimeout))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.life, func() { cancel(context.Cause(s.life)) })
	return ctx, func() { stop(); cancel(nil); timeout() }
}

// run does the call and survives a panic in it.
func (s *session) run(ctx context.Context, c *call) (r *page.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.srv.log.Error("panic in a tool", "tool", c.row.name, "panic", p, "stack", string(debug.Stack()))
			r, err = nil, browser.Errorf(browser.CDPError, "%s failed inside chrome-mcp, which is a bug of ours; the server goes on, the page may have been changed", c.row.name)
		}
	}()
	if n := s.running.Add(1); n > maxRunning && (c.row.order != never || c.row.onCall != nil) {
		s.running.Add(-1)
		return nil, browser.Errorf(browser.Backpressure, "%d calls are running; wait for some of them", maxRunning)
	}
	defer s.running.Add(-1)
	if c.args, err = c.row.decode(c.raw); err != nil {
		return nil, prefix(c.row.name, err)
	}
	c.tab = c.row.tabOf(c.args)
	who := browser.Caller{Session: s.id, Tool: c.row.name, Title: s.title(), Call: browser.CallerFrom(ctx).Call}
	if who.Call == "" { // an op of a batch is a part of that call
		who.Call = strconv.FormatInt(s.calls.Add(1), 10)
	}
	ctx = browser.WithCaller(ctx, who)
	if s.caller != nil {
		if err := s.caller.admit(ctx, s, c); err != nil {
			return nil, err
		}
	}
	if c.row.order == never {
		s.passTurn(c.turn)
	} else if err := s.waitTurn(ctx, c.turn); err != nil {
		return nil, err
	}
	if c.row.order == untilQueued {
		ctx = page.WithQueued(ctx, func() { s.passTurn(c.turn) })
	}
	if g := s.srv.cfg.Grants; g != nil && c.row.onServer == nil && s.start.wait(ctx) == nil {
		g.AwaitGrants(ctx)
	}
	switch {
	case c.row.onBatch != nil:
		c.ready, err = c.row.onBatch(s, ctx, c)
		return nil, err
	case c.row.onCall != nil:
		return c.row.onCall(ctx, s, c)
	case c.row.onServer != nil:
		return c.row.onServer(ctx, s, c.args)
	case c.row.onSession != nil:
		return c.row.onSession(ctx, s.pages(), c.args)
	}
	return s.runOnTab(ctx, c)
}

func (s *session) runOnTab(ctx context.Context, c *call) (*page.Result, error) {
	tab, err := s.pages().Resolve(ctx, c.tab, c.row.access)
	if err != nil {
		return nil, err
	}
	c.tab = tab.ID()
	unlock, err := tab.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	keep := placeTime
	if c.row.waits {
		keep = waitersTime
	}
	done, err := s.srv.pace.take(ctx, keep)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := tab.Judge(ctx, c.row.access); err != nil {
		return nil, err
	}
	return c.row.onTab(ctx, tab, c.args)
}

func (s *session) waitTurn(ctx context.Context, n uint64) error {
	if s.turns == nil {
		return nil
	}
	return s.turns.wait(ctx, n)
}

func (s *session) passTurn(n uint64) {
	if s.turns != nil {
		s.turns.pass(n)
	}
}

func (c *call) limit() int {
	if c.args == nil {
		return maxResultText
	}
	return c.row.textLimit(c.args)
}

// explain gives a bare context error its cause. A call that acts and was ended from
// outside may or may not have happened.
func explain(ctx context.Context, row *tool, err error) error {
	if browser.CodeOf(err) != "" || ctx.Err() == nil {
		return err
	}
	e := browser.Errorf(browser.ExtensionDisconnected, "%s was ended: %v; call again", row.name, context.Cause(ctx))
	if errors.As(context.Cause(ctx), new(*browser.Error)) {
		e = asError(context.Cause(ctx))
	}
	e.Unknown = row.access != policy.Read
	return e
}

// prefix names the tool in an error of its arguments.
func prefix(tool string, err error) error {
	e := *asError(err)
	e.Message = tool + ": " + e.Message
	return &e
}
