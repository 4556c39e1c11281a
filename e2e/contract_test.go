package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"chrome-mcp/bridge"
	"chrome-mcp/cdpfallback"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// TestContract holds that both backends keep the waist's contract: what package page
// builds on is the same below it, whichever it is.
func TestContract(t *testing.T) {
	t.Run("cdp", func(t *testing.T) {
		t.Parallel()
		b, err := cdpfallback.Start(t.Context(), cdpfallback.Config{Headless: true, Bundle: bundle.Source, World: bundle.World, Log: rig.log.writer("chromium")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Shutdown(context.Background()) })
		keepContract(t, b, b)
	})
	t.Run("extension", func(t *testing.T) {
		t.Parallel()
		c := paired(t, false)
		b := bridge.New(bridge.Config{
			DataDir: c.data, Port: -1, BundleHash: bundle.Hash, ExtensionID: extension.ID,
			Policy: policy.Policy{AllowDomains: []string{"*"}, Mutations: true, Eval: true},
		})
		t.Cleanup(func() { _ = b.Shutdown(context.Background()) })
		if err := b.Start(t.Context(), t.Name()); err != nil {
			t.Fatal(err)
		}
		keepContract(t, b, c.Backend)
	})
}

// bound is a backend under test. hand is another way into the same browser, for what a
// backend does not do by itself.
type bound struct {
	browser.Backend
	hand *cdpfallback.Backend
}

func keepContract(t *testing.T, b browser.Backend, hand *cdpfallback.Backend) {
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) { c.hold(t, bound{b, hand}) })
	}
}

var contract = []struct {
	name string
	hold func(*testing.T, bound)
}{
	{"tabs", holdTabs},
	{"ids", holdIDs},
	{"owners", holdOwners},
	{"answers say which document", holdDocuments},
	{"frames", holdFrames},
	{"closed shadow roots", holdShadow},
	{"batch", holdBatch},
	{"input in the background", holdInput},
	{"pictures in the background", holdPictures},
	{"order of events", holdEvents},
	{"popups", holdPopups},
	{"dialogs do not block", holdDialogs},
	{"deadline", holdDeadline},
	{"document lost", holdLostDocument},
	{"tab closed", holdClosed},
	{"crash", holdCrash},
}

func (b bound) ctx(t *testing.T, session string) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return browser.WithCaller(ctx, browser.Caller{Session: t.Name() + session, Tool: "contract", Title: "Contract"})
}

// visit opens a tab for the test's session and waits until its page has loaded.
func (b bound) visit(t *testing.T, markup string) (context.Context, browser.Tab) {
	t.Helper()
	ctx := b.ctx(t, "")
	info, err := b.Open(ctx, browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tab, err := b.Tab(info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(browser.WithCaller(context.Background(), browser.CallerFrom(ctx)), info.ID) })
	b.travel(t, ctx, tab, rig.site.page(markup))
	return ctx, tab
}

func (b bound) travel(t *testing.T, ctx context.Context, tab browser.Tab, url string) {
	t.Helper()
	var nav struct{ LoaderID string }
	loaded := listen(t, tab, "Page.lifecycleEvent")
	if err := tab.Call(ctx, "", "Page.navigate", map[string]string{"url": url}, &nav); err != nil {
		t.Fatal(err)
	}
	for {
		e := loaded(ctx)
		var p struct{ Name, LoaderID string }
		if json.Unmarshal(e.Params, &p) == nil && p.Name == "load" && p.LoaderID == nav.LoaderID {
			return
		}
	}
}

// listen collects the main target's events of a kind from now on.
func listen(t *testing.T, tab browser.Tab, methods ...string) func(context.Context) browser.Event {
	t.Helper()
	events := make(chan browser.Event, 1024)
	t.Cleanup(tab.Subscribe(func(e browser.Event) {
		if e.Frame == "" && slices.Contains(methods, e.Method) {
			select {
			case events <- e:
			default:
			}
		}
	}))
	return func(ctx context.Context) browser.Event {
		t.Helper()
		select {
		case e := <-events:
			return e
		case <-ctx.Done():
			t.Fatalf("%v did not come", methods)
			return browser.Event{}
		}
	}
}

// js evaluates an expression in the page.
func js(t *testing.T, ctx context.Context, tab browser.Tab, expression string) string {
	t.Helper()
	var answer struct{ Result struct{ Value any } }
	params := args{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}
	if err := tab.Call(ctx, "", "Runtime.evaluate", params, &answer); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return fmt.Sprint(answer.Result.Value)
}

