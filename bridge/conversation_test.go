package bridge

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"chrome-mcp/internal/browser"
)

// TestConversations plays the scripts in testdata against a bridge. Each line is
//
//	> FRAME    the extension sends; TOKEN stands for the server's
//	< FRAME    the server sends; only the fields given are compared
//	close N    the server closes with this code
//	dial       the extension dials anew
//	run TOOL   a call of the page function "text" begins
//	call METHOD  a CDP command begins
//	answer T   the call ends with a value or an error that begins with T
//
// ID stands for the id of the last command.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range a.Files {
				t.Run(file.Name, func(t *testing.T) { converse(t, string(file.Data)) })
			}
		})
	}
}

type conversation struct {
	f     *fixture
	e     *extension
	id    string
	calls <-chan outcome[string]
}

func converse(t *testing.T, script string) {
	c := &conversation{f: start(t, nil)}
	c.e = c.f.dial()
	for n, text := range strings.Split(strings.TrimSpace(script), "\n") {
		verb, rest, _ := strings.Cut(text, " ")
		if err := c.step(t, verb, rest); err != nil {
			t.Fatalf("line %d: %s: %v", n+1, text, err)
		}
	}
}

func (c *conversation) step(t *testing.T, verb, rest string) error {
	switch verb {
	case ">":
		c.e.raw(strings.NewReplacer("TOKEN", c.f.token(), "ID", c.id).Replace(rest))
	case "<":
		return c.expect(rest)
	case "close":
		if code := c.e.closed(); fmt.Sprint(int(code)) != rest {
			return fmt.Errorf("closed with %d", code)
		}
	case "dial":
		c.e = c.f.dial()
	case "run":
		ctx := browser.WithCaller(t.Context(), browser.Caller{Session: "S", Tool: rest})
		c.calls = async(func() (string, error) {
			var v json.RawMessage
			a, err := c.f.tab(7).Run(ctx, browser.RunRequest{Fn: "text"}, &v)
			return a.URL + " " + string(v), err
		})
	case "call":
		c.calls = async(func() (string, error) {
			var v json.RawMessage
			err := c.f.tab(7).Call(t.Context(), "", rest, nil, &v)
			return string(v), err
		})
	case "answer":
		got, err := wait(t, c.calls)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, rest) {
			return fmt.Errorf("answered %s", got)
		}
	default:
		return fmt.Errorf("unknown verb")
	}
	return nil
}

func (c *conversation) expect(want string) error {
	var got, wanted map[string]any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		return err
	}
	c.e.read(&got)
	if id, ok := got["id"].(string); ok {
		c.id = id
	}
	for k, v := range wanted {
		if fmt.Sprint(got[k]) != fmt.Sprint(v) {
			return fmt.Errorf("%s is %v in %v", k, got[k], got)
		}
	}
	return nil
}

func TestGuessersWaitLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		g.init()
		var last time.Duration
		for range 10 {
			d, ok := g.delay("127.0.0.1")
			if !ok || d < last || d > longestDelay {
				t.Fatal(d, ok)
			}
			last = d
			g.answered()
		}
		if last != longestDelay {
			t.Error(last)
		}
		if d, _ := g.delay("127.0.0.2"); d != 50*time.Millisecond {
			t.Error("another remote pays too:", d)
		}
		time.Sleep(forget + time.Second)
		if d, _ := g.delay("127.0.0.1"); d != 50*time.Millisecond || len(g.failed) != 1 {
			t.Error("never forgotten:", d, g.failed)
		}
		for range maxSlowed {
			g.delay("x")
		}
		if _, ok := g.delay("x"); ok {
			t.Error("too many are kept waiting")
		}
	})
}
