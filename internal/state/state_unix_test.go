//go:build unix

package state

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"golang.org/x/sys/unix"
)

func TestPublishMakesAnOpenFolderPrivate(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o755)
	p, err := Open(dir).Publish(Handshake{Port: 1, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Remove()
	for path, want := range map[string]os.FileMode{dir: 0o700, p.Path(): 0o600} {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, fi, err, want)
		}
	}
}

func TestUntrustedFiles(t *testing.T) {
	good := func(t *testing.T) []byte { return handshakeJSON(t, nil) }
	cases := []struct {
		name  string
		fault Fault
		put   func(t *testing.T, path string)
	}{
		{"mode", FaultMode, func(t *testing.T, p string) { writeFile(t, p, good(t), 0o644) }},
		{"group mode", FaultMode, func(t *testing.T, p string) { writeFile(t, p, good(t), 0o620) }},
		{"symlink", FaultSymlink, func(t *testing.T, p string) {
			target := filepath.Join(t.TempDir(), "h")
			writeFile(t, target, good(t), 0o600)
			os.Symlink(target, p)
		}},
		{"folder", FaultKind, func(t *testing.T, p string) { os.Mkdir(p, 0o700) }},
		{"pipe", FaultKind, mkfifo},
		{"size", FaultSize, func(t *testing.T, p string) { writeFile(t, p, append(good(t), make([]byte, MaxHandshake)...), 0o600) }},
		{"empty", FaultSyntax, func(t *testing.T, p string) { writeFile(t, p, nil, 0o600) }},
		{"syntax", FaultSyntax, func(t *testing.T, p string) { writeFile(t, p, []byte(`{"v":1,`), 0o600) }},
		{"array", FaultSyntax, func(t *testing.T, p string) { writeFile(t, p, []byte(`[]`), 0o600) }},
		{"two objects", FaultSyntax, func(t *testing.T, p string) { writeFile(t, p, append(good(t), good(t)...), 0o600) }},
		{"UTF-8", FaultSyntax, func(t *testing.T, p string) { writeFile(t, p, []byte("{\"v\":\"\xff\"}"), 0o600) }},
		{"version", FaultVersion, func(t *testing.T, p string) {
			writeFile(t, p, handshakeJSON(t, func(h *Handshake) { h.V = 2 }), 0o600)
		}},
		{"port", FaultSyntax, func(t *testing.T, p string) {
			writeFile(t, p, handshakeJSON(t, func(h *Handshake) { h.Port = 70000 }), 0o600)
		}},
		{"pid", FaultSyntax, func(t *testing.T, p string) {
			writeFile(t, p, handshakeJSON(t, func(h *Handshake) { h.PID = -1 }), 0o600)
		}},
		{"session", FaultSyntax, func(t *testing.T, p string) {
			writeFile(t, p, handshakeJSON(t, func(h *Handshake) { h.SessionID = "" }), 0o600)
		}},
		{"token", FaultSyntax, func(t *testing.T, p string) {
			writeFile(t, p, handshakeJSON(t, func(h *Handshake) { h.Token = "abc" }), 0o600)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := Open(t.TempDir())
			path := s.Path("handshake.json")
			c.put(t, path)
			live, errs := s.Live()
			if len(live) != 0 || len(errs) != 1 {
				t.Fatalf("Live() = %v, %v", live, errs)
			}
			if !errors.Is(errs[0], &FileError{Fault: c.fault}) || !strings.Contains(errs[0].Error(), path) {
				t.Errorf("error %q; want fault %s of %s", errs[0], c.fault, path)
			}
			if strings.Contains(errs[0].Error(), testToken) {
				t.Error("the error tells the token")
			}
			// One bad file spoils no other server's start.
			p, err := s.Publish(Handshake{Port: 1, SessionID: "next"})
			if c.fault == FaultKind && c.name == "folder" {
				return // a folder cannot be replaced by a rename; the next test covers that
			}
			if err != nil {
				t.Fatalf("Publish beside it: %v", err)
			}
			if live, errs := s.Live(); len(live) != 1 || len(errs) != 0 || live[0].Token != p.Handshake().Token {
				t.Errorf("after Publish: %d live, %v", len(live), errs)
			}
		})
	}
}

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Only root can give a file away, so the check is asked as another user instead.
func TestForeignOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handshake.json")
	writeFile(t, path, handshakeJSON(t, nil), 0o600)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if ferr := checkPrivate(f, os.Geteuid()+1); ferr == nil || ferr.Fault != FaultOwner {
		t.Errorf("checkPrivate as another user = %v", ferr)
	}
}

// A process without HOME has the home of its user, or none; never the root folder.
func TestWithoutHome(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(xdg.Reload) // runs after the variables are back
	for _, name := range []string{"HOME", DataEnv, "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	xdg.Reload()
	if dir, err := DataDir(); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
		t.Errorf("DataDir() = %q, %v", dir, err)
	}
	FindHome()
	if dir, err := DataDir(); err != nil || !strings.HasPrefix(dir, u.HomeDir+"/") {
		t.Errorf("DataDir() = %q, %v; want a folder in %s", dir, err, u.HomeDir)
	}
}