func textOf(ctx context.Context, tab browser.Tab, frame browser.FrameID) (string, browser.Answer, error) {
	var text pagefn.Text
	answer, err := tab.Run(ctx, browser.RunRequest{Frame: frame, Fn: "text", Args: pagefn.TextArgs{}}, &text)
	return text.Text, answer, err
}

// wait runs a page function that takes as long as the caller gives it.
func waitForNothing(ctx context.Context, tab browser.Tab) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := tab.Run(ctx, browser.RunRequest{Fn: "waitFor", Args: pagefn.WaitArgs{TextContains: "never", TimeoutMS: 15_000}}, nil)
		done <- err
	}()
	return done
}

func wantCode(t *testing.T, what string, err error, code browser.Code) {
	t.Helper()
	if browser.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func holdTabs(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "<title>One</title>")
	find := func() *browser.TabInfo {
		list, err := b.Tabs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(i browser.TabInfo) bool { return i.ID == tab.ID() })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	i := find()
	if i == nil || i.Title != "One" || !strings.HasPrefix(i.URL, rig.site.base) || i.Active || i.Owner != browser.CallerFrom(ctx).Session {
		t.Fatalf("the new tab is %+v", i)
	}
	if info, err := tab.Info(ctx); err != nil || info.URL != i.URL || info.ID != i.ID {
		t.Errorf("Info says %+v, %v", info, err)
	}
	if err := b.Activate(ctx, tab.ID()); err != nil {
		t.Fatal(err)
	}
	if i := find(); !i.Active {
		t.Errorf("after Activate it is %+v", i)
	}
	opened, err := b.Open(ctx, browser.OpenOptions{URL: rig.site.page("<title>Two</title>")})
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.Tab(opened.ID)
	if err != nil {
		t.Fatal(err)
	}
	for text := ""; ctx.Err() == nil && text != "Two"; {
		info, err := two.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		text = info.Title
	}
	for _, id := range []browser.TabID{opened.ID, tab.ID()} {
		if err := b.Close(ctx, id); err != nil {
			t.Errorf("close %s: %v", id, err)
		}
	}
	if find() != nil {
		t.Error("a closed tab is listed")
	}
	_, err = tab.Info(ctx)
	wantCode(t, "Info of a closed tab", err, browser.TabNotFound)
	wantCode(t, "a call to a closed tab", tab.Call(ctx, "", "Page.reload", nil, nil), browser.TabNotFound)
	wantCode(t, "closing it again", b.Close(ctx, tab.ID()), browser.TabNotFound)
}

func holdIDs(t *testing.T, b bound) {
	ctx := b.ctx(t, "")
	other := browser.TabID("cdp:1:1")
	if b.Kind() == browser.CDP {
		other = "ext:0000:1"
	}
	for id, code := range map[browser.TabID]browser.Code{
		other: browser.StaleTab,
		browser.TabID(string(b.Kind()) + ":99999:1"): browser.StaleTab, // an earlier run
	} {
		_, err := b.Tab(id)
		wantCode(t, string(id), err, code)
		wantCode(t, "close "+string(id), b.Close(ctx, id), code)
	}
	if _, err := b.Tab("nonsense"); err == nil {
		t.Error("nonsense is a tab")
	}
}

func holdOwners(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "<title>Owned</title>")
	stranger := b.ctx(t, "/stranger")
	wantCode(t, "another's call", tab.Call(stranger, "", "Page.reload", nil, nil), browser.TabOwned)
	_, _, err := textOf(stranger, tab, "")
	wantCode(t, "another's read", err, browser.TabOwned)
	_, err = tab.Capture(stranger, browser.CaptureOptions{Format: "png"})
	wantCode(t, "another's picture", err, browser.TabOwned)
	wantCode(t, "another's close", b.Close(stranger, tab.ID()), browser.TabOwned)
	wantCode(t, "another's activate", b.Activate(stranger, tab.ID()), browser.TabOwned)
	if err := b.Release(ctx, browser.CallerFrom(ctx).Session); err != nil {
		t.Fatal(err)
	}
	if _, _, err := textOf(stranger, tab, ""); err != nil {
		t.Errorf("after its session ended: %v", err)
	}
	if err := b.Close(stranger, tab.ID()); err != nil {
		t.Errorf("close after its session ended: %v", err)
	}
}

