package task

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBase(t *testing.T) {
	for in, want := range map[string]string{
		"report Q3.csv":                   "report Q3.csv",
		"../../etc/passwd":                "passwd",
		`..\..\x.exe`:                     "x.exe",
		`C:\Windows\win.ini`:              "win.ini",
		`\\srv\share\f.txt`:               "f.txt",
		"..%2f..%2fetc%2fpasswd":          "passwd",
		"%252e%252e%252f%252e%252e%252fx": "x",
		"%2e%2e":                          "download",
		"a%00b.txt":                       "ab.txt",
		"100%25.txt":                      "100%25.txt",
		"50% off.pdf":                     "50% off.pdf",
		"":                                "download",
		" ":                               "download",
		".":                               "download",
		"..":                              "download",
		"... ":                            "download",
		`C:\.. `:                          "download",
		"dir/":                            "download",
		"....//x":                         "x",
		"my..notes.txt":                   "my..notes.txt",
		".htaccess":                       ".htaccess",
		"foo\x00.png.exe":                 "foo.png.exe",
		"line\r\nbreak.txt":               "linebreak.txt",
		"invoice\u202Efdp.exe":            "invoicefdp.exe",
		"\u2066a\u2069.txt":               "a.txt",
		"zero\u200bwidth.txt":             "zerowidth.txt",
		"latin\u200djoin\u200cer.txt":     "latinjoiner.txt",
		"می\u200cخواهم.pdf":               "می\u200cخواهم.pdf",
		"क्\u200dष.txt":                   "क्\u200dष.txt",
		"👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈.png": "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈.png",
		"👩🏽\u200d🚀\u200d.png":                "👩🏽\u200d🚀.png",
		"\u200d\u3164\u2060":                 "download",
		"a\u034f\u115f\ufffe\U000e0041.txt":  "a.txt",
		"wide\u00a0space.txt":                "wide space.txt",
		"bad\xffbyte.txt":                    "bad_byte.txt",
		"CON":                                "_CON",
		"nul ":                               "_nul",
		"NUL .txt":                           "_NUL .txt",
		"NUL.tar.gz":                         "_NUL.tar.gz",
		"COM¹.txt":                           "_COM¹.txt",
		"aux.":                               "_aux",
		"CONIN$":                             "_CONIN$",
		"com10.txt":                          "com10.txt",
		".con":                               ".con",
		"evil. . .":                          "evil",
		" lead":                              "lead",
		"a.txt:stream":                       "a.txt_stream",
		`a<b>c:d"e|f?g*h.txt`:                "a_b_c_d_e_f_g_h.txt",
		"Übersicht 表.xlsx":                   "Übersicht 表.xlsx",
	} {
		if got := Base(in); got != want {
			t.Errorf("Base(%q) = %q, want %q", in, got, want)
		}
		if again := Base(Base(in)); again != Base(in) {
			t.Errorf("Base(%q) is not stable: %q", in, again)
		}
	}
}

func TestBaseIsShort(t *testing.T) {
	for _, c := range []struct{ in, ending string }{
		{strings.Repeat("x", 500) + ".pdf", ".pdf"},
		{strings.Repeat("表", 100) + ".tar.gz", ".tar.gz"},
		{strings.Repeat("é", 101) + ".x", ".x"},
		{"a." + strings.Repeat("y", 400), ""},
		{strings.Repeat("z", 190) + strings.Repeat(" .", 50) + "pdf", "pdf"},
		{strings.Repeat("é", 120), ""},
		{strings.Repeat("x", 195) + "👨\u200d👩\u200d👧.png", "x.png"},
		{strings.Repeat("x", 185) + "👨\u200d👩\u200d👧.png", "x.png"},
		{strings.Repeat("x", 190) + "🇩🇪🇫🇷.pdf", "x.pdf"},
		{strings.Repeat("x", 187) + "🇩🇪🇫🇷.pdf", "🇩🇪.pdf"},
		{strings.Repeat("x", 194) + "e\u0301\u0302.pdf", "x.pdf"},
		{"e" + strings.Repeat("\u0301", 200) + ".pdf", "\u0301.pdf"},
	} {
		got := Base(c.in)
		if len(got) > maxName || !utf8.ValidString(got) || !strings.HasSuffix(got, c.ending) {
			t.Errorf("Base of %d bytes is %q (%d bytes), want at most %d and the ending %q", len(c.in), got, len(got), maxName, c.ending)
		}
		if n := shorten(got, " (123)"); len(n) > maxName || !strings.Contains(n, " (123)") {
			t.Errorf("numbered, it is %q", n)
		}
	}
}

func FuzzBase(f *testing.F) {
	f.Add("../a/%2e%2e%5cb")
	f.Add("NUL\u202e.txt")
	f.Fuzz(func(t *testing.T, s string) {
		got := Base(s)
		if got == "" || got == "." || got == ".." || len(got) > maxName || strings.ContainsAny(got, "/\\\x00:") || !utf8.ValidString(got) {
			t.Errorf("Base(%q) = %q", s, got)
		}
		if device(got) || strings.TrimRight(got, " .") != got {
			t.Errorf("Base(%q) = %q", s, got)
		}
	})
}
