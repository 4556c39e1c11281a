package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
)

type sizeArgs struct {
	Expression string `json:"expression" required:"true"`
}

// The vectors of the case in-mcp-huge-line: every size is answered, and so is the
// request behind it.
func TestLargeArguments(t *testing.T) {
	size := onServer("size", "How long is it?", func(_ context.Context, _ *session, a sizeArgs) (*page.Result, error) {
		return &page.Result{Text: fmt.Sprint(len(a.Expression))}, nil
	}, long)
	for _, n := range []int{65535, 65536, 65537, 1<<20 + 1, 5242880, maxLongText - 2, maxLongText} {
		c := serve(t, newTestServer(t, testConfig(), size))
		c.initialize("2025-06-18")
		c.call(1, "size", `{"expression":"`+strings.Repeat("1", n)+`"}`)
		got, isError := text(c.next())
		if n <= maxLongText-2 && got != fmt.Sprint(n) || n > maxLongText-2 && (!isError || !strings.HasPrefix(got, "BAD_ARGS: ")) {
			t.Errorf("%d bytes: %.200s", n, got)
		}
		c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if m := c.next(); m["id"] != 2.0 {
			t.Errorf("behind %d bytes: %v", n, m)
		}
	}
}

func TestLargeLine(t *testing.T) {
	c := serve(t, newTestServer(t, testConfig()))
	c.initialize("2025-06-18")
	part := strings.Repeat("1", 1<<20)
	c.write(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"eval","arguments":{"expression":"`)
	for range maxIn >> 20 {
		c.write(part)
	}
	c.send(`"}},"id":7}`)
	m := c.next()
	if e, _ := m["error"].(map[string]any); m["id"] != 7.0 || e["code"] != -32600.0 {
		t.Errorf("got %v", m)
	}
	c.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if m := c.next(); m["id"] != 8.0 {
		t.Errorf("got %v", m)
	}
}

// However much a page has, an answer is one line of bounded length with a note.
func TestLargeResults(t *testing.T) {
	big := strings.Repeat("é<", 1_500_000)
	picture := browser.Image{Data: make([]byte, 2<<20), MIME: "image/png"}
	tests := []struct {
		result page.Result
		want   string
	}{
		{page.Result{Text: big}, "[cut: 50000 of 3000000 characters]"},
		{page.Result{Page: big, Origin: "https://example.com"}, "[cut: 50000 of 3000000 characters; to go on, "},
		{page.Result{Text: "x", Data: map[string]string{"value": big}}, "structured content left out"},
		{page.Result{Data: map[string]string{"value": big}}, "structured content left out"},
		{page.Result{Text: "x", Images: []browser.Image{picture, picture}}, "picture 2 left out"},
	}
	for i, tt := range tests {
		c := serve(t, newTestServer(t, testConfig(), row("big", says(tt.result))))
		c.initialize("2025-11-25")
		c.call(1, "big", "{}")
		line, _ := c.nextLine()
		if len(line) > maxOut || !strings.Contains(string(line), tt.want) {
			t.Errorf("%d: %d bytes: %.300s", i, len(line), line)
		}
	}
	t.Run("the transport's own limit", func(t *testing.T) {
		c := serve(t, newTestServer(t, testConfig(), row("big", func(context.Context, *session) (*page.Result, error) {
			return nil, &browser.Error{Code: browser.CDPError, Message: "x"}
		})))
		c.initialize("2025-11-25")
		c.send(`{"jsonrpc":"2.0","id":1,"method":"no/such/%s"}`, strings.Repeat("x", 5<<20))
		if m := c.next(); m["id"] != 1.0 || m["error"] == nil {
			t.Errorf("got %.300v", m)
		}
	})
}
