package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/task"
)

const (
	methodReadResource = "resources/read"

	mostRead   = 2 << 20 // bytes of a file in one message
	mostQuoted = 3 << 20 // bytes of a text as JSON writes it, likewise
)

// metaRange is where an answer says which part of a file it is.
const metaRange = "chrome-mcp/range"

type fileRange struct {
	Offset int64  `json:"offset"`
	Bytes  int    `json:"bytes"`
	Total  int64  `json:"total"`
	Next   string `json:"next,omitempty"` // address of the part that follows
}

// readFile answers resources/read of a file.
func (s *session) readFile(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	began, uri := time.Now(), req.Params.URI
	contents, err := s.fileContents(uri)
	s.auditRead(began, uri, contents, err)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: clip(uri, 300) + " " + err.Error()}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

var errNotHere = errors.New("is no file of this session's tasks, or no longer; resources/list and task_status name those there are")

func (s *session) fileContents(uri string) (*mcp.ResourceContents, error) {
	a, err := parseArtifact(uri)
	if err != nil {
		return nil, err
	}
	w := s.tasks()
	if w == nil {
		return nil, errNotHere
	}
	f, e, err := w.Open(a.task, a.kind, a.name)
	if err != nil {
		return nil, errNotHere
	}
	defer f.Close()
	if a.bytes == 0 {
		return s.wholeFile(a, e, f)
	}
	return s.partOfFile(a, e, f)
}

// wholeFile reads a file that fits into one message. Of a larger one nothing is read:
// few clients would see that they have a part only.
func (s *session) wholeFile(a artifact, e task.Entry, f *os.File) (*mcp.ResourceContents, error) {
	large := fmt.Errorf("has %d bytes, more than fit into one message; read it in parts, beginning with %s, or by its path: %s", e.Bytes, a.part(0, mostRead), e.Path)
	if e.Bytes > mostRead {
		return nil, large
	}
	b, err := io.ReadAll(io.LimitReader(f, mostRead))
	if err != nil {
		return nil, unreadableFile(e, err)
	}
	c := &mcp.ResourceContents{URI: a.String(), MIMEType: page.FileType(e.Path)}
	if !textual(c.MIMEType) || !utf8.Valid(b) || len(b) == 0 { // the SDK leaves an empty text out
		c.Blob = b
		return c, nil
	}
	c.Text = string(b)
	if s.srv.redactAll {
		c.Text, _ = s.srv.redact.Text(c.Text)
	}
	if quotedLen(c.Text) > mostQuoted {
		return nil, large
	}
	return c, nil
}

// partOfFile reads what is asked for, less if a message does not hold it. Text begins
// and ends with whole characters.
func (s *session) partOfFile(a artifact, e task.Entry, f *os.File) (*mcp.ResourceContents, error) {
	if a.offset > e.Bytes {
		return nil, fmt.Errorf("ends at byte %d; ask for an offset before that", e.Bytes)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, a.offset, min(a.bytes, mostRead)))
	if err != nil {
		return nil, unreadableFile(e, err)
	}
	c := &mcp.ResourceContents{URI: a.String(), MIMEType: page.FileType(e.Path)}
	r := fileRange{Offset: a.offset, Total: e.Bytes}
	skip, text := characters(b)
	switch {
	case !textual(c.MIMEType) || text == nil:
		c.Blob, r.Bytes = b, len(b)
	case s.srv.redactAll:
		return nil, fmt.Errorf("is a text, and secrets are masked, which a part may cut in two; the user can open it by its path: %s", e.Path)
	default:
		for quotedLen(string(text)) > mostQuoted {
			_, text = characters(text[:len(text)/2])
		}
		c.Text, r.Offset, r.Bytes = string(text), a.offset+int64(skip), len(text)
	}
	if next := r.Offset + int64(r.Bytes); r.Bytes > 0 && next < e.Bytes {
		r.Next = a.part(next, a.bytes).String()
	}
	c.Meta = mcp.Meta{metaRange: r}
	return c, nil
}

func unreadableFile(e task.Entry, err error) error {
	return fmt.Errorf("cannot be read: %w; look for it at %s", err, e.Path)
}

// textual says whether a MIME type is one of text.
func textual(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/x-yaml", "application/yaml", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// characters leaves out the halves of characters at both ends of a part. text is nil
// for what is no text.
func characters(b []byte) (skip int, text []byte) {
	for skip < min(len(b), utf8.UTFMax-1) && !utf8.RuneStart(b[skip]) {
		skip++
	}
	text = b[skip:]
	for i := 1; i <= min(len(text), utf8.UTFMax-1); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				text = text[:at]
			}
			break
		}
	}
	if !utf8.Valid(text) || len(text) == 0 {
		return 0, nil
	}
	return skip, text
}

// quotedLen is how long a text is in JSON, with what the SDK escapes.
func quotedLen(s string) int {
	b, _ := json.Marshal(s)
	return len(b)
}

// auditRead writes a read of a file into the log, as a call.
func (s *session) auditRead(began time.Time, uri string, c *mcp.ResourceContents, err error) {
	log := s.srv.cfg.Audit
	if log == nil {
		return
	}
	raw, _ := json.Marshal(map[string]string{"uri": uri})
	e := s.entry(began, methodReadResource, raw)
	if c != nil {
		e.Bytes = len(c.Text) + len(c.Blob)
	}
	if err != nil {
		e.Outcome = string(browser.BadArgs)
	}
	if err := log.Record(e); err != nil {
		s.srv.log.Error("audit", "error", err)
	}
}
