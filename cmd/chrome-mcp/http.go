package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"chrome-mcp/internal/state"
	"chrome-mcp/mcpserver"
)

// httpClients is how the extension names all clients of a server with --http: what the
// user grants there, each of them has.
const httpClients = "MCP over HTTP at "

// parseHTTP reads the value of --http: an address with a port, or a port of loopback.
func parseHTTP(text string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = "", text
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	n, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil {
		return netip.AddrPort{}, fmt.Errorf("%q is no address; it has the form 127.0.0.1:8931, or is a port", text)
	}
	return netip.AddrPortFrom(ip, uint16(n)), nil
}

func checkHTTP(text string) error {
	_, err := parseHTTP(text)
	return err
}

func checkHTTPHost(name string) error {
	if name == "" || strings.ContainsAny(name, "/:@*?# \t") {
		return fmt.Errorf("%q is no host name; it has neither a scheme nor a port, as host.docker.internal", name)
	}
	return nil
}

func checkOrigin(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.Contains(u.Host, "*") || u.Scheme+"://"+u.Host != text || text != strings.ToLower(text) {
		return fmt.Errorf("%q is no origin; it has the form https://app.example, in small letters and without a path", text)
	}
	return nil
}

// checkHTTPFlags refuses what does not go with --http, or only with it.
func checkHTTPFlags(inv *invocation) error {
	if !inv.has("http") {
		for _, name := range []string{"http-host", "http-origin", "unsafe-http-remote"} {
			if inv.has(name) {
				return fmt.Errorf("flag --%s goes with --http, which is missing", name)
			}
		}
		return nil
	}
	at, err := parseHTTP(inv.last("http"))
	switch {
	case err != nil:
		return err
	case !at.Addr().IsLoopback() && !inv.has("unsafe-http-remote"):
		return fmt.Errorf("flag --http: %s is reached by other machines, and what they send is not encrypted; use 127.0.0.1:%d, or add --unsafe-http-remote", at.Addr(), at.Port())
	case !at.Addr().IsLoopback():
		fmt.Fprintf(inv.stderr, "chrome-mcp: WARNING: --unsafe-http-remote lets every machine that reaches %s try the token, which travels unencrypted\n", at)
	}
	return nil
}

// startForHTTP makes browsers find this server, at the first client's first need.
func (s *server) startForHTTP(ctx context.Context, _ string) error {
	if s.start == nil {
		return nil
	}
	return s.start(ctx, httpClients+s.http)
}

// overHTTP listens, and returns what serves the clients there.
func (s *server) overHTTP(inv *invocation, srv *mcpserver.Server) (func(context.Context) error, error) {
	at, err := parseHTTP(inv.last("http"))
	if err != nil {
		return nil, err
	}
	store := state.Open(s.data)
	var token atomic.Pointer[string]
	now, err := store.HTTPToken()
	if err != nil {
		return nil, fmt.Errorf("flag --http: no token: %w", err)
	}
	token.Store(&now)
	h, err := srv.HTTP(mcpserver.HTTPConfig{
		Authorized: func(got string) bool { return *token.Load() != "" && state.TokenEqual(got, *token.Load()) },
		Hosts:      inv.all("http-host"),
		Origins:    inv.all("http-origin"),
	})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, fmt.Errorf("flag --http: %w; another program may have the port", err)
	}
	s.http = l.Addr().String()
	fmt.Fprintf(inv.stderr, "chrome-mcp: MCP at http://%s%s; the token is in %s\n", s.http, mcpserver.HTTPPath, store.HTTPTokenPath())
	return func(ctx context.Context) error {
		go store.Watch(ctx, func() { s.renew(store, h, &token) })
		return h.Serve(ctx, l)
	}, nil
}

// renew reads the token again after its file may have changed. With another token every
// client has to show that it knows it. One that cannot be read lets nobody in.
func (s *server) renew(store *state.Store, h *mcpserver.HTTP, token *atomic.Pointer[string]) {
	now, err := store.HTTPToken()
	if err != nil {
		s.log.Error("nobody is let in over HTTP", "error", err)
		now = ""
	}
	if old := token.Swap(&now); *old != now {
		h.Drop(errors.New("the token was changed"))
	}
}
