package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// Incoming is any frame that the extension sends; Type says which fields count.
type Incoming struct {
	Header
	Token string          `json:"token"` // hello
	Ext   ExtInfo         `json:"ext"`   // hello
	ID    string          `json:"id"`    // result, error
	Data  json.RawMessage `json:"data"`  // result, event
	Error *browser.Error  `json:"error"` // error
	Name  string          `json:"event"` // event
	TabID int             `json:"tabId"` // event
	TS    int64           `json:"ts"`    // ping, pong
}

// ErrVersion is wrapped by Decode's error when only "v" is wrong.
var ErrVersion = errors.New("other protocol version")

// Decode reads a frame of the extension. Text that is no Unicode is mended first, in
// place. The error never quotes the frame, which may hold a token.
func Decode(b []byte) (Incoming, error) {
	var f Incoming
	b = Mend(b)
	if err := Unmarshal(b, &f); err != nil {
		return Incoming{}, fmt.Errorf("frame of %d bytes is no JSON object of the protocol%s", len(b), position(err))
	}
	if f.V != Protocol {
		return f, fmt.Errorf("frame has v:%d where this chrome-mcp speaks v:%d: %w", f.V, Protocol, ErrVersion)
	}
	switch f.Type {
	case TypeHello, TypeEvent, TypePing, TypePong:
		return f, nil
	case TypeResult, TypeError:
		if f.ID == "" || f.Type == TypeError && f.Error == nil {
			return Incoming{}, fmt.Errorf("frame of type %s lacks its id or its error", f.Type)
		}
		return f, nil
	}
	return Incoming{}, errors.New("frame of a type that the extension does not send")
}

// reading makes the faster decoder as lenient as encoding/json: browsers send what
// their pages hold.
var reading = jsonv2.JoinOptions(
	jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true),
	jsonv2.MatchCaseInsensitiveNames(true),
)

// Unmarshal is json.Unmarshal, three times as fast (measured on a 400 KB screenshot and
// a snapshot of 5,000 nodes).
func Unmarshal(b []byte, v any) error { return jsonv2.Unmarshal(b, v, reading) }

// position tells where the JSON is broken without the text around it.
func position(err error) string {
	var syn *jsontext.SyntacticError
	var sem *jsonv2.SemanticError
	switch {
	case errors.As(err, &syn):
		return fmt.Sprintf(" (at byte %d)", syn.ByteOffset)
	case errors.As(err, &sem):
		return fmt.Sprintf(" (at byte %d, no %s belongs there)", sem.ByteOffset, sem.JSONKind)
	}
	return ""
}

// Encode writes a frame. Unlike json.Marshal it leaves <, > and & alone: page text is
// full of them.
func Encode(frame any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(frame); err != nil {
		return nil, fmt.Errorf("frame cannot be encoded: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Mend replaces what is not Unicode in JSON text: invalid UTF-8, and escapes of lone
// surrogates, which pages produce by cutting strings and which break MCP clients. It
// works in place where it can. Valid text is not touched.
func Mend(b []byte) []byte {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	}
	for i := 0; ; {
		at := bytes.Index(b[i:], []byte(`\u`))
		if at < 0 {
			return b
		}
		i += at
		if escaped(b, i) {
			i++
			continue
		}
		switch first, second := surrogate(b, i), surrogate(b, i+6); {
		case first == high && second == low:
			i += 12
		case first != none:
			copy(b[i:], `\ufffd`)
			i += 6
		default:
			i += 2
		}
	}
}

// escaped says whether the backslash at i is itself escaped.
func escaped(b []byte, i int) bool {
	n := 0
	for i-n-1 >= 0 && b[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

type half int

const (
	none half = iota
	high
	low
)

// surrogate says which half of a pair the escape at i spells.
func surrogate(b []byte, i int) half {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' || b[i+2]|0x20 != 'd' || !isHex(b[i+4]) || !isHex(b[i+5]) {
		return none
	}
	switch c := b[i+3] | 0x20; {
	case c == '8', c == '9', c == 'a', c == 'b':
		return high
	case c >= 'c' && c <= 'f':
		return low
	}
	return none
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// once are DevTools commands that the gate takes for reads and that must not run twice.
var once = map[string]bool{
	"Page.handleJavaScriptDialog": true,
	"Page.navigate":               true,
	"Page.navigateToHistoryEntry": true,
	"Page.reload":                 true,
}

// Acts says whether a command does something each time it runs, so that it must not
// be sent again when its answer was lost.
func Acts(method Method, params any) bool {
	switch p := params.(type) {
	case CDPParams:
		return cdpActs(p.Method)
	case BatchParams:
		for _, c := range p.Calls {
			if cdpActs(c.Method) {
				return true
			}
		}
		return false
	case PageParams:
		return pagefn.Acts(p.Fn)
	case DownloadParams:
		return p.URL != ""
	}
	return Specs[method].Acts
}

func cdpActs(method string) bool {
	switch CDPMethods[method] {
	case policy.Read, policy.Observe:
		return once[method]
	}
	return true
}
