//go:build unix

package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chrome-mcp/internal/page"
)

const roleEnv = "MCPSERVER_TEST_ROLE"

// TestMain makes the test binary a server, or the parent of one, when it is asked to be.
func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "server":
		beServer()
	case "parent":
		os.Setenv(roleEnv, "server")
		cmd := exec.Command(os.Args[0])
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "pid", cmd.Process.Pid)
		select {} // the server's input stays open when this process is killed
	}
}

func beServer() {
	in, out, err := Stdio()
	if err != nil {
		panic(err)
	}
	fmt.Println("a stray print of some library")
	syscall.Write(1, []byte("another one, past os.Stdout\n"))
	noisy := row("noisy", func(context.Context, *session) (*page.Result, error) {
		fmt.Print("and one in a call")
		return &page.Result{Text: "quiet"}, nil
	})
	s, err := newServer(testConfig(), append(table(), noisy))
	if err != nil {
		panic(err)
	}
	if err := s.ServeStdio(context.Background(), in, out); err != nil {
		panic(err)
	}
}

// start runs the test binary in a role.
func start(t *testing.T, role string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), roleEnv+"="+role)
	var err error
	var stdout, stderr io.Reader
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if stdout, err = c.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if stderr, err = c.cmd.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.closeOut = stdout.(io.Closer).Close
	c.out, c.stderr = bufio.NewReader(stdout), bufio.NewReader(stderr)
	t.Cleanup(func() { c.cmd.Process.Kill(); c.cmd.Wait() })
	return c
}

// child is a process of the test binary.
type child struct {
	cmd         *exec.Cmd
	in          io.WriteCloser
	out, stderr *bufio.Reader
	closeOut    func() error
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

func TestStdoutHoldsTheProtocolOnly(t *testing.T) {
	c := start(t, "server")
	io.WriteString(c.in, initialize+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"noisy"}}`+"\n")
	for range 2 {
		line, err := c.out.ReadBytes('\n')
		if err != nil || !json.Valid(line) {
			t.Fatalf("%q %v", line, err)
		}
	}
	c.in.Close()
	if rest, err := io.ReadAll(c.out); err != nil || len(rest) > 0 {
		t.Errorf("more on stdout: %q %v", rest, err)
	}
	stderr, _ := io.ReadAll(c.stderr)
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"a stray print", "past os.Stdout", "in a call"} {
		if !strings.Contains(string(stderr), want) {
			t.Errorf("%q is not on stderr: %s", want, stderr)
		}
	}
}

// A client that has closed its end of our output is an error, not a signal that kills.
func TestNoSIGPIPE(t *testing.T) {
	c := start(t, "server")
	io.WriteString(c.in, initialize)
	if _, err := c.out.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	c.closeOut()
	io.WriteString(c.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	stderr, _ := io.ReadAll(c.stderr)
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
}

// A parent that dies takes the server with it, even if the input stays open.
func TestDeadParent(t *testing.T) {
	c := start(t, "parent")
	line, err := c.stderr.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "pid ") {
		t.Fatalf("%q %v", line, err)
	}
	io.WriteString(c.in, initialize)
	if _, err := c.out.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	c.cmd.Process.Kill()
	began := time.Now()
	// The server holds the other end of this pipe, and nobody else does any more.
	if _, err := io.ReadAll(c.out); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d > 2*slow*time.Second {
		t.Errorf("it took %v", d)
	}
}

// A server is there at once and small. The limits are twice what they should be, for
// machines that are busy with other things.
func TestStartIsQuickAndSmall(t *testing.T) {
	best, rss := time.Hour, 0
	for range 5 {
		began := time.Now()
		c := start(t, "server")
		io.WriteString(c.in, initialize)
		if _, err := c.out.ReadBytes('\n'); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(began))
		rss = residentKB(c.cmd.Process.Pid)
		c.in.Close()
		c.cmd.Wait()
	}
	t.Logf("spawn to initialize %v, resident %d KB", best, rss)
	if best > 40*slow*time.Millisecond || rss > 50_000*slow {
		t.Errorf("spawn to initialize %v, resident %d KB", best, rss)
	}
}

// residentKB is 0 where /proc does not tell.
func residentKB(pid int) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); f[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(f[1])
			return kb
		}
	}
	return 0
}
