package page_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

func TestAuthWall(t *testing.T) {
	o := visit(t, html(`<a href="/t?html=<input type=password>">Members</a>`))
	_, err := do(o, page.Click, page.ClickArgs{Target: css("a"), After: page.After{Wall: page.Wall{FailOnAuthWall: true}}})
	refused(t, err, browser.AuthRequired, "password field", "sign in")
	if _, err := page.Navigate(o.ctx(), o.s, page.NavigateArgs{URL: html("plain"), Wall: page.Wall{FailOnAuthWall: true}}); err != nil {
		t.Error(err)
	}
}

func TestDialogDuringWait(t *testing.T) {
	o := visit(t, html(`<button onclick="setTimeout(()=>alert('Now'),150)">Go</button>`))
	must(o, page.Click, page.ClickArgs{Target: css("button")})
	start := time.Now()
	_, err := do(o, page.WaitFor, page.WaitForArgs{TextContains: "never", TimeoutMS: 8000})
	refused(t, err, browser.DialogOpen, "Now")
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
	_, err = do(o, page.Screenshot, page.ScreenshotArgs{})
	refused(t, err, browser.DialogOpen, "Now")
	if _, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "dismiss"}); err != nil {
		t.Fatal(err)
	}
	must(o, page.GetText, page.TextArgs{})
}

func TestAcceptingNeedsMutations(t *testing.T) {
	o := session(t, policy.Policy{AllowDomains: everything.AllowDomains})
	o.navigate(html(`<script>setTimeout(()=>confirm('Sure?'),30)</script>`))
	_, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "accept"})
	refused(t, err, browser.PolicyDenied, "--enable-mutations")
	if _, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "dismiss"}); err != nil {
		t.Fatal(err)
	}
}

// A dialog that opens just behind the load event belongs to what the navigation did; it
// is no failure of the call, whenever it comes.
func TestDialogJustBehindLoad(t *testing.T) {
	o := session(t, everything)
	for _, ms := range []int{0, 1, 2, 3, 5, 8, 13, 21} {
		url := html(fmt.Sprintf(`<script>onload=()=>setTimeout(()=>alert('Hello'),%d)</script>`, ms))
		if _, err := page.Navigate(o.ctx(), o.s, page.NavigateArgs{URL: url}); err != nil {
			t.Errorf("%d ms: %v", ms, err)
		}
		if _, err := page.Dialogs(o.ctx(), o.s, page.DialogsArgs{Action: "dismiss"}); err != nil {
			t.Errorf("%d ms: %v", ms, err)
		}
	}
}

func TestCrashedPage(t *testing.T) {
	o := visit(t, html(`<p>here</p>`))
	bt, err := shared.backend.Tab(o.s.Current())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(browser.WithCaller(o.ctx(), browser.Caller{Session: t.Name()}), 2*time.Second)
	defer cancel()
	_ = bt.Call(ctx, "", "Page.crash", nil, nil)
	start := time.Now()
	_, err = do(o, page.GetText, page.TextArgs{})
	refused(t, err, browser.TargetGone, "crashed", "reload")
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
	r, err := page.Reload(o.ctx(), o.s, page.ReloadArgs{})
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.Text, "HTTP 200")
	says(t, must(o, page.GetText, page.TextArgs{}).Page, "here")
}

func TestTabClosedDuringCall(t *testing.T) {
	o := visit(t, html(`<p>here</p>`))
	id := o.s.Current()
	var wg sync.WaitGroup
	var err error
	start := time.Now()
	wg.Go(func() { _, err = do(o, page.WaitFor, page.WaitForArgs{TextContains: "never", TimeoutMS: 9000}) })
	time.AfterFunc(200*time.Millisecond, func() {
		_ = shared.backend.Close(browser.WithCaller(context.Background(), browser.Caller{Session: t.Name()}), id)
	})
	wg.Wait()
	refused(t, err, browser.TabNotFound)
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestEvalThatNeverEnds(t *testing.T) {
	t.Parallel()
	o := visit(t, strings.Replace(html(`<p>here</p>`), shared.base, shared.alt, 1))
	start := time.Now()
	_, err := do(o, page.Eval, page.EvalArgs{Expression: "for(;;);"})
	refused(t, err, browser.Timeout, "stopped")
	if d := time.Since(start); d > 25*time.Second {
		t.Errorf("took %v", d)
	}
	o.want("1+1", "2")
}

func TestManyElements(t *testing.T) {
	o := visit(t, html(`<div id=r></div><script>let h='';for(let i=0;i<300;i++)h+='<div><h3>Part '+i+'</h3>'+'<p>word <b>bold</b></p>'.repeat(5)+'<button>Press '+i+'</button></div>';r.innerHTML=h</script>`))
	best := time.Hour
	var r *page.Result
	for range 5 {
		start := time.Now()
		r = must(o, page.Snapshot, page.SnapshotArgs{InteractiveOnly: true})
		best = min(best, time.Since(start))
	}
	t.Logf("%v, %d bytes, %d buttons", best, len(r.Page), strings.Count(r.Page, "button"))
	if len(r.Page) > 25<<10 || strings.Count(r.Page, "button") != 300 {
		t.Errorf("%d bytes, %d buttons of 300", len(r.Page), strings.Count(r.Page, "button"))
	}
	whole := must(o, page.Snapshot, page.SnapshotArgs{})
	if len(whole.Page) > 32<<10 {
		t.Errorf("whole snapshot has %d bytes", len(whole.Page))
	}
}

func TestScaledScreenshotScalesClicks(t *testing.T) {
	o := visit(t, html(`<button style="position:absolute;left:400px;top:300px;width:80px;height:40px" onclick="window.hit=1">Hit</button>`))
	must(o, page.Screenshot, page.ScreenshotArgs{Scale: 0.5})
	x, y := 220.0, 160.0
	must(o, page.Click, page.ClickArgs{X: &x, Y: &y})
	o.want("window.hit", "1")
	x = 9999
	_, err := do(o, page.Click, page.ClickArgs{X: &x, Y: &y})
	refused(t, err, browser.BadArgs, "outside")
}

func TestAmbiguousAcrossFrames(t *testing.T) {
	o := visit(t, html(`<p>Top</p><iframe srcdoc='<button>In</button>'></iframe><iframe srcdoc='<button>In</button>'></iframe>`))
	must(o, page.WaitFor, page.WaitForArgs{Selector: "iframe"})
	_, err := do(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "In"}})
	refused(t, err, browser.Ambiguous, "2 frames", "frameId")
}

func TestTypeByRefInFrame(t *testing.T) {
	o := visit(t, html(`<iframe src="{alt}/t?html=`+escape(`<input aria-label=Card>`)+`"></iframe>`))
	must(o, page.WaitFor, page.WaitForArgs{Selector: "input"})
	r := must(o, page.Snapshot, page.SnapshotArgs{InteractiveOnly: true})
	typed := must(o, page.Type, page.TypeArgs{Target: page.Target{Ref: refOf(t, r.Page, "Card")}, Text: "4242 4242", KeyEvents: true})
	says(t, typed.Text, `holds "4242 4242"`)
	must(o, page.Press, page.PressArgs{Key: "Backspace"})
	r = must(o, page.Snapshot, page.SnapshotArgs{Diff: true})
	says(t, r.Page, "4242 424")
}
