package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// teller tells the client how far a call is, if it asked for that with a token: only
// forwards, and never once the call is answered, because work may go on behind that.
type teller struct {
	ctx   context.Context
	tell  func(context.Context, *mcp.ProgressNotificationParams) error
	token any

	mu   sync.Mutex
	over bool
	last int64
}

func newTeller(ctx context.Context, req *mcp.CallToolRequest) *teller {
	t := &teller{ctx: ctx, token: req.Params.GetProgressToken()}
	if t.over = t.token == nil || req.Session == nil; !t.over { // the client did not ask
		t.tell = req.Session.NotifyProgress
	}
	return t
}

// progress tells. A client that is gone needs no word of it.
func (t *teller) progress(done, total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || done <= t.last {
		return
	}
	t.last = done
	_ = t.tell(t.ctx, &mcp.ProgressNotificationParams{ProgressToken: t.token, Progress: float64(done), Total: float64(total)})
}

func (t *teller) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}
