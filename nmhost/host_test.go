package nmhost

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

var helloText = `{"v":1,"type":"hello","ext":{"id":"` + testID + `","version":"1.2.0","instance":"i1"}}`

func TestHelloIsRemembered(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, testOrigin)
	p.message(helloText)
	p.next(t)
	seen, err := state.Open(dir).LastSeen()
	if err != nil || seen.Extension != testID || seen.Version != "1.2.0" || seen.Instance != "i1" || time.Since(seen.Time) > time.Minute {
		t.Errorf("LastSeen() = %+v, %v", seen, err)
	}
}

// A server that starts is told within milliseconds.
func TestPushIsQuick(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, testOrigin)
	p.message(helloText)
	p.next(t)
	begin := time.Now()
	pub, err := state.Open(dir).Publish(state.Handshake{Port: 1, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer pub.Remove()
	if got := p.next(t); !strings.Contains(got, pub.Handshake().Token) {
		t.Errorf("got %s", got)
	}
	t.Logf("told after %v", time.Since(begin))
}

// More servers than one message can hold: the newest are told, the rest is said, and
// the port lives on.
func TestTooManyServers(t *testing.T) {
	dir := t.TempDir()
	const n = 900
	for i := range n {
		h := state.Handshake{V: 1, Port: 1, Token: strings.Repeat("A", 43), PID: os.Getpid(), TS: int64(i), SessionID: fmt.Sprintf("%01200d", i)}
		b, _ := json.Marshal(h)
		put(t, filepath.Join(dir, fmt.Sprintf("handshake.%d.json", i)), string(b), 0o600)
	}
	p := start(t, dir, testOrigin)
	p.message(helloText)
	var ready wire.NativeReady
	if err := json.Unmarshal([]byte(p.next(t)), &ready); err != nil || ready.Type != wire.NativeReadyType {
		t.Fatalf("%v, %v", ready.Type, err)
	}
	if k := len(ready.Servers); k < n/2 || k == n || ready.Servers[k-1].TS != n-1 {
		t.Errorf("%d servers told, the newest of them is %d", k, ready.Servers[k-1].TS)
	}
	if got := p.next(t); !strings.Contains(got, string(wire.HandshakeUnreadable)) || !strings.Contains(got, "too many") {
		t.Errorf("got %.300s", got)
	}
	p.message(`{"v":1,"type":"nonsense"}`)
	if got := p.next(t); !strings.Contains(got, string(wire.BadMessage)) {
		t.Errorf("got %.300s", got)
	}
}

func TestFrameSizes(t *testing.T) {
	var out bytes.Buffer
	w := frameWriter{w: &out}
	quote := func(n int, char string) []byte { return []byte(`"` + strings.Repeat(char, n) + `"`) }
	if err := w.write(quote(1048570, "x")); err != nil || out.Len() > 4+1048576 {
		t.Errorf("1048570 characters: %v, %d bytes", err, out.Len())
	}
	out.Reset()
	for _, b := range [][]byte{quote(1048577, "x"), quote(5000000, "é"), quote(524288, "é")} {
		if err := w.write(b); !errors.Is(err, errTooLong) || out.Len() != 0 {
			t.Errorf("%d bytes: %v, %d bytes written", len(b), err, out.Len())
		}
	}
}

// A long message is read past without being kept.
func TestLongMessageIsReadPast(t *testing.T) {
	size := wire.MaxHostIn
	head := binary.NativeEndian.AppendUint32(nil, uint32(size))
	next := append(binary.NativeEndian.AppendUint32(nil, 2), "{}"...)
	r := io.MultiReader(bytes.NewReader(head), io.LimitReader(zeros{}, int64(size)), bytes.NewReader(next))
	if _, err := readFrame(r); !errors.Is(err, errTooLong) {
		t.Fatalf("error %v", err)
	}
	if b, err := readFrame(r); string(b) != "{}" || err != nil {
		t.Errorf("next message %q, %v", b, err)
	}
	if _, err := readFrame(r); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// The length alone costs nothing.
func TestClaimedLengthIsNotAllocated(t *testing.T) {
	head := binary.NativeEndian.AppendUint32(nil, maxMessage)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			readFrame(bytes.NewReader(head))
		}
	})
	if got.AllocedBytesPerOp() > 4096 {
		t.Errorf("%d bytes for a message that never came", got.AllocedBytesPerOp())
	}
}

func TestClipKeepsCharacters(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab…"}, {"aé", 2, "a…"}, {"é", 1, "…"}} {
		if got := clip(c.in, c.max); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Whatever comes in, what goes out is frames, each a JSON object with a type.
func FuzzFrames(f *testing.F) {
	frame := func(s string) []byte {
		return append(binary.NativeEndian.AppendUint32(nil, uint32(len(s))), s...)
	}
	f.Add(frame(helloText))
	f.Add(append(frame("{bad"), frame(`{"v":1,"type":"get_handshakes"}`)...))
	f.Add([]byte("/home/tester started"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0, 0, 0, 0, 1})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		h := &host{Config: Config{In: bytes.NewReader(in), ExtensionID: testID, Version: "1.2.0", Store: state.Open(dir), Log: slog.New(slog.DiscardHandler)}, out: frameWriter{w: &out}}
		h.listen()
		for {
			b, err := readFrame(&out)
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var m wire.Header
			if err := json.Unmarshal(b, &m); err != nil || m.V != 1 || m.Type == "" {
				t.Fatalf("sent %q: %v", b, err)
			}
		}
	})
}
