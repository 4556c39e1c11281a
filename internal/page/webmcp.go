package page

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// Bounds of what pages may say about their tools, and of what those may take and give.
const (
	mostPageTools   = 128
	pageToolText    = 1000
	pageToolSchema  = 8 << 10
	pageToolArgs    = 64 << 10
	pageToolAnswer  = 200_000
	pageToolBudget  = 25 * time.Second // below the deadline of one command
	pageToolGrace   = 2 * time.Second  // for a page that is busy to say that time is over
	withoutWebMCP   = "the browser has no WebMCP for this page; in Chrome the user can switch it on at chrome://flags (WebMCP), and pages without it are worked with snapshot and click"
	noPageToolsHere = "the page offers no tools; work with snapshot and click"
)

// WebMCPListArgs are those of webmcp_list.
type WebMCPListArgs struct {
	TabArg
	FrameID browser.FrameID `json:"frameId,omitempty" doc:"Only this frame."`
}

// WebMCPCallArgs are those of webmcp_call.
type WebMCPCallArgs struct {
	TabArg
	Tool      string          `json:"tool" desc:"A name of webmcp_list." required:"true"`
	Arguments *Object         `json:"arguments,omitempty" desc:"As its schema says."`
	FrameID   browser.FrameID `json:"frameId,omitempty" doc:"Frame that offers it, where several do."`
}

// offering is a frame and the tools that its document registered.
type offering struct {
	frame  browser.Frame
	answer browser.Answer
	tools  pagefn.PageTools
}

// pageToolInfo is a tool as structured content has it: what is not the page's words.
type pageToolInfo struct {
	Name     string          `json:"name"`
	Origin   string          `json:"origin"`
	FrameID  browser.FrameID `json:"frameId"`
	ReadOnly bool            `json:"readOnlyHint,omitempty"`
	Allowed  bool            `json:"allowed"`
}

// WebMCPList is webmcp_list: the tools that the page registered with the browser.
func WebMCPList(ctx context.Context, t *Tab, a WebMCPListArgs) (*Result, error) {
	offers, denied, err := t.offerings(ctx, a.FrameID)
	if err != nil {
		return nil, err
	}
	r := &Result{Origin: offers[0].answer.Origin, URL: offers[0].answer.URL}
	list, there, left := []pageToolInfo{}, false, 0
	var b strings.Builder
	for _, o := range offers {
		there = there || o.tools.There
		left += o.tools.Total - len(o.tools.Tools)
		for _, tool := range o.tools.Tools {
			allowed := t.s.JudgeTool(o.answer.URL, t.maker(o.frame.ID, o.answer), tool.Name) == nil
			list = append(list, pageToolInfo{tool.Name, o.answer.Origin, o.frame.ID, tool.ReadOnly, allowed})
			describeTool(&b, o, tool)
		}
	}
	r.Page, r.Data = b.String(), map[string]any{"tools": list}
	r.Text = listWords(there, list, left, denied)
	return r, nil
}

func listWords(there bool, list []pageToolInfo, left int, denied []string) string {
	var said []string
	switch {
	case !there:
		said = append(said, withoutWebMCP)
	case len(list) == 0:
		said = append(said, noPageToolsHere)
	default:
		said = append(said, fmt.Sprintf("tools that the page offers: %d; each needs the user's word, by name, before webmcp_call runs it", len(list)))
	}
	if left > 0 {
		said = append(said, fmt.Sprintf("more are not shown: %d", left))
	}
	if len(denied) > 0 {
		said = append(said, "frames that may not be read: "+strings.Join(denied, ", "))
	}
	return strings.Join(said, "\n")
}

// describeTool writes a tool in the page's own words, which stand between boundaries.
func describeTool(b *strings.Builder, o offering, tool pagefn.PageTool) {
	fmt.Fprintf(b, "%s", tool.Name)
	if tool.Title != "" && tool.Title != tool.Name {
		fmt.Fprintf(b, " (%s)", tool.Title)
	}
	if tool.ReadOnly {
		b.WriteString(" read-only, so it says")
	}
	if o.frame.Parent != "" {
		fmt.Fprintf(b, " frameId=%s origin=%s", o.frame.ID, o.answer.Origin)
	}
	fmt.Fprintf(b, "\n  %s\n", strings.ReplaceAll(tool.Description, "\n", "\n  "))
	switch {
	case tool.Schema != "":
		fmt.Fprintf(b, "  arguments: %s\n", tool.Schema)
	case tool.SchemaBytes > 0:
		fmt.Fprintf(b, "  arguments: a schema of %d bytes, too long to show\n", tool.SchemaBytes)
	}
}

