package extproto

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// end is one end of a port in memory.
type end struct {
	out, in chan json.RawMessage
	done    chan struct{}
	once    *sync.Once
}

func pipe() (a, b *end) {
	x, y, done, once := make(chan json.RawMessage, 64), make(chan json.RawMessage, 64), make(chan struct{}), &sync.Once{}
	return &end{x, y, done, once}, &end{y, x, done, once}
}

func (e *end) Peer() Peer            { return Peer{} }
func (e *end) Done() <-chan struct{} { return e.done }
func (e *end) Close(string)          { e.once.Do(func() { close(e.done) }) }

func (e *end) Send(_ context.Context, m json.RawMessage) error {
	select {
	case e.out <- m:
		return nil
	case <-e.done:
		return &ClosedError{Reason: "closed"}
	}
}

func (e *end) Recv(ctx context.Context) (json.RawMessage, error) {
	select {
	case m := <-e.in:
		return m, nil
	case <-e.done:
		return nil, &ClosedError{Reason: "closed"}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestSession has the SDK's own client and server talk over a port.
func TestSession(t *testing.T) {
	near, far := pipe()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	ss, err := server.Connect(t.Context(), &Transport{Port: far}, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	cs, err := client.Connect(t.Context(), &Transport{Port: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]int{"n": 1}})
	if err != nil || r.Content[0].(*mcp.TextContent).Text != `{"n":1}` {
		t.Fatalf("%+v %v", r, err)
	}
	near.Close("")
	if err := ss.Wait(); err != nil {
		t.Error(err)
	}
	_ = cs.Close()
}

// TestOddMessages holds what is read, passed over, and answered with an error.
func TestOddMessages(t *testing.T) {
	tests := []struct{ in, method, answer string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "ping", ""},
		{`"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"as-text\"}"`, "as-text", ""},
		{`{"type":"keep-alive","timestamp":1}`, "", ""},
		{`{"type":"ping"}`, "", ""},
		{`{"type":"else"}`, "", `"id":null`},
		{`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, "", "one JSON object"},
		{`"text"`, "", "one JSON object"},
		{`null`, "", "one JSON object"},
		{`{"id":7,"method":3,"jsonrpc":"2.0"}`, "", `"id":7`},
		{`{"jsonrpc":"1.0","id":"a","method":"x"}`, "", `"id":"a"`},
		{`{"jsonrpc":"2.0","id":{},"method":3}`, "", `"id":null`},
	}
	for _, test := range tests {
		near, far := pipe()
		c, _ := (&Transport{Port: far}).Connect(t.Context())
		_ = near.Send(t.Context(), json.RawMessage(test.in))
		_ = near.Send(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","method":"last"}`))
		m, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(test.in, err)
		}
		want := test.method
		if want == "" {
			want = "last" // the odd one was passed over
		}
		if got := m.(*jsonrpc.Request).Method; got != want {
			t.Errorf("%s: read %s", test.in, got)
		}
		select {
		case answer := <-near.in:
			if test.answer == "" || !strings.Contains(string(answer), test.answer) || !strings.Contains(string(answer), "-32600") {
				t.Errorf("%s is answered with %s", test.in, answer)
			}
		default:
			if test.answer != "" {
				t.Errorf("%s is not answered", test.in)
			}
		}
	}
}

func TestGarbageEndsThePort(t *testing.T) {
	near, far := pipe()
	c, _ := (&Transport{Port: far}).Connect(t.Context())
	for range maxBad + 1 {
		_ = near.Send(t.Context(), json.RawMessage(`"x"`))
	}
	if _, err := c.Read(t.Context()); err != io.EOF {
		t.Error(err)
	}
	<-near.Done()
}

func TestAnswerThatIsTooLarge(t *testing.T) {
	near, far := pipe()
	c, _ := (&Transport{Port: far}).Connect(t.Context())
	id, _ := jsonrpc.MakeID("x")
	large, _ := json.Marshal(strings.Repeat("x", MaxMessage))
	if err := c.Write(t.Context(), &jsonrpc.Response{ID: id, Result: large}); err != nil {
		t.Fatal(err)
	}
	if got := string(<-near.in); !strings.Contains(got, `"id":"x"`) || !strings.Contains(got, "ask for less") {
		t.Errorf("%.200s", got)
	}
	if err := c.Write(t.Context(), &jsonrpc.Request{Method: "x", Params: large}); err == nil {
		t.Error("a request that is too large is sent")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `"{}"`, `{"type":"ping"}`, `[]`, ``, `"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, _ = decode(raw)
		Judge(Probed{Answer: raw})
	})
}
