package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// evaluated is eval's structured content: a page's throw is an answer, not an error.
type evaluated struct {
	OK    bool            `json:"ok"`
	Value json.RawMessage `json:"value,omitempty"`
	Type  string          `json:"type,omitempty"`
	Error string          `json:"error,omitempty"`
	Note  string          `json:"note,omitempty"`
}

// Bounds of eval.
const (
	evalBudget = 20 * time.Second
	valueCap   = 256 << 10
)

type remoteObject struct {
	Type           string          `json:"type"`
	Subtype        string          `json:"subtype"`
	ClassName      string          `json:"className"`
	Value          json.RawMessage `json:"value"`
	Unserializable string          `json:"unserializableValue"`
	Description    string          `json:"description"`
	ObjectID       string          `json:"objectId"`
}

type evaluateResult struct {
	Result    remoteObject `json:"result"`
	Exception *struct {
		Text      string       `json:"text"`
		Line      int          `json:"lineNumber"`
		Script    string       `json:"scriptId"` // only of what was refused before it ran
		Exception remoteObject `json:"exception"`
	} `json:"exceptionDetails"`
}

// Eval is eval: an expression, or statements with await, in the page's own world.
func Eval(ctx context.Context, t *Tab, a EvalArgs) (*Result, error) {
	if err := t.Judge(ctx, policy.Eval); err != nil {
		return nil, err
	}
	from := t.state.now()
	v, err := t.evaluate(ctx, a)
	e := effects{}
	switch {
	case t.openedDialog(err, from):
		e = t.observe(ctx, from)
		return t.finish(ctx, "the expression has not returned yet", e, After{}, evaluated{Type: "undefined", Note: "a dialog is open"})
	case navigated(err):
		e = t.observe(ctx, from)
		return t.finish(ctx, "the expression led to another page; its value is lost", e, After{}, evaluated{OK: true, Type: "undefined", Note: "the page navigated"})
	case err != nil:
		return nil, err
	}
	// The expression may have gone elsewhere meanwhile.
	if err := t.Judge(ctx, policy.Eval); err != nil {
		return nil, err
	}
	f, err := t.frame(ctx, "")
	if err != nil {
		return nil, err
	}
	return v.result(f), nil
}

// evaluate runs the expression with a deadline, after which it is terminated. Objects
// come by reference first: by value a node, a map and a plain object look the same.
func (t *Tab) evaluate(ctx context.Context, a EvalArgs) (evaluated, error) {
	wait := a.AwaitPromise == nil || *a.AwaitPromise
	start := time.Now()
	budget, cancel := context.WithTimeout(ctx, evalBudget+time.Second)
	defer cancel()
	res, err := asMeant(a.Expression, func(text string) (res evaluateResult, err error) {
		return res, t.call(budget, "", "Runtime.evaluate", map[string]any{
			"expression": text, "awaitPromise": wait, "replMode": true, "userGesture": true, "timeout": evalBudget.Milliseconds(),
		}, &res)
	})
	if err == nil && res.Result.Type == "function" && functionAlone.MatchString(a.Expression) {
		function := res.Result.ObjectID
		res = evaluateResult{}
		err = t.call(budget, "", "Runtime.callFunctionOn", map[string]any{
			"objectId": function, "functionDeclaration": "function(){return this()}", "awaitPromise": wait, "userGesture": true}, &res)
	}
	if err == nil && res.Exception == nil && res.Result.Subtype == "promise" && wait {
		// The mode that takes statements and await does not wait for the last value.
		promise := res.Result.ObjectID
		res = evaluateResult{}
		err = t.call(budget, "", "Runtime.callFunctionOn", map[string]any{
			"objectId": promise, "functionDeclaration": "function(){return this}", "awaitPromise": true}, &res)
	}
	if browser.CodeOf(err) == browser.Timeout && ctx.Err() == nil || stopped(err, start) {
		_ = t.bt.Call(t.s.caller(ctx), "", "Runtime.terminateExecution", nil, nil)
		return evaluated{}, browser.Errorf(browser.Timeout, "the expression did not end within %d s and was stopped; a promise that never settles also counts", int(evalBudget/time.Second))
	}
	if err != nil || res.Exception != nil || res.Result.ObjectID == "" {
		return res.read(), err
	}
	if !res.Result.readable() {
		_ = t.call(ctx, "", "Runtime.releaseObject", map[string]any{"objectId": res.Result.ObjectID}, nil)
		return res.read(), nil
	}
	return t.valueOf(ctx, res)
}

// functionAlone matches an expression that is a function and nothing else, as other tools
// want it. It is called: nobody asks for a function.
var functionAlone = regexp.MustCompile(`^\s*\(?\s*(async\b\s*)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)`)

