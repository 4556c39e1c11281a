package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const (
	jwtToken = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	// Put together so that nobody's scanner takes this file for a leak.
	github = "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"
	stripe = "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc"
	aws    = "AKIA" + "IOSFODNN7EXAMPLE"
	google = "AI" + "zaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe"
	slack  = "xox" + "b-123456789012-abcdefABCDEF"
)

func TestTextMasks(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a " + jwtToken + ".", "a [masked]."},
		{"(" + jwtToken + ")", "([masked])"},
		{"key " + aws + " and", "key [masked] and"},
		{github + "\n" + stripe + "," + google, "[masked]\n[masked],[masked]"},
		{"\"" + slack + "\"", "\"[masked]\""},
		{"Authorization: Bearer abc123def456", "Authorization: Bearer [masked]"},
		{"authorization: basic dXNlcjpodW50ZXIy", "authorization: basic [masked]"},
		{"curl -H 'X-Api-Key: 9f8e7d6c5b4a'", "curl -H 'X-Api-Key: [masked]'"},
		{"api_key=BODYTOKEN-664&x=1", "api_key=[masked]&x=1"},
		{`{"api_key":"BODYTOKEN-664","ok":true}`, `{"api_key":"[masked]","ok":true}`},
		{`{\"access_token\":\"short\"}`, `{\"access_token\":\"[masked]\"}`},
		{"password = 'hunter2 is long'", "password = '[masked]'"},
		{"Password: Tr0ub4dor&3", "Password: [masked]&3"},
		{"API key: 0123456789abcdef0123456789abcdef", "API key: [masked]"},
		{"clientSecret: 'abc-123-def-456'", "clientSecret: '[masked]'"},
		{"PHPSESSID=0a1b2c3d4e5f", "PHPSESSID=[masked]"},
		{"https://x.example/?a=1&sessionid=abcdef&b=2", "https://x.example/?a=1&sessionid=[masked]&b=2"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq+\nabcdefghijklmnopqrst\nab==\n-----END RSA PRIVATE KEY-----\nafter", "-----BEGIN RSA PRIVATE KEY-----[masked]\n-----END RSA PRIVATE KEY-----\nafter"},
		{`"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq+\nab==\n-----END PRIVATE KEY-----\n"`, `"-----BEGIN PRIVATE KEY-----[masked]\n-----END PRIVATE KEY-----\n"`},
		{"bot 123456789:AAF0abcdefghijklmnopqrstuvwxyz01234", "bot [masked]"},
		{"https://hooks/?token=${TOKEN}", "https://hooks/?token=${TOKEN}"},
		// A text that was cut inside of a token.
		{"the token " + github[:9], "the token [masked]"},
		{"the token " + jwtToken[:20] + "…", "the token [masked]…"},
		{jwtToken[:60], "[masked]"},
	} {
		got, n := (*Redactor)(nil).Text(c.in)
		if got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
		if want := strings.Count(c.want, Mask); n != want {
			t.Errorf("Text(%q) counts %d, want %d", c.in, n, want)
		}
	}
}

func TestTextLeavesAlone(t *testing.T) {
	for _, text := range []string{
		"",
		"Order 550e8400-e29b-41d4-a716-446655440000 was shipped.",
		"commit 7deadc3f1e2d3c4b5a69788796a5b4c3d2e1f0a9",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"Password: required",
		"Forgot your password? Reset it: https://example.com/reset",
		"The bearer of this letter is to be paid. Basic instructions follow.",
		"Bearer tokens are sent in the header",
		"token: string; secret: boolean; password?: undefined",
		"max_tokens=4096&tokens: 1234567890123",
		"next_page_token=CAUQAA12345",
		"Session: 2026-11-30 10:00 to 11:00",
		"Signature: John2024Smith",
		"author=smith2024 monkey: banana1234",
		"sk-spinner-double-bounce-child sk-folding-cube-container",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
		"The time is 12:30:45 and the ratio 16:9",
		"class=\"btn btn-primary\" type=\"password\" name=\"password\" autocomplete=\"current-password\"",
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
		"Put the key after -----BEGIN PRIVATE KEY----- and save the file",
		"button \"Log in\" [e12]\ntextbox \"Password\" [e13]",
		"eyJ is how tokens begin",
		"ISBN 978-3-16-148410-0, IBAN DE89 3704 0044 0532 0130 00",
	} {
		if got, n := (*Redactor)(nil).Text(text); got != text || n != 0 {
			t.Errorf("Text(%q) is %q, %d", text, got, n)
		}
	}
}

func TestPatterns(t *testing.T) {
	r, err := New([]string{`ACME-\d+`, `(?i)project \w+`})
	if err != nil {
		t.Fatal(err)
	}
	got, n := r.Text("ACME-12 of Project Falcon, " + aws)
	if want := "[masked] of [masked], [masked]"; got != want || n != 3 {
		t.Errorf("got %q, %d", got, n)
	}
	for _, bad := range []string{"(", "a*", `\1`} {
		if _, err := New([]string{bad}); err == nil {
			t.Errorf("the pattern %q was taken", bad)
		}
	}
}

