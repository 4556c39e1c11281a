package bridge

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// serve accepts connections until Shutdown.
func (b *Bridge) serve(l net.Listener, port int) {
	b.server = &http.Server{
		Handler:           b.upgrade(port),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       5 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          quiet(b.log),
	}
	b.group.Go(func() { b.server.Serve(l) })
}

// upgrade turns away what is surely not our extension before it costs anything. The
// token decides about the rest.
func (b *Bridge) upgrade(port int) http.Handler {
	hosts := []string{"127.0.0.1:" + strconv.Itoa(port), "localhost:" + strconv.Itoa(port)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A name that an attacker's DNS points at loopback comes with its own Host.
		if r.Host != hosts[0] && r.Host != hosts[1] {
			b.gate.refused(b, "a request for the host %s, which may be DNS rebinding", printable(r.Host))
			http.Error(w, "this port serves 127.0.0.1 only", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); !extensionOrigin(r.Header.Values("Origin")) {
			b.gate.refused(b, "a web page (origin %s) that tried to connect", printable(origin))
			http.Error(w, "web pages may not connect", http.StatusForbidden)
			return
		}
		if !b.gate.enter() {
			http.Error(w, "too many connections wait for their hello; try again", http.StatusServiceUnavailable)
			return
		}
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
			InsecureSkipVerify: true, // Host and Origin are checked above, more strictly
			CompressionMode:    websocket.CompressionDisabled,
		})
		if err != nil {
			b.gate.leave()
			return
		}
		b.mu.Lock()
		closed := b.closed
		if !closed {
			b.group.Add(1)
		}
		b.mu.Unlock()
		if closed {
			b.gate.leave()
			ws.CloseNow()
			return
		}
		defer b.group.Done()
		b.receive(ws, remote(r))
	})
}

// extensionOrigin lets extensions in, and programs, which send no Origin.
func extensionOrigin(origins []string) bool {
	switch len(origins) {
	case 0:
		return true
	case 1:
		return strings.HasPrefix(origins[0], "chrome-extension://")
	}
	return false
}

func remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
