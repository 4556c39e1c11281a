package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// check is one run.
type check struct {
	person
	client   *mcp.ClientSession
	changing bool   // steps that change are offered
	dir      string // for report and pictures
	report   report

	tools map[string]*mcp.Tool
	tab   string // of the site under way
}

// callTime bounds one call; a step may wait for a slow page.
const callTime = 90 * time.Second

// all goes through the sites. What was judged so far is kept when it ends early.
func (c *check) all(ctx context.Context, sites []site) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	list, err := c.client.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	c.tools = map[string]*mcp.Tool{}
	for _, t := range list.Tools {
		c.tools[t.Name] = t
	}
	for _, s := range sites {
		if err := c.site(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// ready waits, with the person, until their Chrome is connected.
func (c *check) ready(ctx context.Context) error {
	for {
		// It waits for the browser; how it went is in the status.
		if _, err := c.call(ctx, "tabs_list", nil); err != nil {
			return err
		}
		r, err := c.call(ctx, "chrome_status", nil)
		if err != nil {
			return err
		}
		if ready, _ := r.data["ready"].(bool); ready {
			c.report.Browsers = r.data["browsers"]
			c.say("%s\n", r.text)
			return nil
		}
		c.say("%s\n  Press Enter to look again, Ctrl-C to give up. ", r.text)
		if _, err := c.line(); err != nil {
			return err
		}
	}
}

func (c *check) site(ctx context.Context, s site) error {
	c.say("\n%s: %s\n", s.Name, s.URL)
	c.tab = ""
	// The tab is the check's own, opened by its first step.
	defer func() {
		if c.tab != "" {
			_, _ = c.call(context.WithoutCancel(ctx), "tab_close", map[string]any{"tabId": c.tab})
		}
	}()
	for _, st := range append(s.looks(), s.Steps...) {
		if err := c.step(ctx, s, st); err != nil {
			return err
		}
	}
	return nil
}

// step does one step if it may, and has it judged.
func (c *check) step(ctx context.Context, s site, st step) error {
	e := entry{Site: s.Name, Step: st, Changes: c.changes(st)}
	c.say("\n  %s %s\n", st.Tool, compact(st.Args))
	if st.Expect != "" {
		c.say("  Should be: %s\n", st.Expect)
	}
	may, why, err := c.may(st)
	if err != nil {
		return err
	}
	if !may {
		c.say("  Left out: %s\n", why)
		e.Verdict, e.Note = skipped, why
		c.report.Entries = append(c.report.Entries, e)
		return nil
	}
	r, err := c.call(ctx, st.Tool, c.inTab(st))
	if err != nil {
		return err
	}
	if id, ok := r.data["tabId"].(string); ok && st.Tool == "navigate" {
		c.tab = id
	}
	e.Failed, e.Millis, e.Said = r.failed, r.took.Milliseconds(), head(r.text, 40)
	if e.Pictures, err = c.keep(r); err != nil {
		return err
	}
	c.show(r, e.Pictures)
	if e.Verdict, e.Note, err = c.verdict(); err != nil {
		return err
	}
	c.report.Entries = append(c.report.Entries, e)
	return nil
}

func (c *check) changes(st step) bool {
	var hints *mcp.ToolAnnotations
	if t := c.tools[st.Tool]; t != nil {
		hints = t.Annotations
	}
	return changes(st.Tool, hints)
}

// may tells whether a step is done: one that changes something only with the flag and the
// person's yes. Without a tab of the check's own, it would be done in the person's.
func (c *check) may(st step) (may bool, why string, err error) {
	if c.tab == "" && st.Tool != "navigate" && c.takesTab(st.Tool) {
		return false, "the page did not open", nil
	}
	if !c.changes(st) {
		return true, "", nil
	}
	if !c.changing {
		return false, "it may change something; --include-mutating offers it", nil
	}
	yes, err := c.leave()
	return yes, "no yes was typed", err
}

// inTab are the arguments, in the tab of the site. A step that names another tab would
// work on one of the person's.
func (c *check) inTab(st step) map[string]any {
	args := maps.Clone(st.Args)
	if args == nil {
		args = map[string]any{}
	}
	delete(args, "tabId")
	if c.tab != "" && c.takesTab(st.Tool) {
		args["tabId"] = c.tab
	}
	return args
}

func (c *check) takesTab(tool string) bool {
	t := c.tools[tool]
	if t == nil {
		return false
	}
	raw, err := json.Marshal(t.InputSchema)
	var schema struct{ Properties map[string]any }
	return err == nil && json.Unmarshal(raw, &schema) == nil && schema.Properties["tabId"] != nil
}

// answer is what a call gave.
type answer struct {
	text   string
	failed bool
	data   map[string]any
	images []*mcp.ImageContent
	took   time.Duration
}

// call calls a tool. A refusal is an answer; only a lost server is an error.
func (c *check) call(ctx context.Context, tool string, args map[string]any) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if args == nil {
		args = map[string]any{}
	}
	begin := time.Now()
	result, err := c.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	r := answer{took: time.Since(begin)}
	if err != nil {
		if errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
			return r, fmt.Errorf("%s: %w", tool, err)
		}
		r.text, r.failed = err.Error(), true
		return r, nil
	}
	r.failed = result.IsError
	var texts []string
	for _, part := range result.Content {
		switch part := part.(type) {
		case *mcp.TextContent:
			texts = append(texts, part.Text)
		case *mcp.ImageContent:
			r.images = append(r.images, part)
		}
	}
	r.text = strings.Join(texts, "\n")
	structured := result.StructuredContent
	if structured == nil {
		structured = result.Meta["chrome-mcp/data"]
	}
	if raw, err := json.Marshal(structured); err == nil {
		_ = json.Unmarshal(raw, &r.data)
	}
	return r, nil
}

// keep saves the pictures beside the report and returns their names.
func (c *check) keep(r answer) (names []string, err error) {
	for i, img := range r.images {
		suffix := ".png"
		if img.MIMEType == "image/jpeg" {
			suffix = ".jpg"
		}
		name := fmt.Sprintf("%02d-%d%s", len(c.report.Entries)+1, i+1, suffix)
		if err := os.WriteFile(filepath.Join(c.dir, name), img.Data, 0o600); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (c *check) show(r answer, pictures []string) {
	mark := "answered"
	if r.failed {
		mark = "FAILED"
	}
	c.say("  %s after %d ms\n", mark, r.took.Milliseconds())
	for l := range strings.SplitSeq(head(r.text, 15), "\n") {
		c.say("  | %s\n", l)
	}
	for _, p := range pictures {
		c.say("  picture: %s\n", filepath.Join(c.dir, p))
	}
}

// head is the beginning of a text.
func head(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(all) > lines {
		all = append(slices.Clone(all[:lines]), fmt.Sprintf("… %d more lines", len(all)-lines))
	}
	return strings.Join(all, "\n")
}

func compact(args map[string]any) string {
	if len(args) == 0 {
		return ""
	}
	b, err := json.Marshal(args)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
