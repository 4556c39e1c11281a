package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T) (*Work, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	return Open(dir, "project", 0), dir
}

func TestNothingIsWrittenBeforeTheFirstFile(t *testing.T) {
	w, dir := open(t)
	if err := w.Log(Line{Tool: "click", Outcome: "ok", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if list, err := w.List(); err != nil || len(list) != 0 {
		t.Errorf("tasks: %v %v", list, err)
	}
	if i, _, err := w.Current(); err != nil || i.Name != "" {
		t.Errorf("current: %v %v", i, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the data folder is there: %v", err)
	}
	f, err := w.Save(Results, "a.txt", []byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(f.Path, filepath.Join(dir, "tasks")+string(filepath.Separator)) || f.Bytes != 5 {
		t.Errorf("kept as %+v", f)
	}
	if !strings.HasSuffix(w.Name(), " project") {
		t.Errorf("the task is called %q", w.Name())
	}
	text, err := os.ReadFile(filepath.Join(dir, "tasks", w.Name(), "history.jsonl"))
	if err != nil || !strings.Contains(string(text), `"tool":"click"`) {
		t.Errorf("the history of before is %q, %v", text, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the data folder's ACL is inherited
	}
	w, dir := open(t)
	f, err := w.Save(Downloads, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	for path := f.Path; len(path) >= len(dir); path = filepath.Dir(path) {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", path, fi.Mode(), err)
		}
	}
}

func TestNothingIsReplaced(t *testing.T) {
	w, _ := open(t)
	for i, c := range []struct{ name, want string }{
		{"a.txt", "a.txt"}, {"a.txt", "a (2).txt"}, {"A.TXT", "A (3).TXT"}, {"../a.txt", "a (4).txt"}, {"b.tar.gz", "b.tar.gz"}, {"b.tar.gz", "b (2).tar.gz"},
	} {
		f, err := w.Save(Downloads, c.name, []byte(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(f.Path) != c.want {
			t.Errorf("%d %q is kept as %q, want %q", i, c.name, filepath.Base(f.Path), c.want)
		}
	}
	_, files, err := w.Current()
	if err != nil || len(files) != 6 {
		t.Errorf("files: %v %v", files, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	w, _ := open(t)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			if _, err := w.Save(Downloads, "same.bin", []byte{byte(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	i, files, err := w.Current()
	if err != nil || i.Files != 50 || i.Bytes != 50 || len(files) != 50 {
		t.Errorf("%+v, %d files, %v", i, len(files), err)
	}
}

func TestAdopt(t *testing.T) {
	w, _ := open(t)
	from := filepath.Join(t.TempDir(), "saved.part")
	if err := os.WriteFile(from, []byte("bytes"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := w.Adopt(Downloads, `..\report.pdf`, from)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(f.Path); err != nil || string(b) != "bytes" || filepath.Base(f.Path) != "report.pdf" {
		t.Errorf("%+v holds %q, %v", f, b, err)
	}
	if _, err := os.Stat(from); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the browser's file is still there: %v", err)
	}
	if runtime.GOOS != "windows" {
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, from); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Adopt(Downloads, "x", from); err == nil {
			t.Error("a link was taken")
		}
	}
	if _, err := w.Adopt(Downloads, "x", filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "another machine") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestLimits(t *testing.T) {
	dir := t.TempDir()
	w := Open(dir, "", 1<<20)
	out, err := w.Create(Downloads, "big")
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<19)
	for range 3 {
		_, err = out.Write(chunk)
	}
	if !errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), "1 MB") {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := out.Close(); !errors.Is(err, ErrTooBig) {
		t.Errorf("closed: %v", err)
	}
	if _, files, _ := w.Current(); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
	from := filepath.Join(dir, "from")
	if err := os.WriteFile(from, make([]byte, 1<<21), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Adopt(Downloads, "big", from); !errors.Is(err, ErrTooBig) {
		t.Errorf("adopted: %v", err)
	}
	full := cannot("write", "x", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	if runtime.GOOS != "windows" && (!errors.Is(full, ErrDiskFull) || !strings.Contains(full.Error(), "free space")) {
		t.Errorf("disk full: %v", full)
	}
}

func TestTasks(t *testing.T) {
	w, dir := open(t)
	first, err := w.New("Buy tickets: Rome/Paris")
	if err != nil {
		t.Fatal(err)
	}
	if first.Name != "Buy tickets_ Rome-Paris" || !first.Current {
		t.Errorf("%+v", first)
	}
	second, err := w.New("buy tickets: rome/paris")
	if err != nil || second.Name != "buy tickets_ rome-paris (2)" {
		t.Errorf("%+v %v", second, err)
	}
	if err := w.Log(Line{Tool: "navigate", Outcome: "ok", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	other := Open(dir, "", 0)
	if _, err := other.Save(Results, "r.txt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	list, err := other.List()
	if err != nil || len(list) != 3 || !list[0].Current || list[0].Files != 1 || list[2].Current {
		t.Errorf("%+v %v", list, err)
	}
	// The user may take the folder away while the session goes on.
	if err := os.RemoveAll(second.Path); err != nil {
		t.Fatal(err)
	}
	if err := w.Log(Line{Tool: "click", Outcome: "ok", Time: time.Now()}); err != nil {
		t.Errorf("after the folder went: %v", err)
	}
	if _, err := w.Save(Downloads, "a", nil); err != nil {
		t.Errorf("after the folder went: %v", err)
	}
}
