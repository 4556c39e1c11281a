package e2e

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBatchOfManyTabs runs 50 ops over ten tabs side by side; those of one tab keep
// their order.
func TestBatchOfManyTabs(t *testing.T) {
	s := paired(t, false).serve(t)
	var tabs []string
	for i := range 10 {
		tabs = append(tabs, s.open(t, fmt.Sprintf("<title>Tab %d</title><input><p>%s</p>", i, strings.Repeat("words ", 2000))))
	}
	var ops []args
	for i := range 50 {
		op := args{"tool": "get_text", "args": args{"tabId": tabs[i%10]}}
		if i%10 == 3 {
			op = args{"tool": "type", "args": args{"tabId": tabs[3], "selector": "input", "text": fmt.Sprint(i / 10)}}
		}
		ops = append(ops, op)
	}
	r := s.call(t, "batch", args{"mode": "parallel", "ops": ops})
	results, _ := r.data["results"].([]any)
	for i, one := range results {
		if one.(map[string]any)["ok"] != true {
			t.Errorf("op %d: %v", i, one)
		}
	}
	if len(results) != 50 || len(r.text) > 1_000_000 {
		t.Errorf("%d results, %d bytes", len(results), len(r.text))
	}
	s.call(t, "tab_select", args{"tabId": tabs[3]})
	s.wantValue(t, "document.querySelector('input').value", "01234")
}

// benchBatch compares reading ten tabs in one batch with reading one.
func benchBatch(b *testing.B, s *lean) {
	var ops []args
	for range 10 {
		ops = append(ops, args{"tool": "get_text", "args": args{"tabId": s.tab(b, "/article")}})
	}
	read := func(n int) time.Duration {
		begin := time.Now()
		err := s.call("batch", args{"mode": "parallel", "maxConcurrency": 10, "ops": ops[:n]})
		took := time.Since(begin)
		if err != nil || len(s.last) < n*29_000 {
			b.Fatalf("a batch of %d says only %.2000s %v", n, s.last, err)
		}
		return took
	}
	var one, ten []time.Duration
	for range rounds {
		one, ten = append(one, read(1)), append(ten, read(10))
	}
	slices.Sort(one)
	slices.Sort(ten)
	p50, p95 := rounds/2, rounds*95/100
	ratio := float64(ten[p50]) / float64(one[p50])
	fmt.Printf("%-28s %9.2f %9.2f\n", "batch, reads 1 tab", ms(one[p50]), ms(one[p95]))
	fmt.Printf("%-28s %9.2f %9.2f %9s  %.1f times as long as one, at most 2.5; %d cores\n", "batch, reads 10 tabs", ms(ten[p50]), ms(ten[p95]), "", ratio, runtime.NumCPU())
	if ratio > 2.5 {
		b.Errorf("reading ten tabs takes %.1f times as long as reading one, at most 2.5", ratio)
	}
	for _, op := range ops {
		if err := s.call("tab_close", op["args"].(args)); err != nil {
			b.Error(err)
		}
	}
	_ = s.in.Close()
}

// member is a part of a line of JSON.
func member(t testing.TB, line string, path ...string) any {
	var at any
	if err := json.Unmarshal([]byte(line), &at); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		m, ok := at.(map[string]any)
		if !ok {
			t.Fatalf("no %s in %.500s", name, line)
		}
		at = m[name]
	}
	return at
}
