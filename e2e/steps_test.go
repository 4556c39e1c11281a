package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// step is one neutral step of a case.
type step struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// stepArgs are the arguments that steps have, all of them.
type stepArgs struct {
	URL        string          `json:"url"`
	Target     *target         `json:"target"`
	From       *target         `json:"from"`
	To         *target         `json:"to"`
	Ref        *stepRef        `json:"ref"`
	Frame      []string        `json:"frame"`
	X          *float64        `json:"x"`
	Y          *float64        `json:"y"`
	DX         float64         `json:"dx"`
	DY         float64         `json:"dy"`
	HoldMS     int             `json:"hold_ms"`
	Count      int             `json:"count"`
	Button     string          `json:"button"`
	Modifiers  []string        `json:"modifiers"`
	Value      json.RawMessage `json:"value"`
	Text       string          `json:"text"`
	JS         string          `json:"js"`
	Keys       string          `json:"keys"`
	Values     []string        `json:"values"`
	Fields     []stepArgs      `json:"fields"`
	Files      []string        `json:"files"`
	Action     string          `json:"action"`
	IfOpen     bool            `json:"if_open"`
	Match      string          `json:"match"`
	Expression string          `json:"expression"`
	Diff       bool            `json:"diff"`
	BodyOf     string          `json:"body_of"`
	KeepSel    bool            `json:"keep_selection"`
	Op         string          `json:"op"`
	Key        string          `json:"key"`
	Session    bool            `json:"session"`
	TimeoutMS  int             `json:"timeout_ms"`
}

