package nmhost

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

// asHost makes the test binary be a host with that data folder.
const asHost = "NMHOST_TEST_DATA"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asHost); dir != "" {
		Run(context.Background(), Config{
			In: os.Stdin, Out: os.Stdout, Caller: os.Args[1], ExtensionID: testID, Version: "1.2.0", Store: state.Open(dir),
		})
		return
	}
	os.Exit(m.Run())
}

func TestAsk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv(asHost, dir)
	script := func(text string) string {
		path := filepath.Join(t.TempDir(), "host")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := wire.NativeExt{ID: testID, Version: "1.2.0", Instance: "doctor"}

	ready, err := Ask(t.Context(), self, good)
	if err != nil || ready.HostVersion != "1.2.0" || ready.DataDir != dir {
		t.Errorf("Ask() = %+v, %v", ready, err)
	}
	if seen, err := state.Open(dir).LastSeen(); err != nil || !seen.Time.IsZero() {
		t.Errorf("the host noted a probe: %+v, %v", seen, err)
	}
	var refused *RefusedError
	if _, err := Ask(t.Context(), self, wire.NativeExt{ID: testID, Version: "9.0.0"}); !errors.As(err, &refused) || refused.Code != wire.VersionMismatch {
		t.Errorf("another version: %v", err)
	}
	if _, err := Ask(t.Context(), self+"-gone", good); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: %v", err)
	}
	if _, err := Ask(t.Context(), script("echo library missing >&2; exit 3"), good); err == nil || !strings.Contains(err.Error(), "library missing") {
		t.Errorf("a program that ends: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Ask(ctx, script("exec sleep 20"), good); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a program that hangs: %v", err)
	}
}

// What ended a conversation is noted, and only by the host that was heard last.
func TestLeft(t *testing.T) {
	for how, want := range map[string]string{"bye": "stopped", "eof": ""} {
		dir := t.TempDir()
		p := start(t, dir, testOrigin)
		p.message(helloText)
		p.next(t)
		if seen, err := state.Open(dir).LastSeen(); err != nil || !seen.Open() {
			t.Errorf("the port is open: %+v, %v", seen, err)
		}
		if how == "bye" {
			p.message(`{"v":1,"type":"bye","reason":"stopped"}`)
		} else {
			p.toHost.Close()
		}
		if err := <-p.ended; err != nil {
			t.Error(err)
		}
		seen, err := state.Open(dir).LastSeen()
		if err != nil || seen.Open() || seen.Ended.IsZero() || seen.Left != want || seen.Instance != "i1" {
			t.Errorf("%s: LastSeen() = %+v, %v", how, seen, err)
		}
	}
}
