package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// noteEvery is how often one kind of refusal is logged.
const noteEvery = time.Minute

// guard judges requests by their headers, before a byte of their body is read. It is
// what stands between the user's browser and every web page and process of the machine.
type guard struct {
	cfg HTTPConfig
	log *slog.Logger

	mu    sync.Mutex
	noted map[string]*noted // by what was refused
}

type noted struct {
	at     time.Time
	silent int // since then
}

func newGuard(cfg HTTPConfig, log *slog.Logger) *guard {
	return &guard{cfg: cfg, log: log, noted: map[string]*noted{}}
}

// admit lets a request in, or answers it.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	origin, page := origin(r)
	deny := func(status int, what, text string) bool {
		g.note(what, r)
		hangUp(w)
		refuse(w, status, jsonrpc.CodeInvalidRequest, text)
		return false
	}
	switch {
	case !g.host(r):
		return deny(http.StatusForbidden, "a request for another host, which may be DNS rebinding",
			"this host name is not answered; use 127.0.0.1, or start chrome-mcp with --http-host and the name")
	case page && !g.origin(origin, r):
		return deny(http.StatusForbidden, "a request of a web page",
			"web pages of this origin may not connect; the user can allow it by starting chrome-mcp with --http-origin")
	case r.URL.Path != HTTPPath:
		refuse(w, http.StatusNotFound, jsonrpc.CodeInvalidRequest, "there is nothing here; MCP is at "+HTTPPath)
		return false
	}
	if page {
		cors(w, origin)
	}
	if page && r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent) // the browser asks before it sends the token
		return false
	}
	token, has := bearer(r)
	switch {
	case g.cfg.InsecureNoToken:
	case !has:
		w.Header().Set("WWW-Authenticate", `Bearer realm="chrome-mcp"`)
		return deny(http.StatusUnauthorized, "a request without a token",
			"the header Authorization: Bearer TOKEN is missing; `chrome-mcp token` tells where the token is")
	case !g.cfg.Authorized(token):
		w.Header().Set("WWW-Authenticate", `Bearer realm="chrome-mcp", error="invalid_token"`)
		return deny(http.StatusUnauthorized, "a request with a wrong token",
			"the token is wrong; `chrome-mcp token` tells where the right one is")
	}
	prove(r)
	return true
}

// host says whether the request is for us. A name that an attacker's DNS points at this
// machine comes with its own Host, whatever the port.
func (g *guard) host(r *http.Request) bool {
	name := r.Host
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if slices.ContainsFunc(g.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	local := localAddr(r)
	if name == "localhost" {
		return !local.IsValid() || local.IsLoopback()
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (ip.IsLoopback() || ip == local)
}

// localAddr is the address that the connection came to, if it is one of the internet's.
func localAddr(r *http.Request) netip.Addr {
	a, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if a == nil {
		return netip.Addr{}
	}
	at, _ := netip.ParseAddrPort(a.String())
	return at.Addr().Unmap()
}

// origin is that of the web page that sends the request; page is false for all others.
func origin(r *http.Request) (origin string, page bool) {
	list := r.Header.Values("Origin")
	return strings.Join(list, ","), len(list) > 0
}

// origin lets in what is our own, which has no pages, and what the user named.
func (g *guard) origin(origin string, r *http.Request) bool {
	return origin == "http://"+r.Host || slices.Contains(g.cfg.Origins, origin)
}

// cors tells the browser that a page may read the answer.
func cors(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, "+clientHeader)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id")
	h.Set("Vary", "Origin")
}

// bearer is the token that the client presents.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// note logs a refusal, each kind once in a while.
func (g *guard) note(what string, r *http.Request) {
	g.mu.Lock()
	n := g.noted[what]
	if n != nil && time.Since(n.at) < noteEvery {
		n.silent++
		g.mu.Unlock()
		return
	}
	attrs := []any{"host", clip(r.Host, 80), "remote", r.RemoteAddr}
	if o, page := origin(r); page {
		attrs = append(attrs, "origin", clip(o, 80))
	}
	if n != nil && n.silent > 0 {
		attrs = append(attrs, "more", fmt.Sprintf("%d since %s", n.silent, n.at.Format(time.TimeOnly)))
	}
	g.noted[what] = &noted{at: time.Now()}
	g.mu.Unlock()
	g.log.Warn("refused "+what, attrs...)
}

// prove tells the listener that whoever holds the connection knows the token.
func prove(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*clientConn); ok {
		c.prove()
	}
}

// connKey is where a request's context has its connection.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}
