package page_test

import (
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
)

// A frame of another site that is far below was never drawn, and gets a press all the same.
func TestClickInFrameOutOfView(t *testing.T) {
	inner := `<button onclick="document.body.append('pressed')">Inner</button>`
	o := visit(t, html(`<div style="height:9000px"></div><iframe src="{alt}/t?html=`+escape(inner)+`"></iframe>`))
	r := must(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Inner", FrameArg: page.FrameArg{AllFrames: true}}})
	says(t, r.Text, "clicked")
	waitText(o, "pressed")
}

// A frame that is not loaded yet is no frame of a site that is not allowed.
func TestFrameThatLoadsLater(t *testing.T) {
	o := visit(t, html(`<div style="height:9000px"></div><iframe loading=lazy src="{alt}/t?html=`+escape(`<button>Inner</button>`)+`"></iframe>`))
	const why = "loaded yet"
	says(t, must(o, page.Snapshot, page.SnapshotArgs{}).Page, why)
	says(t, must(o, page.ReadAsMarkdown, page.MarkdownArgs{}).Page, why)
	says(t, must(o, page.Find, page.FindArgs{Text: "Inner"}).Text, why, "frameId")
	says(t, must(o, page.FramesList, page.FramesListArgs{}).Text, why)
	_, err := do(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Inner", FrameArg: page.FrameArg{AllFrames: true}}})
	refused(t, err, browser.SelectorNotFound, why)
}

// A frame that did not load, as one that forbids to be framed, hinders nothing around it.
func TestBesideFrameThatFailed(t *testing.T) {
	o := visit(t, html(`<p>Top</p><a href="/l">Link</a><iframe src="http://127.0.0.1:1/"></iframe><iframe srcdoc="<button>Pay</button>"></iframe>`))
	waitText(o, "Pay")
	says(t, must(o, page.Find, page.FindArgs{Text: "Pay"}).Text, "1 found")
	says(t, must(o, page.WaitFor, page.WaitForArgs{TextContains: "Pay"}).Text, "is there")
	r := must(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Pay", FrameArg: page.FrameArg{AllFrames: true}}})
	says(t, r.Text, "clicked")
}

// Why a frame is not read is said of the frame, not of who made it.
func TestFramesThatAreNotRead(t *testing.T) {
	o := visit(t, html(`<p>Top</p><iframe title=Data src="data:text/html,inside"></iframe><iframe title=Gone src="http://127.0.0.1:1/"></iframe>`))
	waitText(o, "Top")
	r := must(o, page.Snapshot, page.SnapshotArgs{})
	says(t, r.Page, "not read: a data: address is not allowed", "not read: it did not load")
	if strings.Contains(r.Page, "127.0.0.1") {
		t.Errorf("the site around is said to be refused:\n%s", r.Page)
	}
	r = must(o, page.ReadAsMarkdown, page.MarkdownArgs{})
	says(t, r.Page, "[frame a data: address not read", "not read: it did not load]")
}

// A frame whose script never ends keeps nobody from reading the rest.
func TestBesideBusyFrame(t *testing.T) {
	o := visit(t, html(`<p>Top</p><iframe src="{alt}/t?html=`+escape(`<p>Busy</p><script>setTimeout(() => { for (const end = Date.now() + 25000; Date.now() < end;); }, 400)</script>`)+`"></iframe><button>Main</button>`))
	waitText(o, "Top")
	said := ""
	for try := 0; try < 200 && !strings.Contains(said, "from answering"); try++ { // until it has begun
		said = must(o, page.Snapshot, page.SnapshotArgs{}).Page
	}
	says(t, said, "Main", "keeps it from answering")
	says(t, must(o, page.Find, page.FindArgs{Text: "Main"}).Text, "1 found", "from answering")
	says(t, must(o, page.ReadAsMarkdown, page.MarkdownArgs{}).Page, "Main", "from answering")
}
