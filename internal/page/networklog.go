package page

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// NetworkLogArgs are those of network_log.
type NetworkLogArgs struct {
	TabArg
	URLContains      string `json:"urlContains,omitempty" desc:"Only addresses with this."`
	FailedOnly       bool   `json:"failedOnly,omitempty" desc:"Only what failed, or was answered with 400 and above."`
	IncludeResources bool   `json:"includeResources,omitempty" desc:"Scripts, styles, images and fonts too."`
	SinceSeq         *int   `json:"sinceSeq,omitempty" desc:"Only what came after this number." min:"0"`
	Limit            int    `json:"limit,omitempty" min:"1" max:"1000" default:"50"`
	Clear            bool   `json:"clear,omitempty" desc:"Forget what is shown and before."`
	ID               int    `json:"id,omitempty" desc:"One request, with headers and body." min:"0"`
	HAR              bool   `json:"har,omitempty" desc:"Write what fits into a HAR file."`
}

// networkData is network_log's structured content.
type networkData struct {
	Requests []*request `json:"requests"`
	LastSeq  int        `json:"lastSeq"`
	Dropped  int        `json:"dropped,omitempty"` // older requests that were not kept
	Denied   int        `json:"denied,omitempty"`  // requests of pages that are not allowed
	More     int        `json:"more,omitempty"`    // requests that fit but were not shown
	Hidden   int        `json:"resources,omitempty"`
	File     string     `json:"file,omitempty"` // the HAR
}

// NetworkLog is network_log.
func NetworkLog(ctx context.Context, s *Session, a NetworkLogArgs) (*Result, error) {
	if a.HAR && a.ID != 0 {
		return nil, browser.Errorf(browser.BadArgs, "give id for one request or har for a file of all, not both")
	}
	t, unlock, err := observed(ctx, s, a.TabID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if a.ID != 0 {
		return t.observer.one(ctx, a.ID)
	}
	if a.HAR && a.Limit == defaultRequests {
		a.Limit = maxRequests
	}
	data, text, part := t.observer.requests(a)
	if a.HAR {
		return t.observer.writeHAR(data, part)
	}
	r := &Result{Page: text, Data: data, Text: data.said(part, a.URLContains != "" || a.FailedOnly)}
	if n := len(data.Requests); n > 0 {
		r.URL = data.Requests[n-1].place.url
		r.Origin = siteOf(r.URL)
	}
	return r, nil
}

const defaultRequests = 50

// requests picks the requests that a call asked for, masks and writes them.
func (o *observer) requests(a NetworkLogArgs) (networkData, string, span) {
	o.mu.Lock()
	all := slices.Clone(o.network.items)
	for i, q := range all { // events go on changing them
		c := *q
		all[i] = &c
	}
	data := networkData{Requests: []*request{}, LastSeq: o.network.last, Dropped: o.network.dropped}
	if a.Clear {
		o.network.clear()
		clear(o.network.open)
		o.network.bodies, o.network.bodyBytes = nil, 0
	}
	o.mu.Unlock()
	for _, q := range all {
		switch {
		case a.SinceSeq != nil && q.Seq <= *a.SinceSeq || a.FailedOnly && !q.failed() || !strings.Contains(q.URL, a.URLContains):
		case !o.mayObserve(q.place):
			data.Denied++
		case q.resource && !q.failed() && !a.IncludeResources && !a.HAR:
			data.Hidden++
		default:
			data.Requests = append(data.Requests, q)
		}
	}
	write := func(q *request) string {
		o.mask(q)
		return q.String()
	}
	if a.HAR {
		write = nil
	}
	list, text, part := pick(data.Requests, a.SinceSeq, a.Limit, func(q *request) int { return q.Seq }, write)
	data.Requests, data.More = list, part.more
	if a.HAR {
		for _, q := range list {
			o.mask(q)
		}
	}
	return data, text, part
}

// mask masks what is shown of a request, which is a copy.
func (o *observer) mask(q *request) {
	r := o.redact()
	q.URL, _ = r.URL(q.URL)
	q.Redirected, _ = r.URL(q.Redirected)
	if q.Status == 0 && !q.Pending {
		q.Status = q.really.status
	}
}

// String is a request on one line.
func (q *request) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s ", q.ID, q.Method)
	switch {
	case q.Failure != "" && q.Status == 0:
		b.WriteString("failed ")
	case q.Status != 0:
		fmt.Fprintf(&b, "%d ", q.Status)
	default:
		b.WriteString("… ")
	}
	fmt.Fprintf(&b, "%s (%s)", Cut(q.URL, 500), strings.ToLower(q.Type))
	for _, part := range q.parts() {
		b.WriteString(" " + part)
	}
	return b.String() + "\n"
}

