package cdpfallback

import (
	"context"
	"encoding/json"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// envelope is what the page bundle answers.
type envelope struct {
	Missing  bool            `json:"missing"` // the bundle is not in this world yet
	Hosts    int             `json:"hosts"`   // elements that may hold closed shadow roots; nothing was done yet
	URL      string          `json:"url"`
	Origin   string          `json:"origin"`
	Document string          `json:"document"`
	Value    json.RawMessage `json:"value"`
	JSON     string          `json:"json"` // the value, if it has many parts
	Error    *browser.Error  `json:"error"`
	Element  int             `json:"element"` // ticket of the element that the value points at
	node     int64           // its backend node id
}

const (
	callBundle = `function(n,a,...x){const b=globalThis.__chromeMcp;return b?b.run(n,a,x):{missing:true}}`
	candidates = `function(){return globalThis.__chromeMcp.candidates()}`
	pointed    = `function(n){return globalThis.__chromeMcp.element(n)}`
	adopt      = `function(h,r){globalThis.__chromeMcp.adopt(h,r)}`
)

// maxRoots is how many closed shadow roots may lie in one another.
const maxRoots = 30

// world is the isolated world of one document, for the length of one Run.
type world struct {
	c       *conn
	session string
	context int
}

// remote is a reference to an object in the page.
type remote struct {
	ObjectID string          `json:"objectId,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
}

// Run calls a named page function in the isolated world of a frame.
func (t *Tab) Run(ctx context.Context, r browser.RunRequest, result any) (browser.Answer, error) {
	s, err := t.host(ctx, r.Frame, "")
	if err != nil {
		return browser.Answer{}, err
	}
	if pagefn.Acts(r.Fn) || r.Fn == "waitFor" {
		defer s.drawing.use()()
	}
	if r.Frame == "" {
		r.Frame = browser.FrameID(t.target)
	}
	w, err := enter(ctx, t.b.conn, s.id, r.Frame, t.b.cfg.World)
	if err != nil {
		return browser.Answer{}, err
	}
	e, err := w.run(ctx, r, t.b.cfg.Bundle)
	if err != nil {
		return browser.Answer{}, err
	}
	answer := browser.Answer{URL: t.standsFor(e.URL), Origin: e.Origin, Document: e.Document, Node: e.node}
	if e.Error != nil {
		return answer, e.Error
	}
	if e.JSON != "" {
		e.Value = json.RawMessage(e.JSON)
	}
	if result == nil || e.Value == nil {
		return answer, nil
	}
	if err := json.Unmarshal(e.Value, result); err != nil {
		return answer, browser.Errorf(browser.CDPError, "page function %s answered something unexpected: %v; reload the page and try again", r.Fn, err)
	}
	return answer, nil
}

// enter returns the isolated world of the frame's document. Chrome makes it if it is
// not there and else returns the one that is.
func enter(ctx context.Context, c *conn, session string, frame browser.FrameID, name string) (*world, error) {
	var made struct {
		Context int `json:"executionContextId"`
	}
	params := map[string]any{"frameId": frame, "worldName": name}
	if err := c.call(ctx, session, "Page.createIsolatedWorld", params, &made); err != nil {
		return nil, err
	}
	return &world{c: c, session: session, context: made.Context}, nil
}

func (w *world) run(ctx context.Context, r browser.RunRequest, bundle string) (envelope, error) {
	args, err := json.Marshal(r.Args)
	if err != nil {
		return envelope{}, browser.Errorf(browser.BadArgs, "arguments of %s: %v; change them", r.Fn, err)
	}
	name, _ := json.Marshal(r.Fn)
	arguments := []remote{{Value: name}, {Value: args}}
	for _, node := range r.Nodes {
		o, err := w.resolve(ctx, node)
		if err != nil {
			return envelope{}, err
		}
		arguments = append(arguments, o)
	}
	e, err := w.once(ctx, arguments)
	if err == nil && e.Missing {
		if err = w.load(ctx, bundle); err == nil {
			e, err = w.once(ctx, arguments)
		}
	}
	// Closed roots can hold elements with closed roots; deeper than this is no page.
	for depth := 0; err == nil && e.Hosts > 0; depth++ {
		if depth == maxRoots {
			return e, browser.Errorf(browser.CDPError, "%s met closed shadow roots again and again; reload the page and try again", r.Fn)
		}
		if err = w.openRoots(ctx); err == nil {
			e, err = w.once(ctx, arguments)
		}
	}
	if err == nil && e.Element != 0 {
		e.node, err = w.pointed(ctx, e.Element)
	}
	return e, err
}

// pointed is the backend node id of the element that a value points at.
func (w *world) pointed(ctx context.Context, ticket int) (int64, error) {
	n, _ := json.Marshal(ticket)
	el, err := w.function(ctx, pointed, false, remote{Value: n})
	if err != nil {
		return 0, err
	}
	var described struct {
		Node struct {
			ID int64 `json:"backendNodeId"`
		} `json:"node"`
	}
	err = w.c.call(ctx, w.session, "DOM.describeNode", map[string]any{"objectId": el.ObjectID}, &described)
	return described.Node.ID, err
}

// once calls the bundle.
func (w *world) once(ctx context.Context, arguments []remote) (envelope, error) {
	o, err := w.function(ctx, callBundle, true, arguments...)
	if err != nil {
		return envelope{}, err
	}
	var e envelope
	if err := json.Unmarshal(o.Value, &e); err != nil {
		return envelope{}, browser.Errorf(browser.CDPError, "the page bundle answered something unexpected: %v; reload the page and try again", err)
	}
	return e, nil
}

// load runs the bundle in a world that was made before its document got it.
func (w *world) load(ctx context.Context, bundle string) error {
	return w.c.call(ctx, w.session, "Runtime.evaluate", map[string]any{
		"expression": bundle, "contextId": w.context, "returnByValue": false,
	}, nil)
}

// openRoots hands closed shadow roots to the bundle. No script may ask for them; the
// protocol may, and a node that it resolves into our world is an argument like any other.
func (w *world) openRoots(ctx context.Context) error {
	list, err := w.function(ctx, candidates, false)
	if err != nil {
		return err
	}
	var own struct {
		Result []struct {
			Value remote `json:"value"`
		} `json:"result"`
	}
	params := map[string]any{"objectId": list.ObjectID, "ownProperties": true}
	if err := w.c.call(ctx, w.session, "Runtime.getProperties", params, &own); err != nil {
		return err
	}
	for _, p := range own.Result {
		if p.Value.ObjectID == "" {
			continue
		}
		if err := w.openRoot(ctx, p.Value); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) openRoot(ctx context.Context, host remote) error {
	var described struct {
		Node struct {
			ShadowRoots []struct {
				Type string `json:"shadowRootType"`
				Node int64  `json:"backendNodeId"`
			} `json:"shadowRoots"`
		} `json:"node"`
	}
	params := map[string]any{"objectId": host.ObjectID, "depth": 1, "pierce": true}
	if err := w.c.call(ctx, w.session, "DOM.describeNode", params, &described); err != nil {
		return err
	}
	for _, root := range described.Node.ShadowRoots {
		if root.Type != "closed" {
			continue
		}
		o, err := w.resolve(ctx, root.Node)
		if err != nil {
			return err
		}
		if _, err := w.function(ctx, adopt, true, host, o); err != nil {
			return err
		}
	}
	return nil
}

// resolve makes a node an object of this world.
func (w *world) resolve(ctx context.Context, node int64) (remote, error) {
	var answer struct {
		Object remote `json:"object"`
	}
	params := map[string]any{"backendNodeId": node, "executionContextId": w.context}
	if err := w.c.call(ctx, w.session, "DOM.resolveNode", params, &answer); err != nil {
		return remote{}, err
	}
	return remote{ObjectID: answer.Object.ObjectID}, nil
}

// function calls a function of ours in this world.
func (w *world) function(ctx context.Context, source string, byValue bool, arguments ...remote) (remote, error) {
	var answer struct {
		Result    remote `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if arguments == nil {
		arguments = []remote{}
	}
	params := map[string]any{
		"functionDeclaration": source,
		"executionContextId":  w.context,
		"arguments":           arguments,
		"awaitPromise":        true,
		"returnByValue":       byValue,
	}
	if err := w.c.call(ctx, w.session, "Runtime.callFunctionOn", params, &answer); err != nil {
		return remote{}, err
	}
	if x := answer.Exception; x != nil {
		return remote{}, browser.Errorf(browser.CDPError, "the page bundle failed: %s %s; reload the page and try again", x.Text, x.Exception.Description)
	}
	return answer.Result, nil
}
