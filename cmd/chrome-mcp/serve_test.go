//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/state"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// running is a started chrome-mcp.
type running struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func newRunning(data string, args ...string) *running {
	p := &running{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), asMain+"=1", noRaceSleep, state.DataEnv+"="+data)
	p.Stderr = &p.stderr
	return p
}

func startProgram(t *testing.T, data string, args ...string) *running {
	t.Helper()
	p := newRunning(data, args...)
	p.in, _ = p.StdinPipe()
	out, _ := p.StdoutPipe()
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	return p
}

// shake does what a client does first, and waits until browsers can find the server.
func (p *running) shake(t *testing.T, store *state.Store) state.Handshake {
	t.Helper()
	io.WriteString(p.in, initialize)
	if line, err := p.out.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		t.Fatalf("answer %q, %v, %s", line, err, p.stderr.String())
	}
	return await(t, store, func(h state.Handshake) bool { return h.PID == p.Process.Pid })
}

func await(t *testing.T, store *state.Store, want func(state.Handshake) bool) state.Handshake {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		live, _ := store.Live()
		for _, h := range live {
			if want(h) {
				return h
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("no such server within 5 s")
	return state.Handshake{}
}

// ends waits for the end and returns how long it took.
func (p *running) ends(t *testing.T) time.Duration {
	t.Helper()
	begin := time.Now()
	done := make(chan error, 1)
	go func() { done <- p.Wait() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("still running after 5 s")
	}
	return time.Since(begin)
}

func TestServerEnds(t *testing.T) {
	for name, end := range map[string]func(*running){
		"EOF":     func(p *running) { p.in.Close() },
		"SIGTERM": func(p *running) { p.Process.Signal(syscall.SIGTERM) },
		"SIGINT":  func(p *running) { p.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			p := startProgram(t, data)
			h := p.shake(t, state.Open(data))
			end(p)
			if took := p.ends(t); took > time.Second {
				t.Errorf("took %v", took)
			}
			if _, err := os.Stat(h.Path); !os.IsNotExist(err) {
				t.Errorf("the handshake file is still there: %v", err)
			}
		})
	}
}

// A client that was killed leaves its server's input open if another child holds it.
func TestServerEndsWithItsParent(t *testing.T) {
	data := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	parent := exec.Command("sh", "-c", `"$0" <&3 >/dev/null & echo $!; wait`, os.Args[0])
	parent.Env = append(os.Environ(), asMain+"=1", noRaceSleep, state.DataEnv+"="+data)
	parent.ExtraFiles = []*os.File{r}
	out, _ := parent.StdoutPipe()
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, initialize)
	h := await(t, state.Open(data), func(h state.Handshake) bool { return h.PID == pid })
	parent.Process.Kill()
	parent.Wait()
	begin := time.Now()
	for h.Alive() {
		if time.Since(begin) > 3*time.Second {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("still running 3 s after its parent's death")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("took %v", took)
	}
	if _, err := os.Stat(h.Path); !os.IsNotExist(err) {
		t.Errorf("the handshake file is still there: %v", err)
	}
}

// A probe that never shakes hands leaves no trace.
func TestProbeWritesNothing(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := startProgram(t, data)
	io.WriteString(p.in, strings.SplitAfter(initialize, "\n")[0])
	p.out.ReadString('\n')
	p.in.Close()
	p.ends(t)
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the data folder was made: %v", err)
	}
}

func TestTokenChanges(t *testing.T) {
	for name, change := range map[string]func(*testing.T, string, *running){
		"SIGHUP": func(t *testing.T, _ string, p *running) { p.Process.Signal(syscall.SIGHUP) },
		"revoke": func(t *testing.T, data string, p *running) {
			if out, err := newRunning(data, "revoke").Output(); err != nil || !strings.Contains(string(out), "has a new token") {
				t.Errorf("revoke: %s, %v", out, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			store := state.Open(data)
			p := startProgram(t, data)
			old := p.shake(t, store)
			change(t, data, p)
			await(t, store, func(h state.Handshake) bool { return h.SessionID == old.SessionID && h.Token != old.Token })
		})
	}
}

func TestTwoServers(t *testing.T) {
	data := t.TempDir()
	store := state.Open(data)
	a, b := startProgram(t, data), startProgram(t, data)
	ha, hb := a.shake(t, store), b.shake(t, store)
	if ha.Path == hb.Path || ha.Port == hb.Port {
		t.Errorf("they share %s %d, %s %d", ha.Path, ha.Port, hb.Path, hb.Port)
	}
	a.Process.Kill()
	a.ends(t)
	c := startProgram(t, data)
	c.shake(t, store)
	if live, errs := store.Live(); len(live) != 2 || len(errs) != 0 {
		t.Errorf("%d live, %v", len(live), errs)
	}
}

// The token is in its file and in what the host hands to the extension; nowhere else.
func TestTokenIsNowhereElse(t *testing.T) {
	data := t.TempDir()
	store := state.Open(data)
	logFile := filepath.Join(t.TempDir(), "log")
	p := startProgram(t, data, "--log-file", logFile, "--unsafe-all-domains")
	h := p.shake(t, store)
	said := map[string]string{}
	for _, args := range []string{"status", "status --json", "print-pairing", "audit", "audit --verify", "extension-path", "help", "revoke"} {
		c := newRunning(data, strings.Fields(args)...)
		out, err := c.Output()
		if err != nil {
			t.Errorf("%s: %v, %s", args, err, c.stderr.String())
		}
		said[args] = string(out) + c.stderr.String()
	}
	next := await(t, store, func(n state.Handshake) bool { return n.Token != h.Token })
	argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Process.Pid))
	env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.Process.Pid))
	said["argv"], said["environment"] = string(argv), string(env)
	host := startProgram(t, data, extension.Origin)
	hello := fmt.Sprintf(`{"v":1,"type":"hello","ext":{"id":%q,"version":"0.0.0","instance":"i"}}`, extension.ID)
	host.in.Write(append(binary.NativeEndian.AppendUint32(nil, uint32(len(hello))), hello...))
	host.in.Close()
	refusal, _ := io.ReadAll(host.out)
	said["host's refusal"] = string(refusal)
	host.ends(t)
	p.in.Close()
	rest, _ := io.ReadAll(p.out)
	p.ends(t)
	said["stdout"], said["stderr"] = string(rest), p.stderr.String()
	for _, dir := range []string{data, filepath.Dir(logFile)} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				b, _ := os.ReadFile(path)
				said[path] = string(b)
			}
			return err
		})
	}
	if !strings.Contains(said["host's refusal"], "VERSION_MISMATCH") || said[filepath.Join(data, "host.log")] == "" {
		t.Errorf("the search looked at too little: %q", said["host's refusal"])
	}
	for where, text := range said {
		if strings.Contains(text, h.Token) || strings.Contains(text, next.Token) {
			t.Errorf("the token is in %s", where)
		}
	}
}
