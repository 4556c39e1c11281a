package page_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// withHeaders is the address of a page that comes with headers.
func withHeaders(markup string, headers ...string) string {
	return html(markup) + "&" + url.Values{"header": headers}.Encode()
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func cookieReader(t *testing.T, domains ...string) open {
	return session(t, policy.Policy{AllowDomains: domains, Observers: true, Mutations: true})
}

func TestCookies(t *testing.T) {
	o := cookieReader(t, "127.0.0.1")
	o.navigate(withHeaders(`<script>document.cookie = "plain=seen; SameSite=Lax"</script><iframe src="{alt}/t?header=`+url.QueryEscape("Set-Cookie: foreign=f")+`&html=x"></iframe>`, "Set-Cookie: sid=s3cret; HttpOnly; Max-Age=3600"))
	data := must(o, page.GetCookies, page.CookiesArgs{}).Data.(map[string]any)
	got := asJSON(t, data["cookies"])
	says(t, got, `"name":"sid"`, `"httpOnly":true`, `"value":"[masked, 6 bytes]"`, `"name":"plain"`, `"expires":"20`)
	if strings.Contains(got, "s3cret") || strings.Contains(got, "seen") || strings.Contains(got, "foreign") {
		t.Errorf("too much is shown: %s", got)
	}
	says(t, asJSON(t, must(o, page.GetCookies, page.CookiesArgs{Values: true, URL: shared.base}).Data), `"value":"s3cret"`)
	_, err := do(o, page.GetCookies, page.CookiesArgs{URL: shared.alt + "/"})
	refused(t, err, browser.PolicyDenied, "localhost")
	reader := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}})
	reader.navigate(html("x"))
	_, err = do(reader, page.GetCookies, page.CookiesArgs{})
	refused(t, err, browser.PolicyDenied, "--enable-observers")
}

func key(s string) *string { return &s }

func TestStorage(t *testing.T) {
	o := visit(t, html(`<script>localStorage.clear(); sessionStorage.clear(); localStorage.a = "1"; localStorage.length2 = "x".repeat(500)</script>`))
	storage := func(a page.StorageArgs) string {
		t.Helper()
		return asJSON(t, must(o, page.Storage, a).Data)
	}
	says(t, storage(page.StorageArgs{Op: "get"}), `"area":"localStorage"`, `{"key":"a","value":"1","bytes":1}`, `"bytes":500,"cut":true`, `"total":2`, `"truncated":true`, "give the key")
	says(t, storage(page.StorageArgs{Op: "get", Key: key("length2")}), strings.Repeat("x", 500))
	says(t, storage(page.StorageArgs{Op: "get", Key: key("none")}), `there is no entry`)
	says(t, storage(page.StorageArgs{Op: "set", Key: key("getItem"), Value: key("é")}), `{"key":"getItem","value":"é","bytes":2}`)
	o.want(`localStorage.getItem("getItem")`, `"é"`)
	storage(page.StorageArgs{Op: "set", Key: key("s"), Value: key(""), Session: true})
	o.want(`sessionStorage.getItem("s")`, `""`)
	storage(page.StorageArgs{Op: "remove", Key: key("a")})
	o.want(`"a" in localStorage`, `false`)
	storage(page.StorageArgs{Op: "clear"})
	o.want(`localStorage.length`, `0`)
	o.want(`sessionStorage.length`, `1`)
}

func TestStorageRefusals(t *testing.T) {
	o := visit(t, html(`x`))
	for _, tt := range []struct {
		args page.StorageArgs
		says string
	}{
		{page.StorageArgs{Op: "set", Key: key("a")}, "value"},
		{page.StorageArgs{Op: "remove"}, "key"},
		{page.StorageArgs{Op: "get", Value: key("x")}, "op set"},
		{page.StorageArgs{Op: "clear", Key: key("x")}, "op remove"},
	} {
		_, err := do(o, page.Storage, tt.args)
		refused(t, err, browser.BadArgs, tt.says)
	}
	_, err := do(o, page.Storage, page.StorageArgs{Op: "set", Key: key("big"), Value: key(strings.Repeat("x", 6<<20))})
	refused(t, err, browser.NotActionable, "full")

	o.navigate(withHeaders("x", "Content-Security-Policy: sandbox allow-scripts"))
	_, err = do(o, page.Storage, page.StorageArgs{Op: "get"})
	refused(t, err, browser.NotActionable, "sandboxed", "localStorage")

	reader := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}})
	reader.navigate(html(`<script>localStorage.kept = "k"</script>`))
	must(reader, page.Storage, page.StorageArgs{Op: "get"})
	_, err = do(reader, page.Storage, page.StorageArgs{Op: "clear"})
	refused(t, err, browser.PolicyDenied, "--enable-mutations")
	says(t, asJSON(t, must(reader, page.Storage, page.StorageArgs{Op: "get", Key: key("kept")}).Data), `"value":"k"`)
}

func TestStorageMasksWhatIsNamedSecret(t *testing.T) {
	o := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}, Redact: true})
	o.navigate(html(`<script>localStorage.clear(); localStorage.access_token = "abc"; localStorage.theme = "dark"</script>`))
	got := asJSON(t, must(o, page.Storage, page.StorageArgs{Op: "get"}).Data)
	says(t, got, `"value":"[masked]"`, `"value":"dark"`)
	if strings.Contains(got, "abc") {
		t.Errorf("the token is shown: %s", got)
	}
}

func TestAuthCheck(t *testing.T) {
	form := `<title>Sign in</title><form action=/session><input name=user><input type=password><button>Sign in</button></form>`
	o := visit(t, shared.base+"/redirect?to="+url.QueryEscape("/login?next=/inbox&html="+url.QueryEscape(form)))
	got := asJSON(t, must(o, page.AuthCheck, page.AuthCheckArgs{}).Data)
	says(t, got, `"authRequired":true`, "password field", "redirected from", "address", "ask the user")
	_, err := do(o, page.AuthCheck, page.AuthCheckArgs{Wall: page.Wall{FailOnAuthWall: true}})
	refused(t, err, browser.AuthRequired, "password field", "sign in")
	_, err = page.Reload(o.ctx(), o.s, page.ReloadArgs{Wall: page.Wall{FailOnAuthWall: true}})
	refused(t, err, browser.AuthRequired)

	o.navigate(html(`<header><a href="/login">Log in</a></header><article><h1>Beans</h1>` + strings.Repeat("<p>Some words to read here.</p>", 100) + `</article>`))
	says(t, asJSON(t, must(o, page.AuthCheck, page.AuthCheckArgs{}).Data), `"authRequired":false`)
	_, err = page.Back(o.ctx(), o.s, page.HistoryArgs{Wall: page.Wall{FailOnAuthWall: true}})
	refused(t, err, browser.AuthRequired)

	o.navigate(html("denied") + "&status=401")
	says(t, asJSON(t, must(o, page.AuthCheck, page.AuthCheckArgs{}).Data), `"authRequired":true`, "HTTP 401")

	o.navigate(html(`<div id=app></div><script>setTimeout(() => { app.innerHTML = ` + "`" + form + "`" + ` }, 400)</script>`))
	says(t, asJSON(t, must(o, page.AuthCheck, page.AuthCheckArgs{}).Data), `"authRequired":true`)
}
