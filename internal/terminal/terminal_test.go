package terminal

import (
	"os"
	"runtime"
	"testing"
)

func TestIs(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if Is(null) {
		t.Errorf("%s is no terminal (%s)", os.DevNull, runtime.GOOS)
	}
}
