package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// tabArgs are those of a test's tool that works on a tab.
type tabArgs struct {
	TabID browser.TabID `json:"tabId,omitempty"`
	Say   string        `json:"say,omitempty"`
	Fail  bool          `json:"fail,omitempty"`
}

// opTools are tools to put into batches: say repeats its words, act needs a switch, and
// look returns a picture. ran notes what ran, in order.
type opTools struct {
	mu  sync.Mutex
	ran []string
}

func (o *opTools) rows() []*tool {
	say := func(name string, access policy.Access) *tool {
		return onSession(name, access, "A test's tool.", func(_ context.Context, _ *page.Session, a tabArgs) (*page.Result, error) {
			o.mu.Lock()
			o.ran = append(o.ran, a.Say)
			o.mu.Unlock()
			if a.Fail {
				return nil, browser.Errorf(browser.Timeout, "%s took too long", a.Say)
			}
			return &page.Result{Page: a.Say, Origin: "https://example.com", URL: "https://example.com/", Data: map[string]any{"said": a.Say}}, nil
		})
	}
	return []*tool{say("say", policy.Read), say("act", policy.Act), row("status", says(page.Result{Text: "fine"})),
		row("look", says(page.Result{Text: "seen", Images: []browser.Image{{Data: make([]byte, 6000), MIME: "image/png"}}})), batchTool()}
}

// batchAnswer is a batch's answer as a client gets it.
type batchAnswer struct {
	Content []struct{ Type, Text string }
	IsError bool
	Meta    map[string]struct {
		Results []opData
	} `json:"_meta"`
}

func (b batchAnswer) texts() (list []string) {
	for _, c := range b.Content {
		if c.Type == "text" {
			list = append(list, c.Text)
		}
	}
	return list
}

func callBatch(t *testing.T, cfg Config, o *opTools, args string) batchAnswer {
	t.Helper()
	c := serve(t, newTestServer(t, cfg, o.rows()...))
	c.initialize("2025-11-25")
	c.call(1, "batch", args)
	line, _ := c.nextLine()
	var m struct{ Result batchAnswer }
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	return m.Result
}

func TestBatchAnswersInOrder(t *testing.T) {
	o := &opTools{}
	got := callBatch(t, testConfig(), o, `{"ops":[{"tool":"say","args":{"say":"one"}},{"tool":"look"},{"tool":"status"},{"tool":"say","args":"{\"say\":\"two\"}"}]}`)
	var kinds []string
	for _, c := range got.Content {
		kinds = append(kinds, c.Type)
	}
	if want := "text text image text text"; strings.Join(kinds, " ") != want {
		t.Errorf("blocks are %v, want %s", kinds, want)
	}
	for i, want := range []string{"op 0 of 4, say: ok\n[page ", "op 1 of 4, look: ok\nseen", "op 2 of 4, status: ok\nfine", "op 3 of 4, say: ok"} {
		if text := got.texts()[i]; !strings.HasPrefix(text, want) {
			t.Errorf("text %d is %q, want %q…", i, text, want)
		}
	}
	results := got.Meta["chrome-mcp/data"].Results
	if len(results) != 4 || !results[3].OK || string(results[3].Data) != `{"said":"two"}` {
		t.Errorf("the data is %+v", results)
	}
	if got.IsError {
		t.Error("it is an error")
	}
}

func TestBatchStops(t *testing.T) {
	for _, tt := range []struct{ args, ran string }{
		{`"stopOnError":true`, "a b"},
		{`"mode":"serial"`, "a b"},
		{`"stopOnError":false`, "a b c"},
	} {
		o := &opTools{}
		got := callBatch(t, testConfig(), o, `{"ops":[{"tool":"say","args":{"say":"a"}},{"tool":"say","args":{"say":"b","fail":true}},{"tool":"say","args":{"say":"c"}}],`+tt.args+`}`)
		if ran := strings.Join(o.ran, " "); ran != tt.ran {
			t.Errorf("%s: %s ran, want %s", tt.args, ran, tt.ran)
		}
		texts := got.texts()
		if len(texts) != 3 || !strings.Contains(texts[1], "say: error\nTIMEOUT: b took too long") {
			t.Errorf("%s: %q", tt.args, texts)
		}
		if strings.Contains(tt.ran, "c") == strings.Contains(texts[2], "not run, because op 1 failed") {
			t.Errorf("%s: %q", tt.args, texts[2])
		}
	}
}

