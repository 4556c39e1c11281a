package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// set gives a value to a control that nobody types into, as date or color.
func (t *Tab) set(ctx context.Context, en entry, h hit, f pagefn.Editable) (entered, error) {
	got, _, err := run[pagefn.Editable](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "setValue", Args: pagefn.SetValueArgs{
		Target: pagefn.Locator{Node: f.Node, Document: h.answer.Document}, Value: en.text, TimeoutMS: int(actBudget.Milliseconds())}})
	if err != nil {
		return entered{}, err
	}
	e := entered{OK: true, Role: got.Role, Name: got.Name, Value: got.Value}
	if got.Value != en.text {
		e.Note = fmt.Sprintf("asked for %s", quote(en.text, 60))
	}
	if got.Invalid != "" {
		e.Note = joinNotes(e.Note, "not valid there: "+quote(got.Invalid, 120))
	}
	return e, nil
}

// choose picks options of a list.
func (t *Tab) choose(ctx context.Context, g Target, h hit, f pagefn.Editable, values []string) (entered, error) {
	s, _, err := run[pagefn.Selected](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "select", Args: pagefn.SelectArgs{
		Target: pagefn.Locator{Node: f.Node, Document: h.answer.Document}, Values: values, TimeoutMS: int(actBudget.Milliseconds())}})
	if err != nil {
		return entered{}, err
	}
	return entered{OK: true, Role: f.Role, Name: f.Name, Value: strings.Join(s.Labels, ", ")}, nil
}

// check clicks a checkbox or radio if it is not as wanted.
func (t *Tab) check(ctx context.Context, en entry, f pagefn.Editable, from int) (entered, error) {
	want, err := truth(en.text, f)
	if err != nil {
		return entered{}, err
	}
	e := entered{OK: true, Role: f.Role, Name: f.Name, Value: fmt.Sprint(want)}
	if f.Checked != nil && *f.Checked == want && !f.Mixed {
		return e, nil
	}
	if f.Kind == "radio" && !want {
		return entered{}, browser.Errorf(browser.BadArgs, "%s is a radio button, which is unchecked by choosing another one; give that one true", fieldLabel(f))
	}
	for clicks := 1; ; clicks++ {
		p, now, err := t.toggle(ctx, en, want)
		switch {
		case err != nil:
			return entered{}, err
		case now.Checked == nil || *now.Checked == want && !now.Mixed:
			return e, nil
		case !f.Mixed || clicks == 2: // a mixed one goes to the other state first
			return entered{}, browser.Errorf(browser.NotActionable, "%s did not change when it was clicked; look with snapshot what the page wants first", label(p))
		}
	}
}

// toggle clicks a checkbox or radio button and says how it is then. Pages that draw their
// own write its state a little later.
func (t *Tab) toggle(ctx context.Context, en entry, want bool) (pagefn.Prepared, pagefn.Editable, error) {
	var now pagefn.Editable
	p, h, err := t.prepare(ctx, en.target, "click", true)
	if err != nil {
		return p, now, err
	}
	x, y, err := t.toMain(ctx, h.frame, p.X, p.Y)
	if err != nil {
		return p, now, err
	}
	if _, err := t.batch(ctx, press(x, y, ClickArgs{})); err != nil {
		return p, now, err
	}
	o, _, err := run[pagefn.Outcome](ctx, t, browser.RunRequest{Frame: h.frame.ID, Fn: "outcome", Args: pagefn.OutcomeArgs{Node: p.Node}})
	if err != nil {
		return p, now, err
	}
	if !o.Landed {
		return p, now, notLanded(p, o)
	}
	now.Checked, now.Mixed = o.Checked, slices.Contains(o.States, "mixed")
	for _, d := range settleReads {
		if now.Checked == nil || *now.Checked == want && !now.Mixed {
			break
		}
		t.pause(ctx, d)
		if v, _, err := t.field(ctx, en.target); err == nil {
			now = v
		}
	}
	return p, now, nil
}

// field reads a field as it is now.
func (t *Tab) field(ctx context.Context, g Target) (pagefn.Editable, hit, error) {
	return find(ctx, ask[pagefn.Editable]{tab: t, target: g, fn: "value",
		args: func(l pagefn.Locator, _ int) any { return pagefn.ValueArgs{Target: l} }})
}

// truth reads what a checkbox is to be.
func truth(s string, f pagefn.Editable) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "on", "yes", "1", "checked":
		return true, nil
	case "false", "off", "no", "0", "", "unchecked":
		return false, nil
	}
	if f.Kind == "radio" { // a radio button by its label
		return true, nil
	}
	return false, browser.Errorf(browser.BadArgs, "%s is a %s: its value is true or false, not %s", fieldLabel(f), f.Kind, quote(s, 60))
}

