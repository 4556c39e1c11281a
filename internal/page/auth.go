package page

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"chrome-mcp/internal/pagefn"
)

// authSigns is all that is known of a page when it is judged whether it asks to sign in.
type authSigns struct {
	pagefn.SignIn
	url    string
	asked  string // the address that led here, "" if unknown
	status int
}

// verdict is how likely it is that the page can only be used after signing in, and why.
type verdict struct {
	confidence float64
	signals    []string
}

// required is the verdict as yes or no.
func (v verdict) required() bool { return v.confidence >= 0.6 }

// sign counts one sign: independent reasons make a surer one together.
func (v *verdict) sign(weight float64, format string, a ...any) {
	v.confidence = 1 - (1-v.confidence)*(1-weight)
	v.signals = append(v.signals, fmt.Sprintf(format, a...))
}

// doubt makes the verdict less sure.
func (v *verdict) doubt(factor float64, why string) {
	if v.confidence > 0 {
		v.confidence *= factor
		v.signals = append(v.signals, why)
	}
}

// Bounds of what a page that only asks to sign in shows besides.
const (
	someWords  = 150
	manyWords  = 500
	manyFields = 4
)

// authPatterns are how sites name the pages and captions of signing in and up. They are
// made when first needed: the server has to be up at once.
var authPatterns = sync.OnceValue(func() (p struct{ inPath, inHost, returnTo, upPath, inWords, upWords, inWith *regexp.Regexp }) {
	p.inPath = regexp.MustCompile(`(?i)(^|[/._-])(log-?[io]n|sign-?in|sign_in|sso|saml2?|oauth2?|authorize|authenticate|sessions?/new|auth|anmelden|connexion)([/._?-]|$)`)
	p.upPath = regexp.MustCompile(`(?i)(^|[/._-])(sign-?up|sign_up|register|registration|join|create-?account|enroll)([/._?-]|$)`)
	p.inHost = regexp.MustCompile(`(?i)^(login|signin|sso|auth|idp|identity|accounts?|id|passport|oauth|cas|adfs|sts)[.-]|\.(okta|oktapreview|auth0|onelogin|pingidentity|duosecurity|cloudflareaccess|b2clogin)\.com$`)
	p.returnTo = regexp.MustCompile(`(?i)[?&](next|continue|return(_?(to|url|path))?|redirect(_?(to|uri|url))?|service|RelayState|SAMLRequest|ref_?url|goto|dest(ination)?)=`)
	p.inWords = wordsOf(`sign ?in|sign-in|log ?in|log-in|log ?on|anmelden|anmeldung|einloggen|melden sie sich an|connexion|se connecter|connectez-vous|identifiez-vous|` +
		`iniciar sesi[óo]n|inicia sesi[óo]n|inicio de sesi[óo]n|acceder|accedi|accesso|entrar|iniciar sess[ãa]o|fazer login|inloggen|aanmelden|zaloguj( się)?|logowanie|logga in|log ind|logg inn|` +
		`kirjaudu( sisään)?|přihlásit( se)?|přihlášení|prihlásiť( sa)?|bejelentkezés|autentificare|conectare|войти|вход|авторизация|увійти|вхід|giriş( yap)?|oturum aç|đăng nhập|masuk|` +
		`σύνδεση|είσοδος|เข้าสู่ระบบ|تسجيل الدخول|התחברות|כניסה|लॉग ?इन( करें)?|登录|登錄|登入|ログイン|サインイン|로그인`)
	p.upWords = wordsOf(`sign ?up|register|registration|create (an? |your )?(free )?account|join( now| us| free)?|registrieren|registrierung|konto erstellen|s'inscrire|inscription|créer un compte|` +
		`reg[íi]strate|registrarse|crear (una )?cuenta|registrati|crea (un )?account|cadastr(e-se|ar)|criar conta|registreren|account aanmaken|zarejestruj( się)?|rejestracja|` +
		`регистрация|зарегистрироваться|注册|註冊|新規登録|アカウント作成|회원가입|kayıt ol|đăng ký|daftar`)
	p.inWith = regexp.MustCompile(`(?i)^(continue|sign ?in|log ?in|anmelden|weiter|continuer|continuar|continua|accedi|se connecter|войти).{0,12}\b(with|using|via|mit|avec|con|com|met)\b|single sign-on|\bSSO\b`)
	return p
})