type target struct {
	CSS   string `json:"css"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Exact bool   `json:"exact"`
}

type stepRef struct {
	FromStep int    `json:"from_step"`
	Role     string `json:"role"`
	Name     string `json:"name"`
}

// grace is what a client's own clock adds to a step's time limit.
const grace = 500 * time.Millisecond

// toolOf is our name of a neutral tool.
func toolOf(neutral string) string {
	if neutral == "fill" {
		return "type"
	}
	return neutral
}

// step plays one step with our tools.
func (r *run) step(ctx context.Context, st step) result {
	var a stepArgs
	if err := json.Unmarshal([]byte(r.expand(string(st.Args))), &a); err != nil {
		r.t.Fatalf("step %s: %v", st.Tool, err)
	}
	begin := time.Now()
	limit := time.Duration(a.TimeoutMS) * time.Millisecond
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit+grace)
		defer cancel()
	}
	res := r.play(ctx, st.Tool, a)
	res.took = time.Since(begin)
	if limit > 0 && res.took > limit+grace {
		r.t.Errorf("step %s took %v, at most %v are allowed", st.Tool, res.took, limit)
	}
	return res
}

// expand fills the tokens in.
func (r *run) expand(s string) string {
	files, err := filepath.Abs(filepath.Join(casesDir(), "files"))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.NewReplacer(
		"{base}", rig.site.base, "{alt}", rig.site.alt, "{id}", r.c.ID, "{files}", filepath.ToSlash(files),
	).Replace(s)
}

func (r *run) play(ctx context.Context, tool string, a stepArgs) result {
	call := func(tool string, more args) result {
		all := args{}
		if err := r.aim(ctx, a, all); err != nil {
			return result{text: err.Error(), failed: true}
		}
		for k, v := range more {
			all[k] = v
		}
		return r.server.do(ctx, tool, all)
	}
	switch tool {
	case "navigate":
		return call("navigate", args{"url": a.URL})
	case "click":
		return call("click", clickArgs(a))
	case "fill":
		return call("type", args{"text": text(a.Value), "clear": true})
	case "type":
		if a.KeepSel { // into what has the focus
			a.Target, a.Ref, a.Frame = nil, nil, nil
		}
		return call("type", args{"text": a.Text})
	case "fill_form":
		return call("fill_form", args{"fields": fields(a.Fields)})
	case "select_option":
		return call("select_option", args{"values": a.Values})
	case "press":
		return call("press", keys(a.Keys))
	case "hover", "snapshot", "get_text", "get_html", "screenshot", "back", "forward", "reload", "read_as_markdown", "extract_links", "auth_check", "print_pdf", "console_logs":
		if a.Diff {
			return call(tool, args{"diff": true})
		}
		return call(tool, nil)
	case "scroll":
		return call("scroll", args{"deltaX": a.DX, "deltaY": a.DY})
	case "drag":
		return r.server.do(ctx, "drag", args{"from": a.From.args(), "to": a.To.args()})
	case "eval":
		return call("eval", args{"expression": a.Expression})
	case "wait_for":
		return r.waitFor(ctx, a)
	case "dialogs":
		return r.dialogs(ctx, a)
	case "tab_select":
		return r.tabSelect(ctx, a)
	case "upload_file":
		return call("upload_file", args{"files": a.Files})
	case "network_log":
		return r.networkLog(ctx, a)
	case "get_cookies":
		return call("get_cookies", set(args{}, "url", a.URL))
	case "storage":
		return call("storage", set(set(args{"op": a.Op, "session": a.Session}, "key", a.Key), "value", text(a.Value)))
	default:
		r.t.Fatalf("the runner does not know the step %q", tool)
		return result{}
	}
}

// aim adds what a step points at.
func (r *run) aim(ctx context.Context, a stepArgs, to args) error {
	if a.Target != nil {
		for k, v := range a.Target.args() {
			to[k] = v
		}
	}
	if a.Ref != nil {
		ref, err := r.ref(*a.Ref)
		if err != nil {
			return err
		}
		to["ref"] = ref
	}
	if len(a.Frame) > 0 {
		id, err := r.frame(ctx, a.Frame)
		if err != nil {
			return err
		}
		to["frameId"] = id
	}
	return nil
}

func (t *target) args() args {
	if t.CSS != "" {
		return args{"selector": t.CSS}
	}
	return args{"role": t.Role, "name": t.Name}
}

// set adds what a step says.
func set(to args, name, value string) args {
	if value != "" {
		to[name] = value
	}
	return to
}

func clickArgs(a stepArgs) args {
	m := args{}
	if a.X != nil && a.Y != nil {
		m["x"], m["y"] = *a.X, *a.Y
	}
	if a.Button != "" {
		m["button"] = a.Button
	}
	if a.Count > 0 {
		m["clickCount"] = a.Count
	}
	if a.HoldMS > 0 {
		m["holdMs"] = a.HoldMS
	}
	if a.Modifiers != nil {
		m["modifiers"] = a.Modifiers
	}
	return m
}

// text is a value as a user would type it.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func fields(list []stepArgs) []args {
	var out []args
	for _, f := range list {
		field := f.Target.args()
		var value any
		_ = json.Unmarshal(f.Value, &value)
		field["value"] = value
		out = append(out, field)
	}
	return out
}

// keys splits "Control++" into a key and what is held; the last plus is the key then.
func keys(combination string) args {
	held, key := "", combination
	if i := strings.LastIndex(strings.TrimSuffix(combination, "+"), "+"); i > 0 {
		held, key = combination[:i], combination[i+1:]
	}
	m := args{"key": key}
	if held != "" {
		m["modifiers"] = strings.Split(held, "+")
	}
	return m
}

// ref is the ref that the snapshot of a step gave to a role and name.
func (r *run) ref(s stepRef) (string, error) {
	line := regexp.MustCompile(`(?m)^\W*` + regexp.QuoteMeta(s.Role) + ` "` + regexp.QuoteMeta(s.Name) + `".*?\[(e\d+)\]`)
	m := line.FindStringSubmatch(r.results[s.FromStep].text)
	if m == nil {
		return "", fmt.Errorf("the snapshot of step %d shows no %s %q", s.FromStep, s.Role, s.Name)
	}
	return m[1], nil
}

// frame finds a frame by the selectors of its owners. Frames come late: it is looked for
// until the step's time is over.
func (r *run) frame(ctx context.Context, chain []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		id, err := r.findFrame(ctx, chain)
		if err == nil || ctx.Err() != nil {
			return id, err
		}
		wait(ctx, 50*time.Millisecond)
	}
}

func (r *run) findFrame(ctx context.Context, chain []string) (string, error) {
	list := r.server.do(ctx, "frames_list", nil)
	frames, _ := list.data["frames"].([]any)
	at := ""
	for _, f := range frames {
		if f := f.(map[string]any); str(f["parentId"]) == "" {
			at = str(f["frameId"])
		}
	}
	if at == "" {
		return "", fmt.Errorf("frames_list shows no main frame: %s", list.text)
	}
	for _, selector := range chain {
		next := ""
		for _, f := range frames {
			f := f.(map[string]any)
			if str(f["parentId"]) == at && r.sameElement(ctx, at, selector, str(f["selector"])) {
				next = str(f["frameId"])
			}
		}
		if next == "" {
			return "", fmt.Errorf("frames_list shows no frame %s: %s", selector, list.text)
		}
		at = next
	}
	return at, nil
}

// sameElement says whether two selectors name one element of a frame.
func (r *run) sameElement(ctx context.Context, frame, a, b string) bool {
	if a == b {
		return true
	}
	if b == "" {
		return false
	}
	var world struct {
		Context int `json:"executionContextId"`
	}
	at := browser.FrameID(frame)
	if err := r.first.Call(ctx, at, "Page.createIsolatedWorld", args{"frameId": frame, "worldName": "e2e"}, &world); err != nil {
		return false
	}
	var same bool
	err := evaluate(ctx, func(ctx context.Context, params, result any) error {
		params.(args)["contextId"] = world.Context
		return r.first.Call(ctx, at, "Runtime.evaluate", params, result)
	}, fmt.Sprintf(`document.querySelector(%q) === document.querySelector(%q)`, a, b), &same)
	return err == nil && same
}

// waitFor waits for a text with our tool, and for an expression by looking again.
func (r *run) waitFor(ctx context.Context, a stepArgs) result {
	if a.JS == "" {
		all := args{"textContains": a.Text}
		if err := r.aim(ctx, a, all); err != nil {
			return result{text: err.Error(), failed: true}
		}
		if a.TimeoutMS > 0 {
			all["timeoutMs"] = a.TimeoutMS
		}
		return r.server.do(ctx, "wait_for", all)
	}
	for {
		res := r.server.do(ctx, "eval", args{"expression": `!!(` + a.JS + `)`})
		if res.data["value"] == true || ctx.Err() != nil {
			return res
		}
		wait(ctx, 50*time.Millisecond)
	}
}

func (r *run) dialogs(ctx context.Context, a stepArgs) result {
	if a.IfOpen {
		list := r.server.do(ctx, "dialogs", nil)
		if list.data["open"] == nil {
			return list
		}
	}
	m := args{}
	if a.Action != "" {
		m["action"] = a.Action
	}
	return r.server.do(ctx, "dialogs", m)
}

// tabSelect selects the session's newest tab whose title or URL matches.
func (r *run) tabSelect(ctx context.Context, a stepArgs) result {
	match := regexp.MustCompile(a.Match)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		list := r.server.do(ctx, "tabs_list", nil)
		tabs, _ := list.data["tabs"].([]any)
		slices.Reverse(tabs)
		for _, tab := range tabs {
			tab := tab.(map[string]any)
			if tab["own"] == true && match.MatchString(str(tab["title"])+" "+str(tab["url"])) {
				return r.server.do(ctx, "tab_select", args{"tabId": tab["tabId"]})
			}
		}
		if ctx.Err() != nil || list.failed {
			return result{text: "no tab matches " + a.Match + ": " + list.text, failed: true}
		}
		wait(ctx, 50*time.Millisecond)
	}
}

// networkLog takes the body of the newest request that matches, if one is wanted.
func (r *run) networkLog(ctx context.Context, a stepArgs) result {
	if a.BodyOf == "" {
		return r.server.do(ctx, "network_log", nil)
	}
	list := r.server.do(ctx, "network_log", args{"urlContains": a.BodyOf})
	requests, _ := list.data["requests"].([]any)
	if len(requests) == 0 {
		return list
	}
	last := requests[len(requests)-1].(map[string]any)
	return r.server.do(ctx, "network_log", args{"id": last["id"]})
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// wait is for polling what tells of no event.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