func TestBatchIsCheckedBeforeItRuns(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`{"ops":[]}`, "from 1 to 200"},
		{`{}`, `"ops" is missing`},
		{`{"ops":[{"tool":"say"},{"tool":"batch","args":{"ops":[]}}]}`, "ops[1] batch: a batch takes no batch"},
		{`{"ops":[{"tool":"say"},{"tool":"sayy"}]}`, `ops[1] sayy: unknown tool; did you mean "say"?`},
		{`{"ops":[{"tool":"say","args":{"sayy":"x"}}]}`, `ops[0] say: unknown argument "sayy": did you mean "say"?`},
		{`{"mode":"parallel","ops":[{"tool":"say","args":{"tabId":"ext:1:1"}},{"tool":"say"}]}`, "ops[1] say: in parallel mode it must name its tab; give tabId"},
		{`{"ops":[{"name":"say"}]}`, `unknown argument "name" in ops[0]`},
	} {
		o := &opTools{}
		got := callBatch(t, testConfig(), o, tt.args)
		if text := strings.Join(got.texts(), "\n"); !got.IsError || !strings.HasPrefix(text, "BAD_ARGS: ") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %q, want %q", tt.args, text, tt.want)
		}
		if o.ran != nil {
			t.Errorf("%s: %v ran", tt.args, o.ran)
		}
	}
}

func TestBatchIsGatedAndAudited(t *testing.T) {
	cfg, dir := testConfig(), t.TempDir()
	cfg.Policy.Mutations = false
	cfg.Audit = policy.NewAudit(dir, "S")
	o := &opTools{}
	got := callBatch(t, cfg, o, `{"stopOnError":false,"ops":[{"tool":"act","args":{"say":"a"}},{"tool":"say","args":{"say":"b"}}]}`)
	if texts := got.texts(); !strings.Contains(texts[0], "POLICY_DENIED: act is switched off") || !strings.Contains(texts[1], "say: ok") {
		t.Errorf("got %q", texts)
	}
	lines := readAudit(t, dir)
	for i, want := range []string{`"tool":"act","verdict":"deny"`, `"tool":"say"`, `"tool":"batch"`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d of the audit is not about %s: %v", i, want, lines)
		}
	}
}

func TestBatchInParallelKeepsTheOrderOfATab(t *testing.T) {
	o := &opTools{}
	var ops []string
	for i := range 50 {
		ops = append(ops, fmt.Sprintf(`{"tool":"say","args":{"tabId":"ext:1:%d","say":"%d"}}`, i%10, i))
	}
	got := callBatch(t, testConfig(), o, `{"mode":"parallel","ops":[`+strings.Join(ops, ",")+`]}`)
	if len(got.texts()) != 50 || len(o.ran) != 50 {
		t.Fatalf("%d texts, %d ran", len(got.texts()), len(o.ran))
	}
	last := map[int]int{}
	for _, ran := range o.ran {
		var n int
		_, _ = fmt.Sscan(ran, &n)
		if before, ok := last[n%10]; ok && before > n {
			t.Errorf("in tab %d op %d ran before %d", n%10, before, n)
		}
		last[n%10] = n
	}
	for i, text := range got.texts() {
		if !strings.Contains(text, fmt.Sprintf("]\n%d\n[/page", i)) {
			t.Errorf("text %d is %q", i, text)
		}
	}
}

func TestBatchFitsIntoItsBytes(t *testing.T) {
	o := &opTools{}
	big := strings.Repeat("wörd ", 6000)
	var ops []string
	for range 8 {
		ops = append(ops, fmt.Sprintf(`{"tool":"say","args":{"say":%q}}`, big))
	}
	ops = append(ops, `{"tool":"say","args":{"say":"short"}}`, `{"tool":"look"}`, `{"tool":"look"}`)
	got := callBatch(t, testConfig(), o, `{"maxResultBytes":20000,"ops":[`+strings.Join(ops, ",")+`]}`)
	total := 0
	for _, text := range got.texts() {
		total += len(text)
	}
	if total > 20_000 {
		t.Errorf("the texts have %d bytes", total)
	}
	texts := got.texts()
	if !strings.Contains(texts[0], "\n[/page ") || !strings.Contains(texts[0], "[cut: ") {
		t.Errorf("the cut text is not whole: …%q", texts[0][len(texts[0])-100:])
	}
	if !strings.Contains(texts[8], "short") || !strings.Contains(texts[10], "[1 pictures left out") || strings.Contains(texts[9], "left out") {
		t.Errorf("got %q", texts[8:])
	}
}

// Whatever the texts are made of, they have no more bytes than was asked for.
func TestLargeBatch(t *testing.T) {
	for name, text := range map[string]string{
		"plain": strings.Repeat("plain words ", 800), "wide at the end": strings.Repeat("a", 4000) + strings.Repeat("🏝", 2000),
		"wide at the start": strings.Repeat("🏝", 2000) + strings.Repeat("a", 4000), "hidden": strings.Repeat("a\u202e", 4000),
	} {
		for _, tt := range []struct{ ops, limit int }{{20, 150_000}, {3, 10_000}, {60, 36_000}, {7, 49_999}} {
			var ops []string
			for range tt.ops {
				ops = append(ops, fmt.Sprintf(`{"tool":"say","args":{"say":%q}}`, text))
			}
			got := callBatch(t, testConfig(), &opTools{}, fmt.Sprintf(`{"maxResultBytes":%d,"ops":[%s]}`, tt.limit, strings.Join(ops, ",")))
			total := 0
			for _, text := range got.texts() {
				total += len(text)
				if !strings.Contains(text, "\n[/page ") {
					t.Fatalf("%s: a text is not whole: %q", name, text)
				}
			}
			if total > tt.limit || total < tt.limit/2 {
				t.Errorf("%s: %d ops have %d bytes of %d", name, tt.ops, total, tt.limit)
			}
		}
	}
}