func (q *request) parts() (parts []string) {
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	if q.Failure != "" {
		add("%s", q.Failure)
	}
	if q.Redirected != "" {
		add("→ %s", Cut(q.Redirected, 500))
	}
	if q.MIME != "" && q.Redirected == "" {
		add("%s", q.MIME)
	}
	if q.Type == "WebSocket" {
		add("%d sent, %d received", q.Sent, q.Received)
	} else if q.Bytes > 0 {
		add("%s", bytesText(q.Bytes))
	}
	if q.MS > 0 {
		add("%.0f ms", q.MS)
	}
	if q.FromCache != "" {
		add("from %s", cacheName(q.FromCache))
	}
	switch {
	case q.Pending && q.Status == 0:
		add("no answer yet")
	case q.Pending && q.Type != "WebSocket":
		add("not read to its end")
	}
	return parts
}

func cacheName(from string) string {
	if from == "service worker" {
		return "a service worker"
	}
	return "the " + from + " cache"
}

func bytesText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// said is what we have to say about the requests.
func (d networkData) said(part span, filtered bool) string {
	var lines []string
	if len(d.Requests) == 0 {
		lines = append(lines, "nothing was requested"+part.nothing(filtered))
	}
	lines = append(lines, part.rest(d.Dropped, maxRequests, d.Denied)...)
	if d.Hidden > 0 {
		lines = append(lines, fmt.Sprintf("%d scripts, styles, images and the like are not shown: includeResources shows them", d.Hidden))
	}
	return strings.Join(lines, "\n")
}

// detail is network_log's structured content for one request.
type detail struct {
	*request
	RequestHeaders  map[string]string `json:"requestHeaders,omitempty"`
	ResponseHeaders map[string]string `json:"responseHeaders,omitempty"`
	RequestBody     string            `json:"requestBody,omitempty"`
	Body            string            `json:"body,omitempty"`
	BodyNote        string            `json:"bodyNote,omitempty"`
}

// one shows one request with headers and bodies.
func (o *observer) one(ctx context.Context, id int) (*Result, error) {
	o.mu.Lock()
	i, found := slices.BinarySearchFunc(o.network.items, id, func(q *request, id int) int { return q.ID - id })
	var q *request
	if found {
		q = o.network.items[i]
	}
	last, dropped := o.network.last, o.network.dropped
	o.mu.Unlock()
	switch {
	case !found && id <= last && dropped > 0:
		return nil, browser.Errorf(browser.BadArgs, "request %d was dropped to make room; network_log lists those that are kept", id)
	case !found:
		return nil, browser.Errorf(browser.BadArgs, "there is no request %d in this tab; network_log lists them", id)
	case !o.mayObserve(q.place):
		return nil, o.t.s.Judge(q.place.url, q.place.origin, policy.Observe)
	}
	d := o.detail(ctx, q)
	return &Result{Page: d.String(), Data: d, URL: q.place.url, Origin: siteOf(q.place.url)}, nil
}