// offerings asks the named frame, or all that may be read, for their tools. The first is
// there always; denied has the origins of frames that may not be asked.
func (t *Tab) offerings(ctx context.Context, only browser.FrameID) (offers []offering, denied []string, err error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, nil, err
	}
	if only != "" {
		f, err := t.frame(ctx, only)
		if err != nil {
			return nil, nil, err
		}
		frames = []browser.Frame{f}
	}
	args := pagefn.PageToolsArgs{Max: mostPageTools, MaxText: pageToolText, MaxSchema: pageToolSchema}
	for i, f := range frames {
		if err := t.judgeFrame(f, policy.Read); err != nil {
			if i == 0 {
				return nil, nil, err
			}
			denied = append(denied, f.Origin)
			continue
		}
		tools, answer, err := askFrame[pagefn.PageTools](ctx, t, f, "webmcpList", args)
		if err != nil && i == 0 {
			return nil, nil, err
		}
		if err == nil {
			offers = append(offers, offering{f, answer, tools})
		}
	}
	return offers, denied, nil
}

// WebMCPCall is webmcp_call: it calls a tool that the page registered, where the user
// permits that tool of that origin.
func WebMCPCall(ctx context.Context, t *Tab, a WebMCPCallArgs) (*Result, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	o, err := t.offering(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := t.s.JudgeTool(o.answer.URL, t.maker(o.frame.ID, o.answer), a.Tool); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, pageToolBudget+pageToolGrace)
	defer cancel()
	// Not asked again when the document goes away: the tool may have run.
	v, answer, err := run[pagefn.PageToolCalled](within, t, browser.RunRequest{Frame: o.frame.ID, Fn: "webmcpCall", Args: pagefn.PageToolArgs{
		Tool: a.Tool, Arguments: a.Arguments.JSON(), TimeoutMS: int(pageToolBudget / time.Millisecond), Max: pageToolAnswer,
	}})
	if err != nil {
		return nil, uncertain(a.Tool, err)
	}
	return called(a.Tool, v, answer)
}

// uncertain says of a call whose answer was lost that nobody knows whether it happened.
func uncertain(tool string, err error) error {
	if !navigated(err) && browser.CodeOf(err) != browser.Timeout && browser.CodeOf(err) != browser.DialogOpen {
		return err
	}
	e := *err.(*browser.Error)
	e.Unknown = true
	if navigated(err) {
		e.Message = fmt.Sprintf("the page went elsewhere while its tool %s ran; whether it has done its work is not known: look at the page with snapshot before you call it again", quote(tool, 128))
	}
	return &e
}

func (a WebMCPCallArgs) check() error {
	if n := len(a.Arguments.JSON()); n > pageToolArgs {
		return browser.Errorf(browser.BadArgs, "arguments are %d bytes; a page's tool takes at most %d, so give it less", n, pageToolArgs)
	}
	return nil
}

// offering finds the frame whose document offers the tool.
func (t *Tab) offering(ctx context.Context, a WebMCPCallArgs) (offering, error) {
	offers, denied, err := t.offerings(ctx, a.FrameID)
	if err != nil {
		return offering{}, err
	}
	var found []hit
	var last offering
	there := false
	for _, o := range offers {
		there = there || o.tools.There
		for _, tool := range o.tools.Tools {
			if tool.Name == a.Tool {
				found, last = append(found, hit{o.frame, o.answer}), o
			}
		}
	}
	switch {
	case len(found) == 1:
		return last, nil
	case len(found) > 1:
		return offering{}, severalFrames("the tool "+quote(a.Tool, 128), found)
	case !there:
		return offering{}, browser.Errorf(browser.SelectorNotFound, "%s", withoutWebMCP)
	case len(denied) > 0:
		return offering{}, browser.Errorf(browser.SelectorNotFound, "no frame that may be read offers the tool %s; webmcp_list shows what there is (not asked: %s)", quote(a.Tool, 128), strings.Join(denied, ", "))
	}
	return offering{}, browser.Errorf(browser.SelectorNotFound, "the page offers no tool %s; webmcp_list shows what there is", quote(a.Tool, 128))
}

// called is what came of a call. What the tool threw is an answer, not an error of ours.
func called(tool string, v pagefn.PageToolCalled, answer browser.Answer) (*Result, error) {
	r := &Result{Origin: answer.Origin, URL: answer.URL}
	switch {
	case v.Late:
		e := browser.Errorf(browser.Timeout, "the tool %s of the page did not answer within %d s; whether it has done its work is not known: look at the page with snapshot before you call it again", quote(tool, 128), int(pageToolBudget/time.Second))
		e.Unknown = true
		return nil, e
	case v.Error != "":
		r.Text, r.Page = "the tool failed; its own words:", v.Error
		r.Data = map[string]any{"ok": false}
		return r, nil
	}
	r.Page, r.Data = toolWords(v.Value), map[string]any{"ok": true}
	if v.Truncated {
		r.Text = fmt.Sprintf("truncated: %d of %d bytes; ask the tool for less", len(v.Value), v.Bytes)
	}
	if r.Page == "" || r.Page == "null" || r.Page == "undefined" {
		r.Page, r.Text = "", "done; the tool had nothing to say"
	}
	return r, nil
}

// toolWords is the text of an answer in the form that MCP gives it, else all of it.
func toolWords(value string) string {
	var mcp struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal([]byte(value), &mcp) != nil || len(mcp.Content) == 0 {
		return value
	}
	var texts []string
	for _, c := range mcp.Content {
		if c.Type != "text" {
			return value
		}
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}
