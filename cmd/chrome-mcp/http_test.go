//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chrome-mcp/internal/state"
)

// startHTTP starts a server on a free port and returns its address.
func startHTTP(t *testing.T, data string, flags ...string) (p *running, url string) {
	t.Helper()
	p = newRunning(data, append([]string{"serve", "--http", "0"}, flags...)...)
	p.Stderr = nil
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil { // its standard input is at its end
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	lines := bufio.NewReader(io.TeeReader(stderr, &p.stderr))
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v\n%s", err, p.stderr.String())
		}
		if _, rest, ok := strings.Cut(line, " MCP at "); ok {
			url, _, _ = strings.Cut(rest, ";")
			break
		}
	}
	go io.Copy(io.Discard, lines)
	return p, url
}

// postHTTP posts a message and returns the status and the Mcp-Session-Id.
func postHTTP(t *testing.T, url, token, session, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Mcp-Session-Id": session,
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header.Get("Mcp-Session-Id")
}

// It serves without a standard input until a signal ends it, and browsers find it once
// a client has shaken hands.
func TestHTTPServer(t *testing.T) {
	data := t.TempDir()
	store := state.Open(data)
	p, url := startHTTP(t, data)
	token, err := store.HTTPToken()
	if err != nil {
		t.Fatal(err)
	}
	hello, initialized, _ := strings.Cut(initialize, "\n")
	status, session := postHTTP(t, url, token, "", hello)
	if status != http.StatusOK || session == "" {
		t.Fatalf("initialize: %d", status)
	}
	if live, _ := store.Live(); len(live) != 0 {
		t.Error("a mere probe has started the bridge")
	}
	postHTTP(t, url, token, session, initialized)
	h := await(t, store, func(h state.Handshake) bool { return h.PID == p.Process.Pid })
	if want := "MCP over HTTP at " + strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"); h.Client != want {
		t.Errorf("the client is %q, want %q", h.Client, want)
	}
	// A new token is valid at once, the old one no more.
	if _, err := store.RevokeHTTPToken(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		if status, _ := postHTTP(t, url, token, session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); status == http.StatusUnauthorized {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the old token is still good")
		}
	}
	next, _ := store.HTTPToken()
	if status, _ := postHTTP(t, url, next, session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); status != http.StatusNotFound {
		t.Errorf("a session of before: %d", status)
	}
	if status, _ := postHTTP(t, url, next, "", hello); status != http.StatusOK {
		t.Errorf("the new token: %d", status)
	}
	p.Process.Signal(syscall.SIGTERM)
	if took := p.ends(t); took > time.Second || p.ProcessState.ExitCode() != 0 {
		t.Errorf("it took %v: %v", took, p.ProcessState)
	}
	if _, err := os.Stat(h.Path); !os.IsNotExist(err) {
		t.Errorf("the handshake file is still there: %v", err)
	}
}

// The token for HTTP is in its file; nowhere else.
func TestHTTPTokenIsNowhereElse(t *testing.T) {
	data := t.TempDir()
	logFile := filepath.Join(t.TempDir(), "log")
	p, url := startHTTP(t, data, "--log-file", logFile)
	token, err := state.Open(data).HTTPToken()
	if err != nil {
		t.Fatal(err)
	}
	hello, _, _ := strings.Cut(initialize, "\n")
	postHTTP(t, url, token, "", hello)
	postHTTP(t, url, token[1:], "", hello)
	argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Process.Pid))
	said := map[string]string{"argv": string(argv)}
	for _, args := range []string{"token", "status", "status --json", "help"} {
		c := newRunning(data, strings.Fields(args)...)
		out, _ := c.Output()
		said[args] = string(out) + c.stderr.String()
	}
	p.Process.Signal(syscall.SIGTERM)
	p.ends(t)
	said["stderr"] = p.stderr.String()
	for _, dir := range []string{data, filepath.Dir(logFile)} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && d.Name() != "http-token" {
				b, _ := os.ReadFile(path)
				said[path] = string(b)
			}
			return err
		})
	}
	if !strings.Contains(said[logFile], "wrong token") {
		t.Errorf("the search looked at too little: %q", said[logFile])
	}
	for where, text := range said {
		if strings.Contains(text, token[1:]) {
			t.Errorf("the token is in %s", where)
		}
	}
}

// What other machines reach is loud, and no less strict.
func TestHTTPRemote(t *testing.T) {
	data := t.TempDir()
	p, url := startHTTP(t, data, "--http", "0.0.0.0:0", "--unsafe-http-remote")
	token, err := state.Open(data).HTTPToken()
	if err != nil {
		t.Fatal(err)
	}
	hello, _, _ := strings.Cut(initialize, "\n")
	url = strings.NewReplacer("[::]", "127.0.0.1", "0.0.0.0", "127.0.0.1").Replace(url)
	if status, _ := postHTTP(t, url, token, "", hello); status != http.StatusOK {
		t.Errorf("the right token: %d", status)
	}
	if status, _ := postHTTP(t, url, "", "", hello); status != http.StatusUnauthorized {
		t.Errorf("no token: %d", status)
	}
	if status, _ := postHTTP(t, strings.Replace(url, "127.0.0.1", "localhost", 1), token, "", hello); status != http.StatusOK {
		t.Errorf("by name: %d", status)
	}
	p.Process.Signal(syscall.SIGTERM)
	p.ends(t)
	if said := p.stderr.String(); !strings.Contains(said, "WARNING: --unsafe-http-remote") {
		t.Errorf("it says %q", said)
	}
}
