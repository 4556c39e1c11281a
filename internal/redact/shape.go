package redact

import (
	"encoding/base64"
	"strings"
)

// maxToken bounds a token: some are long, but a page may be one endless word.
const (
	maxToken = 16 << 10
	maxWeak  = 256
)

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
)

var (
	alnum     = bytesOf(upper + lower + digits)
	alnumDash = bytesOf(upper + lower + digits + "_-")
	upperNum  = bytesOf(upper + digits)
	hexBytes  = bytesOf("abcdefABCDEF" + digits)
	dotted    = bytesOf(upper + lower + digits + "_-.")
	bearer    = bytesOf(upper + lower + digits + "._~+/=-")
	base64Set = bytesOf(upper + lower + digits + "+/=")
)

// shape is a kind of token that its beginning gives away.
type shape struct {
	prefix string
	set    *[256]bool // of the rest
	min    int        // bytes of the rest
	exact  bool       // the rest is min bytes and no more
	weak   bool       // the prefix alone says little: letters and digits must be mixed, and a cut one is not taken
}

// shapes are the tokens that services give out with a prefix of their own.
var shapes = byFirst([]shape{
	{"AKIA", &upperNum, 16, true, false}, // AWS access keys
	{"ASIA", &upperNum, 16, true, false},
	{"ABIA", &upperNum, 16, true, false},
	{"ACCA", &upperNum, 16, true, false},
	{"ghp_", &alnum, 36, false, false}, // GitHub
	{"gho_", &alnum, 36, false, false},
	{"ghu_", &alnum, 36, false, false},
	{"ghs_", &alnum, 36, false, false},
	{"ghr_", &alnum, 36, false, false},
	{"github_pat_", &alnumDash, 22, false, false},
	{"glpat-", &alnumDash, 20, false, false}, // GitLab
	{"gldt-", &alnumDash, 20, false, false},
	{"glrt-", &alnumDash, 20, false, false},
	{"glcbt-", &alnumDash, 20, false, false},
	{"xoxa-", &alnumDash, 10, false, false}, // Slack
	{"xoxb-", &alnumDash, 10, false, false},
	{"xoxc-", &alnumDash, 10, false, false},
	{"xoxd-", &alnumDash, 10, false, false},
	{"xoxe-", &alnumDash, 10, false, false},
	{"xoxp-", &alnumDash, 10, false, false},
	{"xoxr-", &alnumDash, 10, false, false},
	{"xoxs-", &alnumDash, 10, false, false},
	{"xapp-", &alnumDash, 10, false, false},
	{"sk_live_", &alnum, 16, false, false}, // Stripe and others of its kind
	{"sk_test_", &alnum, 16, false, false},
	{"rk_live_", &alnum, 16, false, false},
	{"rk_test_", &alnum, 16, false, false},
	{"whsec_", &base64Set, 16, false, false},
	{"AIza", &alnumDash, 35, true, false}, // Google
	{"ya29", &dotted, 20, false, false},
	{"GOCSPX-", &alnumDash, 20, false, false},
	{"1//0", &alnumDash, 30, false, false},
	{"sk-", &alnumDash, 20, false, true}, // model providers
	{"sk_", &alnumDash, 24, false, true},
	{"hf_", &alnum, 30, false, false},
	{"gsk_", &alnum, 32, false, false},
	{"npm_", &alnum, 36, false, false}, // package registries
	{"pypi-AgE", &alnumDash, 40, false, false},
	{"rubygems_", &hexBytes, 48, false, false},
	{"dckr_pat_", &alnumDash, 20, false, false},
	{"dop_v1_", &hexBytes, 64, false, false}, // hosting
	{"doo_v1_", &hexBytes, 64, false, false},
	{"dp.pt.", &alnum, 40, false, false},
	{"shpat_", &hexBytes, 32, false, false}, // shops, mail and the like
	{"shpss_", &hexBytes, 32, false, false},
	{"shpca_", &hexBytes, 32, false, false},
	{"SG.", &dotted, 60, false, true},
	{"xkeysib-", &alnumDash, 60, false, false},
	{"sq0csp-", &alnumDash, 40, false, false},
	{"sq0atp-", &alnumDash, 20, false, false},
	{"EAAA", &alnumDash, 60, false, true},
	{"lin_api_", &alnum, 32, false, false},
	{"figd_", &alnumDash, 36, false, false},
	{"ATATT3", &bearer, 60, false, false},
	{"AGE-SECRET-KEY-1", &upperNum, 50, false, false},
})

func byFirst(list []shape) (table [256][]shape) {
	for _, s := range list {
		table[s.prefix[0]] = append(table[s.prefix[0]], s)
	}
	return table
}

