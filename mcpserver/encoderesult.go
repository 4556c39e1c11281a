package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolResult encodes itself in one pass. The SDK's own encoding copies every text four
// times, since each level of it is encoded for the level above: half of all that the
// server does for a batch that reads pages.
type toolResult struct{ *mcp.CallToolResult }

// quick is a result that is encoded quickly, if it is one of a tool.
func quick(res mcp.Result) mcp.Result {
	if r, ok := res.(*mcp.CallToolResult); ok && r != nil && len(r.Content) > 0 {
		return toolResult{r}
	}
	return res
}

// MarshalJSON lets the SDK encode all but the content, which it then puts in.
func (r toolResult) MarshalJSON() ([]byte, error) {
	place := newNonce() + newNonce() // nothing that a page says can be this
	shell := *r.CallToolResult
	shell.Content = []mcp.Content{&mcp.TextContent{Text: place}}
	raw, err := shell.MarshalJSON()
	if err != nil {
		return nil, err
	}
	before, after, found := bytes.Cut(raw, []byte(`{"type":"text","text":"`+place+`"}`))
	if !found {
		return r.CallToolResult.MarshalJSON()
	}
	out := make([]byte, 0, len(raw)+r.size())
	out = append(out, before...)
	for i, c := range r.Content {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendContent(out, c); err != nil {
			return nil, err
		}
	}
	return append(out, after...), nil
}

// size is about how long the content is.
func (r toolResult) size() int {
	n := 0
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			n += len(c.Text) + len(c.Text)/16 + 64
		case *mcp.ImageContent:
			n += base64Len(len(c.Data)) + 64
		}
	}
	return n
}

func appendContent(out []byte, c mcp.Content) ([]byte, error) {
	if t, ok := c.(*mcp.TextContent); ok && t.Meta == nil && t.Annotations == nil {
		out = append(out, `{"type":"text","text":`...)
		// The error is that the text is no Unicode, which has been mended by then.
		out, _ = jsontext.AppendQuote(out, t.Text)
		return append(out, '}'), nil
	}
	raw, err := json.Marshal(c)
	return append(out, raw...), err
}
