package e2e

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/version"
	"chrome-mcp/mcpserver"
)

// cdpSeat runs the page cases over the fallback, with the server in this process.
func cdpSeat(t *testing.T) *seat {
	b, err := cdpfallback.Start(t.Context(), cdpfallback.Config{
		Headless: true, Bundle: bundle.Source, World: bundle.World, Log: rig.log.writer("chromium"), Downloads: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Shutdown(context.Background()) })
	return &seat{name: "cdp", browser: &chrome{Backend: b}, connect: func(t *testing.T, hosts []string) *server {
		return serveHere(t, b, hosts)
	}}
}

func serveHere(t *testing.T, b *cdpfallback.Backend, hosts []string) *server {
	m, err := mcpserver.New(mcpserver.Config{
		Backend: b, SessionID: t.Name(), Version: version.Version,
		Policy:  policy.Policy{AllowDomains: hosts, Mutations: true, Eval: true, Downloads: true, Uploads: true, UploadsDir: uploadsDir(), Observers: true},
		DataDir: t.TempDir(),
		Start:   func(context.Context, string) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	toServer, clientOut := io.Pipe()
	clientIn, fromServer := io.Pipe()
	s := &server{exited: make(chan struct{})}
	go func() {
		_ = m.ServeStdio(t.Context(), toServer, fromServer)
		_ = fromServer.Close()
		close(s.exited)
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: t.Name(), Version: "1"}, nil)
	if s.ClientSession, err = c.Connect(t.Context(), &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = clientOut.Close()
		<-s.exited
		_ = s.Close()
	})
	if err := s.listTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}
