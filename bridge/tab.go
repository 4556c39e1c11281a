package bridge

import (
	"context"
	"encoding/json"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

var _ browser.Tab = (*Tab)(nil)

// Tab is a tab of a browser that dialled in. The extension attaches the debugger to it
// when a command needs that.
type Tab struct {
	b    *Bridge
	peer *peer
	n    int // Chrome's tab id
}

// ID is the tab's id.
func (t *Tab) ID() browser.TabID { return t.peer.tabID(t.n) }

func (t *Tab) call(ctx context.Context, method wire.Method, params, result any) error {
	return t.b.call(ctx, t.peer, method, t.n, params, result)
}

// Info is the tab's state as Chrome tells it.
func (t *Tab) Info(ctx context.Context) (browser.TabInfo, error) {
	var r wire.TabsResult
	if err := t.call(ctx, wire.TabsList, nil, &r); err != nil {
		return browser.TabInfo{}, err
	}
	for _, tab := range r.Tabs {
		if tab.ID == t.n {
			return t.b.info(t.peer, tab, len(t.b.conns()) > 1), nil
		}
	}
	return browser.TabInfo{}, browser.Errorf(browser.TabNotFound, "tab %s was closed; call tabs_list", t.ID())
}

// Frames lists the frame tree.
func (t *Tab) Frames(ctx context.Context) ([]browser.Frame, error) {
	var r wire.FramesResult
	err := t.call(ctx, wire.Frames, nil, &r)
	return r.Frames, err
}

// Call sends one CDP command.
func (t *Tab) Call(ctx context.Context, frame browser.FrameID, method string, params, result any) error {
	p, err := cdp(frame, method, params)
	if err != nil {
		return err
	}
	return t.call(ctx, wire.CDP, p, result)
}

func cdp(frame browser.FrameID, method string, params any) (wire.CDPParams, error) {
	p := wire.CDPParams{Frame: string(frame), Method: method}
	raw, err := encode(method, params)
	p.Params = raw
	return p, err
}

func encode(what string, v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return v, nil
	}
	raw, err := wire.Encode(v)
	if err != nil {
		return nil, browser.Errorf(browser.BadArgs, "arguments of %s cannot be sent: %v; change them", what, err)
	}
	return raw, nil
}

// Batch sends CDP commands in one frame.
func (t *Tab) Batch(ctx context.Context, calls []browser.Command) ([]json.RawMessage, error) {
	params := wire.BatchParams{Calls: make([]wire.BatchCall, len(calls))}
	for i, c := range calls {
		p, err := cdp(c.Frame, c.Method, c.Params)
		if err != nil {
			return nil, err
		}
		params.Calls[i] = wire.BatchCall{CDPParams: p, DelayMS: int(c.Delay.Milliseconds())}
	}
	var r wire.BatchResult
	if err := t.call(ctx, wire.CDPBatch, params, &r); err != nil {
		return nil, err
	}
	if r.Error != nil {
		return r.Results, r.Error
	}
	return r.Results, nil
}

// Run calls a page function. The Answer is valid beside an error of the function too.
func (t *Tab) Run(ctx context.Context, r browser.RunRequest, result any) (browser.Answer, error) {
	args, err := encode(r.Fn, r.Args)
	if err != nil {
		return browser.Answer{}, err
	}
	p := pageResult{Value: result}
	if result == nil {
		p.Value = new(json.RawMessage)
	}
	if err := t.call(ctx, wire.Page, wire.PageParams{Frame: string(r.Frame), Fn: r.Fn, Args: args, Nodes: r.Nodes}, &p); err != nil {
		return browser.Answer{}, err
	}
	answer := browser.Answer{URL: p.URL, Origin: p.Origin, Document: p.Document, Node: p.Node}
	switch {
	case p.Error != nil:
		return answer, p.Error
	case p.JSON != "":
		if err := wire.Unmarshal(wire.Mend([]byte(p.JSON)), p.Value); err != nil {
			return answer, browser.Errorf(browser.CDPError, "page function %s answered something else than expected (%v); reload the extension at chrome://extensions", r.Fn, err)
		}
	}
	return answer, nil
}

// pageResult is wire.PageResult with its value decoded into what Value points to, in the
// same pass: it may be all the text of a page.
type pageResult struct {
	wire.PageResult
	Value any `json:"value"`
}

// Capture takes a picture.
func (t *Tab) Capture(ctx context.Context, o browser.CaptureOptions) (browser.Image, error) {
	var r struct { // wire.CaptureResult, its base64 decoded at once
		Data []byte `json:"data"`
		MIME string `json:"mime"`
	}
	params := wire.CaptureParams{Format: o.Format, Quality: o.Quality, Clip: o.Clip, Scale: o.Scale, Beyond: o.Beyond}
	if err := t.call(ctx, wire.Capture, params, &r); err != nil {
		return browser.Image{}, err
	}
	if len(r.Data) == 0 {
		return browser.Image{}, browser.Errorf(browser.CDPError, "the picture is empty; try again")
	}
	return browser.Image{Data: r.Data, MIME: r.MIME}, nil
}

// Subscribe delivers the tab's events in the order in which the browser told them, and
// those that happened before a command was answered before that answer: fn runs on the
// goroutine that reads the socket, so it must not block nor call the tab.
func (t *Tab) Subscribe(fn func(browser.Event)) (cancel func()) {
	return t.b.events.add(tabKey{t.peer, t.n}, fn)
}
