package policy

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// record writes n entries and returns the only file.
func record(t *testing.T, dir, session string, n int) string {
	t.Helper()
	a := NewAudit(dir, session)
	for range n {
		if err := a.Record(Entry{Time: time.Now(), Session: session, Tool: "click", Origin: "https://example.com", Verdict: "allow", Rule: "example.com", Outcome: "ok", MS: 4.5}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*-"+session+".*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	return files[0]
}

func verified(t *testing.T, dir string) Report {
	t.Helper()
	r, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAuditIsPrivateAndHolds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	NewAudit(dir, "unused")
	if _, err := os.Stat(dir); err == nil {
		t.Error("written before the first entry")
	}
	path := record(t, dir, "one", 3)
	if fi, _ := os.Stat(path); runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode())
	}
	if r := verified(t, dir); r.Files != 1 || r.Lines != 3 || r.Faults != nil || r.Notes != nil {
		t.Errorf("%+v", r)
	}
}

func TestVerifyFindsTampering(t *testing.T) {
	for name, change := range map[string]func([][]byte) [][]byte{
		"changed":  func(l [][]byte) [][]byte { l[1] = bytes.Replace(l[1], []byte("click"), []byte("hover"), 1); return l },
		"removed":  func(l [][]byte) [][]byte { return append(l[:1], l[2:]...) },
		"first":    func(l [][]byte) [][]byte { return l[1:] },
		"put in":   func(l [][]byte) [][]byte { return append([][]byte{l[0], l[0]}, l[1:]...) },
		"swapped":  func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l },
		"unbroken": func(l [][]byte) [][]byte { l[1] = []byte("{"); return l },
	} {
		dir := t.TempDir()
		path := record(t, dir, "one", 4)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := change(bytes.Split(bytes.TrimSpace(b), []byte("\n")))
		if err := os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := verified(t, dir); len(r.Faults) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestServersDoNotBreakEachOther(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for _, session := range []string{"A", "B", "C"} {
		a := NewAudit(dir, session)
		for range 4 { // goroutines of one server
			group.Go(func() {
				for range 50 {
					if err := a.Record(Entry{Session: session, Tool: "snapshot", Verdict: "allow", Outcome: "ok"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	if r := verified(t, dir); r.Files != 3 || r.Lines != 600 || r.Faults != nil {
		t.Errorf("%+v", r)
	}
}

func TestAuditRotates(t *testing.T) {
	dir := t.TempDir()
	a := NewAudit(dir, "long")
	long := strings.Repeat("x", 1<<20)
	for range 100 {
		if err := a.Record(Entry{Session: "long", Tool: long, Verdict: "allow", Outcome: "ok"}); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	files, _ := auditFiles(dir)
	total := int64(0)
	for _, f := range files {
		fi, _ := os.Stat(f)
		total += fi.Size()
	}
	if total > maxAudit || len(files) < 6 {
		t.Errorf("%d files with %d bytes", len(files), total)
	}
	if r := verified(t, dir); r.Faults != nil || len(r.Notes) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestDigestIsCanonical(t *testing.T) {
	digest := func(s string) string {
		t.Helper()
		d, err := Digest(json.RawMessage(s))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if digest(`{"b":1.0,"a":"<é>"}`) != digest("{ \"a\" : \"<\\u00e9>\", \"b\": 1 }") {
		t.Error("equal arguments differ")
	}
	if digest(`{"a":1}`) == digest(`{"a":2}`) || digest(``) != digest(`{}`) {
		t.Error("digest")
	}
	if _, err := Digest(json.RawMessage(`{`)); err == nil {
		t.Error("no error")
	}
}
