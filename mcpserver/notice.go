package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// noticeField is the notice in structured content, which some clients show the model in
// place of the text.
const noticeField = "browserNote"

// notice adds to a result what the session has to know of its browser: that it is another
// one than before. It stands behind the result's own text. A failed call leaves it for
// the next.
func (s *session) notice(res *mcp.CallToolResult, row *tool) {
	if s.srv.cfg.Notice == nil || res.IsError {
		return
	}
	text := s.srv.cfg.Notice(s.id)
	if text == "" {
		return
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: text})
	if data, ok := res.StructuredContent.(json.RawMessage); ok && !row.exact {
		res.StructuredContent = withField(data, noticeField, text)
	}
}

// withField adds a field to a JSON object.
func withField(object json.RawMessage, name, value string) json.RawMessage {
	n := len(object)
	if n < 2 || object[n-1] != '}' {
		return object
	}
	field, _ := json.Marshal(map[string]string{name: value})
	if string(object) == "{}" {
		return escapeJSON(field)
	}
	joined := append(object[:n-1:n-1], ',')
	return append(joined, escapeJSON(field)[1:]...)
}