// asMeant runs what was written as what it is meant to be: braces around members are an
// object and no block, as in the console of Chrome; what returns is the body of a function;
// a function without a name is a value. What was refused has not run, and is tried in
// another way.
func asMeant(text string, run func(text string) (evaluateResult, error)) (evaluateResult, error) {
	inParentheses := "(" + strings.TrimRight(text, "; \t\r\n") + "\n)"
	if objectAlone.MatchString(text) {
		if res, err := run(inParentheses); err != nil || res.refused() == "" {
			return res, err
		}
	}
	res, err := run(text)
	if err != nil {
		return res, err
	}
	switch res.refused() {
	case "SyntaxError: Illegal return statement":
		return run("(async () => {" + text + "\n})()")
	case "SyntaxError: Function statements require a function name":
		if function, err := run(inParentheses); err != nil || function.refused() == "" {
			return function, err
		}
	}
	return res, nil
}

// objectAlone matches what may be an object and nothing else.
var objectAlone = regexp.MustCompile(`^\s*\{[\s\S]*\}[;\s]*$`)

// refused is why the text was refused before it ran, not by an eval of its own or by what
// the page threw; "" if it ran.
func (r evaluateResult) refused() string {
	if x := r.Exception; x != nil && x.Script != "" && strings.HasPrefix(x.Exception.Description, "SyntaxError: ") {
		return x.Exception.Description
	}
	return ""
}

// stopped says whether Chrome stopped an evaluation at its deadline. It has several
// words for that, one of them "Internal error".
func stopped(err error, start time.Time) bool {
	return browser.CodeOf(err) == browser.CDPError && time.Since(start) > evalBudget-time.Second
}

// read turns Chrome's answer into ours.
func (r evaluateResult) read() evaluated {
	if x := r.Exception; x != nil {
		text := x.Exception.Description
		if text == "" {
			text = strings.TrimSpace(x.Text + " " + string(x.Exception.Value))
		}
		return evaluated{Error: Cut(text, 4000)}
	}
	o := r.Result
	v := evaluated{OK: true, Type: o.kind(), Value: plainJSON(o.Value)}
	switch {
	case o.Unserializable != "":
		v.Value, _ = json.Marshal(strings.TrimSuffix(o.Unserializable, "n"))
		v.Note = o.Unserializable + " has no JSON form; it is given as text"
	case o.Type == "undefined":
		v.Value = nil
	case o.Value != nil:
	case o.Type == "function" || o.Type == "symbol":
		v.Note = "a " + o.Type + " cannot be sent; return what you need of it"
	case o.Subtype == "node":
		v.Note = "an element cannot be sent; return its text or attributes, or use snapshot and find for refs"
	case o.Subtype == "map" || o.Subtype == "set":
		v.Note = "a " + o.Subtype + " has no JSON form; return [...value] or Object.fromEntries(value)"
	default:
		v.Note = "it has no JSON form; return what you need of it"
	}
	if v.Value == nil && o.Description != "" {
		v.Value, _ = json.Marshal(Cut(o.Description, 500))
	}
	return v
}

// plainJSON writes the characters that Chrome escapes as themselves, but for controls.
// Half of a surrogate pair, which JavaScript strings may hold, becomes U+FFFD.
func plainJSON(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		r, size := escaped(raw[i:])
		if size == 0 || r < 0x20 {
			out = append(out, raw[i], raw[i+1])
			i++
			continue
		}
		if r == '"' || r == '\\' {
			out = append(out, '\\')
		}
		out = utf8.AppendRune(out, r)
		i += size - 1
	}
	return out
}

// escaped reads \uXXXX, or a pair of them, and says how long it is; 0 for other escapes.
func escaped(b []byte) (rune, int) {
	one := func(b []byte) (rune, bool) {
		if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		return rune(n), err == nil
	}
	first, ok := one(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	if second, ok := one(b[6:]); ok {
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 12
		}
	}
	return utf8.RuneError, 6
}

// readable says whether an object has a value to fetch.
func (o remoteObject) readable() bool {
	switch o.Subtype {
	case "", "array", "typedarray", "arraybuffer", "date", "map", "set", "regexp", "proxy":
		return o.Type == "object" && o.ClassName != "Window"
	}
	return false
}

// kind is the type that a reader wants to know.
func (o remoteObject) kind() string {
	switch {
	case o.Subtype != "":
		return o.Subtype
	case o.Type == "object" && o.ClassName != "" && o.ClassName != "Object":
		return o.ClassName
	}
	return o.Type
}

// result shows the value as text of the page, since that is what it is.
func (v evaluated) result(f browser.Frame) *Result {
	r := &Result{Origin: f.Origin, URL: f.URL, Data: v}
	if len(v.Value) > valueCap {
		r.Page = Cut(string(v.Value), valueCap)
		r.Text = fmt.Sprintf("truncated: %d of %d bytes of the value; return less", len(r.Page), len(v.Value))
		v.Value, v.Note = nil, r.Text
		r.Data = v
		return r
	}
	switch {
	case !v.OK:
		r.Page = v.Error
		r.Text = "the page threw"
	case v.Value == nil:
		r.Text = v.Type
	default:
		r.Page = string(v.Value)
	}
	if v.Note != "" {
		r.Text = join(r.Text, v.Note)
	}
	return r
}
