package redact

import (
	"net/url"
	"strings"
)

// maxNested is how deep an address may stand in a parameter of another.
const maxNested = 3

// URL masks the secrets of an address: a password before the host, parameters with
// secret names in the query and the fragment, also of an address that is itself a
// parameter, and tokens by their shape.
func (r *Redactor) URL(s string) (string, int) { return r.url(s, maxNested) }

func (r *Redactor) url(s string, nested int) (string, int) {
	if strings.HasPrefix(s, "data:") || strings.HasPrefix(s, "blob:") {
		return s, 0
	}
	rest, fragment, hasFragment := strings.Cut(s, "#")
	base, query, hasQuery := strings.Cut(rest, "?")
	base, n := r.base(base)
	if hasQuery {
		masked, m := r.query(query, nested)
		base, n = base+"?"+masked, n+m
	}
	if hasFragment {
		masked, m := r.fragment(fragment, nested)
		base, n = base+"#"+masked, n+m
	}
	return base, n
}

// base masks a password before the host, and tokens in the path.
func (r *Redactor) base(s string) (string, int) {
	n := 0
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		host := rest
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			host = rest[:slash]
		}
		if at := strings.LastIndexByte(host, '@'); at > 0 {
			user, _, _ := strings.Cut(host[:at], ":")
			s, n = scheme+"://"+user+":"+Mask+rest[at:], 1
		}
	}
	s, m := r.Text(s)
	return s, n + m
}

// fragment masks what stands behind the #: sign-ins put tokens there as in a query.
func (r *Redactor) fragment(s string, nested int) (string, int) {
	if path, query, ok := strings.Cut(s, "?"); ok {
		masked, n := r.query(query, nested)
		path, m := r.Text(path)
		return path + "?" + masked, n + m
	}
	if strings.Contains(s, "=") {
		return r.query(s, nested)
	}
	return r.Text(s)
}

// query masks the values of a query or of a form that was sent.
func (r *Redactor) query(s string, nested int) (string, int) {
	parts := strings.Split(s, "&")
	n := 0
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		masked, m := r.param(unescape(name), value, nested)
		parts[i], n = name+"="+masked, n+m
	}
	return strings.Join(parts, "&"), n
}

func (r *Redactor) param(name, value string, nested int) (string, int) {
	plain := unescape(value)
	switch {
	case value == "" || value == Mask:
		return value, 0
	case Secret(name) || oneTime(name) && len(plain) >= 16 && plausible(plain):
		return Mask, 1
	case nested > 0 && strings.ContainsAny(plain, "?#="):
		if masked, n := r.url(plain, nested-1); n > 0 {
			return escape(masked), n
		}
	}
	if masked, n := r.Text(plain); n > 0 {
		return escape(masked), n
	}
	return value, 0
}

// oneTime are names that hold a secret in an address when it is long: the code of a
// sign-in, a key of an API.
func oneTime(name string) bool {
	switch strings.ToLower(name) {
	case "code", "key", "ticket", "samlresponse", "assertion":
		return true
	}
	return false
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// escape escapes a parameter and leaves the marks legible.
func escape(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), url.QueryEscape(Mask), Mask)
}
