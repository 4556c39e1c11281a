package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

func TestEveryMethodHasItsSpec(t *testing.T) {
	seen := map[Method]bool{}
	for _, m := range Methods {
		if seen[m] {
			t.Errorf("%s is listed twice", m)
		}
		seen[m] = true
		if s, ok := Specs[m]; !ok || s.Time <= 0 {
			t.Errorf("%s has no spec or no deadline", m)
		}
	}
	if len(Specs) != len(Methods) {
		t.Errorf("%d specs for %d methods", len(Specs), len(Methods))
	}
}

func TestTablesUseKnownAccess(t *testing.T) {
	known := map[policy.Access]bool{policy.Read: true, policy.Act: true, policy.Eval: true, policy.Download: true, policy.Upload: true, policy.Observe: true}
	for _, table := range []map[string]policy.Access{CDPMethods, CDPEvents, pagefn.Functions} {
		for name, a := range table {
			if !known[a] {
				t.Errorf("%s has access %q", name, a)
			}
		}
	}
	for name := range once {
		if CDPMethods[name] != policy.Read {
			t.Errorf("%s is not a read of the table", name)
		}
	}
}

func TestActs(t *testing.T) {
	batch := func(methods ...string) BatchParams {
		var p BatchParams
		for _, m := range methods {
			p.Calls = append(p.Calls, BatchCall{CDPParams: CDPParams{Method: m}})
		}
		return p
	}
	for _, c := range []struct {
		method Method
		params any
		want   bool
	}{
		{TabsList, nil, false}, {TabNew, TabNewParams{}, true}, {TabClose, nil, true}, {Capture, CaptureParams{}, false}, {PingProbe, nil, false},
		{CDP, CDPParams{Method: "Page.getNavigationHistory"}, false}, {CDP, CDPParams{Method: "Page.navigate"}, true},
		{CDP, CDPParams{Method: "Page.handleJavaScriptDialog"}, true}, {CDP, CDPParams{Method: "Input.insertText"}, true},
		{CDP, CDPParams{Method: "Runtime.evaluate"}, true}, {CDP, CDPParams{Method: "Network.enable"}, false}, {CDP, CDPParams{Method: "Unknown.method"}, true},
		{CDPBatch, batch("DOM.getBoxModel", "Page.getNavigationHistory"), false}, {CDPBatch, batch("DOM.getBoxModel", "Input.insertText"), true},
		{Page, PageParams{Fn: "snapshot"}, false}, {Page, PageParams{Fn: "setValue"}, true}, {Page, PageParams{Fn: "unknown"}, true},
		{Download, DownloadParams{URL: "https://example.com/"}, true}, {Download, DownloadParams{ID: 1, Wait: true}, false},
	} {
		if got := Acts(c.method, c.params); got != c.want {
			t.Errorf("%s %+v: %v", c.method, c.params, got)
		}
	}
}

func TestMend(t *testing.T) {
	for in, want := range map[string]string{
		`"a\ud83d"`:             `"a\ufffd"`,
		`"\ude00b"`:             `"\ufffdb"`,
		`"\ud83d\ude00"`:        `"\ud83d\ude00"`,
		`"\uD83D\uDE00"`:        `"\uD83D\uDE00"`,
		`"\ud83d\ud83d\ude00"`:  `"\ufffd\ud83d\ude00"`,
		`"\ude00\ud83d"`:        `"\ufffd\ufffd"`,
		`"\\ud83d"`:             `"\\ud83d"`,
		`"\\\ud83d"`:            `"\\\ufffd"`,
		`"\\\\ud83d\ud83dx"`:    `"\\\\ud83d\ufffdx"`,
		`"\u0000\ud7ff\ue000"`:  `"\u0000\ud7ff\ue000"`,
		`"\ud83d\n\ude00"`:      `"\ufffd\n\ufffd"`,
		`"\ud83dude00"`:         `"\ufffdude00"`,
		"\"\xc3\",":             "\"\ufffd\",",
		`"\ud8`:                 `"\ud8`,
		`"<\u2028>&"`:           `"<\u2028>&"`,
		"\"\xed\xa0\xbd\"":      "\"\ufffd\"", // a surrogate in UTF-8
		`"😀` + "\xf0\x9f" + `"`: `"😀` + "\ufffd" + `"`,
	} {
		if got := string(Mend([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestDecode(t *testing.T) {
	f, err := Decode([]byte(`{"v":1,"type":"error","id":"x","error":{"code":"TAB_OWNED","message":"m","data":{"a":1}}}`))
	if err != nil || f.Error.Code != browser.TabOwned || string(f.Error.Data) != `{"a":1}` {
		t.Error(f, err)
	}
	if _, err := Decode([]byte(`{"v":2,"type":"hello","token":"SECRET"}`)); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "v:2") {
		t.Error(err)
	}
	for _, s := range []string{``, `null`, `[]`, `{`, `{"v":1,"type":"nope"}`, `{"v":1,"type":"result"}`, `{"v":1,"type":"error","id":"x"}`, `{"v":"SECRET"}`, `{"v":1,"token":["SECRET"]}`, `SECRET`} {
		if _, err := Decode([]byte(s)); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestEncodeLeavesMarkupAlone(t *testing.T) {
	b, err := Encode(Command{Header: Header{V: 1, Type: TypeCommand}, ID: "x", Method: Page, Params: json.RawMessage(`"<a>&"`), TimeoutMS: 5})
	if err != nil || string(b) != `{"v":1,"type":"command","id":"x","method":"page","params":"<a>&","timeoutMs":5}` {
		t.Error(string(b), err)
	}
	if _, err := Encode(func() {}); err == nil {
		t.Error("no error")
	}
}

func FuzzMend(f *testing.F) {
	for _, s := range []string{`"a\ud83d"`, `"\ud83d\ude00"`, `"\\ud83d"`, "\"\xc3\"", `{"a":["\ude00\ud83d",1]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		valid := json.Valid(b)
		out := Mend(append([]byte(nil), b...))
		if !utf8.Valid(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		if !valid {
			return
		}
		var want, got any
		if json.Unmarshal(b, &want) != nil || json.Unmarshal(out, &got) != nil {
			t.Fatalf("%q became %q, which is not JSON", b, out)
		}
		// encoding/json turns both kinds of damage into U+FFFD, as Mend does.
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		if string(w) != string(g) && utf8.Valid(b) {
			t.Fatalf("%q means %s, %q means %s", b, w, out, g)
		}
		if again := Mend(append([]byte(nil), out...)); string(again) != string(out) {
			t.Fatalf("not mended at once: %q, %q", out, again)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"v":1,"type":"hello","token":"t","ext":{"id":"i"}}`))
	f.Add([]byte(`{"v":1,"type":"event","event":"cdp","tabId":7,"data":{"method":"m"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := Decode(b)
		if err == nil && (frame.V != Protocol || frame.Type == "") {
			t.Fatalf("%+v", frame)
		}
	})
}