// wordsOf matches one of the phrases where no letter stands beside it. Scripts that put
// no space between words have no such border.
func wordsOf(phrases string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^\p{L}\p{N}]|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}])(` + phrases + `)($|[^\p{L}\p{N}]|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}])`)
}

// verdict weighs the signs. What a page says about signing in counts little by itself:
// nearly every page has a link to it somewhere.
func (s authSigns) verdict() verdict {
	var v verdict
	certain := s.status == 401 || s.status == 407
	switch {
	case certain:
		v.sign(0.97, "HTTP %d", s.status)
	case s.status == 403:
		v.sign(0.3, "HTTP 403")
	}
	named, led := s.address(&v)
	s.form(&v)
	s.words(&v)
	if certain {
		return v
	}
	if s.isSignUp() {
		v.doubt(0.3, "the form is for a new account or password")
	}
	switch dedicated := led || named && s.Password > 0; {
	case s.Words > manyWords && !dedicated:
		v.doubt(0.45, "there is much else to read")
	case s.Words > someWords && !led:
		v.doubt(0.85, "there is something else to read")
	}
	if s.Fields > manyFields {
		v.doubt(0.5, "the form asks for much else")
	}
	return v
}

// address weighs where the page is and how it came there: named after signing in, and
// led to when another page was asked for.
func (s authSigns) address(v *verdict) (named, led bool) {
	u, err := url.Parse(s.url)
	if err != nil {
		return false, false
	}
	named = authPatterns().inPath.MatchString(u.Path) || strings.HasPrefix(u.Fragment, "/") && authPatterns().inPath.MatchString(u.Fragment)
	host := authPatterns().inHost.MatchString(u.Hostname())
	if named {
		v.sign(0.35, "address %s", quote(u.Path, 60))
	}
	if host {
		v.sign(0.35, "host %s", u.Hostname())
	}
	if !named && !host {
		return false, false
	}
	if a, err := url.Parse(s.asked); err == nil && s.asked != "" && (a.Host != u.Host || a.Path != u.Path) && !authPatterns().inPath.MatchString(a.Path) {
		v.sign(0.4, "redirected from %s", quote(a.Path, 60))
		led = true
	}
	if authPatterns().returnTo.MatchString(s.url) {
		v.sign(0.25, "the address says where to go on afterwards")
	}
	return named || host, led
}

func (s authSigns) form(v *verdict) {
	switch {
	case s.Password > 0:
		v.sign(0.6, "password field")
	case s.Code > 0:
		v.sign(0.4, "field for a one-time code")
	case s.User > 0 && s.Fields <= 2 && s.speaksOf(authPatterns().inWords):
		v.sign(0.35, "field for the user's name")
	}
	if s.Form != "" && (authPatterns().inPath.MatchString(s.Form) || authPatterns().inWords.MatchString(s.Form)) {
		v.sign(0.3, "form named after signing in")
	}
}

func (s authSigns) words(v *verdict) {
	if short(s.Title) && authPatterns().inWords.MatchString(s.Title) {
		v.sign(0.3, "title %s", quote(s.Title, 60))
	}
	for _, h := range s.Headings {
		if short(h) && authPatterns().inWords.MatchString(h) {
			v.sign(0.25, "heading %s", quote(h, 60))
			break
		}
	}
	for _, b := range s.Buttons {
		if authPatterns().inWith.MatchString(b) {
			v.sign(0.3, "button %s", quote(b, 60))
			return
		}
	}
	for _, b := range s.Buttons {
		if short(b) && authPatterns().inWords.MatchString(b) {
			v.sign(0.15, "button %s", quote(b, 60))
			return
		}
	}
}

// short tells a caption from a sentence that happens to speak of signing in.
func short(s string) bool { return len(strings.Fields(s)) <= 7 }

func (s authSigns) speaksOf(words *regexp.Regexp) bool {
	if words.MatchString(s.Title) {
		return true
	}
	for _, t := range append(s.Headings, s.Buttons...) {
		if short(t) && words.MatchString(t) {
			return true
		}
	}
	return false
}

// isSignUp says whether the fields are there to choose a password.
func (s authSigns) isSignUp() bool {
	if s.NewPassword > 0 || s.Password > 1 {
		return true
	}
	u, err := url.Parse(s.url)
	if err == nil && authPatterns().upPath.MatchString(u.Path) && !authPatterns().inPath.MatchString(u.Path) {
		return true
	}
	captions := s.Title + "\n" + strings.Join(s.Headings, "\n")
	return authPatterns().upWords.MatchString(captions) && !authPatterns().inWords.MatchString(captions)
}
