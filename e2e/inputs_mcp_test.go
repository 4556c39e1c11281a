package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"chrome-mcp/internal/page"
)

// rawServer is the program spoken to in lines.
type rawServer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr *bytes.Buffer
	exited chan error
	early  map[float64]map[string]any // answers that came before they were asked for
}

func startRaw(t testing.TB, env []string, flags ...string) *rawServer {
	t.Helper()
	s := &rawServer{cmd: exec.Command(rig.bin, flags...), lines: make(chan string, 64), stderr: &bytes.Buffer{}, exited: make(chan error, 1), early: map[float64]map[string]any{}}
	s.cmd.Env, s.cmd.Stderr = env, s.stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r := bufio.NewReaderSize(io.TeeReader(out, rig.log.writer("raw stdout")), 64<<10)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				close(s.lines)
				s.exited <- s.cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = s.in.Close()
		_ = s.cmd.Process.Kill()
		rig.log.add("raw stderr", s.stderr.String())
	})
	return s
}

// answer waits for the answer to a request and checks each line on the way.
func (s *rawServer) answer(t testing.TB, id int) map[string]any {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		if m := s.early[float64(id)]; m != nil {
			return m
		}
		select {
		case line, ok := <-s.lines:
			if !ok {
				t.Fatalf("the server ended before it answered %d; stderr: %s", id, s.stderr)
			}
			m := cleanLine(t, line)
			if id, ok := m["id"].(float64); ok {
				s.early[id] = m
			}
		case <-limit:
			t.Fatalf("no answer to %d; stderr: %s", id, s.stderr)
		}
	}
}

// cleanLine is a line of JSON-RPC that any client can read.
func cleanLine(t testing.TB, line string) map[string]any {
	t.Helper()
	if !strings.HasSuffix(line, "\n") || strings.Contains(line, "\r") {
		t.Errorf("a line without LF, or with CR: %.100q", line)
	}
	if !utf8.ValidString(line) {
		t.Errorf("a line that is no UTF-8: %.100q", line)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
		t.Errorf("a line that is no JSON-RPC: %.200q", line)
	}
	return m
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func toolCall(id int, tool string, a args) string {
	raw, _ := json.Marshal(args{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": args{"name": tool, "arguments": a}})
	return string(raw) + "\n"
}

func mcpLines(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct{ Stdin, Want string }
	}](t, raw)
	for _, v := range file.Vectors {
		s := startRaw(t, environment(t.TempDir()))
		_, _ = io.WriteString(s.in, v.Stdin)
		_ = s.in.Close()
		var ids []any
		for line := range s.lines {
			if m := cleanLine(t, line); m["error"] == nil {
				ids = append(ids, m["id"])
			}
		}
		if !slices.Contains(ids, any(float64(1))) || !slices.Contains(ids, any(float64(2))) {
			t.Errorf("answers to %v, want 1 and 2 (%s); stderr: %s", ids, v.Want, s.stderr)
		}
	}
}

func mcpHugeLines(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct {
			Gen struct {
				Expression int `json:"expression_bytes"`
				Result     int `json:"result_bytes"`
			}
			Want string
		}
	}](t, raw)
	c := paired(t, false)
	s := startRaw(t, environment(c.data), allowAll()...)
	_, _ = io.WriteString(s.in, handshake)
	s.answer(t, 1)
	_, _ = io.WriteString(s.in, toolCall(2, "tab_new", nil))
	s.answer(t, 2)
	id := 2
	for _, v := range file.Vectors {
		expression := fmt.Sprintf("'x'.repeat(%d)", v.Gen.Result)
		if n := v.Gen.Expression; n > 0 {
			expression = "'" + strings.Repeat("x", n-9) + "'.length"
		}
		id += 2
		_, _ = io.WriteString(s.in, toolCall(id, "eval", args{"expression": expression})+fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id+1))
		got, _ := json.Marshal(s.answer(t, id))
		if want := fmt.Sprint(v.Gen.Expression - 9); v.Gen.Expression > 0 && !strings.Contains(string(got), want) && !strings.Contains(string(got), "limit") && !strings.Contains(string(got), "most") {
			t.Errorf("an expression of %d bytes: %.300s", v.Gen.Expression, got)
		}
		if m := s.answer(t, id+1); m["error"] != nil {
			t.Errorf("the request after one of %d bytes: %v", v.Gen.Expression, m["error"])
		}
	}
}

