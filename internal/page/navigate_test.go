package page_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func (o open) goes(url string) (*page.Result, time.Duration, error) {
	o.Helper()
	start := time.Now()
	r, err := page.Navigate(o.ctx(), o.s, page.NavigateArgs{URL: url})
	return r, time.Since(start), err
}

func TestNavigateSaysWhatStoppedIt(t *testing.T) {
	o := visit(t, html("<title>Start</title>start"))
	r, _, err := o.goes(shared.base + "/missing")
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, "/missing", `"none"`, "HTTP 404")
	o.navigate(html("<title>Start</title>start"))
	for _, c := range []struct {
		url   string
		words []string
	}{
		{shared.base + "/file", []string{"download started", "report Q3.csv"}},
		{shared.base + "/nocontent", []string{"no content", "unchanged"}},
	} {
		r, d, err := o.goes(c.url)
		if err != nil || d > 3*time.Second {
			t.Errorf("%s: %v after %v", c.url, err, d)
			continue
		}
		says(t, r.Text, c.words...)
		o.want("document.title", `"Start"`)
	}
	_, _, err = o.goes("http://127.0.0.1:1/")
	refused(t, err, browser.NavigationFailed, "UNSAFE_PORT")
	_, _, err = o.goes("http://127.0.0.1:9/")
	refused(t, err, browser.NavigationFailed)
	_, _, err = o.goes("https://" + strings.TrimPrefix(shared.base, "http://"))
	refused(t, err, browser.NavigationFailed, "http")
	_, _, err = o.goes("what is this")
	refused(t, err, browser.BadArgs, "no address")
	_, _, err = o.goes("https://example.org/")
	refused(t, err, browser.PolicyDenied)
}

func TestNavigateWithinDocument(t *testing.T) {
	url := shared.base + "/pages/nav-hash-pushstate.html"
	o := visit(t, url)
	_, d, err := o.goes(url + "#sec")
	if err != nil || d > 2*time.Second {
		t.Fatalf("%v after %v", err, d)
	}
	must(o, page.Click, page.ClickArgs{Target: css("#p")})
	for range 2 {
		start := time.Now()
		if _, err := page.Back(o.ctx(), o.s, page.HistoryArgs{}); err != nil || time.Since(start) > 2*time.Second {
			t.Fatalf("back: %v after %v", err, time.Since(start))
		}
	}
	o.want("location.hash", `""`)
	o.want("window.loads", "1")
}

func TestBackAndForward(t *testing.T) {
	o := visit(t, html("<title>One</title>1"))
	o.navigate(html("<title>Two</title>2"))
	r, err := page.Back(o.ctx(), o.s, page.HistoryArgs{})
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, `"One"`)
	if r, err = page.Forward(o.ctx(), o.s, page.HistoryArgs{}); err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, `"Two"`)
	_, err = page.Forward(o.ctx(), o.s, page.HistoryArgs{})
	refused(t, err, browser.NavigationFailed, "nothing to go forward to")
	if r, err = page.Reload(o.ctx(), o.s, page.ReloadArgs{}); err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, `"Two"`, "HTTP 200")
}

func TestBeforeUnload(t *testing.T) {
	o := visit(t, shared.base+"/pages/dialog-beforeunload.html")
	must(o, page.Type, page.TypeArgs{Target: css("#d"), Text: "x"})
	r, d, err := o.goes(shared.base + "/pages/dialog-beforeunload.html?left")
	if err != nil || d > 3*time.Second {
		t.Fatalf("%v after %v", err, d)
	}
	says(t, r.Text, "leave", "dialogs")
	_, err = do(o, page.GetText, page.TextArgs{})
	refused(t, err, browser.DialogOpen, "leave")
	if _, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "accept"}); err != nil {
		t.Fatal(err)
	}
	waitText(o, "You left the editor")
}

func TestLandingIsJudged(t *testing.T) {
	o := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}, Mutations: true})
	_, _, err := o.goes(shared.base + "/redirect?to=" + shared.alt + "/secret")
	refused(t, err, browser.PolicyDenied)
	if strings.Contains(err.Error(), "Secret") {
		t.Errorf("the error shows the page: %v", err)
	}
	_, err = do(o, page.GetText, page.TextArgs{})
	refused(t, err, browser.PolicyDenied)
	_, err = do(o, page.Screenshot, page.ScreenshotArgs{})
	refused(t, err, browser.PolicyDenied)
	o.navigate(html("<title>Ours</title>"))
}

// The tests of deadlines wait them out at the same time, each in a process of its own.

func TestPageThatNeverLoads(t *testing.T) {
	t.Parallel()
	o := visit(t, html("<title>Start</title>"))
	r, d, err := o.goes(shared.base + "/slow")
	if err != nil || d > 14*time.Second {
		t.Fatalf("%v after %v", err, d)
	}
	says(t, r.Text, "still loading", `"slow"`)
	text := must(o, page.GetText, page.TextArgs{})
	says(t, text.Page, "first words")
}

func TestPageThatNeverAnswers(t *testing.T) {
	t.Parallel()
	o := visit(t, html("<title>Start</title>"))
	_, d, err := o.goes(shared.base + "/hang")
	refused(t, err, browser.NavigationFailed, "did not answer")
	if d > 24*time.Second {
		t.Errorf("took %v", d)
	}
	o.want("document.title", `"Start"`)
}

