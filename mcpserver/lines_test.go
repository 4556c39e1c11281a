package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readAll(r io.Reader, max int) (lines []string, err error) {
	l := newLineReader(r, max)
	for {
		line, err := l.next()
		switch err {
		case nil:
			lines = append(lines, string(line))
		case errTooLong:
			lines = append(lines, fmt.Sprintf("too long, id %s", line))
		default:
			return lines, err
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200)
	tests := []struct {
		name, in string
		want     []string
	}{
		{"none", "", nil},
		{"LF", "a\nb\n", []string{"a", "b"}},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"blank lines", "\n\r\n \t\na\n\n", []string{"a"}},
		{"no line end", "a\nb", []string{"a", "b"}},
		{"BOM", "\xef\xbb\xbfa\n\xef\xbb\xbf\n\xef\xbb\xbfb", []string{"a", "b"}},
		{"only a BOM", "\xef\xbb\xbf", nil},
		{"as long as allowed", strings.Repeat("y", 100) + "\nb\n", []string{strings.Repeat("y", 100), "b"}},
		{"too long", long + "\nb\n", []string{"too long, id ", "b"}},
		{"too long at the end", long, []string{"too long, id "}},
		{"id in front", `{"jsonrpc":"2.0","id":7,"params":{"id":8,"x":"` + long + `"}}` + "\nb", []string{"too long, id 7", "b"}},
		{"id at the end", `{"params":{"x":"` + long + `\"}","id":8},"jsonrpc":"2.0","id" : "seven" }` + "\nb", []string{`too long, id "seven"`, "b"}},
		{"id in a list", `[{"id":7,"x":"` + long + `"}]`, []string{"too long, id "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := readAll(r, 100)
				if err != io.EOF || !slices.Equal(got, tt.want) {
					t.Errorf("got %q, %v; want %q", got, err, tt.want)
				}
			}
		})
	}
}

func TestLinesReadError(t *testing.T) {
	broken := errors.New("broken")
	got, err := readAll(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100)
	if !errors.Is(err, broken) || !slices.Contains(got, "a") {
		t.Errorf("got %q, %v", got, err)
	}
}

// A line that is far too long is skipped without being kept.
func TestLargeLineMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in := io.MultiReader(io.LimitReader(endless('x'), 256<<20), strings.NewReader("\nb\n"))
	got, err := readAll(in, 1<<20)
	runtime.ReadMemStats(&after)
	if err != io.EOF || !slices.Equal(got, []string{"too long, id ", "b"}) {
		t.Fatalf("got %.100q, %v", got, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d MB were allocated", used>>20)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func FuzzLines(f *testing.F) {
	for _, s := range []string{"a\nb", "\xef\xbb\xbf{}\r\n", `{"id":1}` + strings.Repeat("x", 90)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := readAll(bytes.NewReader(in), 64)
		if err != io.EOF {
			t.Fatal(err)
		}
		pieces, _ := readAll(iotest.OneByteReader(bytes.NewReader(in)), 64)
		if !slices.Equal(whole, pieces) {
			t.Errorf("reads of other sizes give other lines: %q and %q", whole, pieces)
		}
	})
}

// Whatever a line holds, it becomes messages or an answer that can be sent.
func FuzzParseLine(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[]`, `[1,{"jsonrpc":"2.0","id":"a","result":{}}]`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}`, "\xff", `{"id":null,"error":5}`, `{"jsonrpc":"2.0","id":1,"error":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		line, err := newLineReader(bytes.NewReader(in), maxIn).next()
		if err != nil {
			return
		}
		msgs, _, err := parseLine(line)
		var answers []error
		if err != nil {
			answers = append(answers, err)
		}
		for _, m := range msgs {
			if bad, ok := m.(*badMessage); ok {
				answers = append(answers, bad)
			}
		}
		for _, a := range answers {
			bad := a.(*badMessage)
			if !json.Valid(encodeError(bad)) {
				t.Errorf("the answer is no JSON: %s", encodeError(bad))
			}
		}
	})
}

func TestUnescapeHTML(t *testing.T) {
	for _, s := range []string{`<b>&"\`, `\u003c`, `\\u003c`, "\\\\\u2028", `a\`, "\x00\u003e"} {
		line, _ := json.Marshal(s)
		got := unescapeHTML(bytes.Clone(line))
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != s {
			t.Errorf("%q became %s, which is %q (%v)", s, got, back, err)
		}
		if strings.ContainsAny(s, "<>&") && !bytes.ContainsAny(got, "<>&") {
			t.Errorf("%s is still escaped", got)
		}
	}
}
