package e2e

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

// lean is a client that waits for the last byte of an answer and no longer: what a
// client takes to decode it is its own, and differs from one to the next.
type lean struct {
	*rawServer
	id   int
	last string // answer
}

func leanClient(b testing.TB, data string, flags ...string) *lean {
	b.Helper()
	s := &lean{rawServer: startRaw(b, environment(data), flags...), id: 1}
	if _, err := s.in.Write([]byte(handshake)); err != nil {
		b.Fatal(err)
	}
	s.answer(b, s.id)
	b.Cleanup(func() { // a browser of its own is gone before its folder is
		_ = s.in.Close()
		select {
		case <-s.exited:
		case <-time.After(10 * time.Second):
		}
	})
	return s
}

// call leaves the answer in last.
func (s *lean) call(tool string, a args) error {
	s.id++
	if _, err := s.in.Write([]byte(toolCall(s.id, tool, a))); err != nil {
		return err
	}
	ours := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{`, s.id)
	for s.last = range s.lines {
		switch {
		case !strings.Contains(s.last, fmt.Sprintf(`"id":%d,`, s.id)): // a notification
		case !strings.HasPrefix(s.last, ours) || strings.Contains(s.last, `"isError":true`):
			return fmt.Errorf("%s: %.2000s", tool, s.last)
		default:
			return nil
		}
	}
	return fmt.Errorf("%s: the server ended; stderr: %s", tool, s.stderr)
}

func (s *lean) tab(b testing.TB, path string) string {
	b.Helper()
	if err := s.call("tab_new", args{"url": rig.site.base + path}); err != nil {
		b.Fatal(err)
	}
	return s.tabID(b)
}

func (s *lean) tabID(b testing.TB) string {
	return str(member(b, s.last, "result", "structuredContent", "tabId"))
}

// content is a member of the first part of the last answer that has it.
func (s *lean) content(b testing.TB, name string) string {
	b.Helper()
	parts, _ := member(b, s.last, "result", "content").([]any)
	for _, p := range parts {
		if text, ok := p.(map[string]any)[name].(string); ok {
			return text
		}
	}
	b.Fatalf("no %s in %.500s", name, s.last)
	return ""
}

func (s *lean) text(b testing.TB) string { return s.content(b, "text") }

func (s *lean) picture(b testing.TB) []byte {
	data, err := base64.StdEncoding.DecodeString(s.content(b, "data"))
	if err != nil {
		b.Fatal(err)
	}
	return data
}