func TestDialogs(t *testing.T) {
	o := visit(t, html(`<button id=b onclick="setTimeout(()=>window.r=prompt('Name?','Bob'),60)">Ask</button>`))
	_, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "dismiss"})
	refused(t, err, browser.BadArgs, "no dialog is open")
	must(o, page.Click, page.ClickArgs{Target: css("#b")})
	text := "Ann"
	r, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "accept", PromptText: &text})
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, "accepted", "Name?")
	o.want("window.r", `"Ann"`)
	if _, err = page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Policy: "accept"}); err != nil {
		t.Fatal(err)
	}
	must(o, page.Click, page.ClickArgs{Target: css("#b")})
	must(o, page.WaitFor, page.WaitForArgs{Selector: "#b"})
	o.want("new Promise(d=>setTimeout(()=>d(window.r),120))", `"Bob"`)
	if r, err = page.Dialogs(o.ctx(), o.s, page.DialogsArgs{}); err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, "Name?", "accepted")
}

func TestDialogAfterDialog(t *testing.T) {
	o := visit(t, html(`<button id=b onclick="alert('One'); window.r=[confirm('Two'), prompt('Three','x')]">Ask</button>`))
	must(o, page.Click, page.ClickArgs{Target: css("#b")})
	for _, next := range []string{`confirm "Two"`, `prompt "Three"`, ""} {
		r, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "accept"})
		if err != nil {
			t.Fatal(err)
		}
		if says(t, r.Text, next); strings.Contains(r.Text, "is open") != (next != "") {
			t.Errorf("before %q: %s", next, r.Text)
		}
	}
	o.want("window.r", `[true,"x"]`)
}

// A page that asks in a task of its own, right after the click, has asked when its dialogs
// are listed.
func TestDialogRightAfterClick(t *testing.T) {
	o := visit(t, html(`<button id=b onclick="setTimeout(() => window.r = confirm('Sure?'))">Ask</button>`))
	for range 10 {
		must(o, page.Click, page.ClickArgs{Target: css("#b")})
		r, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{})
		if err != nil {
			t.Fatal(err)
		}
		says(t, r.Text, "Sure?", "open: answer it")
		if _, err = page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "accept"}); err != nil {
			t.Fatal(err)
		}
		if _, err = page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Clear: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStandingAnswerToDialogs(t *testing.T) {
	o := visit(t, html(`<button id=b onclick="window.r=[prompt('Name?','Bob'), confirm('Sure?')]">Ask</button>`))
	set := func(a page.DialogsArgs) {
		t.Helper()
		if _, err := page.Dialogs(o.ctx(), o.s, a); err != nil {
			t.Fatal(err)
		}
	}
	text := "Zoë"
	for _, tt := range []struct {
		args page.DialogsArgs
		want string
	}{
		{page.DialogsArgs{Policy: "accept", PromptText: &text}, `["Zoë",true]`},
		{page.DialogsArgs{Policy: "accept"}, `["Bob",true]`},
		{page.DialogsArgs{Policy: "dismiss"}, `[null,false]`},
	} {
		set(tt.args)
		must(o, page.Click, page.ClickArgs{Target: css("#b")})
		o.want("window.r", tt.want)
	}
	_, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Policy: "dismiss", PromptText: &text})
	refused(t, err, browser.BadArgs, "promptText goes with policy accept")
	set(page.DialogsArgs{Policy: "ask"})
	r := must(o, page.Click, page.ClickArgs{Target: css("#b")})
	says(t, r.Text, "Name?")
	set(page.DialogsArgs{Action: "accept", Policy: "dismiss"})
	o.want("window.r", `["Bob",false]`)
}

func TestTabs(t *testing.T) {
	o := session(t, everything)
	ctx := context.Background()
	_, err := o.s.Resolve(ctx, "", policy.Act)
	refused(t, err, browser.TabNotFound, "tab_new")
	first, err := page.TabNew(o.ctx(), o.s, page.TabNewArgs{URL: html("<title>First</title>")})
	if err != nil {
		t.Fatal(err)
	}
	says(t, first.Text, `"First"`, "tab cdp:")
	id := o.s.Current()
	if _, err := page.TabNew(o.ctx(), o.s, page.TabNewArgs{}); err != nil {
		t.Fatal(err)
	}
	list, err := page.TabsList(o.ctx(), o.s, page.TabsListArgs{})
	if err != nil {
		t.Fatal(err)
	}
	says(t, list.Text, string(id)+" (own)", "(current)")
	r, err := page.TabClose(o.ctx(), o.s, page.TabCloseArgs{TabID: o.s.Current()})
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, "current is now "+string(id))
	_, err = page.TabSelect(o.ctx(), o.s, page.TabSelectArgs{TabID: "cdp:1:99999"})
	if c := browser.CodeOf(err); c != browser.TabNotFound && c != browser.StaleTab {
		t.Errorf("error is %v", err)
	}
	other := session(t, everything)
	other.s = page.NewSession(page.Config{ID: "other", Policy: everything, Backend: func(context.Context) (browser.Backend, error) { return shared.backend, nil }})
	_, err = page.Navigate(o.ctx(), other.s, page.NavigateArgs{TabArg: page.TabArg{TabID: id}, URL: shared.base})
	refused(t, err, browser.TabOwned)
}

func TestPopupThatClosesItself(t *testing.T) {
	o := visit(t, shared.base+"/pages/popup-oauth-close.html")
	first := o.s.Current()
	r := must(o, page.Click, page.ClickArgs{Target: css("#a")})
	says(t, r.Text, "opened tab")
	popup := strings.Fields(r.Text[strings.Index(r.Text, "opened tab"):])[2]
	if _, err := page.TabSelect(o.ctx(), o.s, page.TabSelectArgs{TabID: browser.TabID(popup)}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := do(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Allow"}})
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, "closed itself", string(first))
	if time.Since(start) > 3*time.Second {
		t.Errorf("the click took %v", time.Since(start))
	}
	if got := o.s.Current(); got != first {
		t.Errorf("current is %s, want %s", got, first)
	}
	waitText(o, "signed in")
}
