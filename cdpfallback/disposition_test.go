package cdpfallback

import (
	"strings"
	"testing"
)

func TestDispositionName(t *testing.T) {
	for value, want := range map[string]string{
		``:                               "",
		`inline`:                         "",
		`attachment`:                     "",
		`attachment; filename=`:          "",
		`attachment; filename=""`:        "",
		`attachment; filename=a.csv`:     "a.csv",
		`ATTACHMENT;FILENAME = "a.csv" `: "a.csv",
		`attachment; filename=my file.csv; size=3`:                          "my file.csv",
		`attachment; filename="a;b.csv"; x="filename=no"`:                   "a;b.csv",
		`attachment; filename="say \"hi\".txt"`:                             `say "hi".txt`,
		`attachment; filename="C:\dir\a.txt"`:                               `C:\dir\a.txt`,
		`attachment; filename="open`:                                        "open",
		`attachment; filename="a.txt"; filename="b.txt"`:                    "a.txt",
		`attachment; filename="b.txt"; filename*=UTF-8''%E2%82%AC.txt`:      "€.txt",
		`attachment; filename*=utf-8'en'%E2%82%AC.txt; filename="b.txt"`:    "€.txt",
		`attachment; filename*=iso-8859-1''%A3%20rates.txt`:                 "£ rates.txt",
		`attachment; filename*=UTF-8''%FF.txt; filename=b.txt`:              "b.txt",
		`attachment; filename*=UTF-8''%zz; filename=b.txt`:                  "b.txt",
		`attachment; filename*="UTF-8''a%20b.txt"`:                          "a b.txt",
		`attachment; filename*=broken; filename=b.txt`:                      "b.txt",
		`attachment; filename="%E4%BD%A0.txt"`:                              "你.txt",
		`attachment; filename="100%.txt"`:                                   "100%.txt",
		`attachment; filename="=?UTF-8?B?5L2gLnR4dA==?="`:                   "你.txt",
		`attachment; filename="=?x?Q?broken"`:                               "=?x?Q?broken",
		`attachment; filename="你.txt"`:                                      "你.txt",
		"attachment; filename=\"na\xefve.txt\"":                             "naïve.txt",
		`attachment; filename=` + strings.Repeat("Ⱥ", 40):                   strings.Repeat("Ⱥ", 40), // longer in lower case
		strings.Repeat("K", 40) + `; filename=a.txt`:                        "a.txt",
		`filename="no kind.txt"`:                                            "no kind.txt",
		`attachment; xfilename=no.txt; filename.x=no.txt; filename=yes.txt`: "yes.txt",
	} {
		if got := dispositionName(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
