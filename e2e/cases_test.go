package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"chrome-mcp/internal/browser"
)

// fieldCase is one fault from the field and its right outcome; testdata/cases/README.md
// describes the form.
type fieldCase struct {
	ID       string `json:"id"`
	Symptom  string `json:"symptom"`
	Category string `json:"category"`
	Kind     string `json:"kind"`
	File     string `json:"file"`
	Launch   struct {
		DeviceScaleFactor float64 `json:"deviceScaleFactor"`
	} `json:"launch"`
	Policy *struct {
		Allow []string `json:"allow"`
	} `json:"policy"`
	Steps  []step `json:"steps"`
	Expect struct {
		Description string `json:"description"`
		Check       check  `json:"check"`
	} `json:"expect"`
}

// check says when a case is right. All parts must hold, but those of Soft.
type check struct {
	Page   string `json:"page"`
	Result string `json:"result"`
	Mid    []struct {
		After int    `json:"after"`
		Page  string `json:"page"`
	} `json:"mid"`
	PDF *pdfCheck `json:"pdf"`
}

// caseTime bounds one case.
const caseTime = 90 * time.Second

// TestCases runs the cases of CASES_DIR through CASES_BACKEND and counts them.
func TestCases(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(casesDir(), "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []fieldCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	seat := newSeat(t)
	n := &count{byCategory: map[string]*tally{}}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			done := n.begin(t, c)
			defer done()
			t.Log(c.Symptom)
			if c.Kind == "input" {
				n.pending(c, runInput(t, c))
				return
			}
			n.pending(c, seat.runPage(t, c))
		})
	}
	fmt.Print(n.report(seat.name))
}

// count counts outcomes.
type count struct {
	all        tally
	byCategory map[string]*tally
	waiting    []string
	isPending  map[string]bool
}

type tally struct{ passed, failed, pending, total int }

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d pending of %d", t.passed, t.failed, t.pending, t.total)
}

func (n *count) begin(t *testing.T, c fieldCase) (done func()) {
	if n.byCategory[c.Category] == nil {
		n.byCategory[c.Category] = &tally{}
	}
	return func() {
		for _, sum := range []*tally{&n.all, n.byCategory[c.Category]} {
			sum.total++
			switch {
			case t.Failed():
				sum.failed++
			case n.isPending[c.ID]:
				sum.pending++
			default:
				sum.passed++
			}
		}
	}
}

// pending notes that a case cannot be decided before something is built. why is empty
// for a case that was.
func (n *count) pending(c fieldCase, why string) {
	if why == "" {
		return
	}
	if n.isPending == nil {
		n.isPending = map[string]bool{}
	}
	n.isPending[c.ID] = true
	n.waiting = append(n.waiting, fmt.Sprintf("pending %s (%s)", c.ID, why))
}

func (n *count) report(backend string) string {
	var b strings.Builder
	names := make([]string, 0, len(n.byCategory))
	for name := range n.byCategory {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "cases %s %s: %v\n", backend, name, n.byCategory[name])
	}
	for _, w := range n.waiting {
		fmt.Fprintln(&b, w)
	}
	fmt.Fprintf(&b, "cases %s: %v\n", backend, n.all)
	return b.String()
}

// seat is where the page cases run: a backend, and a hand in the same browser that
// evaluates the checks independently of our tools.
type seat struct {
	name    string
	browser *chrome
	connect func(t *testing.T, hosts []string) *server
}

func newSeat(t *testing.T) *seat {
	switch name := os.Getenv("CASES_BACKEND"); name {
	case "", "extension":
		c := paired(t, false)
		return &seat{name: "extension", browser: c, connect: func(t *testing.T, hosts []string) *server {
			return c.serve(t, allowHosts(hosts...)...)
		}}
	case "cdp":
		return cdpSeat(t)
	default:
		t.Fatalf("CASES_BACKEND is %q; set extension or cdp", name)
		return nil
	}
}

// run is one page case under way.
type run struct {
	t       *testing.T
	c       fieldCase
	seat    *seat
	server  *server
	first   browser.Tab // the tests' hand on the first tab
	firstID string      // the same in the words of tabs_list
	results []result
}