func holdDocuments(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "<p>first")
	text, first, err := textOf(ctx, tab, "")
	if err != nil || text != "first" || first.Document == "" || first.Origin != rig.site.base || !strings.HasPrefix(first.URL, rig.site.base) {
		t.Fatalf("%q, %+v, %v", text, first, err)
	}
	if _, again, _ := textOf(ctx, tab, ""); again != first {
		t.Errorf("the same document answers as %+v and %+v", first, again)
	}
	js(t, ctx, tab, "history.pushState(0, '', '/elsewhere')")
	if _, moved, _ := textOf(ctx, tab, ""); moved.URL != rig.site.base+"/elsewhere" || moved.Document != first.Document {
		t.Errorf("after pushState %+v, before %+v", moved, first)
	}
	b.travel(t, ctx, tab, rig.site.altPage("<p>second"))
	if text, second, err := textOf(ctx, tab, ""); err != nil || text != "second" || second.Document == first.Document || second.Origin != rig.site.alt {
		t.Errorf("another document: %q, %+v, %v", text, second, err)
	}
	var refusal *browser.Error
	_, err = tab.Run(ctx, browser.RunRequest{Fn: "text", Args: pagefn.TextArgs{Target: &pagefn.Locator{Selector: "#none", Now: true}}}, nil)
	if !errors.As(err, &refusal) || refusal.Code != browser.SelectorNotFound {
		t.Errorf("a page function that says no: %v", err)
	}
}

