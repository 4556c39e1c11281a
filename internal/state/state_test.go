package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary play a server of its own process.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STATE_TEST_SERVE"); dir != "" {
		p, err := Open(dir).Publish(Handshake{Port: 1, SessionID: fmt.Sprint("s", os.Getpid())})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(filepath.Base(p.Path()))
		var b [1]byte
		os.Stdin.Read(b[:]) // until the parent closes the pipe
		p.Remove()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestDataDir(t *testing.T) {
	t.Setenv(DataEnv, "x")
	dir, err := DataDir()
	if err != nil || !filepath.IsAbs(dir) || filepath.Base(dir) != "x" {
		t.Errorf("DataDir() = %q, %v; want an absolute path to x", dir, err)
	}
}

func TestPublishIsPrivateAndComplete(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "data"))
	p, err := s.Publish(Handshake{Port: 4711, SessionID: "s1", Client: "test 1"})
	if err != nil {
		t.Fatal(err)
	}
	live, errs := s.Live()
	if len(live) != 1 || len(errs) != 0 || live[0] != p.Handshake() {
		t.Fatalf("Live() = %v, %v", live, errs)
	}
	if h := live[0]; h.PID != os.Getpid() || h.V != 1 || h.TS == 0 || h.Version == "" || !validToken(h.Token) {
		t.Errorf("incomplete: %+v", h)
	}
	if err := p.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := p.Remove(); err != nil {
		t.Errorf("second Remove: %v", err)
	}
	if live, errs := s.Live(); len(live)+len(errs) != 0 {
		t.Errorf("after Remove: %v, %v", live, errs)
	}
}

