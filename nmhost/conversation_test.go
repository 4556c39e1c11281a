package nmhost

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"chrome-mcp/internal/state"
)

const (
	testID     = "abcdefghijklmnopabcdefghijklmnop"
	testOrigin = "chrome-extension://" + testID + "/"
)

// TestConversations plays testdata/*.txtar. The archive's comment is the script:
//
//	caller ORIGIN     start the host for that caller (the default is our extension)
//	put NAME MODE     put the archive's file NAME into the data folder
//	rm NAME           remove it
//	> TEXT            send TEXT as one message
//	>> HEX            send these bytes as they are
//	< TEXT            expect a message; … stands for anything
//	eof               close the host's input
//	ends [TEXT]       expect the host to end, with that error or none
//
// $PID is a live process and $DATA the data folder.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, ar)
		})
	}
}

// peer is the browser's end of a running host.
type peer struct {
	dir    string
	toHost *io.PipeWriter
	got    chan string
	ended  chan error
}

func start(t *testing.T, dir, caller string) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{dir: dir, toHost: inW, got: make(chan string, 64), ended: make(chan error, 1)}
	go func() {
		err := Run(context.Background(), Config{
			In: inR, Out: outW, Caller: caller, ExtensionID: testID, Version: "1.2.0", Store: state.Open(dir),
		})
		inR.CloseWithError(io.ErrClosedPipe)
		outW.Close()
		p.ended <- err
	}()
	go func() {
		defer close(p.got)
		for {
			var head [4]byte
			if _, err := io.ReadFull(outR, head[:]); err != nil {
				return
			}
			size := binary.NativeEndian.Uint32(head[:])
			if size > 1<<20 {
				t.Errorf("a frame of %d bytes, Chrome takes %d", size, 1<<20)
			}
			b := make([]byte, size)
			if _, err := io.ReadFull(outR, b); err != nil {
				t.Errorf("cut frame: %v", err)
				return
			}
			p.got <- string(b)
		}
	}()
	t.Cleanup(func() {
		inW.Close()
		for range p.got { // until the host has ended, which writes a last note
		}
	})
	return p
}

func (p *peer) message(text string) {
	b := binary.NativeEndian.AppendUint32(nil, uint32(len(text)))
	p.toHost.Write(append(b, text...))
}

func (p *peer) next(t *testing.T) string {
	t.Helper()
	select {
	case s := <-p.got:
		return s
	case <-time.After(5 * time.Second):
		t.Fatal("no message within 5 s")
		return ""
	}
}

func (p *peer) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(5 * time.Second):
		t.Fatal("still running after 5 s")
		return nil
	}
}

func play(t *testing.T, ar *txtar.Archive) {
	dir := t.TempDir()
	expand := strings.NewReplacer("$PID", fmt.Sprint(os.Getpid()), "$DATA", dir).Replace
	files := map[string]string{}
	for _, f := range ar.Files {
		files[f.Name] = expand(string(f.Data))
	}
	var p *peer
	for i, line := range strings.Split(string(ar.Comment), "\n") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "" || strings.HasPrefix(verb, "#") {
			continue
		}
		if verb != "put" && p == nil {
			caller := testOrigin
			if verb == "caller" {
				caller = rest
			}
			p = start(t, dir, caller)
		}
		fail := func(format string, a ...any) {
			t.Helper()
			t.Fatalf("line %d, %s: %s", i+1, line, fmt.Sprintf(format, a...))
		}
		switch verb {
		case "caller":
		case "put":
			var name string
			var mode os.FileMode
			fmt.Sscanf(rest, "%s %o", &name, &mode)
			put(t, filepath.Join(dir, name), files[name], mode)
		case "rm":
			os.Remove(filepath.Join(dir, rest))
		case ">":
			p.message(expand(rest))
		case ">>":
			b, err := hex.DecodeString(rest)
			if err != nil {
				fail("%v", err)
			}
			p.toHost.Write(b)
		case "<":
			want := "^" + strings.ReplaceAll(regexp.QuoteMeta(expand(rest)), "…", ".*") + "$"
			if got := p.next(t); !regexp.MustCompile(want).MatchString(got) {
				fail("got %s", got)
			}
		case "eof":
			p.toHost.Close()
		case "ends":
			if err := p.end(t); (err == nil) != (rest == "") || err != nil && !strings.Contains(err.Error(), rest) {
				fail("ended with %v", err)
			}
			if left, open := <-p.got; open {
				fail("an unexpected message: %s", left)
			}
		default:
			fail("what is that?")
		}
	}
}

// put writes as a server does: whole, by rename.
func put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tmp, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, path); err != nil {
		t.Fatal(err)
	}
}