func holdFrames(t *testing.T, b bound) {
	inner := strings.ReplaceAll(rig.site.page("<p>c</p>"), "%", "%25")
	ctx, tab := b.visit(t, `<p>top</p><iframe srcdoc="<p>a</p>"></iframe><iframe name=b src="{alt}/html?`+
		`%3Cp%3Eb%3C%2Fp%3E%3Ciframe+src%3D`+strings.ReplaceAll(inner, "+", "%2B")+`%3E%3C%2Fiframe%3E"></iframe>`)
	frames, err := tab.Frames(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	seen := map[browser.FrameID]bool{"": true}
	for _, f := range frames {
		if !seen[f.Parent] {
			t.Errorf("frame %+v comes before its parent", f)
		}
		seen[f.ID] = true
		text, answer, err := textOf(ctx, tab, f.ID)
		if err != nil {
			t.Errorf("frame %+v: %v", f, err)
		}
		if answer.URL != f.URL {
			t.Errorf("frame %s answers as %s", f.URL, answer.URL)
		}
		got = append(got, strings.Fields(text + " -")[0])
	}
	if fmt.Sprint(got) != "[top a b c]" {
		t.Errorf("frames %v of %+v", got, frames)
	}
	_, _, err = textOf(ctx, tab, "0123456789ABCDEF0123456789ABCDEF")
	wantCode(t, "a frame that is none", err, browser.TargetGone)
}

func holdShadow(t *testing.T, b bound) {
	ctx, tab := b.visit(t, `<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = '<p>hidden away</p>'</script>`)
	if text, _, err := textOf(ctx, tab, ""); err != nil || text != "hidden away" {
		t.Errorf("a closed root: %q, %v", text, err)
	}
	js(t, ctx, tab, `{const e = document.createElement('section'); document.body.append(e); e.attachShadow({mode: 'closed'}).innerHTML = '<p>later</p>'}`)
	if text, _, err := textOf(ctx, tab, ""); err != nil || !strings.Contains(text, "later") {
		t.Errorf("one that came later: %q, %v", text, err)
	}
}

func mouseAt(kind, button string, count int) browser.Command {
	return browser.Command{Method: "Input.dispatchMouseEvent", Params: args{"type": kind, "x": 40, "y": 40, "button": button, "clickCount": count}}
}

func click() []browser.Command {
	return []browser.Command{mouseAt("mouseMoved", "none", 0), mouseAt("mousePressed", "left", 1), mouseAt("mouseReleased", "left", 1)}
}

const bigButton = `<button style="position:fixed;inset:0" onclick="document.title += event.isTrusted ? 'T' : 'F'">x</button>`

func holdBatch(t *testing.T, b bound) {
	ctx, tab := b.visit(t, bigButton)
	results, err := tab.Batch(ctx, append(click(), browser.Command{Method: "Input.dispatchMouseEvent", Params: args{"type": "no such type", "x": 1, "y": 1}}, click()[0]))
	if len(results) != 3 || err == nil {
		t.Errorf("a batch with a mistake: %d results, %v", len(results), err)
	}
	begin := time.Now()
	slow := click()
	slow[2].Delay = 300 * time.Millisecond
	if _, err := tab.Batch(ctx, slow); err != nil || time.Since(begin) < 300*time.Millisecond {
		t.Errorf("a batch with a pause took %v, %v", time.Since(begin), err)
	}
	if got := js(t, ctx, tab, "document.title"); got != "TT" {
		t.Errorf("two clicks came as %q", got)
	}
}

func holdInput(t *testing.T, b bound) {
	ctx, tab := b.visit(t, bigButton)
	if info, err := tab.Info(ctx); err != nil || info.Active {
		t.Fatalf("the tab is in front: %+v, %v", info, err)
	}
	for range 5 {
		if _, err := tab.Batch(ctx, click()); err != nil {
			t.Fatal(err)
		}
	}
	if got := js(t, ctx, tab, "document.title + document.hasFocus()"); got != "TTTTTtrue" {
		t.Errorf("five clicks came as %q", got)
	}
	if info, _ := tab.Info(ctx); info.Active {
		t.Error("input brought the tab to the front")
	}
}

func holdPictures(t *testing.T, b bound) {
	ctx, tab := b.visit(t, `<body style="margin:0;background:rgb(0,128,0)"><div style="height:3000px"></div><div style="height:100px;background:rgb(0,0,255)"></div>`)
	for _, o := range []browser.CaptureOptions{
		{Format: "png", Clip: &browser.Rect{Width: 60, Height: 40}},
		{Format: "png", Clip: &browser.Rect{Y: 3010, Width: 60, Height: 40}, Beyond: true},
		{Format: "jpeg", Quality: 60, Scale: 0.5},
	} {
		img, err := tab.Capture(ctx, o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		m, kind, err := image.Decode(bytes.NewReader(img.Data))
		if err != nil || img.MIME != "image/"+kind || kind != o.Format {
			t.Errorf("%+v is %s %s, %v", o, img.MIME, kind, err)
			continue
		}
		if o.Clip != nil && (m.Bounds().Dx() != 60 || m.Bounds().Dy() != 40) {
			t.Errorf("%+v is %v", o, m.Bounds())
		}
		r, g, bl, _ := m.At(5, 5).RGBA()
		if blue := bl > 0xc000; r > 0x2000 || blue != o.Beyond || (g > 0x6000) == o.Beyond {
			t.Errorf("%+v shows %x %x %x", o, r, g, bl)
		}
	}
	if got := js(t, ctx, tab, "scrollY + ' ' + document.visibilityState"); !strings.HasPrefix(got, "0 ") {
		t.Errorf("afterwards the page is at %s", got)
	}
	if info, _ := tab.Info(ctx); info.Active {
		t.Error("the picture brought the tab to the front")
	}
}

func holdEvents(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "first")
	next := listen(t, tab, "Page.frameNavigated", "Page.domContentEventFired", "Page.loadEventFired")
	b.travel(t, ctx, tab, rig.site.page("<title>second</title>"))
	for _, want := range []string{"Page.frameNavigated", "Page.domContentEventFired", "Page.loadEventFired"} {
		if e := next(ctx); e.Method != want {
			t.Errorf("%s came, want %s", e.Method, want)
		}
	}
	// What happened before an answer is told before it.
	opened := listen(t, tab, "Page.javascriptDialogOpening")
	var closed bool
	defer tab.Subscribe(func(e browser.Event) { closed = closed || e.Method == "Page.javascriptDialogClosed" })()
	go func() { _ = tab.Call(ctx, "", "Runtime.evaluate", args{"expression": "alert(1)"}, nil) }()
	opened(ctx)
	if err := tab.Call(ctx, "", "Page.handleJavaScriptDialog", args{"accept": true}, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := textOf(ctx, tab, ""); err != nil || !closed {
		t.Errorf("the dialog's end was told: %v, %v", closed, err)
	}
}

func holdPopups(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "<title>Opener</title>")
	for _, how := range []string{
		"void window.open('" + rig.site.page("<title>Opened</title>") + "')",
		"void window.open('about:blank', '', 'noopener')",
		"document.body.innerHTML = '<a target=_blank href=/form>x</a>'; document.links[0].click()",
	} {
		created := listen(t, tab, "tab.created")
		js(t, ctx, tab, how)
		var p struct{ TabID browser.TabID }
		if err := json.Unmarshal(created(ctx).Params, &p); err != nil {
			t.Fatal(err)
		}
		other, err := b.Tab(p.TabID)
		if err != nil {
			t.Fatal(err)
		}
		info, err := other.Info(ctx)
		if err != nil || info.Opener != tab.ID() || info.Owner != browser.CallerFrom(ctx).Session {
			t.Errorf("%s: %+v, %v", how, info, err)
		}
		if err := b.Close(ctx, p.TabID); err != nil {
			t.Error(err)
		}
	}
}

func holdDialogs(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "x")
	opened := listen(t, tab, "Page.javascriptDialogOpening")
	done := make(chan string, 1)
	go func() { done <- js(t, ctx, tab, "prompt('how many?')") }()
	opened(ctx)
	hung := waitForNothing(ctx, tab)
	if err := tab.Call(ctx, "", "Page.handleJavaScriptDialog", args{"accept": true, "promptText": "seven"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got != "seven" {
		t.Errorf("the page got %q", got)
	}
	js(t, ctx, tab, "document.body.textContent = 'never'")
	if err := <-hung; err != nil {
		t.Errorf("what waited behind the dialog: %v", err)
	}
}

func holdDeadline(t *testing.T, b bound) {
	ctx, tab := b.visit(t, `<button style="position:fixed;inset:0" onclick="for (const end = performance.now() + 3000; performance.now() < end;);">x</button>`)
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := tab.Batch(short, append(click(), click()...))
	var e *browser.Error
	if !errors.As(err, &e) || e.Code != browser.Timeout || !e.Unknown || time.Since(begin) > 2*time.Second {
		t.Errorf("input without an answer: %+v after %v", err, time.Since(begin))
	}
	short, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, _, err = textOf(short, tab, "")
	if !errors.As(err, &e) || e.Code != browser.Timeout {
		t.Errorf("a read without an answer: %+v", err)
	}
	if _, _, err := textOf(ctx, tab, ""); err != nil {
		t.Errorf("the page afterwards: %v", err)
	}
}

func (b bound) wantGone(t *testing.T, what string, err error, reason string) {
	t.Helper()
	var e *browser.Error
	if !errors.As(err, &e) || e.Code != browser.TargetGone || !strings.Contains(string(e.Data), reason) {
		t.Errorf("%s: %v, want %s, %s", what, err, browser.TargetGone, reason)
	}
}

// underWay waits until a page function of the tab runs: commands of one tab keep their
// order, and one that answers comes after it.
func underWay(t *testing.T, ctx context.Context, tab browser.Tab) {
	t.Helper()
	for range 3 {
		js(t, ctx, tab, "new Promise(requestAnimationFrame)")
	}
	wait(ctx, 100*time.Millisecond)
}

func holdLostDocument(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "first")
	hung := waitForNothing(ctx, tab)
	underWay(t, ctx, tab)
	b.travel(t, ctx, tab, rig.site.altPage("second"))
	b.wantGone(t, "a call in a document that went away", <-hung, "navigated")
	if text, _, err := textOf(ctx, tab, ""); err != nil || text != "second" {
		t.Errorf("the next document: %q, %v", text, err)
	}
}

func holdClosed(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "to close")
	removed := listen(t, tab, "tab.removed")
	hung := waitForNothing(ctx, tab)
	underWay(t, ctx, tab)
	if err := b.Close(ctx, tab.ID()); err != nil {
		t.Fatal(err)
	}
	removed(ctx)
	wantCode(t, "a call in a tab that was closed", <-hung, browser.TabNotFound)
}

