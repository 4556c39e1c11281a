package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/extproto"
)

// Progress is told how far a call is.
type Progress func(*mcp.ProgressNotificationParams)

const methodProgress = "notifications/progress"

// maxNews is how much progress of a call waits for a client that reads slowly. What is
// more is left out: the next says it all.
const maxNews = 16

// news brings progress to the calls that asked for it. It is taken from the messages as
// they arrive: the SDK hands notifications over when the result may be out already.
type news struct {
	mu    sync.Mutex
	last  int
	calls map[string]chan *mcp.ProgressNotificationParams
}

// follow hands on the progress of a call until end, which returns when all is told.
func (n *news) follow(fn Progress) (token string, end func()) {
	told, done := make(chan *mcp.ProgressNotificationParams, maxNews), make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	token = fmt.Sprintf("p%d", n.last)
	if n.calls == nil {
		n.calls = map[string]chan *mcp.ProgressNotificationParams{}
	}
	n.calls[token] = told
	go func() {
		defer close(done)
		for p := range told {
			fn(p)
		}
	}()
	return token, func() {
		n.mu.Lock()
		delete(n.calls, token)
		close(told)
		n.mu.Unlock()
		<-done
	}
}

func (n *news) take(raw json.RawMessage) {
	var p mcp.ProgressNotificationParams
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	token, _ := p.ProgressToken.(string)
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case n.calls[token] <- &p:
	default:
	}
}

// transport is extproto's, with an ear for progress.
type transport struct{ link *link }

func (t transport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := (&extproto.Transport{Port: t.link.port}).Connect(ctx)
	return ear{c, &t.link.news}, err
}

type ear struct {
	mcp.Connection
	news *news
}

func (e ear) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := e.Connection.Read(ctx)
		if r, ok := m.(*jsonrpc.Request); ok && r.Method == methodProgress {
			e.news.take(r.Params)
			continue
		}
		return m, err
	}
}
