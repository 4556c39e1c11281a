package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// play goes through one site whose steps are a look and a click, with a person who types
// these lines, and returns the calls that reached the server.
func play(t *testing.T, changing bool, typed string) (calls []string, c *check, said string, err error) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "chrome-mcp", Version: "1"}, nil)
	for _, name := range []string{"tabs_list", "chrome_status", "navigate", "auth_check", "snapshot", "read_as_markdown", "screenshot", "find", "click", "tab_close"} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: schemaOf(name)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			calls = append(calls, name+string(r.Params.Arguments))
			return reply(name), nil
		})
	}
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "hitl", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var out bytes.Buffer
	c = &check{person: person{bufio.NewReader(strings.NewReader(typed)), &out}, client: client, changing: changing, dir: t.TempDir()}
	err = c.all(t.Context(), []site{{Name: "Shop", URL: "https://a.test/", Steps: []step{
		{Tool: "find", Args: map[string]any{"text": "tea", "tabId": "somebody's"}},
		{Tool: "click", Args: map[string]any{"ref": "e1"}},
	}}})
	if ferr := c.finish(); err == nil {
		err = ferr
	}
	return calls, c, out.String(), err
}

func schemaOf(tool string) map[string]any {
	properties := map[string]any{}
	if tool != "chrome_status" {
		properties["tabId"] = map[string]any{"type": "string"}
	}
	return map[string]any{"type": "object", "properties": properties}
}

func reply(tool string) *mcp.CallToolResult {
	r := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: tool + " answers"}}}
	switch tool {
	case "chrome_status":
		r.StructuredContent = map[string]any{"ready": true}
	case "navigate":
		r.StructuredContent = map[string]any{"tabId": "ext:1:7"}
	case "screenshot":
		r.Content = append(r.Content, &mcp.ImageContent{Data: []byte("picture"), MIMEType: "image/jpeg"})
	}
	return r
}

func clicks(calls []string) int {
	n := 0
	for _, c := range calls {
		if strings.HasPrefix(c, "click") {
			n++
		}
	}
	return n
}

const sixRight = "y\ny\ny\ny\ny good\ny\n"

// TestReadingOnly runs the looks freely and leaves the click out.
func TestReadingOnly(t *testing.T) {
	calls, c, said, err := play(t, false, sixRight)
	if err != nil {
		t.Fatal(err, said)
	}
	if clicks(calls) != 0 || c.report.count(right) != 6 || c.report.count(skipped) != 1 {
		t.Errorf("calls %v, report %+v", calls, c.report)
	}
	if want := `find{"tabId":"ext:1:7","text":"tea"}`; !slices.Contains(calls, want) {
		t.Errorf("no %s in %v", want, calls)
	}
	if last := calls[len(calls)-1]; last != `tab_close{"tabId":"ext:1:7"}` {
		t.Errorf("the last call is %s", last)
	}
	picture, err := os.ReadFile(filepath.Join(c.dir, "05-1.jpg"))
	if err != nil || string(picture) != "picture" {
		t.Errorf("%q, %v", picture, err)
	}
}

// TestTypedYes does the click for a yes and for nothing else.
func TestTypedYes(t *testing.T) {
	for typed, want := range map[string]int{"yes": 1, "y": 0, "": 0, "Yes": 0, "YES": 0, "yes please": 0, "no": 0} {
		calls, c, said, err := play(t, true, sixRight+typed+"\ny\n")
		if err != nil {
			t.Fatal(err, said)
		}
		if clicks(calls) != want || c.report.count(skipped) != 1-want {
			t.Errorf("%q: %d clicks; %s", typed, clicks(calls), said)
		}
	}
}

// TestVerdicts are kept with their notes, and a wrong step makes the run fail.
func TestVerdicts(t *testing.T) {
	_, c, said, err := play(t, false, "y\nmaybe\nn no login there\ns\ny\ny\ny\n")
	if err == nil || !strings.Contains(err.Error(), "steps that were wrong: 1") {
		t.Fatalf("error %v\n%s", err, said)
	}
	raw, err := os.ReadFile(filepath.Join(c.dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range r.Entries {
		got = append(got, fmt.Sprint(e.Step.Tool, " ", e.Verdict))
	}
	if got := strings.Join(got, ", "); got != "navigate right, auth_check wrong, snapshot skipped, read_as_markdown right, screenshot right, find right, click skipped" {
		t.Error(got)
	}
	md, err := os.ReadFile(filepath.Join(c.dir, "report.md"))
	if err != nil || !strings.Contains(string(md), "no login there") || !strings.Contains(string(md), "4 right, 1 wrong, 2 skipped") {
		t.Errorf("%s, %v", md, err)
	}
}

// TestPersonLeaves keeps what was judged when the answers end.
func TestPersonLeaves(t *testing.T) {
	calls, c, _, err := play(t, true, sixRight)
	if err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("error %v", err)
	}
	if clicks(calls) != 0 || c.report.count(right) != 6 {
		t.Errorf("calls %v, report %+v", calls, c.report)
	}
}
