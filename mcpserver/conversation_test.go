package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// TestConversations plays testdata/*.txtar. In a file "talk":
//
//	> line     the client sends the line
//	raw "…"    the client sends these bytes, a Go string, without a line end
//	< pattern  the server answers; several in a row come in any order
//	eof        the client closes its end
//	end        the server ends, within a second, and sends nothing more
//
// A pattern is a part of the message: objects may have more members, strings that
// begin with ~ are regular expressions, and "absent" in angle brackets means none.
// The file "policy", if there is one, replaces the policy that allows everything.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cfg := testConfig()
			cfg.Log = testLog(t)
			var talk string
			for _, f := range ar.Files {
				switch f.Name {
				case "talk":
					talk = string(f.Data)
				case "policy":
					cfg.Policy = policy.Policy{}
					if err := json.Unmarshal(f.Data, &cfg.Policy); err != nil {
						t.Fatal(err)
					}
				default:
					t.Fatalf("unknown file %q", f.Name)
				}
			}
			play(t, serve(t, newTestServer(t, cfg, append(table(), talkTools()...)...)), talk)
		})
	}
}

// talkTools are what conversations can call beside the real tools.
func talkTools() []*tool {
	return []*tool{
		row("say", says(page.Result{Text: "ours <b>&", Page: "theirs \u202e\u200b", Origin: "https://example.com"})),
		row("panic", func(context.Context, *session) (*page.Result, error) { panic("a bug") }),
		row("fail", func(context.Context, *session) (*page.Result, error) {
			return nil, &browser.Error{Code: browser.ExtensionDisconnected, Message: "the socket was cut.", Unknown: true}
		}),
		row("odd", func(context.Context, *session) (*page.Result, error) { return nil, errors.New("no code") }),
		row("hang", func(ctx context.Context, _ *session) (*page.Result, error) { <-ctx.Done(); return nil, ctx.Err() }),
	}
}

func play(t *testing.T, c *client, talk string) {
	t.Helper()
	var want []string
	flush := func(at int) {
		if len(want) > 0 {
			expect(t, c, want, at)
			want = nil
		}
	}
	for i, line := range strings.Split(talk, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if word != "<" {
			flush(i)
		}
		switch word {
		case "":
		case "#":
		case ">":
			c.send("%s", rest)
		case "raw":
			raw, err := strconv.Unquote(rest)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			c.write(raw)
		case "<":
			want = append(want, rest)
		case "eof":
			c.in.Close()
		case "end":
			select {
			case line, ok := <-c.lines:
				if ok {
					t.Fatalf("line %d: something after the end: %s", i+1, line)
				}
			case <-time.After(time.Second):
				t.Fatalf("line %d: the server goes on for more than a second", i+1)
			}
		default:
			t.Fatalf("line %d: what is %q?", i+1, word)
		}
	}
	flush(0)
}

// expect reads as many messages as there are patterns and matches them in any order.
func expect(t *testing.T, c *client, want []string, at int) {
	t.Helper()
	for range len(want) {
		line, ok := c.nextLine()
		if !ok {
			t.Fatalf("before line %d: the output has ended; still wanted:\n%s", at+1, strings.Join(want, "\n"))
		}
		if strings.ContainsRune(string(line), '\r') || !strings.HasSuffix(string(line), "\n") {
			t.Errorf("line %d: not one line ended by LF: %q", at+1, line)
		}
		var got any
		if err := numbers(line, &got); err != nil {
			t.Fatalf("not JSON: %s", line)
		}
		found := -1
		var why []string
		for i, w := range want {
			var pattern any
			if err := numbers([]byte(w), &pattern); err != nil {
				t.Fatalf("before line %d: pattern %s: %v", at+1, w, err)
			}
			if err := match("", pattern, got); err != nil {
				why = append(why, err.Error())
				continue
			}
			found = i
			break
		}
		if found < 0 {
			t.Fatalf("before line %d: nothing matches\n%s\n%s", at+1, line, strings.Join(why, "\n"))
		}
		want = append(want[:found:found], want[found+1:]...)
	}
}

// numbers decodes with every digit of a number.
func numbers(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

func match(path string, want, got any) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: %v is no object", path, got)
		}
		for k, v := range w {
			value, there := g[k]
			if v == "<absent>" {
				if there {
					return fmt.Errorf("%s.%s is there", path, k)
				}
				continue
			}
			if !there {
				return fmt.Errorf("%s.%s is missing", path, k)
			}
			if err := match(path+"."+k, v, value); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s: %v is no list of %d", path, got, len(w))
		}
		for i := range w {
			if err := match(fmt.Sprintf("%s[%d]", path, i), w[i], g[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		if re, ok := strings.CutPrefix(w, "~"); ok {
			g, isString := got.(string)
			if ok, err := regexp.MatchString(re, g); err != nil || !ok || !isString {
				return fmt.Errorf("%s: %q does not match %q", path, got, re)
			}
			return nil
		}
	}
	if want != got {
		return fmt.Errorf("%s: %v instead of %v", path, got, want)
	}
	return nil
}
