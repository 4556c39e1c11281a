package task

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestWriteToAFullDisk writes where the kernel says that there is no room.
func TestWriteToAFullDisk(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &Writer{work: Open(t.TempDir(), "", 0), f: f, path: "/none/file.bin", max: 1 << 20}
	if _, err := w.Write([]byte("words")); !errors.Is(err, ErrDiskFull) {
		t.Errorf("writing: %v", err)
	}
	if _, err := w.Close(); !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), "free space there") {
		t.Errorf("closing: %v", err)
	}
}
