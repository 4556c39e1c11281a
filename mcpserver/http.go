package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPPath is where the protocol is spoken.
const HTTPPath = "/mcp"

const (
	maxBody    = 4 << 20          // bytes of a request
	bodyWithin = 30 * time.Second // for a client to send them
	maxFlights = 2048             // requests at once, of all sessions

	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// HTTPConfig says whom a server over HTTP lets in. Authorized is required.
type HTTPConfig struct {
	// Authorized says whether a bearer token is the right one, in constant time.
	Authorized func(token string) bool
	// InsecureNoToken lets in whoever reaches the port: every process of every user of
	// the machine. It is meant for tests.
	InsecureNoToken bool
	// Hosts are names in the Host header that are answered beside loopback's and the
	// address that the connection came to.
	Hosts []string
	// Origins are those of web pages that may connect, beside none.
	Origins []string
	// Idle is how long a session without requests lives; 0 is 30 minutes.
	Idle time.Duration
	// Sessions is how many there may be at once; 0 is 64.
	Sessions int
}

// HTTP serves MCP over Streamable HTTP, both revisions on one path. A client of a
// revision with a handshake has a session by its Mcp-Session-Id; what is the session of
// a client without one, see identity. Each session is a browser session of its own.
type HTTP struct {
	srv   *Server
	cfg   HTTPConfig
	log   *slog.Logger
	guard *guard

	life    context.Context // ends when the server ends
	end     context.CancelCauseFunc
	flights atomic.Int64

	// The SDK holds these two ways of serving apart.
	stateful, stateless http.Handler

	sessions httpSessions
}

// HTTP returns the handler for a server's clients over HTTP. Serve serves it.
func (s *Server) HTTP(cfg HTTPConfig) (*HTTP, error) {
	if cfg.Authorized == nil && !cfg.InsecureNoToken {
		return nil, errors.New("mcpserver: HTTPConfig.Authorized is required")
	}
	h := &HTTP{srv: s, cfg: cfg, log: s.log, guard: newGuard(cfg, s.log)}
	h.life, h.end = context.WithCancelCause(context.Background())
	h.sessions.init(h)
	serverOf := func(r *http.Request) *mcp.Server {
		m, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return m
	}
	handler := func(stateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{
			Stateless: stateless, PropagateRequestCancellation: stateless,
			DisableLocalhostProtection: true, // the guard is stricter
			Logger:                     slog.New(warnings{s.log.Handler()}),
		})
	}
	h.stateful, h.stateless = handler(false), handler(true)
	return h, nil
}

// serverKey is where a request's context has the SDK's server of its session.
type serverKey struct{}

// ServeHTTP implements http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.guard.admit(w, r) {
		return
	}
	defer h.flights.Add(-1)
	if h.flights.Add(1) > maxFlights || h.life.Err() != nil {
		refuse(w, http.StatusServiceUnavailable, codeOverload, "the server has too much to do, or is ending; try again later")
		return
	}
	r.Header.Del(turnHeader) // ours alone
	sessions := r.Header.Get(versionHeader) < stateless
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodGet && sessions:
		h.get(w, r)
	case r.Method == http.MethodDelete && sessions:
		h.delete(w, r)
	default:
		allow := "POST"
		if sessions {
			allow = "GET, POST, DELETE"
		}
		w.Header().Set("Allow", allow)
		refuse(w, http.StatusMethodNotAllowed, jsonrpc.CodeInvalidRequest, clip(r.Method, 20)+" is not of this protocol here; use "+allow)
	}
}

func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, jsonrpc.CodeInvalidRequest, "the header Accept must list both application/json and text/event-stream")
		return
	}
	body, ok := h.read(w, r)
	if !ok {
		return
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, bom))
	if bad := misshapen(body); bad != nil {
		refuseMessage(w, http.StatusBadRequest, bad)
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	m := peek(body)
	if max(r.Header.Get(versionHeader), m.Params.Meta.Version) >= stateless {
		h.forward(w, r, h.stateless, httpKey{stateless: true, id: identity(r, m)}, true, m)
		return
	}
	id := r.Header.Get(sessionHeader)
	if id == "" && m.Method == methodInitialize {
		h.open(w, r, m)
		return
	}
	if id == "" {
		refuse(w, http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "the header Mcp-Session-Id is missing; begin with initialize, whose answer carries it")
		return
	}
	h.forward(w, r, h.stateful, httpKey{id: id}, false, m)
}

// read reads the body, within bounds of size and time.
func (h *HTTP) read(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyWithin)) // not on every kind of connection
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status, text := http.StatusBadRequest, "the request was not received whole"
		if errors.As(err, new(*http.MaxBytesError)) {
			status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d MB", maxBody>>20)
			h.guard.note("a request that is too large", r)
		}
		hangUp(w)
		refuse(w, status, jsonrpc.CodeInvalidRequest, text)
		return nil, false
	}
	_ = conn.SetReadDeadline(time.Time{})
	return body, true
}