// runPage plays a page case. It returns why the case cannot be decided, if so.
func (s *seat) runPage(t *testing.T, c fieldCase) (pending string) {
	hosts := []string{"127.0.0.1", "localhost"}
	if c.Policy != nil {
		hosts = c.Policy.Allow
	}
	r := &run{t: t, c: c, seat: s, server: s.connect(t, hosts)}
	if missing := r.missingTools(); missing != "" {
		return missing + " is not built"
	}
	ctx, cancel := context.WithTimeout(t.Context(), caseTime)
	defer cancel()
	r.openFirst(ctx)
	for i, st := range c.Steps {
		res := r.step(ctx, st)
		r.results = append(r.results, res)
		t.Logf("step %d %s: %v, failed %v\n%s", i, st.Tool, res.took.Round(time.Millisecond), res.failed, clip(res.text))
		for _, mid := range c.Expect.Check.Mid {
			if mid.After == i {
				r.checkPage(ctx, mid.Page)
			}
		}
	}
	r.judge(ctx)
	return ""
}

// openFirst opens the tab that the case plays in and finds it from the other side.
func (r *run) openFirst(ctx context.Context) {
	r.t.Helper()
	before, err := r.seat.browser.Tabs(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	opened := r.server.call(r.t, "tab_new", nil)
	r.firstID, _ = opened.data["tabId"].(string)
	after, err := r.seat.browser.Tabs(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, tab := range after {
		if !slices.ContainsFunc(before, func(b browser.TabInfo) bool { return b.ID == tab.ID }) {
			if r.first, err = r.seat.browser.Tab(tab.ID); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	if r.first == nil || r.firstID == "" {
		r.t.Fatalf("tab_new opened no tab that can be found: %s", opened.text)
	}
	r.t.Cleanup(func() { r.server.do(context.Background(), "tab_close", args{"tabId": r.firstID}) })
	if f := r.c.Launch.DeviceScaleFactor; f != 0 {
		metrics := args{"width": 0, "height": 0, "deviceScaleFactor": f, "mobile": false}
		if err := r.first.Call(ctx, "", "Emulation.setDeviceMetricsOverride", metrics, nil); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *run) missingTools() string {
	var missing []string
	for _, st := range r.c.Steps {
		name := toolOf(st.Tool)
		if _, ok := r.server.tools[name]; !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return strings.Join(missing, ", ")
}

// judge evaluates the checks.
func (r *run) judge(ctx context.Context) {
	r.t.Helper()
	c := r.c.Expect.Check
	if c.Page != "" {
		r.checkPage(ctx, c.Page)
	}
	if c.PDF != nil {
		c.PDF.judge(r.t, r.results[len(r.results)-1])
	}
	if c.Result == "" {
		return
	}
	var value any
	_ = r.pageEval(ctx, `window.__result`, &value)
	texts, failed, times := []string{}, []bool{}, []float64{}
	for _, res := range r.results {
		texts, failed = append(texts, res.text), append(failed, res.failed)
		times = append(times, float64(res.took)/float64(time.Millisecond))
	}
	given, err := json.Marshal([]any{texts, failed, times, value})
	if err != nil {
		r.t.Fatal(err)
	}
	var ok bool
	expression := fmt.Sprintf(`(([R, E, T, P]) => { const r = R.at(-1); return !!(%s) })(%s)`, c.Result, given)
	if err := r.seat.blank(ctx, expression, &ok); err != nil {
		r.t.Fatalf("check.result %s: %v", c.Result, err)
	}
	if !ok {
		r.t.Errorf("%s\ncheck.result is false: %s\n__result is %v, errors %v, ms %.0f", r.c.Expect.Description, c.Result, value, failed, times)
	}
}

// settle is how long a page may take to show what an action did to it.
const settle = time.Second

// checkPage wants the expression to become true in the first tab.
func (r *run) checkPage(ctx context.Context, expression string) {
	r.t.Helper()
	var ok bool
	for end := time.Now().Add(settle); ; wait(ctx, 20*time.Millisecond) {
		err := r.pageEval(ctx, `!!(`+expression+`)`, &ok)
		if ok || time.Now().After(end) {
			if err != nil {
				r.t.Errorf("check.page %s: %v", expression, err)
				return
			}
			break
		}
	}
	if !ok {
		var value any
		_ = r.pageEval(ctx, `window.__result`, &value)
		r.t.Errorf("%s\ncheck.page is false: %s\n__result is %v", r.c.Expect.Description, expression, value)
	}
}

func (r *run) pageEval(ctx context.Context, expression string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return r.seat.browser.eval(ctx, r.first, expression, into)
}

// blank evaluates an expression in a page of nobody's.
func (s *seat) blank(ctx context.Context, expression string, into any) error {
	info, err := s.browser.Open(ctx, browser.OpenOptions{})
	if err != nil {
		return err
	}
	defer s.browser.Close(context.WithoutCancel(ctx), info.ID)
	tab, err := s.browser.Tab(info.ID)
	if err != nil {
		return err
	}
	return s.browser.eval(ctx, tab, expression, into)
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return s
}
