package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const maxErrorText = 2000 // the SDK quotes whole arguments in some of its errors

func encode(m jsonrpc.Message) ([]byte, error) {
	if r, ok := m.(*jsonrpc.Response); ok && r.ID.IsValid() {
		if r.Error == nil && len(r.Result) > 0 {
			return encodeResult(r), nil
		}
		var wire *jsonrpc.Error
		if errors.As(r.Error, &wire) {
			return encodeFailure(r.ID, wire)
		}
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return nil, err
	}
	return unescapeHTML(line), nil
}

// encodeResult puts a result, which the SDK has encoded, into its message as it is. The
// SDK would read all of it once more, which takes long for pictures and long texts.
func encodeResult(r *jsonrpc.Response) []byte {
	id := idJSON(r.ID)
	line := make([]byte, 0, len(id)+len(r.Result)+40)
	line = fmt.Appendf(line, `{"jsonrpc":"2.0","id":%s,"result":`, id)
	line = append(append(line, r.Result...), '}')
	return unescapeHTML(line)
}

func encodeFailure(id jsonrpc.ID, wire *jsonrpc.Error) ([]byte, error) {
	text, err := json.Marshal(wire)
	if err != nil {
		return nil, err
	}
	return unescapeHTML(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, idJSON(id), text)), nil
}

// encodeResponse always gives an answer: what cannot be sent as it is becomes an error.
func encodeResponse(r *jsonrpc.Response) []byte {
	if r.Error != nil {
		wire := wireError(r.Error)
		if !r.ID.IsValid() {
			return encodeError(&badMessage{code: wire.Code, text: wire.Message})
		}
		r = &jsonrpc.Response{ID: r.ID, Error: wire}
	}
	line, err := encode(r)
	if err == nil && len(line) < maxOut {
		return line
	}
	text := fmt.Sprintf("the answer is %d bytes long and at most %d are sent; ask for less", len(line), maxOut)
	if err != nil {
		text = err.Error()
	}
	line, _ = encode(&jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}})
	return line
}

// wireError gives every error a code, and a length that fits a log line.
func wireError(err error) *jsonrpc.Error {
	var wire jsonrpc.Error
	var coded *jsonrpc.Error
	switch {
	case errors.As(err, &coded):
		wire = *coded
	case errors.Is(err, context.Canceled):
		wire.Code = codeOverload
	}
	if wire.Code == 0 { // the SDK's own checks of the order of messages
		wire.Code = jsonrpc.CodeInvalidRequest
	}
	wire.Message = clip(err.Error(), maxErrorText)
	return &wire
}

// encodeError encodes an answer to what is no request. JSON-RPC wants "id": null
// where the id could not be read, which the SDK cannot say.
func encodeError(b *badMessage) []byte {
	id := b.id
	if id == nil {
		id = json.RawMessage("null")
	}
	text, _ := json.Marshal(clip(b.text, maxErrorText))
	return unescapeHTML(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, b.code, text))
}

// unescapeHTML writes <, > and & as themselves. The content types of the SDK escape
// them for HTML, which makes markup six times as long and logs hard to read.
func unescapeHTML(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u00`)) {
		return b
	}
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		if i+6 <= len(b) && b[i+1] == 'u' {
			if c := htmlEscapes[string(b[i+2:i+6])]; c != 0 {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, b[i], b[i+1])
		i++
	}
	return out
}

var htmlEscapes = map[string]byte{"003c": '<', "003e": '>', "0026": '&'}
