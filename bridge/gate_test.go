package bridge

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"chrome-mcp/internal/wire"
)

func TestUpgradeRefusesWebPagesAndOtherHosts(t *testing.T) {
	f := start(t, nil)
	_, port, _ := strings.Cut(f.Addr(), ":")
	for name, c := range map[string]struct {
		host    string
		origins []string
		status  int
	}{
		"extension":          {"127.0.0.1:" + port, []string{"chrome-extension://" + testID}, 101},
		"localhost":          {"localhost:" + port, []string{"chrome-extension://" + testID}, 101},
		"program":            {"127.0.0.1:" + port, nil, 101},
		"another extension":  {"127.0.0.1:" + port, []string{"chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, 101},
		"web page":           {"127.0.0.1:" + port, []string{"https://evil.test"}, 403},
		"local web page":     {"127.0.0.1:" + port, []string{"http://127.0.0.1:" + port}, 403},
		"local file":         {"127.0.0.1:" + port, []string{"null"}, 403},
		"empty origin":       {"127.0.0.1:" + port, []string{""}, 403},
		"two origins":        {"127.0.0.1:" + port, []string{"chrome-extension://" + testID, "https://evil.test"}, 403},
		"DNS rebinding":      {"evil.test:" + port, []string{"chrome-extension://" + testID}, 403},
		"rebinding, no port": {"evil.test", nil, 403},
		"other port":         {"127.0.0.1:1", nil, 403},
		"no port":            {"127.0.0.1", nil, 403},
	} {
		h := http.Header{}
		if c.origins != nil {
			h["Origin"] = c.origins
		}
		ws, r, err := websocket.Dial(t.Context(), "ws://"+f.Addr(), &websocket.DialOptions{HTTPHeader: h, Host: c.host})
		if r == nil {
			t.Fatal(err)
		}
		if r.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", name, r.StatusCode, c.status)
		}
		if ws != nil {
			ws.CloseNow()
		}
	}
}

func TestHelloIsJudged(t *testing.T) {
	f := start(t, func(b *Bridge) { b.times.hello = 300 * time.Millisecond })
	hello := func(change func(*wire.Hello)) string {
		h := wire.Hello{Header: header(wire.TypeHello), Token: f.token(), Ext: f.info()}
		change(&h)
		b, _ := json.Marshal(h)
		return string(b)
	}
	for name, c := range map[string]struct {
		first, reason, message string
	}{
		"wrong token":        {hello(func(h *wire.Hello) { h.Token = "x" }), badToken, "press Pair"},
		"no token":           {hello(func(h *wire.Hello) { h.Token = "" }), badToken, "press Pair"},
		"wrong extension":    {hello(func(h *wire.Hello) { h.Ext.ID = "aaaa" }), badToken, "extension aaaa is not the one"},
		"wrong protocol":     {hello(func(h *wire.Hello) { h.V = 2 }), badVersion, "v:2"},
		"wrong release":      {hello(func(h *wire.Hello) { h.Ext.Version = "1.2.2" }), badVersion, "the extension is 1.2.2, the server 1.2.3); run `chrome-mcp install`"},
		"wrong bundle":       {hello(func(h *wire.Hello) { h.Ext.Bundle = "ffff" }), badBundle, "has ffff, the server 1.2.3 has 0123456789ab"},
		"a command first":    {`{"v":1,"type":"result","id":"x"}`, badVersion, "was no hello"},
		"no JSON":            {`hello`, badVersion, "was no hello"},
		"an array":           {`[]`, badVersion, "was no hello"},
		"control characters": {hello(func(h *wire.Hello) { h.Ext.Version = "1\n\x1b[31m" + strings.Repeat("x", 100) }), badVersion, `the extension is 1\n\x1b[31mx`},
		"nothing at all":     {"", tooLate, "no hello within"},
	} {
		t.Run(name, func(t *testing.T) {
			e := (&fixture{f.Bridge, t, f.dir, f.log}).dial()
			if c.first != "" {
				e.raw(c.first)
			}
			var u wire.Unauthorized
			e.read(&u)
			if u.Type != wire.TypeUnauthorized || u.Reason != c.reason || !strings.Contains(u.Message, c.message) {
				t.Errorf("%+v", u)
			}
			if code := e.closed(); code != wire.CloseRefused {
				t.Errorf("closed with %d", code)
			}
		})
	}
	if s := f.Status(); s.Ready || len(s.Events) == 0 {
		t.Errorf("%+v", s)
	}
	if strings.Contains(f.log.String(), f.token()) {
		t.Error("the token is in the log")
	}
	f.connect(nil)
}

func TestGuessingIsSlowedAndLoggedOnce(t *testing.T) {
	f := start(t, nil)
	begin := time.Now()
	for range 4 {
		e := f.dial()
		e.write(wire.Hello{Header: header(wire.TypeHello), Token: "guess", Ext: f.info()})
		if code := e.closed(); code != wire.CloseRefused {
			t.Errorf("closed with %d", code)
		}
	}
	if d := time.Since(begin); d < (50+100+200+400)*time.Millisecond {
		t.Errorf("four guesses took only %s", d)
	}
	if n := len(f.Status().Events); n != 1 {
		t.Errorf("%d events of one burst", n)
	}
	begin = time.Now()
	f.connect(nil)
	if d := time.Since(begin); d > 500*time.Millisecond { // the next guess would wait 800
		t.Errorf("the right token was slowed too: %s", d)
	}
}

func TestUnknownSocketsAreBounded(t *testing.T) {
	f := start(t, nil)
	for range maxUnknown {
		f.dial()
	}
	_, r, err := websocket.Dial(t.Context(), "ws://"+f.Addr(), nil)
	if err == nil || r == nil || r.StatusCode != http.StatusServiceUnavailable {
		t.Fatal(r, err)
	}
}

func TestHelloIsBounded(t *testing.T) {
	f := start(t, nil)
	e := f.dial()
	e.raw(`{"v":1,"type":"hello","token":"` + strings.Repeat("x", maxHello) + `"}`)
	e.closed()
	f.connect(nil)
}

func TestRotateDropsEverybody(t *testing.T) {
	f := start(t, nil)
	old := f.token()
	e := f.connect(nil)
	if err := f.Rotate(); err != nil {
		t.Fatal(err)
	}
	if code := e.closed(); code != closeRestart {
		t.Errorf("closed with %d", code)
	}
	if f.token() == old {
		t.Fatal("the same token")
	}
	late := f.dial()
	late.write(wire.Hello{Header: header(wire.TypeHello), Token: old, Ext: f.info()})
	if code := late.closed(); code != wire.CloseRefused {
		t.Errorf("the old token: %d", code)
	}
	f.connect(nil)
}

func TestRemovingTheHandshakeRevokes(t *testing.T) {
	f := start(t, nil)
	old := f.token()
	e := f.connect(nil)
	if _, err := f.store.Revoke(); err != nil {
		t.Fatal(err)
	}
	e.closed()
	until(t, "a new token", func() bool { return f.token() != old })
	f.connect(nil)
	if strings.Contains(f.log.String(), old) || strings.Contains(f.log.String(), f.token()) {
		t.Error("a token is in the log")
	}
}
