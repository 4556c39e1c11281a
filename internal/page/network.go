package page

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// Bounds of what is kept of the network.
const (
	maxRequests  = 1000     // of a tab
	networkShare = 16 << 20 // bytes of all tabs of a session, without bodies
	bodyShare    = 16 << 20 // bytes of bodies of all tabs
	maxBody      = 64 << 10 // bytes of a body that are kept
	maxAhead     = 100      // headers that came before their request
)

// network is what one tab has asked for.
type network struct {
	ring[*request]
	open  map[string]*request // by Chrome's id, those that are not forgotten yet
	ahead map[string]headers  // what came before its request did

	bodies    []*request // with a body, oldest first
	bodyBytes int
	wanted    chan *request // bodies to be fetched; nil until the first
	stopped   bool
}

// headers are those that were really sent and received, which Chrome tells apart from
// what the page sees.
type headers struct {
	sent, got map[string]string
	status    int
}

// request is one request with its answer. A redirect is a request of its own.
type request struct {
	ID         int       `json:"id"`
	Seq        int       `json:"seq"`
	Method     string    `json:"method"`
	URL        string    `json:"url"`
	Type       string    `json:"type"`
	Status     int       `json:"status,omitempty"`
	MIME       string    `json:"mime,omitempty"`
	Bytes      int64     `json:"bytes"`
	MS         float64   `json:"ms,omitempty"`
	FromCache  string    `json:"fromCache,omitempty"` // memory, disk, service worker, prefetch
	Failure    string    `json:"failure,omitempty"`
	Redirected string    `json:"redirectedTo,omitempty"`
	Pending    bool      `json:"pending,omitempty"` // neither ended nor failed yet
	Started    time.Time `json:"started"`
	Sent       int       `json:"framesSent,omitempty"` // of a WebSocket
	Received   int       `json:"framesReceived,omitempty"`

	place      place
	chromeID   string          // one of its own among all targets of the browser
	maker      browser.FrameID // root frame of the target that asked
	reader     browser.FrameID // and of the one that has its answer: a frame's document begins in its parent's
	begin      float64         // Chrome's clock, in seconds
	statusText string
	protocol   string
	remote     string
	cancelled  bool
	main       bool // it loads a page of the tab
	resource   bool // no document, data or socket: shown only when asked for
	sent       map[string]string
	got        map[string]string
	really     headers
	posted     string
	hasPost    bool
	body       *body
	asked      bool     // for the body, once
	before     *request // that led here, until all is known of it
}

// failed says whether the request came to nothing.
func (q *request) failed() bool {
	return q.Status >= 400 || q.Failure != "" && !q.cancelled
}

// data are the types that say what a page is about, besides documents.
var dataTypes = map[string]bool{"Document": true, "XHR": true, "Fetch": true, "EventSource": true, "WebSocket": true, "Ping": true}

// networkEvents holds what each event does. The lock is held.
var networkEvents = map[string]func(*observer, browser.Event){
	"Network.requestWillBeSent":                  (*observer).willBeSent,
	"Network.requestWillBeSentExtraInfo":         (*observer).reallySent,
	"Network.responseReceived":                   (*observer).answered,
	"Network.responseReceivedExtraInfo":          (*observer).reallyAnswered,
	"Network.requestServedFromCache":             (*observer).fromCache,
	"Network.loadingFinished":                    (*observer).finished,
	"Network.loadingFailed":                      (*observer).failed,
	"Network.webSocketCreated":                   (*observer).socket,
	"Network.webSocketWillSendHandshakeRequest":  (*observer).socketAsks,
	"Network.webSocketHandshakeResponseReceived": (*observer).socketOpened,
	"Network.webSocketFrameSent":                 (*observer).frame,
	"Network.webSocketFrameReceived":             (*observer).frame,
	"Network.webSocketFrameError":                (*observer).frameError,
	"Network.webSocketClosed":                    (*observer).socketClosed,
}

// requested takes an event of the network. The lock is held.
func (o *observer) requested(ev browser.Event) {
	if h := networkEvents[ev.Method]; h != nil {
		h(o, ev)
	}
}