func TestURL(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"https://a.example/json?token=URLTOKEN-991", "https://a.example/json?token=[masked]"},
		{"https://user:pass@a.example/x@y", "https://user:[masked]@a.example/x@y"},
		{"https://a.example/#access_token=abc&state=1", "https://a.example/#access_token=[masked]&state=1"},
		{"https://a.example/#/route?sid=77", "https://a.example/#/route?sid=[masked]"},
		{"https://a.example/cb?code=4-0AbCdEfGhIjKlMnOp&lang=de", "https://a.example/cb?code=[masked]&lang=de"},
		{"https://a.example/?code=DE&key=title", "https://a.example/?code=DE&key=title"},
		{"https://a.example/redir?to=%2Fjson%3Ftoken%3Dx1", "https://a.example/redir?to=%2Fjson%3Ftoken%3D[masked]"},
		{"https://a.example/v1/" + github + "/x", "https://a.example/v1/[masked]/x"},
		{"https://a.example/?q=how+are+tokens+made&id=550e8400-e29b-41d4-a716-446655440000", "https://a.example/?q=how+are+tokens+made&id=550e8400-e29b-41d4-a716-446655440000"},
		{"https://a.example/?X-Amz-Signature=1&X-Amz-Date=2", "https://a.example/?X-Amz-Signature=[masked]&X-Amz-Date=2"},
		{"/json?hop=2", "/json?hop=2"},
	} {
		if got, _ := (*Redactor)(nil).URL(c.in); got != c.want {
			t.Errorf("URL(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"Authorization", "Bearer HEADTOKEN-882", "Bearer [masked]"},
		{"authorization", "opaque", "[masked]"},
		{"Cookie", "sid=1; theme=dark", "sid=[masked]; theme=[masked]"},
		{"Set-Cookie", "trk=SETCOOKIE-345; Path=/\nb=2; HttpOnly", "trk=[masked]; Path=/\nb=[masked]; HttpOnly"},
		{"X-Api-Key", "x", "[masked]"},
		{"X-CSRF-Token", "x", "[masked]"},
		{"Location", "/cb?token=1", "/cb?token=[masked]"},
		{"Accept", "text/html", "text/html"},
		{"ETag", `"33a64df551425fcc55e4d42a148795d9f25f89d4"`, `"33a64df551425fcc55e4d42a148795d9f25f89d4"`},
	} {
		if got, _ := (*Redactor)(nil).Header(c.name, c.in); got != c.want {
			t.Errorf("Header(%q, %q) is %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestBody(t *testing.T) {
	for _, c := range []struct{ mime, in, want string }{
		{"application/json", `{"ok":true,"api_key":"BODYTOKEN-664"}`, `{"ok":true,"api_key":"[masked]"}`},
		{"application/json", `{"a":{"token":["x","y"]},"b":"z"}`, `{"a":{"token":["[masked]","[masked]"]},"b":"z"}`},
		{"application/json", `{"otp": 123456, "n": 123456, "tokens": 99999}`, `{"otp": "[masked]", "n": 123456, "tokens": 99999}`},
		{"application/json", `{"next":"https://a.example/?token=1&p=2"}`, `{"next":"https://a.example/?token=[masked]&p=2"}`},
		{"application/json", `{"inner":"{\"password\":\"a\"}"}`, `{"inner":"{\"password\":\"[masked]\"}"}`},
		{"application/json", `{"password":"cut off`, `{"password":"[masked]`},
		{"application/x-www-form-urlencoded", "user=me&password=secret+thing", "user=me&password=[masked]"},
		{"text/html", `<script>var apiKey = "abc";</script>`, `<script>var apiKey = "[masked]";</script>`},
		{"text/plain", "nothing here", "nothing here"},
	} {
		if got, _ := (*Redactor)(nil).Body(c.mime, c.in); got != c.want {
			t.Errorf("Body(%q, %q)\n got %q\nwant %q", c.mime, c.in, got, c.want)
		}
	}
}

// A page chooses the text, so there must be none that takes long: eight times the text may
// take eight times as long, not sixty-four. No clock is asked, since a busy machine is slow;
// it is slow by chance, so the best of some tries counts.
func TestTimeGrowsWithLength(t *testing.T) {
	const short, times, most = 32 << 10, 8, 24
	for _, seed := range []string{
		"a", "=", ":", "eyJ", "eyJ.", "eyJaaaaaaaaaa.", "password:", "token=", `"password":"`, "password: ", "Bearer ", "bearer-", "sk-", "SG.", "1234567890:",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN ", `{"token":[`, `"`, `\"`, "xoxb-", "AIza", "a=b&", "https://", "?token=", "%3F",
	} {
		little, much := strings.Repeat(seed, short/len(seed)), strings.Repeat(seed, times*short/len(seed))
		quick, slow := timed(little), timed(much)
		for try := 0; slow > most*quick && try < 10; try++ {
			quick, slow = min(quick, timed(little)), min(slow, timed(much))
		}
		if slow > most*quick {
			t.Errorf("%q: %v for 32 KB, %v for %d times as much", seed, quick, slow, times)
		}
	}
}

func timed(s string) time.Duration {
	begin := time.Now()
	(*Redactor)(nil).Text(s)
	(*Redactor)(nil).JSON(s)
	(*Redactor)(nil).URL(s)
	return time.Since(begin)
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"token=abc", jwtToken, "-----BEGIN PRIVATE KEY-----\nabc", `{"password":"x"}`, "Bearer abc12345", "é token=ü…"} {
		f.Add(s)
	}
	r, err := New([]string{`x+y`})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []func(string) (string, int){r.Text, r.URL, func(s string) (string, int) { return r.Header("cookie", s) }} {
			out, n := got(s)
			if utf8.ValidString(s) && !utf8.ValidString(out) {
				t.Errorf("%q became invalid: %q", s, out)
			}
			if n == 0 && out != s {
				t.Errorf("%q changed to %q without a count", s, out)
			}
		}
		if out, n := r.JSON(s); json.Valid([]byte(s)) && !json.Valid([]byte(out)) {
			t.Errorf("JSON %q became %q (%d)", s, out, n)
		}
	})
}
