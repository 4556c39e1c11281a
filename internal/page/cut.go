package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut returns the longest prefix of s of at most n bytes that ends neither inside a
// character nor inside what a person sees as one (an emoji with its joiners and
// modifiers, a letter with its marks, a flag). Invalid UTF-8 comes out as U+FFFD.
func Cut(s string, n int) string {
	s = Valid(s)
	if len(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	end := 0
	for end < len(s) {
		size := len(grapheme(s[end:]))
		if end+size > n {
			break
		}
		end += size
	}
	return s[:end]
}

// Valid is s with U+FFFD for what is no UTF-8.
func Valid(s string) string {
	if utf8.ValidString(s) { // much faster than to look for what has to be replaced
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// maxGrapheme bounds the look-ahead: a page may stack any number of marks.
const maxGrapheme = 128

// grapheme returns the first user-perceived character of s. It knows the rules that
// matter for text in the wild: marks, joiners, variation selectors, skin tones, flags,
// tag sequences, Hangul syllables and CRLF.
func grapheme(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if r == '\r' && strings.HasPrefix(s, "\r\n") {
		return s[:2]
	}
	if unicode.IsControl(r) {
		return s[:size]
	}
	prev, flag := r, isFlag(r)
	for size < len(s) && size < maxGrapheme {
		next, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case extends(next):
		case prev == joiner && unicode.In(next, unicode.So, unicode.Sk): // an emoji after a joiner
		case flag && isFlag(next):
			flag = false
		case hangul(prev, next):
		default:
			return s[:size]
		}
		size += n
		prev = next
	}
	return s[:size]
}

const joiner = '\u200d'

func isFlag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// extends says whether r belongs to the character before it.
func extends(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || r == joiner ||
		r >= 0xFE00 && r <= 0xFE0F || // variation selectors
		r >= 0x1F3FB && r <= 0x1F3FF || // skin tones
		r >= 0xE0020 && r <= 0xE007F // tags
}

// hangul says whether two jamo belong to one syllable.
func hangul(a, b rune) bool {
	lead := a >= 0x1100 && a <= 0x115F
	vowel := a >= 0x1160 && a <= 0x11A7
	return lead && b >= 0x1100 && b <= 0x11A7 || (vowel || a >= 0xAC00 && a <= 0xD7A3) && b >= 0x1160 && b <= 0x11FF
}

// graphemes splits s into user-perceived characters.
func graphemes(s string) []string {
	var out []string
	for s != "" {
		g := grapheme(s)
		out = append(out, g)
		s = s[len(g):]
	}
	return out
}

// quote shows page text inside a sentence of ours: on one line, with what could
// deceive a reader escaped, and short.
func quote(s string, limit int) string {
	short := Cut(s, limit)
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range short {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r != joiner && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	if len(short) < len(s) {
		b.WriteString("…")
	}
	b.WriteByte('"')
	return b.String()
}
