package page

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"chrome-mcp/internal/task"
)

// The HTTP Archive format, version 1.2: http://www.softwareishard.com/blog/har-12-spec.
// Members without omitempty are those that it requires; -1 stands for what is unknown.
type harFile struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harNamed   `json:"creator"`
	Pages   []harPage  `json:"pages"`
	Entries []harEntry `json:"entries"`
	Comment string     `json:"comment"`
}

type harNamed struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harPage struct {
	Started string     `json:"startedDateTime"`
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Timings harOnPages `json:"pageTimings"`
}

type harOnPages struct {
	Content float64 `json:"onContentLoad"`
	Load    float64 `json:"onLoad"`
}

type harEntry struct {
	Page     string      `json:"pageref,omitempty"`
	Started  string      `json:"startedDateTime"`
	Time     float64     `json:"time"`
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  harTimings  `json:"timings"`
	Server   string      `json:"serverIPAddress,omitempty"`
	Type     string      `json:"_resourceType"`
	Comment  string      `json:"comment,omitempty"`
}

type harRequest struct {
	Method      string     `json:"method"`
	URL         string     `json:"url"`
	Version     string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Query       []harPair  `json:"queryString"`
	Post        *harPosted `json:"postData,omitempty"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
}

type harPosted struct {
	MIME   string    `json:"mimeType"`
	Params []harPair `json:"params"`
	Text   string    `json:"text"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	Version     string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	Redirect    string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
	Error       string     `json:"_error,omitempty"`
}

type harContent struct {
	Size int64  `json:"size"`
	MIME string `json:"mimeType"`
	Text string `json:"text,omitempty"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// harTime is ISO 8601 as HAR wants it.
const harTime = "2006-01-02T15:04:05.000Z07:00"

// writeHAR writes requests into a file of the session's folder. They are masked.
func (o *observer) writeHAR(data networkData, part span) (*Result, error) {
	raw, err := json.MarshalIndent(harFile{o.har(data.Requests)}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("the HAR cannot be encoded: %w", err)
	}
	name := "network " + time.Now().Format("2006-01-02 15.04.05") + ".har"
	if data.File, err = o.t.s.Keep(task.Results, name, raw); err != nil {
		return nil, err
	}
	n := len(data.Requests)
	text := fmt.Sprintf("%d requests written to %s (%s); secrets are masked", n, data.File, bytesText(int64(len(raw))))
	if more := part.rest(data.Dropped, maxRequests, data.Denied); more != nil {
		text += "\n" + strings.Join(more, "\n")
	}
	r := &Result{Text: text, Files: []string{data.File}, Data: map[string]any{"file": data.File, "requests": n, "dropped": data.Dropped, "denied": data.Denied}}
	if n > 0 {
		r.URL = data.Requests[n-1].place.url
	}
	return r, nil
}

func (o *observer) har(list []*request) harLog {
	l := harLog{
		Version: "1.2", Creator: harNamed{"chrome-mcp", "1"}, Pages: []harPage{}, Entries: []harEntry{},
		Comment: "secrets are masked; bodies are kept up to 64 KB",
	}
	page := ""
	for _, q := range list {
		if q.main && q.Redirected == "" {
			page = fmt.Sprintf("page_%d", len(l.Pages)+1)
			l.Pages = append(l.Pages, harPage{q.Started.UTC().Format(harTime), page, q.URL, harOnPages{-1, -1}})
		}
		e := o.harEntry(q)
		e.Page = page
		l.Entries = append(l.Entries, e)
	}
	return l
}

func (o *observer) harEntry(q *request) harEntry {
	e := harEntry{
		Started: q.Started.UTC().Format(harTime), Time: q.MS, Type: strings.ToLower(q.Type), Server: strings.Trim(q.remote, "[]"),
		Timings: harTimings{Wait: q.MS},
		Request: harRequest{
			Method: q.Method, URL: q.URL, Version: httpVersion(q.protocol), Cookies: []harPair{}, Query: queryOf(q.URL),
			Headers: pairs(o.headers(q.sent, q.really.sent)), HeadersSize: -1, BodySize: len(q.posted),
		},
		Response: harResponse{
			Status: q.Status, StatusText: q.statusText, Version: httpVersion(q.protocol), Cookies: []harPair{},
			Headers: pairs(o.headers(q.got, q.really.got)), Redirect: q.Redirected, HeadersSize: -1, BodySize: q.Bytes, Error: q.Failure,
			Content: harContent{Size: q.Bytes, MIME: q.MIME},
		},
	}
	if q.body != nil {
		e.Response.Content.Size, e.Response.Content.Text = int64(q.body.bytes), q.body.text
	}
	if q.hasPost || q.posted != "" {
		kind := headerOf(q.sent, "content-type")
		text, _ := o.redact().Body(kind, q.posted)
		e.Request.Post = &harPosted{kind, []harPair{}, text}
	}
	if q.Type == "WebSocket" {
		e.Comment = fmt.Sprintf("%d frames sent, %d received", q.Sent, q.Received)
	}
	return e
}

func httpVersion(protocol string) string {
	switch protocol {
	case "h2":
		return "HTTP/2.0"
	case "h3":
		return "HTTP/3.0"
	case "":
		return "unknown"
	}
	return strings.ToUpper(protocol)
}

func pairs(h map[string]string) []harPair {
	out := []harPair{}
	for _, k := range sortedKeys(h) {
		out = append(out, harPair{k, h[k]})
	}
	return out
}

// queryOf lists the parameters of an address that is masked already.
func queryOf(address string) []harPair {
	out := []harPair{}
	_, query, _ := strings.Cut(address, "?")
	query, _, _ = strings.Cut(query, "#")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); name != "" {
			out = append(out, harPair{plainParam(name), plainParam(value)})
		}
	}
	return out
}

func plainParam(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
