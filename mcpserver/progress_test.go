package mcpserver

import (
	"context"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestProgress holds that a client hears how far a batch is if it asks for that, each
// time of more than before, and nothing once it has its answer.
func TestProgress(t *testing.T) {
	for name, meta := range map[string]string{"asked for": `,"_meta":{"progressToken":"t"}`, "not asked for": ""} {
		c := serve(t, newTestServer(t, testConfig(), (&opTools{}).rows()...))
		c.initialize("2025-11-25")
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"batch","arguments":{"mode":"parallel","ops":[{"tool":"status"},{"tool":"status"},{"tool":"status"}]}%s}}`, meta)
		var heard []float64
		for {
			m := c.next()
			if m["id"] != nil {
				break
			}
			p := m["params"].(map[string]any)
			if m["method"] != "notifications/progress" || p["progressToken"] != "t" || p["total"] != 3.0 {
				t.Fatalf("%s: %v", name, m)
			}
			heard = append(heard, p["progress"].(float64))
		}
		ok := meta == "" && heard == nil || meta != "" && slices.IsSorted(heard) && heard[len(heard)-1] == 3
		if !ok {
			t.Errorf("%s: %v", name, heard)
		}
	}
}

// What goes on behind an answer has nothing to say any more.
func TestNoProgressBehindTheAnswer(t *testing.T) {
	sent := 0
	teller := &teller{ctx: t.Context(), token: "t", tell: func(context.Context, *mcp.ProgressNotificationParams) error { sent++; return nil }}
	for _, done := range []int64{1, 1, 0, 2} {
		teller.progress(done, 3)
	}
	teller.stop()
	teller.progress(3, 3)
	if sent != 2 {
		t.Errorf("%d were sent", sent)
	}
}
