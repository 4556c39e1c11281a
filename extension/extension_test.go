package extension

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestIDFollowsFromKey(t *testing.T) {
	der, err := base64.StdEncoding.DecodeString(Key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x509.ParsePKIXPublicKey(der); err != nil {
		t.Fatalf("not a public key: %v", err)
	}
	sum := sha256.Sum256(der)
	id := make([]byte, 0, 32)
	for _, b := range sum[:16] {
		id = append(id, 'a'+b>>4, 'a'+b&15)
	}
	if string(id) != ID {
		t.Errorf("Key gives id %s, ID says %s", id, ID)
	}
}

func TestUnpack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "extension")
	if err := Unpack(dir); err != nil {
		t.Fatal(err)
	}
	same(t, dir)

	// A second time: what is right is left alone, what is not is mended, and what
	// is not ours stays.
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	page := filepath.Join(dir, "page.js")
	if err := os.Chtimes(page, old, old); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "worker.js"), "broken")
	write(t, filepath.Join(dir, "note.txt"), "mine")
	if err := Unpack(dir); err != nil {
		t.Fatal(err)
	}
	same(t, dir)
	if info, err := os.Stat(page); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("page.js was right and was written again (%v)", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "note.txt")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".unpack-*")); len(left) > 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

func TestUnpackSaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	err := Unpack(filepath.Join(file, "extension"))
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("can be written")) {
		t.Errorf("got %v", err)
	}
}

func TestFilesEndWithTheManifest(t *testing.T) {
	names, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	if names[len(names)-1] != manifest {
		t.Errorf("the last file is %s", names[len(names)-1])
	}
}

func same(t *testing.T, dir string) {
	t.Helper()
	names, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		want, err := fs.ReadFile(FS, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v)", name, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
