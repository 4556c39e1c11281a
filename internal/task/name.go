package task

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	fallback  = "download"
	maxName   = 200 // bytes, which leaves room for a number and for what others add
	maxEnding = 20  // bytes of what still counts as an extension
)

// Base makes a file name of what somebody suggests: a page, a server, an agent. The same
// rules hold on every system, because files travel. It is never a path, never a device,
// never hidden behind what a terminal or a file manager shows differently, and never
// empty; a name that is good stays as it is.
func Base(suggested string) string {
	name := clean(last(decoded(suggested)))
	if name == "" {
		return fallback
	}
	if device(name) {
		name = "_" + name
	}
	return shorten(name, "")
}

// decoded takes percent escapes out of a name in which they hide a path: whoever handles
// the name next may decode it. Others stay: "100%25.txt" may be what a file is called.
func decoded(s string) string {
	plain := s
	for range 8 {
		next := unescape(plain)
		if next == plain {
			break
		}
		plain = next
	}
	bare := strings.Trim(plain, " .")
	if bare == "" || strings.ContainsAny(plain, `/\`) || strings.ContainsFunc(plain, unicode.IsControl) {
		return plain
	}
	return s
}

// unescape decodes the valid escapes once and leaves the others alone.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// last is what stands behind the last separator of any system.
func last(s string) string {
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

// clean replaces what some file system refuses, and takes out what is not seen: control
// characters, and those that turn text around or have no width.
func clean(s string) string {
	all := []rune(strings.ToValidUTF8(s, "_"))
	var b strings.Builder
	for i, r := range all {
		switch {
		case strings.ContainsRune(`<>:"|?*`, r):
			b.WriteByte('_')
		case r == zwj || r == zwnj:
			if i > 0 && i+1 < len(all) && shaped(all[i-1]) && shaped(all[i+1]) {
				b.WriteRune(r)
			}
		case unseen(r):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimRight(strings.TrimLeft(b.String(), " "), " .")
}

const zwj, zwnj = '\u200d', '\u200c'

// unseen says whether nobody sees r, or no file system should.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// shaped says whether a joiner next to r shows: in scripts whose letters join, as Persian
// and Hindi need it, and in pictures that are made of several.
func shaped(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
		unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
		unicode.Khmer, unicode.Myanmar, unicode.So, unicode.Variation_Selector) || skinTone(r)
}

func skinTone(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

// devices are the names that Windows gives to devices in every folder, whatever ending
// they have.
var devices = map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "CONIN$": true, "CONOUT$": true, "CLOCK$": true}

func init() {
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"} {
		devices["COM"+n], devices["LPT"+n] = true, true
	}
}

func device(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return devices[strings.ToUpper(strings.TrimSpace(stem))]
}

// shorten puts a suffix before the extension and cuts the stem, on a character, so that
// all of it fits.
func shorten(name, suffix string) string {
	stem, ending := split(name)
	if room := maxName - len(ending) - len(suffix); len(stem) > room {
		stem = strings.TrimRight(stem[:cut(stem, room)], " .")
	}
	return stem + suffix + ending
}

// cut is the last place up to n at which s may end: between two characters, and between
// two that a person sees, unless marks without end are stacked on one.
func cut(s string, n int) int {
	for !utf8.RuneStart(s[n]) {
		n--
	}
	for at := n; at > n-maxStack && at > 0; {
		before, size := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at:])
		if !unicode.In(after, unicode.Mn, unicode.Me, unicode.Mc) && after != zwj && before != zwj && !skinTone(after) && !halfFlag(s[:at]) {
			return at
		}
		at -= size
	}
	return n
}

const maxStack = 64 // bytes of what is looked at as one

// halfFlag says whether s ends in the first of the two letters that make a flag.
func halfFlag(s string) bool {
	half := false
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if r < 0x1F1E6 || r > 0x1F1FF {
			break
		}
		half, s = !half, s[:len(s)-size]
	}
	return half
}

// split parts a name before its extension, and ".tar.gz" is one.
func split(name string) (stem, ending string) {
	ending = path.Ext(name)
	if len(ending) > maxEnding || len(ending) == len(name) || strings.Contains(ending, " ") {
		return name, ""
	}
	stem = strings.TrimSuffix(name, ending)
	if inner := path.Ext(stem); strings.EqualFold(inner, ".tar") && len(inner) < len(stem) {
		return strings.TrimSuffix(stem, inner), inner + ending
	}
	return stem, ending
}