func holdCrash(t *testing.T, b bound) {
	ctx, tab := b.visit(t, "<title>To crash</title>")
	hung := waitForNothing(ctx, tab)
	underWay(t, ctx, tab)
	begin := time.Now()
	b.crash(t, "To crash")
	b.wantGone(t, "a call in a page that crashed", <-hung, "crashed")
	_, _, err := textOf(ctx, tab, "")
	b.wantGone(t, "the next call", err, "crashed")
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the news of the crash took %v", took)
	}
	loaded := listen(t, tab, "Page.loadEventFired")
	if err := tab.Call(ctx, "", "Page.reload", nil, nil); err != nil {
		t.Fatal(err)
	}
	loaded(ctx)
	if _, _, err := textOf(ctx, tab, ""); err != nil {
		t.Errorf("after a reload: %v", err)
	}
}

// crash ends the renderer of the page with that title.
func (b bound) crash(t *testing.T, title string) {
	t.Helper()
	var list struct {
		Infos []struct{ TargetID, Title string } `json:"targetInfos"`
	}
	if err := b.hand.Command(t.Context(), "", "Target.getTargets", nil, &list); err != nil {
		t.Fatal(err)
	}
	for _, i := range list.Infos {
		if i.Title != title {
			continue
		}
		var s struct{ SessionID string }
		if err := b.hand.Command(t.Context(), "", "Target.attachToTarget", args{"targetId": i.TargetID, "flatten": true}, &s); err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = b.hand.Command(short, s.SessionID, "Page.crash", nil, nil)
		return
	}
	t.Fatalf("there is no page %q", title)
}