// misshapen says what is wrong with a body that is no message, by the same rules as on
// standard input. The SDK would answer without the id, and for an id that it cannot hold
// under another. Bodies that are empty or a batch are for it to refuse.
func misshapen(body []byte) *badMessage {
	if len(body) == 0 || body[0] == '[' {
		return nil
	}
	msgs, _, err := parseLine(body)
	if err != nil {
		return err.(*badMessage)
	}
	if req, ok := msgs[0].(*jsonrpc.Request); ok {
		if s, ok := req.ID.Raw().(string); ok && strings.HasPrefix(s, longID) {
			return &badMessage{id: idJSON(req.ID), code: jsonrpc.CodeInvalidRequest, text: `invalid request: over HTTP an integer "id" has at most 53 bits`}
		}
	}
	return nil
}

// message is what has to be known of a message before it is handed on.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			Version string             `json:"io.modelcontextprotocol/protocolVersion"`
			Client  mcp.Implementation `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	} `json:"params"`
}

// peek reads what it can: whether the message is right is for the SDK to say.
func peek(body []byte) (m message) {
	_ = json.Unmarshal(body, &m)
	return m
}

// open begins a session with a client's initialize.
func (h *HTTP) open(w http.ResponseWriter, r *http.Request, m message) {
	key := newHTTPKey()
	if !h.forward(w, r, h.stateful, key, true, m) {
		return
	}
	// One that did not come about is not kept.
	if s := h.sessions.find(key); s != nil && !s.shook() {
		h.sessions.finish(s, errors.New("initialize failed"), closeGrace)
	}
}

// forward hands a request to the SDK, as one of a session, which is made if fresh says so.
// It returns false when there is no such session.
func (h *HTTP) forward(w http.ResponseWriter, r *http.Request, to http.Handler, key httpKey, fresh bool, m message) bool {
	listens := m.Method == methodListen // it lasts until somebody ends it
	s, err := h.sessions.enter(key, fresh, listens)
	if err != nil {
		err.write(w)
		return false
	}
	defer h.sessions.leave(s, listens)
	ctx := context.WithValue(r.Context(), serverKey{}, s.mcp)
	if listens {
		h.stream(w, r.WithContext(ctx), to, s)
		return true
	}
	if m.Method == methodCallTool {
		turn := s.turns.issue()
		defer s.passTurn(turn) // also when the SDK refuses the call
		r.Header.Set(turnHeader, strconv.FormatUint(turn, 10))
	}
	to.ServeHTTP(newEvents(w, m.ID), r.WithContext(ctx))
	return true
}

// get opens the stream by which the server speaks without being asked.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	switch {
	case !accepts(r, "text/event-stream"):
		refuse(w, http.StatusNotAcceptable, jsonrpc.CodeInvalidRequest, "the header Accept must list text/event-stream")
		return
	case id == "":
		refuse(w, http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "the header Mcp-Session-Id is missing; begin with a POST of initialize, whose answer carries it")
		return
	}
	s, err := h.sessions.enter(httpKey{id: id}, false, true)
	if err != nil {
		err.write(w)
		return
	}
	defer h.sessions.leave(s, true)
	h.stream(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s.mcp)), h.stateful, s)
}

// stream serves what lasts until the client or the session ends.
func (h *HTTP) stream(w http.ResponseWriter, r *http.Request, to http.Handler, s *httpSession) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.muted, cancel)()
	e := newEvents(w, nil)
	defer e.keepAlive(cancel)()
	to.ServeHTTP(e, r.WithContext(ctx))
}

// delete ends a session at its client's wish.
func (h *HTTP) delete(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		refuse(w, http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "the header Mcp-Session-Id is missing; it names the session to end")
		return
	}
	s := h.sessions.find(httpKey{id: id})
	if s == nil {
		errNoSession.write(w)
		return
	}
	h.sessions.finish(s, errors.New("the client has ended its session"), giveBack)
	w.WriteHeader(http.StatusNoContent)
}

// Drop ends every session, as after the token was changed. Clients may come back.
func (h *HTTP) Drop(cause error) { h.sessions.finishAll(cause, giveBack) }

// accepts says whether the client takes a media type.
func accepts(r *http.Request, want string) bool {
	kind, _, _ := strings.Cut(want, "/")
	for _, list := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(list, ",") {
			item, params, _ := strings.Cut(item, ";")
			if unwelcome(params) {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(item)) {
			case want, kind + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// unwelcome says whether the parameters of a media type exclude it: q=0.
func unwelcome(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if q, err := strconv.ParseFloat(value, 32); strings.EqualFold(name, "q") && err == nil && q == 0 {
			return true
		}
	}
	return false
}

// refuse answers a request that is not handed on, as an error of the protocol.
func refuse(w http.ResponseWriter, status int, code int64, text string) {
	refuseMessage(w, status, &badMessage{code: code, text: text})
}

func refuseMessage(w http.ResponseWriter, status int, bad *badMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encodeError(bad))
}

// hangUp ends the connection after the answer, and does not wait for what the client
// still wants to send.
func hangUp(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
}
