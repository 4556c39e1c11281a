package page

import (
	"strings"
	"testing"

	"chrome-mcp/internal/pagefn"
)

func TestAuthVerdict(t *testing.T) {
	tests := []struct {
		what  string
		signs authSigns
		want  bool
		says  string
	}{
		{"unauthorized", authSigns{status: 401, url: "https://a.test/"}, true, "HTTP 401"},
		{"forbidden", authSigns{status: 403, url: "https://a.test/x", SignIn: pagefn.SignIn{Title: "Forbidden", Words: 8}}, false, ""},
		{"forbidden with a form", authSigns{status: 403, url: "https://a.test/x", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 2}}, true, "password field"},
		{"router", authSigns{url: "http://192.168.0.1/", SignIn: pagefn.SignIn{Password: 1, Fields: 1, Buttons: []string{"OK"}, Words: 20}}, true, "password field"},
		{"plain form", authSigns{url: "https://a.test/login", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 2, Title: "Sign in", Buttons: []string{"Sign in"}, Words: 40}}, true, `title "Sign in"`},
		{"form with a wall of text", authSigns{url: "https://a.test/login", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 2, Title: "Sign in", Words: 900}}, true, ""},
		{"user name first", authSigns{url: "https://accounts.a.test/v3/identifier?continue=https%3A%2F%2Fmail.a.test", SignIn: pagefn.SignIn{User: 1, Fields: 1, Headings: []string{"Sign in"}, Buttons: []string{"Next"}, Words: 60}}, true, "host accounts.a.test"},
		{"buttons only", authSigns{url: "https://a.test/login", SignIn: pagefn.SignIn{Title: "Log in to A", Buttons: []string{"Continue with Google", "Continue with SSO"}, Words: 30}}, true, `button "Continue with Google"`},
		{"redirected", authSigns{url: "https://sso.a.test/saml?RelayState=x", asked: "https://a.test/inbox", SignIn: pagefn.SignIn{Words: 5}}, true, `redirected from "/inbox"`},
		{"German", authSigns{url: "https://a.test/konto", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 2, Title: "Anmelden – Beispiel", Words: 200}}, true, "Anmelden"},
		{"Japanese", authSigns{url: "https://a.test/member", SignIn: pagefn.SignIn{User: 1, Fields: 1, Title: "会員ログインページ", Headings: []string{"ログイン"}, Buttons: []string{"ログイン"}, Words: 9}}, true, "ログイン"},
		{"Chinese", authSigns{url: "https://a.test/u/login", SignIn: pagefn.SignIn{Code: 1, Fields: 2, Headings: []string{"手机号登录"}, Words: 9}}, true, "登录"},
		{"Russian", authSigns{url: "https://a.test/auth", SignIn: pagefn.SignIn{Password: 1, Fields: 2, Title: "Вход", Words: 9}}, true, "Вход"},

		{"article with a link in the header", authSigns{url: "https://a.test/beans", SignIn: pagefn.SignIn{Title: "Beans", Headings: []string{"Beans"}, Buttons: []string{"Log in", "Sign up"}, Words: 800}}, false, ""},
		{"short page with a link in the header", authSigns{url: "https://a.test/", SignIn: pagefn.SignIn{Title: "A", Buttons: []string{"Sign in", "Register"}, Words: 60}}, false, ""},
		{"landing page with a waiting list", authSigns{url: "https://a.test/", SignIn: pagefn.SignIn{Title: "A", User: 1, Fields: 1, Buttons: []string{"Log in", "Join"}, Words: 90}}, false, ""},
		{"article with a box to log in", authSigns{url: "https://a.test/beans", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 2, Form: "/do login-box", Title: "Beans", Buttons: []string{"Log in"}, Words: 900}}, false, ""},
		{"article about signing in", authSigns{url: "https://help.a.test/login-problems", SignIn: pagefn.SignIn{Title: "Sign in problems", Headings: []string{"Sign in problems"}, Words: 700}}, false, ""},
		{"sign up", authSigns{url: "https://a.test/register", SignIn: pagefn.SignIn{Password: 1, NewPassword: 1, User: 1, Fields: 3, Title: "Create your account", Buttons: []string{"Sign up with Google", "Log in"}, Words: 120}}, false, ""},
		{"sign up without hints", authSigns{url: "https://a.test/signup", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 2, Headings: []string{"Join now"}, Words: 300}}, false, ""},
		{"new password in the settings", authSigns{url: "https://a.test/settings", SignIn: pagefn.SignIn{Password: 1, NewPassword: 2, Fields: 3, Title: "Settings", Words: 90}}, false, ""},
		{"mail server in the settings", authSigns{url: "https://a.test/settings/smtp", SignIn: pagefn.SignIn{Password: 1, User: 1, Fields: 7, Title: "Mail server", Words: 90}}, false, ""},
		{"author's page", authSigns{url: "https://a.test/authors/ann", SignIn: pagefn.SignIn{Title: "Ann", Words: 90}}, false, ""},
		{"paywall", authSigns{url: "https://a.test/news/1", SignIn: pagefn.SignIn{Title: "News", Headings: []string{"Subscribe to go on reading"}, Buttons: []string{"Subscribe", "Log in"}, Words: 250}}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			v := tt.signs.verdict()
			if v.required() != tt.want || v.confidence < 0 || v.confidence > 1 {
				t.Errorf("confidence %.2f by %v, required should be %v", v.confidence, v.signals, tt.want)
			}
			if got := strings.Join(v.signals, "\n"); !strings.Contains(got, tt.says) {
				t.Errorf("signals are %q, without %q", got, tt.says)
			}
		})
	}
}
