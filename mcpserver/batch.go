package mcpserver

import (
	"bytes"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// withBatches are the revisions of the protocol that have batches.
var withBatches = []string{"2024-11-05", "2025-03-26"}

// batch collects the answers to the calls of one batch.
type batch struct {
	mu      sync.Mutex
	open    int // calls without an answer, and one for the reader until all are known
	answers [][]byte
	sent    bool
}

func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

func (b *batch) add(answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers = append(b.answers, answer)
}

func (b *batch) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
}

// take returns the whole answer once, when it is complete and not empty.
func (b *batch) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open > 0 || b.sent || len(b.answers) == 0 {
		return nil
	}
	b.sent = true
	return append(append([]byte("["), bytes.Join(b.answers, []byte(","))...), ']')
}

// batchAllowed says whether the negotiated revision has batches.
func (c *conn) batchAllowed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(withBatches, c.version) {
		return nil
	}
	return &badMessage{code: jsonrpc.CodeInvalidRequest,
		text: "invalid request: no batches in this protocol revision; send one message a line"}
}

func (c *conn) finishBatch(b *batch) {
	if line := b.take(); line != nil {
		_ = c.send(line)
	}
}
