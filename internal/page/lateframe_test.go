package page_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
)

// unnaming is a backend that does not know the address of child frames the next times it
// is asked, as one whose frame is on its way to another process.
type unnaming struct {
	browser.Backend
	left atomic.Int32
}

func (u *unnaming) Tab(id browser.TabID) (browser.Tab, error) {
	t, err := u.Backend.Tab(id)
	return unnamedTab{t, u}, err
}

type unnamedTab struct {
	browser.Tab
	u *unnaming
}

func (t unnamedTab) Frames(ctx context.Context) ([]browser.Frame, error) {
	list, err := t.Tab.Frames(ctx)
	if err != nil || t.u.left.Add(-1) < 0 {
		return list, err
	}
	list = slices.Clone(list)
	for i := range list[1:] {
		list[i+1].URL, list[i+1].Origin = "", ""
	}
	return list, nil
}

func TestFrameWithoutAddressYet(t *testing.T) {
	u := &unnaming{Backend: shared.backend}
	o := sessionOver(t, everything, u)
	o.navigate(html(`<iframe srcdoc="<p>Late text</p><button onclick='parent.pressed=1'>Pay</button>"></iframe><script>setInterval(()=>document.body.append(document.createElement('iframe')),100)</script>`))
	tab, err := shared.backend.Tab(o.s.Current())
	if err != nil {
		t.Fatal(err)
	}
	frames, err := tab.Frames(o.ctx())
	if err != nil || len(frames) < 2 {
		t.Fatal(frames, err)
	}
	in := frames[1].ID
	u.left.Store(3)
	must(o, page.WaitFor, page.WaitForArgs{TextContains: "Late text", FrameArg: page.FrameArg{FrameID: in}, TimeoutMS: 5000})
	u.left.Store(3)
	must(o, page.Click, page.ClickArgs{Target: page.Target{Role: "button", Name: "Pay", FrameArg: page.FrameArg{FrameID: in}}})
	o.want("window.pressed", "1")
}
