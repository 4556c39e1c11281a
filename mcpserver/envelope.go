package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// badMessage is a message that is answered by the transport itself.
type badMessage struct {
	id   json.RawMessage // as the client wrote it, or nil
	code int64
	text string
}

func (b *badMessage) Error() string { return b.text }

// envelope is a JSON-RPC message before it is known what it is.
type envelope struct{ Version, ID, Method, Params, Result, Error json.RawMessage }

// UnmarshalJSON takes the members by their exact names: for a struct "ID" would be an
// id, too, and a notification become a call.
func (e *envelope) UnmarshalJSON(raw []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	*e = envelope{m["jsonrpc"], m["id"], m["method"], m["params"], m["result"], m["error"]}
	return nil
}

// parseLine returns the messages of a line and whether they came as a batch. Members
// of a batch that are no messages come as *badMessage in their place.
func parseLine(line []byte) (msgs []any, batch bool, err error) {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if line[0] != '[' {
		m, err := parseMessage(line)
		return []any{m}, false, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(line, &list); err != nil {
		return nil, true, parseError(err)
	}
	if len(list) == 0 {
		return nil, true, &badMessage{code: jsonrpc.CodeInvalidRequest, text: "invalid request: an empty batch"}
	}
	for _, raw := range list {
		m, err := parseMessage(raw)
		if err != nil {
			m = err
		}
		msgs = append(msgs, m)
	}
	return msgs, true, nil
}

func parseError(err error) *badMessage {
	return &badMessage{code: jsonrpc.CodeParseError, text: "parse error: a line must be one JSON-RPC message: " + err.Error()}
}

// parseMessage returns a *jsonrpc.Request, a *jsonrpc.Response, or nil for a response
// that answers nothing. Its errors are *badMessage.
func parseMessage(raw []byte) (any, error) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		if json.Valid(raw) {
			return nil, &badMessage{code: jsonrpc.CodeInvalidRequest, text: "invalid request: a message is a JSON object"}
		}
		return nil, parseError(err)
	}
	bad := func(format string, a ...any) (any, error) {
		b := &badMessage{code: jsonrpc.CodeInvalidRequest, text: "invalid request: " + fmt.Sprintf(format, a...)}
		if _, err := parseID(e.ID); err == nil {
			b.id = e.ID
		}
		return nil, b
	}
	answers := e.Method == nil && (e.Result != nil || e.Error != nil)
	id, err := parseID(e.ID)
	switch {
	case answers && (err != nil || !id.IsValid()):
		return nil, nil // an error about an error would go on for ever
	case err != nil:
		return bad("%v", err)
	case string(e.Version) != `"2.0"`:
		return bad(`"jsonrpc" must be "2.0"`)
	case answers:
		return parseResponse(id, e)
	case e.Method == nil:
		return bad(`"method" is missing`)
	}
	req := &jsonrpc.Request{ID: id, Params: e.Params}
	if err := json.Unmarshal(e.Method, &req.Method); err != nil {
		return bad(`"method" must be a string`)
	}
	if p := bytes.TrimSpace(e.Params); len(p) > 0 && p[0] != '{' && string(p) != "null" {
		if e.ID == nil {
			return nil, nil // nobody waits, and strict clients hang up on an answer to a notification
		}
		return bad(`"params" must be an object`)
	}
	return req, nil
}

func parseResponse(id jsonrpc.ID, e envelope) (any, error) {
	resp := &jsonrpc.Response{ID: id, Result: e.Result}
	if e.Error != nil {
		var wire jsonrpc.Error
		if err := json.Unmarshal(e.Error, &wire); err != nil {
			return nil, nil
		}
		resp.Error, resp.Result = &wire, nil
	}
	return resp, nil
}

// parseID accepts what can be echoed exactly: a string, or an integer. No id at all is
// the zero ID.
func parseID(raw json.RawMessage) (jsonrpc.ID, error) {
	if raw == nil {
		return jsonrpc.ID{}, nil
	}
	bad := fmt.Errorf(`"id" must be a string or an integer`)
	var s string
	if json.Unmarshal(raw, &s) == nil && raw[0] == '"' {
		if strings.HasPrefix(s, longID) {
			return jsonrpc.ID{}, bad
		}
		return jsonrpc.MakeID(s)
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil || n == "" {
		return jsonrpc.ID{}, bad
	}
	if v, err := n.Float64(); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return jsonrpc.MakeID(v)
	}
	if digits := strings.TrimPrefix(n.String(), "-"); len(digits) <= maxScannedID && strings.Trim(digits, "0123456789") == "" {
		return jsonrpc.MakeID(longID + n.String())
	}
	return jsonrpc.ID{}, bad
}

// longID begins the string that stands for an integer which the SDK cannot hold: it
// keeps ids as float64 in between, and the neighbour's number would be answered.
const longID = "\x00integer "

// idJSON is the id as the client wrote it.
func idJSON(id jsonrpc.ID) json.RawMessage {
	if s, ok := id.Raw().(string); ok && strings.HasPrefix(s, longID) {
		return json.RawMessage(s[len(longID):])
	}
	raw, _ := json.Marshal(id.Raw())
	return raw
}
