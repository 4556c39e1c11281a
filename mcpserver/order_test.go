package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

type stepArgs struct {
	page.TabArg
	N int `json:"n"`
}

// steps is a tool on a tab that notes when it runs.
type steps struct {
	mu   sync.Mutex
	ran  []string
	now  int
	most int
}

func (s *steps) tool() *tool {
	return onTab("step", policy.Act, "A step.", func(ctx context.Context, t *page.Tab, a stepArgs) (*page.Result, error) {
		s.mu.Lock()
		s.ran = append(s.ran, fmt.Sprintf("%s/%d", t.ID(), a.N))
		s.now++
		s.most = max(s.most, s.now)
		s.mu.Unlock()
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
		return &page.Result{Text: "done"}, ctx.Err()
	})
}

// Calls of one tab run in the order in which the client sent them, although the SDK
// starts each on a goroutine of its own; calls of different tabs run side by side.
func TestCallsOfATabRunInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s steps
		c := serve(t, newTestServer(t, testConfig(), s.tool()))
		c.initialize("2025-11-25")
		const n = 50
		for i := range n {
			for tab := range 3 {
				c.call(1000*tab+i, "step", fmt.Sprintf(`{"tabId":"ext:1:%d","n":%d}`, tab, i))
			}
		}
		for range 3 * n {
			if got, isError := text(c.next()); isError {
				t.Fatal(got)
			}
		}
		last := map[string]int{}
		for _, step := range s.ran {
			tab, number, _ := strings.Cut(step, "/")
			var i int
			fmt.Sscan(number, &i)
			if i != last[tab] {
				t.Fatalf("in tab %s number %d ran when %d was due", tab, i, last[tab])
			}
			last[tab]++
		}
		if s.most != 3 {
			t.Errorf("%d calls ran at once, wanted one a tab", s.most)
		}
		c.in.Close()
		c.ended()
	})
}

// A call that is refused or cancelled before its turn does not hold up those behind it.
func TestRefusedCallsDoNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s steps
		c := serve(t, newTestServer(t, testConfig(), s.tool()))
		c.initialize("2025-11-25")
		c.call(1, "step", `{"tabId":"ext:1:1","n":0}`)
		c.call(2, "step", `{"n":"many"}`)                                                       // bad arguments
		c.call(3, "nothing", `{}`)                                                              // no such tool
		c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":7}}`)            // refused by the SDK
		c.call(5, "step", `{"tabId":"ext:1:1","n":1}`)                                          // cancelled in the queue
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`) //
		c.call(6, "step", `{"tabId":"ext:1:1","n":2}`)
		for range 5 {
			c.next()
		}
		if got := fmt.Sprint(s.ran); got != "[ext:1:1/0 ext:1:1/2]" {
			t.Errorf("ran %s", got)
		}
		c.in.Close()
		c.ended()
	})
}

// While a call hangs in a tab, what answers dialogs gets through; the others wait.
func TestUnorderedCallsGetThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		hang := onTab("hang", policy.Act, "Hangs.", func(context.Context, *page.Tab, stepArgs) (*page.Result, error) {
			<-stuck
			return &page.Result{Text: "hang"}, nil
		})
		answer := onSession("answer", policy.Read, "Answers.", func(context.Context, *page.Session, stepArgs) (*page.Result, error) {
			close(stuck)
			return &page.Result{Text: "answer"}, nil
		}, unordered)
		var s steps
		c := serve(t, newTestServer(t, testConfig(), hang, answer, s.tool()))
		c.initialize("2025-11-25")
		c.call(1, "hang", `{"tabId":"ext:1:1"}`)
		c.call(2, "step", `{"tabId":"ext:1:1"}`)
		c.call(3, "step", `{"tabId":"ext:1:2"}`)
		if got, _ := text(c.next()); got != "done" {
			t.Errorf("another tab: %s", got)
		}
		c.call(4, "answer", `{}`)
		var order []string
		for range 3 {
			got, _ := text(c.next())
			order = append(order, got)
		}
		if fmt.Sprint(order) != "[answer hang done]" && fmt.Sprint(order) != "[hang answer done]" {
			t.Errorf("got %v", order)
		}
		c.in.Close()
		c.ended()
	})
}

// The gate judges what the tab shows when the call's turn comes.
func TestGateOnATab(t *testing.T) {
	var s steps
	cfg := testConfig()
	cfg.Policy.AllowDomains = []string{"elsewhere.example"}
	c := serve(t, newTestServer(t, cfg, s.tool()))
	c.initialize("2025-11-25")
	c.call(1, "step", `{"tabId":"ext:1:1"}`)
	if got, isError := text(c.next()); !isError || !strings.HasPrefix(got, "POLICY_DENIED: ") || !strings.Contains(got, "--allow-domain") {
		t.Errorf("got %s", got)
	}
	if len(s.ran) > 0 {
		t.Error("it ran")
	}
}

// A cancelled call ends the work in the browser.
func TestCancellationReachesTheBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		work := onTab("work", policy.Act, "Works.", func(ctx context.Context, tab *page.Tab, _ stepArgs) (*page.Result, error) {
			if caller := browser.CallerFrom(ctx); caller.Session != "S" || caller.Tool != "work" || caller.Title != "t · project" {
				t.Errorf("caller %+v", caller)
			}
			<-ctx.Done()
			cause = ctx.Err()
			return nil, cause
		})
		c := serve(t, newTestServer(t, testConfig(), work))
		c.initialize("2025-11-25")
		c.call(1, "work", `{"tabId":"ext:1:1"}`)
		synctest.Wait()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
		synctest.Wait()
		if cause != context.Canceled {
			t.Errorf("the handler saw %v", cause)
		}
		c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if m := c.next(); m["id"] != 2.0 {
			t.Errorf("got %v; a cancelled call must not be answered", m)
		}
		c.in.Close()
		c.ended()
	})
}

func TestAudit(t *testing.T) {
	dir := t.TempDir()
	var s steps
	cfg := testConfig()
	cfg.Audit = policy.NewAudit(dir, "S")
	cfg.Policy.Eval = false
	secret := onServer("secret", "Takes a secret.", func(context.Context, *session, struct {
		Text string `json:"text"`
	}) (*page.Result, error) {
		return &page.Result{Text: "ok", URL: "https://example.com/private?token=1"}, nil
	})
	c := serve(t, newTestServer(t, cfg, append(evalTools(), s.tool(), secret)...))
	c.initialize("2025-11-25")
	c.call(1, "step", `{"tabId":"ext:1:1"}`)
	c.next()
	c.call(2, "secret", `{"text":"hunter2"}`)
	c.next()
	c.call(3, "eval", `{"expression":"1"}`)
	c.next()
	c.call(4, "secret", `{"txt":1}`)
	c.next()
	c.in.Close()
	c.ended()
	cfg.Audit.Close()
	report, err := policy.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report)
	log := readAudit(t, dir)
	for i, want := range []string{
		`"client":"t","tool":"step","tab":"ext:1:1"`,
		`"origin":"https://example.com"`,
		`"tool":"eval","verdict":"deny","rule":"eval","outcome":"POLICY_DENIED"`,
		`"tool":"secret","verdict":"allow","outcome":"BAD_ARGS"`,
	} {
		if i >= len(log) || !strings.Contains(log[i], want) {
			t.Errorf("line %d has no %s:\n%s", i+1, want, strings.Join(log, "\n"))
		}
	}
	if all := strings.Join(log, ""); strings.Contains(all, "hunter2") || strings.Contains(all, "token=1") {
		t.Error("the log holds what it must not")
	}
}
