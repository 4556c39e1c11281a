package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// dialogError is what every tool but dialogs answers while a dialog is open.
func (t *Tab) dialogError(d *Dialog) error {
	return browser.Errorf(browser.DialogOpen, "%s; the page does nothing until it is answered: dialogs {\"action\": \"accept\"} or {\"action\": \"dismiss\"}%s",
		t.describe(*d), promptHint(d.Type))
}

func promptHint(kind string) string {
	if kind == "prompt" {
		return ", with promptText"
	}
	return ""
}

// describe names a dialog with its text, or without when the page that shows it may
// not be read.
func (t *Tab) describe(d Dialog) string {
	switch {
	case d.Type == "beforeunload":
		return "the page asks whether to leave it (a beforeunload dialog is open)"
	case t.mayShow(d):
		return fmt.Sprintf("a dialog is open: %s %s", d.Type, quote(d.Message, 500))
	default:
		return fmt.Sprintf("a dialog is open (%s), from a page that may not be read", d.Type)
	}
}

// mayShow judges the page that opened the dialog.
func (t *Tab) mayShow(d Dialog) bool {
	origin := ""
	t.mu.Lock()
	if len(t.known) > 0 {
		origin = t.known[0].Origin
	}
	t.mu.Unlock()
	return t.s.Judge(d.URL, origin, policy.Read) == nil
}

// answer closes a dialog. It does not wait for anything else that the tab is doing.
func (t *Tab) answer(ctx context.Context, d Dialog, accept bool, text *string) error {
	p := struct {
		Accept     bool    `json:"accept"`
		PromptText *string `json:"promptText,omitempty"`
	}{accept, text}
	if accept && text == nil && d.Type == "prompt" {
		p.PromptText = &d.Default
	}
	return t.bt.Call(t.s.caller(ctx), d.frame, "Page.handleJavaScriptDialog", p, nil)
}

// How long an answer, and a list, wait for a dialog that is just about to open: a page may
// ask in a task of its own, right after the click.
const (
	dialogGrace = 500 * time.Millisecond
	dialogSoon  = 200 * time.Millisecond
)

// Dialogs is dialogs: it answers the open dialog, sets the standing answer, and lists.
// It waits in no queue, since the call at its head may be the one that hangs.
func Dialogs(ctx context.Context, s *Session, a DialogsArgs) (*Result, error) {
	t, err := s.Resolve(ctx, a.TabID, policy.Read)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	var said []string
	if a.Action != "" {
		line, err := t.answerOpen(ctx, a)
		if err != nil {
			return nil, err
		}
		said = append(said, line)
	}
	if a.Policy != "" {
		line, err := t.standing(ctx, a)
		if err != nil {
			return nil, err
		}
		said = append(said, line)
	}
	if len(said) == 0 {
		t.openDialog(dialogSoon, ctx)
	}
	list := t.listDialogs(a)
	data := map[string]any{"dialogs": list}
	if n := len(list); n > 0 && list[n-1].Open {
		data["open"] = list[n-1]
	}
	r.Data = data
	if len(said) == 0 {
		said = append(said, dialogLines(list)...)
	}
	r.Text = strings.Join(said, "\n")
	return r, nil
}

// standing sets the answer to later dialogs, and gives it to one that is open.
func (t *Tab) standing(ctx context.Context, a DialogsArgs) (string, error) {
	p, prompt := a.Policy, a.PromptText
	if p != "accept" {
		if prompt != nil && a.Action == "" {
			return "", browser.Errorf(browser.BadArgs, "promptText goes with policy accept; with %s nothing is typed", p)
		}
		prompt = nil
	}
	if p == "accept" {
		if err := t.judgeDialog(ctx, Dialog{}); err != nil {
			return "", err
		}
	}
	value := p
	if p == "ask" {
		value = ""
	}
	t.mu.Lock()
	t.policy, t.prompt = value, prompt
	t.mu.Unlock()
	if value == "" {
		return "dialogs of this tab stay open until they are answered", nil
	}
	if d := t.openDialog(0, ctx); d != nil {
		if err := t.answer(ctx, *d, value == "accept", prompt); err != nil {
			return "", err
		}
	}
	if prompt != nil {
		return "dialogs of this tab are answered with accept, prompts with " + quote(*prompt, 200), nil
	}
	return "dialogs of this tab are answered with " + value, nil
}

