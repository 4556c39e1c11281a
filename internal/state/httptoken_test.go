package state

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestHTTPToken(t *testing.T) {
	s := Open(t.TempDir())
	if had, err := s.RevokeHTTPToken(); had || err != nil {
		t.Errorf("nothing to revoke: %v, %v", had, err)
	}
	// Several that start at once agree.
	var all sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		all.Go(func() { got[i], _ = s.HTTPToken() })
	}
	all.Wait()
	for _, token := range got {
		if token != got[0] || !validToken(token) {
			t.Errorf("tokens %q", got)
		}
	}
	if fi, err := os.Stat(s.HTTPTokenPath()); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi, err)
	}
	if had, err := s.RevokeHTTPToken(); !had || err != nil {
		t.Errorf("%v, %v", had, err)
	}
	if next, err := s.HTTPToken(); err != nil || next == got[0] || !validToken(next) {
		t.Errorf("%q, %v", next, err)
	}
}

// A token that is not ours alone is not taken, and never quoted.
func TestHTTPTokenIsPrivate(t *testing.T) {
	for name, text := range map[string]string{"open": NewToken(), "damaged": "not-a-token", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			s := Open(t.TempDir())
			if err := s.Ensure(); err != nil {
				t.Fatal(err)
			}
			mode := os.FileMode(0o600)
			if name == "open" {
				if runtime.GOOS == "windows" {
					return // modes are another thing there
				}
				mode = 0o644
			}
			if err := os.WriteFile(s.HTTPTokenPath(), []byte(text), mode); err != nil {
				t.Fatal(err)
			}
			if token, err := s.HTTPToken(); err == nil || text != "" && strings.Contains(err.Error(), text) {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
}
