package redact

import (
	"strings"
	"unicode"
)

// How far around a separator a name or a value is looked for.
const (
	maxName = 64
	maxLook = 512 // bytes that decide on a value; one that is taken is taken whole
)

// last are words that, as the last one of a name, say that its value is a secret.
var last = setOf("password passwd passphrase passcode pwd secret secrets token apikey accesskey secretkey privatekey clientsecret " +
	"authorization auth credential credentials bearer jwt otp signature sig sessionid sessid sid session cookie cvv cvc")

// lastTwo are pairs of words that say the same together.
var lastTwo = setOf("apikey accesskey secretkey privatekey authkey sessionkey signingkey encryptionkey accountkey sharedkey masterkey " +
	"sessionid sharedsecret securitycode accesscode authcode verificationcode")

// glued are endings of names whose words are not told apart, as in phpsessid.
var glued = []string{"password", "passwd", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "sessid", "sessionid", "credential"}

// harmless are names that end like those of secrets and hold none.
var harmless = setOf("nexttoken pagetoken nextpagetoken continuationtoken synctoken")

// labels are last words of names that stand before other things too in prose, as in
// "Session: 10:30 to 11:15".
var labels = setOf("auth credential credentials bearer otp signature sig sid session cookie")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// Secret says whether a value with this name is to be kept secret: the name of a
// parameter, a header, a cookie or a member of an object.
func Secret(name string) bool {
	return secret(split(name))
}

func secret(words []string) bool {
	if len(words) == 0 {
		return false
	}
	end := words[len(words)-1]
	switch {
	case harmless[strings.Join(words, "")]:
		return false
	case last[end]:
		return true
	case len(words) > 1 && lastTwo[words[len(words)-2]+end]:
		return true
	}
	for _, g := range glued {
		if strings.HasSuffix(end, g) {
			return true
		}
	}
	return false
}

// split returns the words of a name in small letters: X-Api-Key, api_key and apiKey
// are x? api key.
func split(name string) (words []string) {
	if len(name) > 2*maxName {
		name = name[len(name)-2*maxName:]
	}
	begin, prev := 0, rune(0)
	flush := func(end int) {
		if end > begin {
			words = append(words, strings.ToLower(name[begin:end]))
		}
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			begin = i + len(string(r))
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			flush(i)
			begin = i
		}
		prev = r
	}
	flush(len(name))
	return words
}

// nameByte are the bytes of names.
var nameByte = bytesOf(upper + lower + digits + "_-.")

// endsValue are the bytes that end a value without quotes.
var endsValue = bytesOf(" \t\r\n\"'`<>&;,(){}|\\")

// named returns the secret behind the = or : at i, if the name before it says that
// there is one. Nothing before floor belongs to the name. A value behind a tight =, or
// in the quotes of a program, is taken as it is; in prose it has to look like a secret.
func named(s string, i, floor int) (from, end int) {
	name, quoted := nameBefore(s, i, floor)
	if name == "" {
		return i, i
	}
	words := split(name)
	if !secret(words) {
		return i, i
	}
	from, quote := valueStart(s, i)
	if strings.HasPrefix(s[from:], Mask) {
		return i, i
	}
	value := s[from:valueEnd(s, from, maxLook, quote)]
	tight := s[i] == '=' && from == i+1 || quoted && quote != 0 || s[i] == '=' && quote != 0
	label := labels[words[len(words)-1]]
	if tight && telling(value) || !label && plausible(value) {
		return from, valueEnd(s, from, len(s), quote)
	}
	return i, i
}

// nameBefore returns the name that ends at the separator at i, and whether it stands
// in quotes. Two words count as one name: API key.
func nameBefore(s string, i, floor int) (name string, quoted bool) {
	floor = max(floor, i-maxName)
	end := i
	for end > floor && (s[end-1] == ' ' || s[end-1] == ':') && end > i-2 {
		end--
	}
	if end > floor && (s[end-1] == '"' || s[end-1] == '\'') {
		quoted = true
		end--
		if end > floor && s[end-1] == '\\' {
			end--
		}
	}
	begin := back(s, end, floor)
	if begin == end {
		return "", quoted
	}
	if begin > floor && s[begin-1] == ' ' {
		if first := back(s, begin-1, floor); first < begin-1 {
			begin = first
		}
	}
	return s[begin:end], quoted
}

func back(s string, i, floor int) int {
	for i > floor && nameByte[s[i-1]] {
		i--
	}
	return i
}

// valueStart skips what stands between the separator at i and the value.
func valueStart(s string, i int) (from int, quote byte) {
	from = i + 1
	for from < len(s) && from < i+4 && (s[from] == ' ' || s[from] == '=' || s[from] == '>' || s[from] == '\t') {
		from++
	}
	if from < len(s) && s[from] == '\\' && from+1 < len(s) && s[from+1] == '"' {
		from++
	}
	if from < len(s) && (s[from] == '"' || s[from] == '\'' || s[from] == '`') {
		return from + 1, s[from]
	}
	return from, 0
}

// valueEnd is where the value ends that begins at from, quote being what it stands in.
func valueEnd(s string, from, limit int, quote byte) int {
	limit = min(len(s), from+min(limit, len(s)))
	end := from
	if quote == 0 {
		for end < limit && !endsValue[s[end]] {
			end++
		}
		for end > from && (s[end-1] == '.' || s[end-1] == ']') {
			end--
		}
		return end
	}
	for end < limit && s[end] != quote && s[end] != '\n' {
		if s[end] == '\\' && end+1 < limit {
			if s[end+1] == quote { // it closes a text that is quoted itself
				return end
			}
			end++
		}
		end++
	}
	return min(end, limit)
}

// telling says whether a value tells anything at all.
func telling(value string) bool {
	switch strings.ToLower(value) {
	case "", "null", "nil", "none", "true", "false", "undefined", "0", "1", "$":
		return false
	}
	return !strings.HasPrefix(value, "${") && !strings.HasPrefix(value, "{{") && !strings.HasPrefix(value, "$(")
}

// plausible says whether a value behind a label looks like a secret and not like a
// word: long enough, and letters with digits, or very long.
func plausible(value string) bool {
	if len(value) < 8 || strings.Contains(value, "://") {
		return false
	}
	hasDigit := strings.ContainsAny(value, digits)
	hasLetter := strings.ContainsAny(value, upper+lower)
	return hasDigit && hasLetter || hasDigit && len(value) >= 12 || len(value) >= 20 && !strings.ContainsAny(value, " -_/.")
}