// shaped returns the secret that begins at the word which begins at i, from == end
// when there is none.
func shaped(s string, i int) (from, end int) {
	rest := s[i:]
	for _, sh := range shapes[s[i]] {
		if strings.HasPrefix(rest, sh.prefix) {
			if end := sh.match(s, i); end > 0 {
				return i, end
			}
		}
	}
	switch s[i] {
	case 'e':
		if strings.HasPrefix(rest, "eyJ") {
			return i, max(i, jwt(s, i))
		}
	case 'B', 'b':
		return credentials(s, i)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return i, max(i, botToken(s, i))
	}
	return i, i
}

// match returns the end of the token that begins at i with the prefix, 0 for none.
func (sh shape) match(s string, i int) int {
	body, limit := i+len(sh.prefix), maxToken
	if sh.weak {
		limit = maxWeak // it may be refused, and looked at again from its next word on
	}
	end := run(s, body, sh.set, limit)
	n := end - body
	switch {
	case sh.weak && !mixed(s[body:end]):
		return 0
	case sh.exact && n > sh.min:
		return 0
	case n >= sh.min:
		return end
	case n > 0 && !sh.weak && cutAt(s, end):
		return end
	}
	return 0
}

// cutAt says whether the text was cut at i.
func cutAt(s string, i int) bool {
	return i == len(s) || strings.HasPrefix(s[i:], "…") || strings.HasPrefix(s[i:], "...")
}

// mixed says whether digits, small and big letters are among the bytes, as in what a
// machine made and no person would write.
func mixed(s string) bool {
	return strings.ContainsAny(s, digits) && strings.ContainsAny(s, upper) && strings.ContainsAny(s, lower)
}

// jwt matches a JSON web token, signed or encrypted: parts of base64url, the first of
// which begins with {".
func jwt(s string, i int) int {
	head := run(s, i, &alnumDash, maxToken)
	switch {
	case cutAt(s, head) && head-i > 6:
		return head
	case head-i < 10 || head == len(s) || s[head] != '.':
		return 0
	}
	end := run(s, head, &dotted, maxToken)
	cut := cutAt(s, end)
	for s[end-1] == '.' {
		end-- // the end of a sentence
	}
	if end-head > 10 || cut {
		return end
	}
	return 0
}

// credentials matches what follows Bearer or Basic.
func credentials(s string, i int) (from, end int) {
	scheme := i + 6
	if len(s) > i+5 && strings.EqualFold(s[i:i+5], "basic") {
		scheme = i + 5
	} else if len(s) <= scheme || !strings.EqualFold(s[i:scheme], "bearer") {
		return i, i
	}
	from = scheme
	for from < len(s) && from < scheme+4 && (s[from] == ' ' || s[from] == '\t') {
		from++
	}
	if from == scheme {
		return i, i
	}
	end = run(s, from, &bearer, maxToken)
	for end > from && s[end-1] == '.' {
		end--
	}
	value := s[from:end]
	switch {
	case scheme == i+5:
		plain, err := base64.StdEncoding.DecodeString(value)
		if err != nil || !strings.Contains(string(plain), ":") {
			return i, i
		}
	case len(value) >= 20, len(value) >= 8 && strings.ContainsAny(value, digits), len(value) > 2 && cutAt(s, end) && strings.ContainsAny(value, digits):
	default:
		return i, i
	}
	return from, end
}

// botToken matches a number, a colon and 35 bytes, as Telegram's bots have.
func botToken(s string, i int) int {
	colon := run(s, i, &hexBytes, 12)
	if colon-i < 8 || colon >= len(s) || s[colon] != ':' {
		return 0
	}
	for _, c := range []byte(s[i:colon]) {
		if c < '0' || c > '9' {
			return 0
		}
	}
	end := run(s, colon+1, &alnumDash, 64)
	if end-colon-1 != 35 {
		return 0
	}
	return end
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
)

// pem matches the body of a private key block, to its end or as far as lines of base64
// go. Lines may be escaped as in JSON.
func pem(s string, i int) (from, end int) {
	line := s[i:min(len(s), i+80)]
	label, _, ok := strings.Cut(line[len(pemBegin):], "-----")
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return i, i
	}
	from = i + len(pemBegin) + len(label) + len("-----")
	end = from
	for at := skipBlank(s, from); at < len(s); at = skipBlank(s, at) {
		word := run(s, at, &base64Set, maxToken)
		last := strings.HasPrefix(s[skipBlank(s, word):], pemEnd) || cutAt(s, word)
		if word == at || word-at < 16 && !last {
			break
		}
		at, end = word, word
	}
	return from, end
}

// skipBlank skips white space, also when it is written as \n.
func skipBlank(s string, i int) int {
	for i < len(s) {
		switch {
		case s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t':
			i++
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == 'n' || s[i+1] == 'r'):
			i += 2
		default:
			return i
		}
	}
	return i
}
