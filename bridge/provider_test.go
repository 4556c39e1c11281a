package bridge

import (
	"fmt"
	"testing"

	"chrome-mcp/internal/extproto"
	"chrome-mcp/internal/wire"
)

// TestProvidersAreListed follows what the user of a browser names, while it is connected.
func TestProvidersAreListed(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	changed := make(chan struct{}, 8)
	defer f.OnListed(func() { changed <- struct{}{} })()
	if got := f.Listed(); len(got) != 0 {
		t.Error(got)
	}
	e.event(wire.EventExtProviders, wire.ExtProviders{Providers: []wire.ExtProvider{
		{Extension: otherID, Namespace: "notes", Writes: true}, {Extension: otherID, Off: true},
	}})
	take(t, changed)
	want := []extproto.Entry{
		{ID: otherID, Namespace: "notes", Browser: "Chrome", Writes: true}, {ID: otherID, Browser: "Chrome", Off: true},
	}
	if got := f.Listed(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listed are %+v, want %+v", got, want)
	}
	e.write(map[string]any{"v": 1, "type": "event", "event": wire.EventExtProviders, "data": 7}) // is passed over
	e.ws.CloseNow()
	until(t, "a browser that is gone lists nothing", func() bool { return len(f.Listed()) == 0 })
}

// TestProvidersAreReported: of reports that follow each other quickly the last arrives.
func TestProvidersAreReported(t *testing.T) {
	f := start(t, nil)
	e := f.connect(nil)
	for n := range 20 {
		f.Report([]extproto.Status{{ID: otherID, Name: "Notes", State: extproto.Connected, Tools: n, Refused: []string{"x"}}})
	}
	for last := -1; last != 19; {
		c, params := next[wire.ExtReportParams](e, wire.ExtReport)
		got := params.Providers[0]
		if got.Tools <= last || got.Extension != otherID || got.State != "connected" || got.Refused[0] != "x" {
			t.Fatalf("after %d: %+v", last, got)
		}
		last = got.Tools
		e.result(c.ID, struct{}{})
	}
}
