package redact

import (
	"encoding/json"
	"strings"
)

// Header masks the value of an HTTP header. Names of cookies and the kind of an
// authorization stay: they tell what was sent without giving it away.
func (r *Redactor) Header(name, value string) (string, int) {
	if value == "" {
		return value, 0
	}
	switch name := strings.ToLower(name); name {
	case "authorization", "proxy-authorization":
		if scheme, rest, ok := strings.Cut(value, " "); ok && rest != "" && len(scheme) < 20 {
			return scheme + " " + Mask, 1
		}
		return Mask, 1
	case "cookie":
		return cookies(value)
	case "set-cookie":
		return setCookies(value)
	case "location", "content-location", "referer", "origin", ":path", "link":
		return r.URL(value)
	default:
		if Secret(name) {
			return Mask, 1
		}
	}
	return r.Text(value)
}

// cookies masks the values of a Cookie header.
func cookies(value string) (string, int) {
	parts := strings.Split(value, ";")
	for i, p := range parts {
		parts[i] = cookie(p)
	}
	return strings.Join(parts, ";"), len(parts)
}

// setCookies masks the values of Set-Cookie headers, which Chrome joins with newlines,
// and keeps their attributes.
func setCookies(value string) (string, int) {
	lines := strings.Split(value, "\n")
	for i, line := range lines {
		pair, attributes, more := strings.Cut(line, ";")
		lines[i] = cookie(pair)
		if more {
			lines[i] += ";" + attributes
		}
	}
	return strings.Join(lines, "\n"), len(lines)
}

func cookie(pair string) string {
	name, _, ok := strings.Cut(pair, "=")
	if !ok {
		return Mask
	}
	return name + "=" + Mask
}

// Body masks the body of a request or an answer by its media type.
func (r *Redactor) Body(mime, text string) (string, int) {
	kind, _, _ := strings.Cut(strings.ToLower(mime), ";")
	head := strings.TrimLeft(text, " \t\r\n")
	switch {
	case strings.Contains(kind, "json"), strings.HasPrefix(head, "{"), strings.HasPrefix(head, "["):
		masked, n := r.JSON(text)
		if n == 0 {
			return r.Text(text) // lines of events, or what only looks like JSON
		}
		return masked, n
	case strings.Contains(kind, "x-www-form-urlencoded"):
		return r.query(text, maxNested)
	}
	return r.Text(text)
}

// JSON masks members with secret names and secrets inside strings. It goes by the
// quotes alone, so that a text which was cut, or is no proper JSON, is masked too.
func (r *Redactor) JSON(s string) (string, int) {
	w := writer{text: s}
	n := 0
	var inside []bool // for each open bracket: stands it below a secret name?
	hidden := false   // the value that comes is one of a secret name
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := literal(s, i)
			if colon := skipSpace(s, end); colon < len(s) && s[colon] == ':' {
				hidden = Secret(unquote(s[i:end]))
				i = colon + 1
				continue
			}
			n += r.string(&w, i, end, hidden)
			i = end
			continue
		case c == '[':
			inside = append(inside, hidden)
		case c == '{':
			inside = append(inside, hidden)
			hidden = false
		case c == ']' || c == '}':
			if len(inside) > 0 {
				inside = inside[:len(inside)-1]
			}
			hidden = len(inside) > 0 && inside[len(inside)-1]
		case c == ',':
			hidden = len(inside) > 0 && inside[len(inside)-1] && hidden
		case hidden && c >= '0' && c <= '9':
			end := run(s, i, &number, len(s))
			if end-i >= 4 { // a code or a PIN
				w.replace(i, end, `"`+Mask+`"`)
				n++
			}
			i = end
			continue
		}
		i++
	}
	text, _ := w.end()
	return text, n
}

var number = bytesOf(digits + ".eE+-")

// string masks one value that is a string, and returns how many secrets it held.
func (r *Redactor) string(w *writer, from, to int, hidden bool) int {
	lit := w.text[from:to]
	closed := len(lit) > 1 && lit[len(lit)-1] == '"'
	if hidden && len(lit) > 2 && lit != `"`+Mask+`"` {
		w.mask(from+1, to-len(`"`)*toInt(closed))
		return 1
	}
	plain := unquote(lit)
	masked, n := r.value(plain)
	if n == 0 {
		return 0
	}
	quoted := quote(masked)
	if !closed {
		quoted = quoted[:len(quoted)-1]
	}
	w.replace(from, to, quoted)
	return n
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// value masks a string by what it is: an address, JSON inside JSON, or text.
func (r *Redactor) value(s string) (string, int) {
	switch {
	case strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://"):
		return r.URL(s)
	case strings.HasPrefix(s, "{") && strings.Contains(s, `":`):
		if masked, n := r.JSON(s); n > 0 {
			return masked, n
		}
	}
	return r.Text(s)
}

// replace puts other text in the place of a part.
func (w *writer) replace(from, to int, with string) {
	w.b.WriteString(w.text[w.done:from])
	w.b.WriteString(with)
	w.done = to
	w.found++
}

// literal is the end of the string that begins at i.
func literal(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(s)
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// quote quotes like JSON, without escapes for HTML.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// unquote returns what a literal says, or what stands between its quotes.
func unquote(lit string) string {
	var s string
	if json.Unmarshal([]byte(lit), &s) == nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(lit, `"`), `"`)
}
