package extproto

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBad is how many messages that are no JSON-RPC may follow each other before the
// other end is taken for broken.
const maxBad = 16

// Transport speaks MCP over a port, as the client or as the server of one session. Each
// message is one JSON-RPC object, as it is; what the public transports send to keep a
// worker alive is passed over.
type Transport struct {
	Port Port
	// Broken is told when the port is closed because the other end speaks no MCP; nil
	// tells nobody.
	Broken func(reason string)
}

// Connect implements mcp.Transport.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	return &connection{port: t.Port, broken: t.Broken}, nil
}

type connection struct {
	port   Port
	broken func(reason string)
	bad    int // messages in a row that were none; only Read touches it
}

// SessionID implements mcp.Connection.
func (c *connection) SessionID() string { return "" }

// Read implements mcp.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		raw, err := c.port.Recv(ctx)
		if err != nil {
			if errors.As(err, new(*ClosedError)) {
				return nil, io.EOF
			}
			return nil, err
		}
		m, err := decode(raw)
		switch {
		case err == nil && m == nil:
			continue
		case err == nil:
			c.bad = 0
			return m, nil
		}
		if c.bad++; c.bad > maxBad {
			why := fmt.Sprintf("%d messages in a row were no JSON-RPC", c.bad)
			if c.broken != nil {
				c.broken(why)
			}
			c.port.Close(why)
			return nil, io.EOF
		}
		c.refuse(ctx, raw, err)
	}
}

// Write implements mcp.Connection.
func (c *connection) Write(ctx context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if len(raw) > MaxMessage {
		raw, err = tooLarge(m, len(raw))
		if err != nil {
			return err
		}
	}
	return c.port.Send(ctx, raw)
}

// Close implements mcp.Connection.
func (c *connection) Close() error {
	c.port.Close("the session ended")
	return nil
}

// decode reads a message; nil without an error is one to pass over. Some transports send
// JSON as text.
func decode(raw json.RawMessage) (jsonrpc.Message, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, errors.New("text that cannot be read")
		}
		raw = bytes.TrimSpace([]byte(text))
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, errors.New("a message has to be one JSON object")
	}
	var kind struct {
		Version string `json:"jsonrpc"`
		Type    string `json:"type"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, errors.New("no JSON-RPC message")
	}
	if kind.Version == "" && keepAlive[kind.Type] {
		return nil, nil
	}
	return jsonrpc.DecodeMessage(raw)
}

// keepAlive are the types of messages whose only purpose is to arrive.
var keepAlive = map[string]bool{"keep-alive": true, "keepalive": true, "ping": true, "pong": true}

// refuse answers what is no message of the protocol, so that nobody waits for it.
func (c *connection) refuse(ctx context.Context, raw json.RawMessage, why error) {
	var call struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(raw, &call)
	id := call.ID
	if len(id) == 0 || id[0] == '{' || id[0] == '[' {
		id = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": "invalid request: " + clip(why.Error())},
	})
	if err == nil {
		_ = c.port.Send(ctx, answer) // a port that is closed needs no answer
	}
}

// tooLarge answers a request whose true answer cannot be sent. What is no answer fails.
func tooLarge(m jsonrpc.Message, size int) (json.RawMessage, error) {
	text := fmt.Sprintf("%.1f MB are more than the %d MB that go through a port; ask for less", float64(size)/(1<<20), MaxMessage>>20)
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return nil, errors.New(text)
	}
	return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}})
}
