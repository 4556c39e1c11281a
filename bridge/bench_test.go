package bridge

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/coder/websocket"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/wire"
)

// BenchmarkRun measures what bridge and socket add to a page function.
func BenchmarkRun(b *testing.B) {
	br := New(Config{DataDir: b.TempDir(), Port: -1, Version: "1.2.3"})
	if err := br.Start(b.Context(), ""); err != nil {
		b.Fatal(err)
	}
	defer br.Shutdown(context.Background())
	ws, _, err := websocket.Dial(b.Context(), "ws://"+br.Addr(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer ws.CloseNow()
	hello, _ := wire.Encode(wire.Hello{Header: header(wire.TypeHello), Token: br.published.Handshake().Token, Ext: wire.ExtInfo{Version: "1.2.3", Instance: "one"}})
	ws.Write(b.Context(), websocket.MessageText, hello)
	if _, _, err := ws.Read(b.Context()); err != nil {
		b.Fatal(err)
	}
	go func() {
		for {
			_, text, err := ws.Read(context.Background())
			if err != nil {
				return
			}
			var c wire.Command
			json.Unmarshal(text, &c)
			ws.Write(context.Background(), websocket.MessageText, []byte(`{"v":1,"type":"result","id":"`+c.ID+`","data":{"url":"https://example.com/","origin":"https://example.com","document":"D","value":{"node":1}}}`))
		}
	}()
	tab, err := br.Tab("ext:9e96:7")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var v struct{ Node int }
		if _, err := tab.Run(b.Context(), browser.RunRequest{Fn: "prepare", Args: map[string]int{"timeoutMs": 5}}, &v); err != nil {
			b.Fatal(err)
		}
	}
}
