package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"chrome-mcp/internal/page"
)

// escapeText shows what a person would not see, or would see in another order than
// the model reads it: control, bidi and zero-width characters and invisible tags
// become \u{202E} and the like. Joiners stay where they belong, in emoji and in
// scripts that need them. Invalid UTF-8 becomes U+FFFD, CRLF becomes LF.
func escapeText(s string) string {
	if s = page.Valid(s); plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	prev := rune(-1)
	flag := false // inside a flag made of tags
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		next, _ := utf8.DecodeRuneInString(s[i:])
		tag := r >= 0xE0020 && r <= 0xE007F
		switch {
		case r == '\r' && next == '\n':
			prev = r
			continue
		case tag && flag:
			b.WriteRune(r)
		case !hidden(r) || joins(prev, r, next):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
		flag = r == blackFlag || flag && tag && r != 0xE007F
		prev = r
	}
	return b.String()
}

const (
	zwnj      = 0x200C
	zwj       = 0x200D
	blackFlag = 0x1F3F4
)

// plain says whether there is nothing to escape; most text is plain ASCII.
func plain(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < 0x7F && (c >= ' ' || c == '\n' || c == '\t') {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if hidden(r) {
			return false
		}
		i += size
	}
	return true
}

// hidden says whether r has no picture of its own, or changes the order of others.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), r == 0x2028, r == 0x2029:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // variation selectors carry hidden bytes
		return true
	}
	return r == 0x034F || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r == 0x180B || r == 0x3164 || r == 0xFFA0
}

// joins says whether an invisible r does its proper work between its neighbours.
func joins(prev, r, next rune) bool {
	switch {
	case r == zwj && pictograph(prev) && pictograph(next):
		return true
	case r == zwj || r == zwnj:
		return unicode.In(prev, joining...) && (r == zwj || unicode.In(next, joining...))
	case r == 0xFE0E || r == 0xFE0F: // text or emoji form of a sign
		return pictograph(prev) || prev == '#' || prev == '*' || prev >= '0' && prev <= '9'
	case r >= 0xE0100 && r <= 0xE01EF: // form of an ideograph
		return unicode.Is(unicode.Han, prev)
	}
	return false
}

func pictograph(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk, unicode.Sm) || r == 0xFE0F || r == 0x203C || r == 0x2049 || r >= 0xE0020 && r <= 0xE007F
}

// joining are the scripts whose spelling needs joiners.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Inherited,
}

// escapeJSON does to the strings of a JSON text what escapeText does to text. Keys
// and their order stay as they are; what is no valid JSON is only made valid UTF-8.
func escapeJSON(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			out.WriteByte(raw[i])
			i++
			continue
		}
		end := i + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(raw))
		out.Write(escapeLiteral(raw[i:end]))
		i = end
	}
	return bytes.ToValidUTF8(out.Bytes(), []byte("\uFFFD"))
}

func escapeLiteral(lit []byte) []byte {
	var s string
	if json.Unmarshal(lit, &s) != nil {
		return lit
	}
	if e := escapeText(s); e != s {
		return []byte(quoteJSON(e))
	}
	return unescapeHTML(bytes.Clone(lit))
}

// clip shortens a text of ours or one that is quoted in it.
func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return page.Cut(s, n) + "…"
}

// cutRunes returns the longest prefix of at most n characters that does not end
// inside what a person sees as one, and how many characters s has. What has no more
// than n bytes is not counted: total is some number up to n.
func cutRunes(s string, n int) (prefix string, total int) {
	if len(s) <= n {
		return s, len(s)
	}
	total = utf8.RuneCountInString(s)
	if total <= n {
		return s, total
	}
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return page.Cut(s, at), total
}