// openDialog returns the open dialog; it waits a moment for one.
func (t *Tab) openDialog(grace time.Duration, ctx context.Context) *Dialog {
	var d *Dialog
	t.state.wait(ctx, grace, func(s *state) bool {
		if s.dialog == nil {
			return false
		}
		open := *s.dialog
		d = &open
		return true
	})
	return d
}

// judgeDialog asks whether a dialog may be accepted: that is an act on its page.
func (t *Tab) judgeDialog(ctx context.Context, d Dialog) error {
	t.mu.Lock()
	known := t.known
	t.mu.Unlock()
	url, origin := d.URL, ""
	if len(known) > 0 {
		origin = known[0].Origin
	}
	if url == "" {
		info, err := t.bt.Info(t.s.caller(ctx))
		if err != nil {
			return err
		}
		url = info.URL
	}
	return t.s.Judge(url, origin, policy.Act)
}

func (t *Tab) answerOpen(ctx context.Context, a DialogsArgs) (string, error) {
	d := t.openDialog(dialogGrace, ctx)
	if d == nil {
		return t.noDialog()
	}
	accept := a.Action == "accept"
	if accept {
		if err := t.judgeDialog(ctx, *d); err != nil {
			return "", err
		}
	}
	if err := t.answer(ctx, *d, accept, a.PromptText); err != nil {
		return "", t.explain(ctx, err)
	}
	t.state.wait(ctx, time.Second, func(s *state) bool { return s.dialog == nil || s.dialog.Seq != d.Seq })
	verb := "dismissed"
	if accept {
		verb = "accepted"
	}
	said := fmt.Sprintf("%s %s %s", verb, d.Type, quote(d.Message, 500))
	if d.Type == "beforeunload" || !t.mayShow(*d) {
		said = fmt.Sprintf("%s the %s dialog", verb, d.Type)
	}
	if next := t.nextDialog(ctx, *d); next != nil {
		said += "\n" + t.describe(*next) + promptHint(next.Type)
	}
	return said, nil
}

// nextDialog is the dialog that the page opens on the answer to another. A page that
// answers by itself goes on without one.
func (t *Tab) nextDialog(ctx context.Context, d Dialog) *Dialog {
	ctx, cancel := context.WithTimeout(ctx, dialogGrace)
	defer cancel()
	_, _, _ = run[pagefn.Probe](ctx, t, browser.RunRequest{Frame: d.frame, Fn: "probe", Args: pagefn.ProbeArgs{}})
	open, _ := t.state.dialogOpen()
	return open
}

// noDialog says that there was nothing to answer, and what became of the last one.
func (t *Tab) noDialog() (string, error) {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	if n := len(t.state.dialogs); n > 0 {
		last := t.state.dialogs[n-1]
		return "", browser.Errorf(browser.BadArgs, "no dialog is open in tab %s; the last one (seq %d, %s) was %s", t.ID(), last.Seq, last.Type, last.Result)
	}
	return "", browser.Errorf(browser.BadArgs, "no dialog is open in tab %s and none was; nothing to answer", t.ID())
}

// listDialogs returns the dialogs asked for, oldest first, the open one last.
func (t *Tab) listDialogs(a DialogsArgs) []Dialog {
	s := &t.state
	s.mu.Lock()
	all := append([]Dialog(nil), s.dialogs...)
	if s.dialog != nil {
		all = append(all, *s.dialog)
	}
	if a.Clear {
		s.dialogs = nil
	}
	s.mu.Unlock()
	out := []Dialog{}
	for _, d := range all {
		if d.Seq <= a.SinceSeq {
			continue
		}
		if !t.mayShow(d) {
			d.Message, d.Default, d.URL, d.Input = "", "", "", ""
		}
		out = append(out, d)
	}
	if a.Limit > 0 && len(out) > a.Limit {
		out = out[len(out)-a.Limit:]
	}
	return out
}

func dialogLines(list []Dialog) []string {
	if len(list) == 0 {
		return []string{"no dialog is open and none was"}
	}
	var lines []string
	for _, d := range list {
		what := d.Result
		if d.Open {
			what = "open: answer it with action accept or dismiss"
		}
		lines = append(lines, fmt.Sprintf("%d %s %s: %s", d.Seq, d.Type, quote(d.Message, 200), what))
	}
	return lines
}
