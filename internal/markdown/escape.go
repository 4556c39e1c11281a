package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape keeps plain text plain: a character that would be a mark where it stands gets
// a backslash, any other is left as it is, since escapes that nobody needs make text
// harder to read. In a link every bracket is escaped. next is the first character of
// what follows the text, 0 for nothing.
func escape(s string, prev, next rune, link bool) string {
	if !strings.ContainsAny(s, "\\`*_[]<&~!") {
		return s
	}
	var b strings.Builder
	for i, c := range s {
		before, after := prev, next
		if i > 0 {
			before, _ = utf8.DecodeLastRuneInString(s[:i])
		}
		rest := s[i+utf8.RuneLen(c):]
		if rest != "" {
			after, _ = utf8.DecodeRuneInString(rest)
		}
		if special(c, before, after, rest, link) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func special(c, before, after rune, rest string, link bool) bool {
	switch c {
	case '`':
		return true
	case '\\':
		return after == 0 || isPunct(after)
	case '*':
		return !(isSpace(before) && isSpace(after))
	case '_':
		return !(isSpace(before) && isSpace(after)) && !(isWord(before) && isWord(after))
	case '[':
		return link || after == '^'
	case ']':
		return link || after == '(' || after == '['
	case '!':
		return after == '['
	case '<':
		return unicode.IsLetter(after) || after == '/' || after == '!' || after == '?'
	case '&':
		return entity.MatchString(rest)
	case '~':
		return before == '~' || after == '~' || !isSpace(after) && strings.Contains(rest, "~")
	}
	return false
}

var entity = regexp.MustCompile(`^(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});`)

var (
	lineMark   = regexp.MustCompile(`^(#{1,6}|[-+]|\*)(\s|$)|^>|^~~~`)
	lineRef    = regexp.MustCompile(`^\[[^\]]*\]:`)
	lineNumber = regexp.MustCompile(`^\d{1,9}[.)](\s|$)`)
	lineRule   = regexp.MustCompile(`^[-=|:_*][-=|:_*\s]*$`) // a rule, an underline of a heading, the second line of a table
)

// escapeLine keeps the beginning of a line from being the mark of a block.
func escapeLine(s string) string {
	switch {
	case lineMark.MatchString(s), lineRule.MatchString(s), lineRef.MatchString(s):
		return `\` + s
	case lineNumber.MatchString(s):
		i := strings.IndexAny(s, ".)")
		return s[:i] + `\` + s[i:]
	}
	return s
}

// isSpace also takes the edge of a line for white space, as CommonMark does.
func isSpace(c rune) bool { return c == 0 || unicode.IsSpace(c) }

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }

func isPunct(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) }

// destination makes an address safe between the brackets of a link.
func destination(url string) string {
	if !strings.ContainsAny(url, " ()<>\\\t\r\n\"") {
		return url
	}
	return destinations.Replace(url)
}

var destinations = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", `\`, "%5C", "\t", "%09", "\r", "", "\n", "", `"`, "%22")
