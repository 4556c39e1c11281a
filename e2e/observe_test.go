package e2e

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() {
	toolTests["console_logs"] = func(t *testing.T, s *server) {
		s.open(t, `<script>console.warn('care' + 'ful', {a: 1}); setTimeout(() => { throw new Error('loose') })</script>
			<iframe src="{alt}/html?<script>console.log('in the frame')</script>"></iframe>`)
		s.wantEventually(t, "console_logs", nil, "warning careful {a: 1}", "Uncaught Error: loose", "in the frame")
		r := s.call(t, "console_logs", args{"level": "error"})
		if strings.Contains(r.text, "careful") {
			t.Errorf("errors are\n%s", r.text)
		}
		s.call(t, "eval", args{"expression": "for (let i = 0; i < 10000; i++) console.log('line', i)"})
		s.wantEventually(t, "console_logs", args{"limit": 10}, "line 9999", "older entries were dropped")
	}
	toolTests["network_log"] = func(t *testing.T, s *server) {
		s.open(t, `<script>fetch('/json?token=URLTOK' + 'EN-991', {headers: {Authorization: 'Bearer HEADTOK' + 'EN-882'}}).then(r => r.json())</script>
			<iframe src="{alt}/html?<script>fetch('/poll')</script>"></iframe>`)
		r := s.wantEventually(t, "network_log", nil, "/json?token=[masked] (fetch) application/json", "/poll (fetch)")
		requests, _ := r.data["requests"].([]any)
		for _, q := range requests {
			if q := q.(map[string]any); strings.Contains(str(q["url"]), "/json") {
				one := s.wantEventually(t, "network_log", args{"id": q["id"]}, "authorization: Bearer [masked]", `"api_key":"[masked]"`)
				r.text += one.text
			}
		}
		for _, secret := range []string{"URLTOKEN-991", "HEADTOKEN-882", "SETCOOKIE-345", "BODYTOKEN-664"} {
			if strings.Contains(r.text, secret) {
				t.Errorf("%s is shown", secret)
			}
		}
		eventually(t, "the frame's document has been read", func() bool {
			return !strings.Contains(s.call(t, "network_log", nil).text, "not read to its end")
		})
		file := str(s.call(t, "network_log", args{"har": true}).data["file"])
		if raw, err := os.ReadFile(file); err != nil || !json.Valid(raw) {
			t.Errorf("%s: %v", file, err)
		}
	}
	toolTests["batch"] = func(t *testing.T, s *server) {
		tab := s.open(t, `<input id=a><button onclick="document.title = a.value">Go</button>`)
		answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "batch", Arguments: args{"ops": []args{
			{"tool": "type", "args": args{"selector": "#a", "text": "batched"}},
			{"tool": "click", "args": args{"selector": "button"}},
			{"tool": "eval", "args": args{"expression": "document.title"}},
			{"tool": "screenshot", "args": args{}},
			{"tool": "click", "args": args{"ref": "e99999"}},
			{"tool": "click", "args": args{"selector": "button"}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		pictures := 0
		for _, c := range answer.Content {
			switch c := c.(type) {
			case *mcp.TextContent:
				texts = append(texts, c.Text)
			case *mcp.ImageContent:
				pictures++
			}
		}
		if len(texts) != 6 || pictures != 1 || !strings.Contains(texts[2], "batched") || !strings.Contains(texts[4], "click: error\nREF_EXPIRED") || !strings.Contains(texts[5], "not run, because op 4 failed") {
			t.Errorf("%d pictures, %q", pictures, texts)
		}
		s.refuse(t, "batch", args{"mode": "parallel", "ops": []args{{"tool": "get_text", "args": args{"tabId": tab}}, {"tool": "get_text"}}}, "BAD_ARGS", "nothing was run", "tabId")
	}
}

// wantEventually calls a tool until its text has all the words: what a page does tells
// of itself a little later.
func (s *server) wantEventually(t testing.TB, tool string, a args, words ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for {
		r := s.call(t, tool, a)
		missing := ""
		for _, w := range words {
			if !strings.Contains(r.text, w) {
				missing = w
			}
		}
		if missing == "" || ctx.Err() != nil {
			if missing != "" {
				t.Errorf("%s %v does not say %q:\n%s", tool, a, missing, r.text)
			}
			return r
		}
		wait(ctx, 50*time.Millisecond)
	}
}

// TestRedact starts a server that masks, and one pattern more.
func TestRedact(t *testing.T) {
	token := "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"
	s := paired(t, false).serve(t, append(allowAll(), "--redact", "--redact-pattern", `ACME-\d+`)...)
	s.open(t, `<title>Keys</title><script>document.write('<button>gh' + 'p_16C7e42F292c6912E7710c838347Ae178B4a</button><p>ACME' + '-12 and 550e8400-e29b-41d4-a716-446655440000</p>')</script>`)
	for _, tool := range []string{"get_text", "snapshot", "find", "get_html", "eval"} {
		r := s.call(t, tool, map[string]args{"find": {"text": "gh"}, "eval": {"expression": "document.body.innerText"}}[tool])
		if strings.Contains(r.text, token) || strings.Contains(r.text, "ACME-12") || !strings.Contains(r.text, "[masked]") {
			t.Errorf("%s shows\n%s", tool, r.text)
		}
	}
	if r := s.call(t, "get_text", nil); !strings.Contains(r.text, "550e8400-e29b-41d4-a716-446655440000") {
		t.Errorf("a UUID is masked:\n%s", r.text)
	}
}

// TestWorkers holds that what a page's workers log and ask for is told as the page's own,
// from their first line on, and that of a frame which is not allowed is not told.
func TestWorkers(t *testing.T) {
	onBackends(t, func(t *testing.T, s *server) {
		inner := url.QueryEscape(`console.log('of a worker of a worker')`)
		code := url.QueryEscape(`console.warn('first line', {a: 1}); fetch('/json?hop=worker').then(r => r.json()).then(v => console.log('it got', v.hop));
			new Worker('/script?code=` + inner + `'); setTimeout(() => { throw new RangeError('in the worker') })`)
		s.open(t, `<script>new Worker('/script?code=`+code+`'); new Worker(URL.createObjectURL(new Blob(["console.log('of a' + ' blob')"])))</script>`)
		r := s.wantEventually(t, "console_logs", nil, "warning first line {a: 1}", "it got worker", "Uncaught RangeError: in the worker", "of a worker of a worker", "log of a blob")
		if n := strings.Count(r.text, "in the worker"); n != 1 {
			t.Errorf("the error is told %d times:\n%s", n, r.text)
		}
		r = s.wantEventually(t, "network_log", nil, "/json?hop=worker (fetch)")
		requests, _ := r.data["requests"].([]any)
		for _, q := range requests {
			if q := q.(map[string]any); strings.Contains(str(q["url"]), "/json") {
				s.wantEventually(t, "network_log", args{"id": q["id"]}, `"hop":"worker"`)
			}
		}
		if r := s.call(t, "network_log", args{"includeResources": true}); strings.Contains(r.text, "pending") {
			t.Errorf("the workers' scripts never come:\n%s", r.text)
		}
		s.call(t, "eval", args{"expression": `new Worker('/script?code=' + encodeURIComponent("console.log('of a later one')")), 1`})
		s.wantEventually(t, "console_logs", nil, "of a later one")
	})
}

// TestWorkersOfDeniedFrames has a frame of another site start a worker. Where that site is
// not allowed, nothing of it is told.
func TestWorkersOfDeniedFrames(t *testing.T) {
	test := func(t *testing.T, s *server, told bool) {
		before := rig.site.hits.Load()
		s.open(t, `<script>console.log('of the page')</script>
			<iframe src="{alt}/html?<script>new Worker(URL.createObjectURL(new Blob(['console.log(`+"`of the frame`); fetch(`{alt}/hit`"+`)'])))</script>"></iframe>`)
		s.wantEventually(t, "console_logs", nil, "of the page")
		eventually(t, "the worker has run", func() bool { return rig.site.hits.Load() > before })
		if told {
			s.wantEventually(t, "console_logs", nil, "of the frame")
			s.wantEventually(t, "network_log", nil, "/hit")
			return
		}
		for _, tool := range []string{"console_logs", "network_log"} {
			if r := s.call(t, tool, nil); strings.Contains(r.text, "of the frame") || strings.Contains(r.text, "/hit (fetch)") {
				t.Errorf("%s shows\n%s", tool, r.text)
			}
		}
	}
	for name, hosts := range map[string][]string{"allowed": {"127.0.0.1", "localhost"}, "denied": {"127.0.0.1"}} {
		t.Run(name, func(t *testing.T) {
			t.Run("extension", func(t *testing.T) { test(t, paired(t, false).serve(t, allowHosts(hosts...)...), len(hosts) > 1) })
			t.Run("cdp", func(t *testing.T) { test(t, cdpSeat(t).connect(t, hosts), len(hosts) > 1) })
		})
	}
}