func (o *observer) detail(ctx context.Context, q *request) detail {
	note := o.lateBody(ctx, q)
	o.mu.Lock()
	c := *q
	o.mu.Unlock()
	d := detail{request: &c, BodyNote: note}
	if c.body != nil {
		d.Body = c.body.text
		switch {
		case c.body.cut:
			d.BodyNote = fmt.Sprintf("the first %d bytes of %d", len(d.Body), c.body.bytes)
		case d.Body == "" && c.body.bytes > 0:
			d.BodyNote = fmt.Sprintf("%d bytes that are no text", c.body.bytes)
		case d.Body == "":
			d.BodyNote = "empty"
		}
	}
	d.RequestHeaders, d.ResponseHeaders = o.headers(c.sent, c.really.sent), o.headers(c.got, c.really.got)
	d.RequestBody = o.sentBody(ctx, &c)
	o.mask(&c)
	return d
}

// lateBody fetches the body if it is not there yet, and says why if it cannot be had.
func (o *observer) lateBody(ctx context.Context, q *request) string {
	o.mu.Lock()
	c := *q
	o.mu.Unlock()
	switch {
	case c.body != nil:
		return ""
	case c.Type == "WebSocket":
		return "frames of a WebSocket are counted, not kept"
	case c.Redirected != "":
		return "a redirect; it has no body"
	case c.Failure != "":
		return "none: the request failed"
	case c.Pending && c.Status == 0:
		return "there is no answer yet"
	}
	o.mu.Lock()
	q.asked = false // the first attempt may have come too early
	o.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	err := o.fetch(ctx, q)
	switch {
	case err != nil && c.Pending:
		return "not kept: the page has not read it to its end"
	case err != nil:
		return "it is gone: the page that asked for it was left, or Chrome has let go of it; do again what asks for it and look before the page is left"
	}
	return ""
}

// sentBody is what was sent with the request.
func (o *observer) sentBody(ctx context.Context, q *request) string {
	text := q.posted
	if text == "" && q.hasPost {
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		var got struct {
			Post string `json:"postData"`
		}
		if o.t.bt.Call(o.t.s.caller(ctx), q.maker, "Network.getRequestPostData", map[string]any{"requestId": q.chromeID}, &got) != nil {
			return "(not kept)"
		}
		text = got.Post
	}
	text, _ = o.redact().Body(headerOf(q.sent, "content-type"), text)
	if short := Cut(text, maxBody); len(short) < len(text) {
		return short + "…"
	}
	return text
}

func headerOf(h map[string]string, name string) string {
	for k, v := range h {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// headers joins what a page sees of headers with what really went over the line, masked.
func (o *observer) headers(seen, really map[string]string) map[string]string {
	out := map[string]string{}
	for _, h := range []map[string]string{seen, really} {
		for k, v := range h {
			k = strings.ToLower(k)
			out[k], _ = o.redact().Header(k, v)
		}
	}
	return out
}

// String is the request as people write them.
func (d detail) String() string {
	var b strings.Builder
	b.WriteString(d.request.String())
	writeHeaders(&b, "request", d.RequestHeaders)
	if d.RequestBody != "" {
		fmt.Fprintf(&b, "\nrequest body:\n%s\n", d.RequestBody)
	}
	writeHeaders(&b, "response", d.ResponseHeaders)
	switch {
	case d.Body != "" && d.BodyNote != "":
		fmt.Fprintf(&b, "\nbody (%s):\n%s", d.BodyNote, d.Body)
	case d.Body != "":
		fmt.Fprintf(&b, "\nbody:\n%s", d.Body)
	case d.BodyNote != "":
		fmt.Fprintf(&b, "\nbody: %s", d.BodyNote)
	}
	return b.String()
}

func writeHeaders(b *strings.Builder, whose string, h map[string]string) {
	if len(h) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s headers:\n", whose)
	for _, k := range sortedKeys(h) {
		for _, line := range strings.Split(h[k], "\n") { // several Set-Cookie
			fmt.Fprintf(b, "  %s: %s\n", k, Cut(line, 1000))
		}
	}
}

func sortedKeys(h map[string]string) []string {
	keys := make([]string, 0, len(h))
	for k := range h {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