// wireResponse is Network.Response.
type wireResponse struct {
	URL        string            `json:"url"`
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	Headers    map[string]string `json:"headers"`
	MIME       string            `json:"mimeType"`
	Protocol   string            `json:"protocol"`
	Remote     string            `json:"remoteIPAddress"`
	Bytes      float64           `json:"encodedDataLength"`
	Disk       bool              `json:"fromDiskCache"`
	Worker     bool              `json:"fromServiceWorker"`
	Prefetch   bool              `json:"fromPrefetchCache"`
}

func (o *observer) willBeSent(ev browser.Event) {
	var p struct {
		RequestID string  `json:"requestId"`
		Document  string  `json:"documentURL"`
		FrameID   string  `json:"frameId"`
		Type      string  `json:"type"`
		Time      float64 `json:"timestamp"`
		Wall      float64 `json:"wallTime"`
		Request   struct {
			URL      string            `json:"url"`
			Fragment string            `json:"urlFragment"`
			Method   string            `json:"method"`
			Headers  map[string]string `json:"headers"`
			Post     string            `json:"postData"`
			HasPost  bool              `json:"hasPostData"`
		} `json:"request"`
		Redirect *wireResponse `json:"redirectResponse"`
	}
	if json.Unmarshal(ev.Params, &p) != nil || foreign(p.Request.URL) {
		return
	}
	if before := o.network.open[p.RequestID]; before != nil && p.Redirect != nil {
		before.answer(p.Redirect)
		before.end(p.Time)
		before.Bytes = int64(p.Redirect.Bytes)
		before.Redirected = p.Request.URL
	}
	q := &request{
		Method: p.Request.Method, URL: p.Request.URL + p.Request.Fragment, Type: p.Type, Pending: true,
		Started: time.UnixMicro(int64(p.Wall * 1e6)), begin: p.Time,
		place: o.where(p.FrameID, p.Document), chromeID: p.RequestID, maker: ev.Frame, reader: ev.Frame, sent: p.Request.Headers, resource: !dataTypes[p.Type],
		main:   p.Type == "Document" && ev.Frame == "" && p.FrameID == o.t.state.mainFrame(),
		posted: p.Request.Post, hasPost: p.Request.HasPost,
	}
	if p.Redirect != nil {
		q.before = o.network.open[p.RequestID]
	}
	o.keepRequest(q)
}

// foreign are addresses that are no requests, or not the page's.
func foreign(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme == "data" || scheme == "blob" || strings.HasSuffix(scheme, "-extension") || scheme == "devtools" || scheme == "chrome"
}

// keepRequest numbers a request and keeps it. It is masked when it is shown.
func (o *observer) keepRequest(q *request) {
	q.Seq = o.network.next()
	q.ID = q.Seq
	if early, ok := o.network.ahead[q.chromeID]; ok {
		delete(o.network.ahead, q.chromeID)
		q.really = early
	}
	if o.network.open == nil {
		o.network.open, o.network.ahead = map[string]*request{}, map[string]headers{}
	}
	o.network.open[q.chromeID] = q
	before := len(o.network.items)
	first := (*request)(nil)
	if before > 0 {
		first = o.network.items[0]
	}
	o.network.add(q, q.size(), maxRequests, o.share(networkShare))
	if first != nil && o.network.items[0] != first {
		o.network.forget(o.network.items[0].Seq)
	}
}

// forget lets go of what belongs to requests that were dropped.
func (n *network) forget(before int) {
	maps.DeleteFunc(n.open, func(_ string, q *request) bool { return q.Seq < before })
	for len(n.bodies) > 0 && n.bodies[0].Seq < before {
		n.dropBody()
	}
}

// size is about what a request takes in memory.
func (q *request) size() int {
	return 600 + len(q.URL) + len(q.place.url) + len(q.posted) + sizeOf(q.sent)
}

func sizeOf(h map[string]string) int {
	n := 0
	for k, v := range h {
		n += len(k) + len(v) + 32
	}
	return n
}