// Servers that start together all get a file, each another, and none loses its own.
func TestConcurrentServers(t *testing.T) {
	s := Open(t.TempDir())
	const n = 6
	type server struct {
		cmd  *exec.Cmd
		stop func() error
	}
	var servers []server
	lines := make(chan string, n)
	for range n {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "STATE_TEST_SERVE="+s.Dir())
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		servers = append(servers, server{cmd, in.Close})
		go func() {
			var name string
			fmt.Fscanln(out, &name)
			lines <- name
		}()
	}
	names := map[string]bool{}
	for range n {
		names[<-lines] = true
	}
	if len(names) != n || !names["handshake.json"] {
		t.Errorf("names %v; want %d different, handshake.json among them", names, n)
	}
	if live, errs := s.Live(); len(live) != n || len(errs) != 0 {
		t.Errorf("%d live, %v; want %d", len(live), errs, n)
	}
	// One is killed: its file goes at the next look, the others stay.
	servers[0].cmd.Process.Kill()
	servers[0].cmd.Wait()
	if live, _ := s.Live(); len(live) != n-1 {
		t.Errorf("%d live after a kill, want %d", len(live), n-1)
	}
	for _, sv := range servers[1:] {
		sv.stop()
		sv.cmd.Wait()
	}
	left, _ := filepath.Glob(s.Path("*.json"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDeadServersNameIsTakenOver(t *testing.T) {
	s := Open(t.TempDir())
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.Path("handshake.json"), handshakeJSON(t, func(h *Handshake) { h.PID = dead.Process.Pid }), 0o600)
	p, err := s.Publish(Handshake{Port: 1, SessionID: "new"})
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(p.Path()) != "handshake.json" {
		t.Errorf("took %s", p.Path())
	}
}

// A later process with the pid of a dead server is not that server.
func TestReusedPIDIsDead(t *testing.T) {
	s := Open(t.TempDir())
	stamp := processStamp(os.Getpid())
	writeFile(t, s.Path("handshake.json"), handshakeJSON(t, func(h *Handshake) { h.Proc = stamp + "0" }), 0o600)
	if live, errs := s.Live(); len(live)+len(errs) != 0 {
		t.Errorf("Live() = %v, %v", live, errs)
	}
	if _, err := os.Stat(s.Path("handshake.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("not pruned: %v", err)
	}
}

func TestRemoveLeavesOthersFiles(t *testing.T) {
	s := Open(t.TempDir())
	p, err := s.Publish(Handshake{Port: 1, SessionID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	other := handshakeJSON(t, func(h *Handshake) { h.SessionID = "other" })
	writeFile(t, p.Path(), other, 0o600)
	if err := p.Remove(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(p.Path()); string(got) != string(other) {
		t.Errorf("the other server's file is gone or changed")
	}
}

func TestRotate(t *testing.T) {
	s := Open(t.TempDir())
	p, err := s.Publish(Handshake{Port: 1, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	old := p.Handshake().Token
	token, err := p.Rotate()
	if err != nil || token == old {
		t.Fatalf("Rotate() = same token %v, %v", token == old, err)
	}
	if live, _ := s.Live(); len(live) != 1 || live[0].Token != token {
		t.Errorf("the file has another token")
	}
	p.Remove()
	if _, err := p.Rotate(); err == nil {
		t.Error("Rotate after Remove wrote a file")
	}
}

func TestNoPrivacyNoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, nil, 0o600)
	if _, err := Open(filepath.Join(file, "data")).Publish(Handshake{Port: 1, SessionID: "s"}); err == nil || !strings.Contains(err.Error(), DataEnv) {
		t.Errorf("error %v; want one that names %s", err, DataEnv)
	}
}

func TestWatchTellsAtOnce(t *testing.T) {
	s := Open(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	counts := make(chan int, 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, func() {
			live, _ := s.Live()
			counts <- len(live)
		})
	}()
	await := func(want int) {
		t.Helper()
		timeout := time.After(5 * time.Second)
		for {
			select {
			case got := <-counts:
				if got == want {
					return
				}
			case <-timeout:
				t.Fatalf("never saw %d servers", want)
			}
		}
	}
	await(0)
	start := time.Now()
	p, err := s.Publish(Handshake{Port: 1, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	await(1)
	t.Logf("told after %v", time.Since(start))
	p.Remove()
	await(0)
	cancel()
	<-done
}

func TestRevokeReachesTheServer(t *testing.T) {
	s := Open(t.TempDir())
	p, err := s.Publish(Handshake{Port: 1, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	revoked := make(chan string, 4)
	ready := make(chan struct{}, 4)
	go s.Watch(ctx, func() { ready <- struct{}{} })
	<-ready
	go p.Guard(ctx, func() {
		token, err := p.Rotate()
		if err != nil {
			t.Error(err)
		}
		revoked <- token
	})
	old := p.Handshake().Token
	live, err := s.Revoke()
	if err != nil || len(live) != 1 {
		t.Fatalf("Revoke() = %v, %v", live, err)
	}
	if token := <-revoked; token == old {
		t.Error("same token")
	}
	if live, _ := s.Live(); len(live) != 1 || live[0].Token == old {
		t.Errorf("not published again: %v", live)
	}
}

// After a revoke another server may be quicker to take the name; neither overwrites the
// other for ever.
func TestRevokedNameMayBeTaken(t *testing.T) {
	s := Open(t.TempDir())
	a, err := s.Publish(Handshake{Port: 1, SessionID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revoke(); err != nil {
		t.Fatal(err)
	}
	b, err := s.Publish(Handshake{Port: 2, SessionID: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Rotate(); err != nil {
		t.Fatal(err)
	}
	live, errs := s.Live()
	if len(live) != 2 || len(errs) != 0 || a.Path() == b.Path() {
		t.Errorf("%d live, %v; a has %s, b has %s", len(live), errs, a.Path(), b.Path())
	}
}

func TestPairedKeepsTheLatest(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "new"))
	if b, err := s.Paired(); len(b) != 0 || err != nil {
		t.Fatalf("Paired() = %v, %v", b, err)
	}
	for _, i := range []string{"a", "b", "a"} {
		if err := s.SetPaired(PairedBrowser{Instance: i, Version: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := s.Paired()
	if err != nil || len(b) != 2 || b[0].Instance != "a" || b[1].Instance != "b" || b[0].Since.After(b[0].Last) {
		t.Errorf("Paired() = %v, %v", b, err)
	}
	writeFile(t, s.Path("paired.json"), []byte("garbage"), 0o600)
	if _, err := s.Paired(); !errors.Is(err, &FileError{Fault: FaultSyntax}) {
		t.Errorf("error %v", err)
	}
	if err := s.SetPaired(PairedBrowser{Instance: "c"}); err != nil {
		t.Errorf("SetPaired over a damaged file: %v", err)
	}
}

func TestTokens(t *testing.T) {
	a, b := NewToken(), NewToken()
	if a == b || !validToken(a) || len(a) != 43 {
		t.Errorf("tokens %d characters, equal %v", len(a), a == b)
	}
	if !TokenEqual(a, a) || TokenEqual(a, b) || TokenEqual(a, a[:42]) || TokenEqual(a, "") {
		t.Error("TokenEqual is wrong")
	}
}

func FuzzParseHandshake(f *testing.F) {
	f.Add([]byte(`{"v":1,"port":38017,"token":"` + testToken + `","pid":1,"ts":2,"sessionId":"s"}`))
	f.Add([]byte("\ufeff{}"))
	f.Add([]byte(`{"v":1e400}`))
	f.Add([]byte(`[[[[`))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHandshake(b)
		if err != nil {
			if h != (Handshake{}) || err.Detail == "" || err.Fault == "" {
				t.Errorf("half an answer: %+v, %+v", h, err)
			}
			return
		}
		if h.Port < 1 || h.Port > 65535 || h.PID < 1 || h.SessionID == "" || !validToken(h.Token) {
			t.Errorf("accepted %+v", h)
		}
	})
}

var testToken = strings.Repeat("A", 43)

func handshakeJSON(t *testing.T, change func(*Handshake)) []byte {
	t.Helper()
	h := Handshake{V: 1, Port: 38017, Token: testToken, PID: os.Getpid(), TS: 1, SessionID: "s", Proc: processStamp(os.Getpid())}
	if change != nil {
		change(&h)
	}
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, path string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, b, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}