func stdoutClean(t *testing.T, raw []byte) {
	_ = vectors[map[string]any](t, raw)
	run := func(t *testing.T, env []string, stdin string, flags ...string) (lines []string, stderr string, code int) {
		t.Helper()
		s := startRaw(t, env, flags...)
		_, _ = io.WriteString(s.in, stdin)
		_ = s.in.Close()
		for line := range s.lines {
			lines = append(lines, line)
		}
		var exit *exec.ExitError
		if err := <-s.exited; errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		return lines, s.stderr.String(), code
	}
	t.Run("unknown flag", func(t *testing.T) {
		lines, stderr, code := run(t, environment(t.TempDir()), "", "--no-such-flag")
		if len(lines) > 0 || stderr == "" || code == 0 {
			t.Errorf("stdout %q, stderr %q, code %d", lines, stderr, code)
		}
	})
	t.Run("no home", func(t *testing.T) {
		lines, stderr, _ := run(t, []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}, handshake+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		for _, line := range lines {
			cleanLine(t, line)
		}
		if len(lines) == 0 && stderr == "" {
			t.Error("neither an answer nor a word on stderr")
		}
	})
	t.Run("broken policy file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "policy.json")
		if err := os.WriteFile(path, []byte(`{"allowDomains": [`), 0o600); err != nil {
			t.Fatal(err)
		}
		lines, stderr, code := run(t, environment(t.TempDir()), "", "--policy", path)
		for _, line := range lines {
			cleanLine(t, line)
		}
		if !strings.Contains(stderr, path) || code == 0 {
			t.Errorf("stderr does not name %s: %q, code %d", path, stderr, code)
		}
	})
	t.Run("EOF at once", func(t *testing.T) {
		begin := time.Now()
		if _, stderr, code := run(t, environment(t.TempDir()), ""); code != 0 || time.Since(begin) > 2*time.Second {
			t.Errorf("code %d after %v: %s", code, time.Since(begin), stderr)
		}
	})
	t.Run("SIGTERM in mid-call", sigtermInCall)
	t.Run("help", func(t *testing.T) {
		lines, _, code := run(t, environment(t.TempDir()), "", "--help")
		if code != 0 || len(lines) == 0 {
			t.Errorf("%d lines of help, code %d", len(lines), code)
		}
	})
}

func sigtermInCall(t *testing.T) {
	c := paired(t, false)
	s := startRaw(t, environment(c.data), allowAll()...)
	_, _ = io.WriteString(s.in, handshake)
	s.answer(t, 1)
	_, _ = io.WriteString(s.in, toolCall(2, "navigate", args{"url": rig.site.page("<title>slow</title>")}))
	s.answer(t, 2)
	_, _ = io.WriteString(s.in, toolCall(3, "eval", args{"expression": "fetch('/hit').then(() => new Promise(() => {}))"}))
	for before := rig.site.hits.Load(); rig.site.hits.Load() == before; {
		time.Sleep(5 * time.Millisecond)
	}
	begin := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for line := range s.lines {
		cleanLine(t, line)
	}
	<-s.exited
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("ended %v after SIGTERM", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	for {
		var attached []string
		err := c.worker(ctx, `chrome.debugger.getTargets().then(l => l.filter(t => t.attached && t.tabId && t.title === 'slow').map(t => t.url))`, &attached)
		if err == nil && len(attached) == 0 {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the debugger is still attached to %v: %v", attached, err)
		}
		wait(ctx, 50*time.Millisecond)
	}
}

// loneSurrogates sends each text through a real page and back.
func loneSurrogates(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct {
			JSON     string
			Bytes    string `json:"bytes_hex"`
			Truncate *struct {
				Text string
				N    int
			}
			Want string
		}
	}](t, raw)
	c := paired(t, false)
	s := startRaw(t, environment(c.data), allowAll()...)
	_, _ = io.WriteString(s.in, handshake)
	s.answer(t, 1)
	_, _ = io.WriteString(s.in, toolCall(2, "tab_new", nil))
	s.answer(t, 2)
	for i, v := range file.Vectors {
		id := 10 + i
		switch {
		case v.Truncate != nil:
			cut := page.Cut(v.Truncate.Text, v.Truncate.N)
			if !utf8.ValidString(cut) || !strings.HasPrefix(v.Truncate.Text, cut) || len(cut) > v.Truncate.N {
				t.Errorf("cut of %q to %d is %q", v.Truncate.Text, v.Truncate.N, cut)
			}
		case v.Bytes != "":
			b, err := hex.DecodeString(v.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"eval","arguments":{"expression":%s}}}`+"\n", id, b)
			_, _ = io.WriteString(s.in, line+fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id+100))
			s.answer(t, id+100)
		default:
			_, _ = io.WriteString(s.in, toolCall(id, "eval", args{"expression": v.JSON}))
			var want string
			if err := json.Unmarshal([]byte(v.JSON), &want); err != nil {
				t.Fatal(err)
			}
			m, _ := s.answer(t, id)["result"].(map[string]any)
			got, _ := m["structuredContent"].(map[string]any)
			if got["value"] != want {
				t.Errorf("%s came back as %q, want %q: %v", v.JSON, got["value"], want, m)
			}
		}
	}
}
