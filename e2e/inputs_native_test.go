package e2e

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
	"chrome-mcp/manifests"
)

// nativeHost is the installed program in its host role, as the browser starts it.
type nativeHost struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr *bytes.Buffer
	exited chan error
}

// installed makes a data folder with everything that install puts there.
func installed(t testing.TB) (data, profile string) {
	t.Helper()
	data, profile = t.TempDir(), t.TempDir()
	cmd := exec.Command(rig.bin, "install", "--user-data-dir", profile, "--yes")
	cmd.Env = environment(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	return data, profile
}

func startHost(t testing.TB, data string) *nativeHost {
	t.Helper()
	h := &nativeHost{cmd: exec.Command(filepath.Join(data, "bin", "chrome-mcp"), extension.Origin), stderr: &bytes.Buffer{}, exited: make(chan error, 1)}
	h.cmd.Stderr = h.stderr
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	h.cmd.Stdout, h.out = w, r
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	go func() { h.exited <- h.cmd.Wait() }()
	t.Cleanup(func() {
		_ = h.in.Close()
		_ = h.cmd.Process.Kill()
		_ = r.Close()
	})
	return h
}

func frame(body string) []byte {
	return append(binary.NativeEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func hello(v string) []byte {
	return frame(fmt.Sprintf(`{"v":1,"type":"hello","ext":{"id":%q,"version":%q,"instance":"i"}}`, extension.ID, v))
}

// next reads one frame; ok is false at the end.
func (h *nativeHost) next(t testing.TB) (message map[string]any, size int, ok bool) {
	t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(h.out, head[:]); err != nil {
		return nil, 0, false
	}
	body := make([]byte, binary.NativeEndian.Uint32(head[:]))
	if len(body) > wire.MaxHostOut {
		t.Fatalf("a frame of %d bytes, the browser takes %d", len(body), wire.MaxHostOut)
	}
	if _, err := io.ReadFull(h.out, body); err != nil {
		t.Fatalf("a cut frame: %v", err)
	}
	if err := json.Unmarshal(body, &message); err != nil {
		t.Fatalf("stdout carried something else than a frame: %v", err)
	}
	return message, len(body), true
}

// expect reads frames until one of the type comes.
func (h *nativeHost) expect(t testing.TB, kind string) map[string]any {
	t.Helper()
	for {
		m, _, ok := h.next(t)
		if !ok {
			t.Fatalf("the host ended before it said %s; stderr: %s", kind, h.stderr)
		}
		if m["type"] == kind {
			return m
		}
	}
}

func bogusLength(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct {
			Name   string
			Chunks []string `json:"chunks_hex"`
			Want   string
		}
	}](t, raw)
	data, _ := installed(t)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			h := startHost(t, data)
			for _, chunk := range v.Chunks {
				b, err := hex.DecodeString(chunk)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = h.in.Write(b)
			}
			if strings.Contains(v.Want, "next frame") {
				h.expect(t, "error")
				_, _ = h.in.Write(hello(version.Version))
				h.expect(t, "ready")
				return
			}
			select {
			case <-h.exited:
			case <-time.After(3 * time.Second):
				t.Fatal("still running after a length that cannot be")
			}
			if kib := peakMemory(h.cmd.ProcessState); kib > 64<<10 {
				t.Errorf("%d KiB of memory for a length that cannot be", kib)
			}
			for {
				if _, _, ok := h.next(t); !ok {
					break
				}
			}
		})
	}
}

// oversizeOut fills the data folder with so many servers that their list is larger than
// a native message may be. The host has no chunks: what does not fit is refused.
func oversizeOut(t *testing.T, raw []byte) {
	_ = vectors[map[string]any](t, raw)
	data, _ := installed(t)
	store := state.Open(data)
	for i := range 90 {
		h := state.Handshake{Port: 1000 + i, SessionID: fmt.Sprint("s", i), Client: strings.Repeat("é", 7000)}
		if _, err := store.Publish(h); err != nil {
			t.Fatal(err)
		}
	}
	host := startHost(t, data)
	_, _ = host.in.Write(append(hello(version.Version), append(frame(`{"v":1,"type":"get_handshakes"}`), frame(`{"v":1,"type":"get_handshakes"}`)...)...))
	for range 3 {
		m, _, ok := host.next(t)
		if !ok {
			t.Fatalf("the host ended; stderr: %s", host.stderr)
		}
		if m["type"] == "error" && str(m["message"]) == "" {
			t.Errorf("an error without words: %v", m)
		}
	}
	live, _ := store.Live()
	for _, h := range live {
		_ = os.Remove(store.Path("handshake." + fmt.Sprint(h.PID) + ".json"))
	}
	_, _ = host.in.Write(frame(`{"v":1,"type":"get_handshakes"}`))
	if _, _, ok := host.next(t); !ok {
		t.Errorf("the host did not survive a list that is too long; stderr: %s", host.stderr)
	}
}

func manifestFields(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct {
			FileName string               `json:"file_name"`
			Manifest manifests.NativeHost `json:"manifest"`
			Want     string
		}
	}](t, raw)
	// Words of the wanted outcome that our finding has to say in its own words.
	says := map[string]string{
		"trailing slash": "trailing slash", "absolute": "absolute", "invalid name": "name: ", "wildcards": "wildcard",
		"missing or not executable": "missing|not executable", "quote": "quote", "equal name": "file: ", "temporary": "temporary",
	}
	for _, v := range file.Vectors {
		findings := manifests.Check(v.Manifest, v.FileName, "linux", nil)
		var said []string
		faults := 0
		for _, f := range findings {
			said = append(said, f.String())
			if !f.Warn {
				faults++
			}
		}
		if v.Want == "valid" && faults > 0 {
			t.Errorf("%+v: %v, want valid", v.Manifest, said)
		}
		if strings.HasPrefix(v.Want, "invalid") && faults == 0 {
			t.Errorf("%+v has no fault, want %s", v.Manifest, v.Want)
		}
		for word, pattern := range says {
			if strings.Contains(v.Want, word) && !regexp.MustCompile(pattern).MatchString(strings.Join(said, "\n")) {
				t.Errorf("%+v: %q, want %s", v.Manifest, said, v.Want)
			}
		}
	}
}