// filled is what fill_form says of one field.
type filled struct {
	Field string `json:"field"`
	entered
	Error string `json:"error,omitempty"`
}

// filledForm is fill_form's structured content.
type filledForm struct {
	OK        bool     `json:"ok"`
	Fields    []filled `json:"fields"`
	Submitted bool     `json:"submitted,omitempty"`
	effects
}

// FillForm is fill_form: all fields, then the submit button if none failed.
func FillForm(ctx context.Context, t *Tab, a FillFormArgs) (*Result, error) {
	if len(a.Fields) == 0 {
		return nil, browser.Errorf(browser.BadArgs, "fields is empty; give a list of {selector or ref or role and name, value}, or a map from selector to value")
	}
	for i, f := range a.Fields {
		if err := f.Target.check(); err != nil {
			return nil, browser.Errorf(browser.BadArgs, "fields[%d]: %s", i, err.(*browser.Error).Message)
		}
	}
	from := t.state.now()
	data := filledForm{OK: true}
	var lines []string
	for _, f := range a.Fields {
		one, err := t.fill(ctx, f, from)
		data.Fields = append(data.Fields, one)
		lines = append(lines, one.words())
		if one.Error != "" {
			data.OK = false
		}
		if err != nil {
			break
		}
	}
	if !data.OK {
		return nil, data.failure(lines, len(a.Fields))
	}
	if a.SubmitSelector != "" && t.state.since(from).dialog == nil {
		r, err := Click(ctx, t, ClickArgs{Target: Target{Selector: a.SubmitSelector}})
		if err != nil {
			return nil, browser.Errorf(browser.CodeOf(err), "the fields are filled, but the submit button was not clicked: %s; look with snapshot, then click it", err.(*browser.Error).Message)
		}
		data.Submitted = true
		data.effects = r.Data.(clicked).effects
		lines = append(lines, "clicked the submit button")
	} else {
		data.effects = t.observe(ctx, from)
	}
	return t.finish(ctx, strings.Join(lines, "\n"), data.effects, a.After, data)
}

// fill fills one field. The error says that nothing further can be done in this page.
func (t *Tab) fill(ctx context.Context, f Field, from int) (filled, error) {
	e, err := t.enter(ctx, entry{target: f.Target, text: string(f.Value), clear: true}, from)
	one := filled{Field: f.Target.String(), entered: e}
	switch {
	case err == nil:
		return one, nil
	case t.openedDialog(err, from):
		one.OK = true
		return one, err
	}
	one.OK, one.Error = false, err.Error()
	switch browser.CodeOf(err) {
	case browser.SelectorNotFound, browser.NotActionable, browser.Ambiguous, browser.BadArgs, browser.RefExpired, browser.PolicyDenied:
		return one, nil
	}
	return one, err
}

func (f filled) words() string {
	if f.Error != "" {
		return f.Field + ": " + f.Error
	}
	return f.entered.words()
}

// failure is the error for a form with fields that could not be filled.
func (d filledForm) failure(lines []string, total int) error {
	failed := 0
	code := browser.NotActionable
	for _, f := range d.Fields {
		if f.Error != "" {
			failed++
		}
	}
	raw, _ := json.Marshal(d)
	return &browser.Error{Code: code, Data: raw,
		Message: fmt.Sprintf("%d of %d fields were not filled and nothing was submitted:\n%s", failed+total-len(d.Fields), total, strings.Join(lines, "\n"))}
}

// selected is select_option's structured content.
type selected struct {
	OK     bool     `json:"ok"`
	Role   string   `json:"role,omitempty"`
	Name   string   `json:"name,omitempty"`
	Values []string `json:"values"`
	Labels []string `json:"labels"`
	effects
}

// SelectOption is select_option.
func SelectOption(ctx context.Context, t *Tab, a SelectArgs) (*Result, error) {
	from := t.state.now()
	s, _, err := find(ctx, ask[pagefn.Selected]{tab: t, target: a.Target, fn: "select", budget: actBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.SelectArgs{Target: l, Values: a.Values, TimeoutMS: ms}
	}})
	if err != nil && !t.openedDialog(err, from) && !navigated(err) {
		return nil, err
	}
	data := selected{OK: true, Values: s.Values, Labels: s.Labels, effects: t.observe(ctx, from)}
	said := "selected"
	for i, l := range s.Labels {
		if i > 0 {
			said += ","
		}
		said += " " + quote(l, 100)
	}
	return t.finish(ctx, said, data.effects, a.After, data)
}