func TestFair(t *testing.T) {
	for _, tt := range []struct {
		sizes []int
		room  int
		most  int
	}{
		{[]int{100, 10_000, 10_000}, 10_100, 5000},
		{[]int{10_000, 10_000}, 10, minOpText},
		{[]int{100, 200}, 1000, 900},
	} {
		if got := fair(tt.sizes, tt.room); got != tt.most {
			t.Errorf("fair(%v, %d) is %d, want %d", tt.sizes, tt.room, got, tt.most)
		}
	}
}

func TestRedact(t *testing.T) {
	secret := "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"
	rows := []*tool{
		onSession("say", policy.Read, "A test's tool.", func(context.Context, *page.Session, noArgs) (*page.Result, error) {
			return &page.Result{Text: "it says " + secret, Page: strings.Repeat("x", maxResultText-20) + " " + secret, Data: map[string]any{"token": "abc", "n": 1}}, nil
		}),
		onSession("fail", policy.Read, "A test's tool.", func(context.Context, *page.Session, noArgs) (*page.Result, error) {
			return nil, browser.Errorf(browser.Ambiguous, "two match: %q and ACME-77", secret)
		}),
	}
	for _, tt := range []struct {
		change func(*policy.Policy)
		tool   string
		want   []string
		never  []string
	}{
		{func(p *policy.Policy) {}, "fail", []string{secret, "ACME-77"}, []string{"[masked]"}},
		{func(p *policy.Policy) { p.Redact = true }, "fail", []string{"[masked]", "ACME-77"}, []string{secret}},
		{func(p *policy.Policy) { p.RedactPatterns = []string{`ACME-\d+`} }, "fail", []string{"[masked]"}, []string{secret, "ACME-77"}},
		{func(p *policy.Policy) { p.Redact = true }, "say", []string{"it says [masked]", `\"token\":\"[masked]\"`}, []string{secret[:8]}},
	} {
		cfg, dir := testConfig(), t.TempDir()
		tt.change(&cfg.Policy)
		cfg.Audit = policy.NewAudit(dir, "S")
		c := serve(t, newTestServer(t, cfg, rows...))
		c.initialize("2025-11-25")
		c.call(1, tt.tool, `{}`)
		line, _ := c.nextLine()
		got := strings.ReplaceAll(string(line), `"token":"[masked]"`, `\"token\":\"[masked]\"`)
		for _, w := range tt.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s does not say %s: %.300s", tt.tool, w, got)
			}
		}
		for _, w := range tt.never {
			if strings.Contains(got, w) {
				t.Errorf("%s says %s", tt.tool, w)
			}
		}
		if audit := readAudit(t, dir)[0]; strings.Contains(audit, `"redactions":`) != (tt.never[0] != "[masked]") {
			t.Errorf("the audit says %s", audit)
		}
	}
	cfg := testConfig()
	cfg.Policy.RedactPatterns = []string{"("}
	if _, err := New(cfg); err == nil {
		t.Error("a broken pattern was taken")
	}
}

func TestBatchSaysWhatWasNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := row("slow", func(ctx context.Context, _ *session) (*page.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		srv := newTestServer(t, testConfig(), slow, row("quick", says(page.Result{Text: "done"})), batchTool())
		s := newSession(srv, "test", t.Context(), nil)
		done := int64(0)
		c := &call{row: srv.tools.byName["batch"], progress: func(n, _ int64) { done = n },
			raw: json.RawMessage(`{"stopOnError":false,"ops":[{"tool":"quick"},{"tool":"slow"},{"tool":"quick"}]}`)}
		res := s.perform(t.Context(), c).build()
		var texts []string
		for _, c := range res.Content {
			texts = append(texts, c.(*mcp.TextContent).Text)
		}
		if len(texts) != 3 || !strings.Contains(texts[0], "ok\ndone") || !strings.Contains(texts[1], "error\nTIMEOUT: no answer within 2m30s") ||
			!strings.Contains(texts[2], "not run, because no answer within 2m30s") {
			t.Errorf("got %q", texts)
		}
		if done != 2 || res.IsError {
			t.Errorf("%d are done, error %v", done, res.IsError)
		}
	})
}