func hostCollision(t *testing.T, raw []byte) {
	_ = vectors[map[string]any](t, raw)
	t.Run("foreign manifest", func(t *testing.T) {
		data, profile := t.TempDir(), t.TempDir()
		path := filepath.Join(profile, "NativeMessagingHosts", wire.HostName+".json")
		foreign, err := manifests.NewNativeHost(wire.HostName, "/Applications/Other.app/Contents/Helpers/host", extension.Origin).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, foreign, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(rig.bin, "install", "--user-data-dir", profile, "--yes")
		cmd.Env = environment(data)
		out, err := cmd.CombinedOutput()
		now, _ := os.ReadFile(path)
		if !strings.Contains(string(out), path) {
			t.Errorf("install does not name %s: %v\n%s", path, err, out)
		}
		backups, _ := filepath.Glob(path + "*")
		if !bytes.Equal(now, foreign) && len(backups) < 2 && !strings.Contains(string(out), "Other.app") {
			t.Errorf("install replaced another program's manifest without a word:\n%s", out)
		}
	})
	t.Run("two profiles", func(t *testing.T) {
		data, one := installed(t)
		two := t.TempDir()
		cmd := exec.Command(rig.bin, "install", "--user-data-dir", two, "--yes")
		cmd.Env = environment(data)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("install: %v\n%s", err, out)
		}
		status := exec.Command(rig.bin, "status")
		status.Env = environment(data)
		out, _ := status.CombinedOutput()
		if !strings.Contains(string(out), one) || !strings.Contains(string(out), two) {
			t.Errorf("status does not name both manifests (%s, %s):\n%s", one, two, out)
		}
	})
	t.Run("versions", func(t *testing.T) {
		data, _ := installed(t)
		h := startHost(t, data)
		_, _ = h.in.Write(hello("0.0.9"))
		m := h.expect(t, "error")
		if m["code"] != string(wire.VersionMismatch) || !strings.Contains(str(m["message"]), "0.0.9") || !strings.Contains(str(m["message"]), version.Version) {
			t.Errorf("versions that do not fit: %v", m)
		}
	})
	t.Run("connected profile is named", func(t *testing.T) {
		c := paired(t, false)
		s := c.serve(t)
		s.call(t, "tabs_list", nil)
		r := s.call(t, "chrome_status", nil)
		if !strings.Contains(strings.ToLower(r.text), "profile") && !strings.Contains(r.text, "browsers") {
			t.Errorf("chrome_status does not say which browser is connected:\n%s", r.text)
		}
	})
	t.Run("stale file", func(t *testing.T) {
		c := paired(t, false)
		dead := exec.Command("true")
		if err := dead.Run(); err != nil {
			t.Fatal(err)
		}
		stale := fmt.Sprintf(`{"v":1,"port":1,"token":%q,"pid":%d,"ts":1,"sessionId":"dead"}`, strings.Repeat("A", 43), dead.Process.Pid)
		path := filepath.Join(c.data, fmt.Sprintf("handshake.%d.json", dead.Process.Pid))
		if err := os.WriteFile(path, []byte(stale), 0o600); err != nil {
			t.Fatal(err)
		}
		c.serve(t).call(t, "tabs_list", nil)
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s of a dead server is still there", path)
		}
	})
}

func secondInstance(t *testing.T, raw []byte) {
	_ = vectors[map[string]any](t, raw)
	c := paired(t, false)
	t.Run("both work", func(t *testing.T) {
		a, b := c.serve(t), c.serve(t)
		a.call(t, "tabs_list", nil)
		b.call(t, "tabs_list", nil)
		a.call(t, "tabs_list", nil)
	})
	t.Run("after SIGKILL", func(t *testing.T) {
		a := c.serve(t)
		a.call(t, "tabs_list", nil)
		a.kill()
		c.serve(t).call(t, "tabs_list", nil)
	})
	t.Run("port taken by a stranger", func(t *testing.T) {
		stranger, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", wire.DefaultPort))
		if err == nil { // else somebody has it already, which serves as well
			defer stranger.Close()
		}
		c.serve(t).call(t, "tabs_list", nil)
		if stranger != nil {
			conn, err := net.Dial("tcp4", stranger.Addr().String())
			if err != nil {
				t.Errorf("the stranger was disturbed: %v", err)
			} else {
				_ = conn.Close()
			}
		}
	})
	t.Run("same ids at once", func(t *testing.T) {
		a, b := c.serve(t), c.serve(t)
		texts := make(chan string, 2)
		for name, s := range map[string]*server{"alpha": a, "beta": b} {
			go func() {
				r := s.do(t.Context(), "navigate", args{"url": rig.site.page("<title>" + name + "</title>")})
				if r.failed || !strings.Contains(r.text, name) {
					texts <- name + " got " + r.text
					return
				}
				texts <- ""
			}()
		}
		for range 2 {
			if wrong := <-texts; wrong != "" {
				t.Error(wrong)
			}
		}
	})
}
