package page

import (
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// The events of WebSockets. Their frames are counted, not kept.

func (o *observer) socket(ev browser.Event) {
	p, _ := o.of(ev)
	q := &request{
		Method: "GET", URL: p.URL, Type: "WebSocket", Pending: true, Started: time.Now(),
		place: o.where(string(ev.Frame), ""), chromeID: p.RequestID, maker: ev.Frame, reader: ev.Frame,
	}
	o.keepRequest(q)
}

func (o *observer) socketAsks(ev browser.Event) {
	if p, q := o.of(ev); q != nil {
		q.sent, q.begin = p.Request.Headers, p.Time
		q.Started = time.UnixMicro(int64(p.Wall * 1e6))
	}
}

func (o *observer) socketOpened(ev browser.Event) {
	if p, q := o.of(ev); q != nil && p.Response != nil {
		q.answer(p.Response)
	}
}

func (o *observer) frame(ev browser.Event) {
	_, q := o.of(ev)
	switch {
	case q == nil:
	case strings.HasSuffix(ev.Method, "Sent"):
		q.Sent++
	default:
		q.Received++
	}
}

func (o *observer) frameError(ev browser.Event) {
	if p, q := o.of(ev); q != nil {
		q.Failure = p.Message
	}
}

func (o *observer) socketClosed(ev browser.Event) {
	if p, q := o.of(ev); q != nil {
		q.end(p.Time)
	}
}
