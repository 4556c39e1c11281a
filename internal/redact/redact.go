// Package redact finds secrets in text and puts a mark in their place.
//
// Secrets are known by their shape (a JWT, an AWS or GitHub key, a private key block,
// a bearer token) or by the name before them (api_key=, "password":, X-Auth-Token:).
// UUIDs, git hashes and other long strings without such a name are left alone: pages
// are full of them and an agent needs them. So this keeps what looks like a secret out
// of sight; it proves nothing about what is left.
//
// Every text is read once, from left to right, and no byte is looked at more than a
// fixed number of times: pages choose the text. The package does no I/O.
package redact

import (
	"fmt"
	"regexp"
	"strings"
)

// Mask stands in the place of a secret.
const Mask = "[masked]"

// Redactor knows the built-in rules and those that the user added. The nil Redactor
// knows the built-in ones.
type Redactor struct {
	patterns []*regexp.Regexp
}

// New returns a Redactor with patterns in RE2 syntax besides the built-in rules.
func New(patterns []string) (*Redactor, error) {
	r := &Redactor{}
	for _, p := range patterns {
		re, err := Compile(p)
		if err != nil {
			return nil, err
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// Compile checks a pattern of the user's.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is no regular expression: %w; the syntax is RE2", pattern, err)
	case re.MatchString(""):
		return nil, fmt.Errorf("%q matches the empty text, so it would mask everything or nothing", pattern)
	}
	return re, nil
}

// Text masks the secrets in any text and says how many there were.
//
// The text may be the beginning of a longer one: what looks like the beginning of a
// token is masked where the text ends or was cut with an ellipsis.
func (r *Redactor) Text(s string) (string, int) {
	s, n := r.own(s)
	w := writer{text: s}
	for i := 0; i < len(s); {
		end, from := 0, i
		switch c := s[i]; {
		case c == '=' || c == ':':
			from, end = named(s, i, w.done)
		case c == '-' && strings.HasPrefix(s[i:], pemBegin):
			from, end = pem(s, i)
		case wordByte[c] && (i == 0 || !wordByte[s[i-1]]):
			from, end = shaped(s, i)
		}
		if end > from {
			w.mask(from, end)
			i = end
			continue
		}
		i++
	}
	text, found := w.end()
	return text, n + found
}

// own masks what the user's patterns find.
func (r *Redactor) own(s string) (string, int) {
	n := 0
	if r == nil {
		return s, 0
	}
	for _, re := range r.patterns {
		s = re.ReplaceAllStringFunc(s, func(found string) string {
			if found == "" || found == Mask {
				return found
			}
			n++
			return Mask
		})
	}
	return s, n
}

// writer copies a text with some of it masked, and copies nothing when nothing is.
type writer struct {
	text  string
	done  int // bytes of text that are written or masked
	found int
	b     strings.Builder
}

func (w *writer) mask(from, to int) {
	from = max(from, w.done)
	w.b.WriteString(w.text[w.done:from])
	w.b.WriteString(Mask)
	w.done = to
	w.found++
}

func (w *writer) end() (string, int) {
	if w.found == 0 {
		return w.text, 0
	}
	w.b.WriteString(w.text[w.done:])
	return w.b.String(), w.found
}

// wordByte are the bytes that tokens are made of.
var wordByte = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")

func bytesOf(s string) (set [256]bool) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

// run is the end of the longest run of bytes of the set from i on, of at most limit bytes.
func run(s string, i int, set *[256]bool, limit int) int {
	end := min(len(s), i+limit)
	for i < end && set[s[i]] {
		i++
	}
	return i
}
