package page

import (
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// body is what is kept of an answer's body, masked.
type body struct {
	text  string
	bytes int // of the whole
	cut   bool
}

const (
	fetchTime  = 5 * time.Second // for one body
	fetchQueue = 64              // bodies that wait; more are fetched when asked for
	fetchLimit = 512 << 10       // bytes of an answer whose body is fetched unasked
)

// wantsBody says whether the body is worth fetching at once: the page may be left soon,
// and Chrome forgets it then.
func (q *request) wantsBody() bool {
	return !q.resource && q.Type != "WebSocket" && q.Type != "EventSource" && q.Bytes <= fetchLimit && isText(q.MIME)
}

// isText says whether a media type is text.
func isText(kind string) bool {
	if t, _, err := mime.ParseMediaType(kind); err == nil {
		kind = t
	}
	for _, word := range []string{"text/", "json", "xml", "javascript", "x-www-form-urlencoded", "graphql", "yaml", "csv"} {
		if strings.Contains(kind, word) {
			return true
		}
	}
	return false
}

// fetchSoon queues a body. The lock is held.
func (o *observer) fetchSoon(q *request) {
	n := &o.network
	if n.stopped {
		return
	}
	if n.wanted == nil {
		n.wanted = make(chan *request, fetchQueue)
		go o.fetchAll(n.wanted)
	}
	select {
	case n.wanted <- q:
	default: // it is fetched when it is asked for, if it is there by then
	}
}

// stop ends the fetching. The lock is held.
func (n *network) stop() {
	if n.wanted != nil && !n.stopped {
		close(n.wanted)
	}
	n.stopped = true
}

// fetchAll fetches bodies one after the other, until stop.
func (o *observer) fetchAll(wanted <-chan *request) {
	for q := range wanted {
		ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
		_ = o.fetch(browser.WithCaller(ctx, browser.Caller{Tool: "network_log"}), q)
		cancel()
	}
}

// fetch asks for a body once and keeps it.
func (o *observer) fetch(ctx context.Context, q *request) error {
	o.mu.Lock()
	asked, target := q.asked || q.body != nil, q.reader
	q.asked = true
	o.mu.Unlock()
	if asked {
		return nil
	}
	var got struct {
		Body   string `json:"body"`
		Base64 bool   `json:"base64Encoded"`
	}
	err := o.t.bt.Call(o.t.s.caller(ctx), target, "Network.getResponseBody", map[string]any{"requestId": q.chromeID}, &got)
	if err != nil {
		return err
	}
	b := &body{text: got.Body, bytes: len(got.Body)}
	if got.Base64 {
		raw, err := base64.StdEncoding.DecodeString(got.Body)
		if err != nil {
			return fmt.Errorf("the body is not what Chrome says it is: %w", err)
		}
		b.text, b.bytes = "", len(raw)
		if isText(q.MIME) {
			b.text = string(raw)
		}
	}
	b.text, _ = o.redact().Body(q.MIME, b.text)
	if short := Cut(b.text, maxBody); len(short) < len(b.text) {
		b.text, b.cut = strings.Clone(short), true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keepBody(q, b)
	return nil
}

// keepBody keeps a body and drops the oldest that are too many. The lock is held.
func (o *observer) keepBody(q *request, b *body) {
	n := &o.network
	q.body = b
	n.bodies = append(n.bodies, q)
	n.bodyBytes += len(b.text)
	for limit := o.share(bodyShare); n.bodyBytes > limit && len(n.bodies) > 1; {
		n.dropBody()
	}
}

func (n *network) dropBody() {
	q := n.bodies[0]
	n.bodies[0] = nil
	n.bodies = n.bodies[1:]
	n.bodyBytes -= len(q.body.text)
	q.body = nil
}
