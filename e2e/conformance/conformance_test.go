package conformance

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/e2e/nodejs"
	"chrome-mcp/mcpserver"
)

var revisions = []string{"2025-11-25", "2026-07-28"}

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("every test here needs the suite from npm; run without -short")
		return
	}
	os.Exit(m.Run())
}

// TestRequirements runs every scenario that a revision requires of servers. The server is
// ours with the suite's fixtures added; no browser is needed for any of it.
func TestRequirements(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			suite(t, serve(t), "--requirements", revision)
		})
	}
}

// visible are the scenarios that need no fixtures, by the revisions that have them.
var visible = map[string][]string{
	"server-initialize":           {"2025-11-25"},
	"server-session-lifecycle":    {"2025-11-25"},
	"ping":                        {"2025-11-25"},
	"tools-list":                  revisions,
	"resources-list":              revisions,
	"dns-rebinding-protection":    revisions,
	"sep-2164-resource-not-found": {"2026-07-28"},
	"caching":                     {"2026-07-28"},
	"http-header-validation":      {"2026-07-28"},
}

// TestProgram runs what a client sees of any server against the program itself.
func TestProgram(t *testing.T) {
	at := program(t)
	for scenario, in := range visible {
		for _, revision := range in {
			t.Run(scenario+" "+revision, func(t *testing.T) {
				suite(t, at, "--scenario", scenario, "--spec-version", revision)
			})
		}
	}
}

var warnings = regexp.MustCompile(`[1-9]\d* warning`)

// suite runs the conformance suite against a server, and wants no failure and no warning.
func suite(t *testing.T, at string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	packages := filepath.Join("..", "testdata", "protocol")
	node, err := nodejs.Find(packages)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(ctx, node, append([]string{
		filepath.Join(packages, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"), "server", "--url", at}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("conformance server %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	if warned := warnings.Find(out); warned != nil {
		t.Errorf("conformance server %s: %s\n%s", strings.Join(args, " "), warned, out)
	}
	t.Logf("%s", out)
}

// serve starts our server with the fixtures, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	standby := cdpfallback.NewStandby(cdpfallback.Config{})
	t.Cleanup(func() { _ = standby.Shutdown(context.Background()) })
	srv, err := mcpserver.New(mcpserver.Config{Backend: standby, SessionID: "conformance", Version: "0.0.0", Extend: Extend})
	if err != nil {
		t.Fatal(err)
	}
	h, err := srv.HTTP(mcpserver.HTTPConfig{InsecureNoToken: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + mcpserver.HTTPPath
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)

// program starts the built program over HTTP. The suite knows no tokens, so what is in
// front of it adds the token, and nothing else.
func program(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "chrome-mcp")
	if out, err := exec.Command("go", "build", "-o", bin, "chrome-mcp/cmd/chrome-mcp").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	env := append(os.Environ(), "CHROME_MCP_DATA="+t.TempDir())
	ask := exec.Command(bin, "token", "--show")
	ask.Env = env
	token, err := ask.Output()
	if err != nil {
		t.Fatalf("token: %v", err)
	}
	server := exec.Command(bin, "serve", "--http", "127.0.0.1:0", "--no-cdp-fallback")
	server.Env = env
	says, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	return "http://" + front(t, address(t, says), string(bytes.TrimSpace(token))) + mcpserver.HTTPPath
}

// address reads where the server listens from what it says.
func address(t *testing.T, says interface{ Read([]byte) (int, error) }) *url.URL {
	t.Helper()
	lines := bufio.NewScanner(says)
	for lines.Scan() {
		if at := listening.FindString(lines.Text()); at != "" {
			go func() {
				for lines.Scan() { // or the server would block
				}
			}()
			u, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
	}
	t.Fatal("the server did not say where it listens")
	return nil
}

// front passes requests on as they are, with the token, and returns its address. Host
// stays what the client sent, but for the port, which is the server's business.
func front(t *testing.T, to *url.URL, token string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := &http.Server{Handler: &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", fmt.Sprintf("Bearer %s", token))
		},
	}}
	go proxy.Serve(l)
	t.Cleanup(func() { proxy.Close() })
	return l.Addr().String()
}
