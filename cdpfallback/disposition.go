package cdpfallback

import (
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"
)

// dispositionName reads the file name of a Content-Disposition as Chrome does, also of
// one that is not written by the rules: servers leave out quotes, escape in ways of their
// own and say things twice. filename* comes before filename, the first before a second.
func dispositionName(value string) string {
	var plain, extended string
	kind, rest := disposed(value)
	if strings.Contains(kind, "=") {
		rest = value // it says no kind
	}
	for rest != "" {
		var part string
		part, rest = disposed(rest)
		name, v, _ := strings.Cut(part, "=")
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "filename*") && extended == "":
			extended = extendedName(strings.Trim(v, ` "`))
		case strings.EqualFold(name, "filename") && plain == "":
			plain = plainName(unquoted(strings.TrimSpace(v)))
		}
	}
	if extended != "" {
		return extended
	}
	return plain
}

// disposed parts a header before a semicolon that stands in no quotes.
func disposed(s string) (part, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// unquoted takes the quotes off. A backslash before anything but a quote or another is
// one of a path, as some browsers once sent it.
func unquoted(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	var b strings.Builder
	for i := 1; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// extendedName decodes charset'language'text of RFC 8187.
func extendedName(s string) string {
	charset, rest, _ := strings.Cut(s, "'")
	_, text, found := strings.Cut(rest, "'")
	text, err := url.PathUnescape(text)
	switch {
	case !found || err != nil:
		return ""
	case strings.EqualFold(charset, "iso-8859-1"):
		return latin1(text)
	case utf8.ValidString(text):
		return text
	}
	return ""
}

// plainName decodes what servers put into a plain name all the same: encoded words of
// mail, and percent escapes of UTF-8.
func plainName(s string) string {
	if strings.HasPrefix(s, "=?") {
		if text, err := new(mime.WordDecoder).DecodeHeader(s); err == nil {
			return text
		}
	}
	if text, err := url.PathUnescape(s); err == nil && utf8.ValidString(text) {
		s = text
	}
	if !utf8.ValidString(s) {
		return latin1(s)
	}
	return s
}

func latin1(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}