// answer takes an answer's head.
func (q *request) answer(r *wireResponse) {
	q.Status, q.statusText, q.MIME, q.protocol, q.remote, q.got = r.Status, r.StatusText, r.MIME, r.Protocol, r.Remote, r.Headers
	switch {
	case r.Worker:
		q.FromCache = "service worker"
	case r.Prefetch:
		q.FromCache = "prefetch"
	case r.Disk:
		q.FromCache = "disk"
	}
}

// end notes how long it took.
func (q *request) end(now float64) {
	q.Pending = false
	if q.begin > 0 && now > q.begin {
		q.MS = float64(int64((now-q.begin)*1e4)) / 10
	}
}

// networkEvent is what the smaller events have.
type networkEvent struct {
	RequestID string            `json:"requestId"`
	Time      float64           `json:"timestamp"`
	Wall      float64           `json:"wallTime"`
	Type      string            `json:"type"`
	URL       string            `json:"url"`
	Bytes     float64           `json:"encodedDataLength"`
	Headers   map[string]string `json:"headers"`
	Status    int               `json:"statusCode"`
	Error     string            `json:"errorText"`
	Message   string            `json:"errorMessage"`
	Cancelled bool              `json:"canceled"`
	Blocked   string            `json:"blockedReason"`
	CORS      struct {
		Error string `json:"corsError"`
	} `json:"corsErrorStatus"`
	Response *wireResponse `json:"response"`
	Request  struct {
		Headers map[string]string `json:"headers"`
	} `json:"request"`
}

// of returns an event's request, which may be forgotten or of before our time.
func (o *observer) of(ev browser.Event) (p networkEvent, q *request) {
	if json.Unmarshal(ev.Params, &p) != nil {
		return p, nil
	}
	return p, o.network.open[p.RequestID]
}

func (o *observer) reallySent(ev browser.Event) {
	p, q := o.of(ev)
	if q != nil && q.really.sent == nil {
		q.really.sent = p.Headers
		return
	}
	o.early(p, func(h *headers) { h.sent = p.Headers })
}

func (o *observer) reallyAnswered(ev browser.Event) {
	p, q := o.of(ev)
	// A redirect's own may come when the next request has begun.
	if q != nil && q.before != nil {
		before := q.before
		q.before = nil
		if before.really.got == nil && before.Status == p.Status {
			q = before
		}
	}
	if q != nil && q.really.got == nil {
		q.really.got, q.really.status = p.Headers, p.Status
		return
	}
	o.early(p, func(h *headers) { h.got, h.status = p.Headers, p.Status })
}

// early keeps headers for the request that is about to be told of.
func (o *observer) early(p networkEvent, set func(*headers)) {
	if p.RequestID == "" {
		return
	}
	if o.network.ahead == nil || len(o.network.ahead) >= maxAhead {
		o.network.ahead = map[string]headers{}
	}
	h := o.network.ahead[p.RequestID]
	set(&h)
	o.network.ahead[p.RequestID] = h
}

func (o *observer) answered(ev browser.Event) {
	p, q := o.of(ev)
	if q == nil || p.Response == nil {
		return
	}
	q.answer(p.Response)
	q.reader = ev.Frame
	if p.Type != "" {
		q.Type, q.resource = p.Type, !dataTypes[p.Type]
	}
	o.network.grow(sizeOf(q.got))
}

func (o *observer) fromCache(ev browser.Event) {
	if _, q := o.of(ev); q != nil {
		q.FromCache = "memory"
	}
}

func (o *observer) finished(ev browser.Event) {
	p, q := o.of(ev)
	if q == nil {
		return
	}
	q.Bytes, q.reader = int64(p.Bytes), ev.Frame
	q.end(p.Time)
	if q.wantsBody() {
		o.fetchSoon(q)
	}
}

func (o *observer) failed(ev browser.Event) {
	p, q := o.of(ev)
	if q == nil {
		return
	}
	q.Failure, q.cancelled = p.Error, p.Cancelled
	switch {
	case p.CORS.Error != "":
		q.Failure = "CORS " + p.CORS.Error
	case p.Blocked != "":
		q.Failure = "blocked: " + p.Blocked
	case p.Cancelled:
		q.Failure = "cancelled"
	case p.Error == "":
		q.Failure = "failed"
	}
	q.end(p.Time)
}
