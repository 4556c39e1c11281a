package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// ConsoleLogsArgs are those of console_logs.
type ConsoleLogsArgs struct {
	TabArg
	Level    string `json:"level,omitempty" desc:"This level and worse." enum:"debug,log,info,warning,error" default:"debug"`
	SinceSeq *int   `json:"sinceSeq,omitempty" desc:"Only what came after this number." min:"0"`
	Limit    int    `json:"limit,omitempty" min:"1" max:"1000" default:"100"`
	Clear    bool   `json:"clear,omitempty" desc:"Forget what is shown and before."`
}

// Bounds of what is kept of a console.
const (
	maxLines     = 1000     // entries of a tab
	maxLineText  = 8 << 10  // bytes of an entry
	consoleShare = 16 << 20 // bytes of all tabs of a session
)

// console is the log of one tab.
type console struct {
	ring[*logLine]
}

// logLine is one entry of the console.
type logLine struct {
	Seq    int       `json:"seq"`
	Time   time.Time `json:"time"`
	Level  string    `json:"level"`
	Source string    `json:"source"` // console, exception, or the part of Chrome that says it
	Text   string    `json:"text"`
	At     string    `json:"at,omitempty"` // url:line:column
	Times  int       `json:"times,omitempty"`

	place place
}

// levels by weight. Chrome's own entries call the lightest verbose.
var levels = []string{"debug", "log", "info", "warning", "error"}

// levelOf is the level of a call of console.
func levelOf(kind string) string {
	switch kind {
	case "error", "assert":
		return "error"
	case "warning", "info", "debug":
		return kind
	case "verbose":
		return "debug"
	}
	return "log"
}

// logged takes an event of the console. The lock is held.
func (o *observer) logged(ev browser.Event) {
	switch ev.Method {
	case "Runtime.executionContextCreated":
		o.context(ev)
	case "Runtime.consoleAPICalled":
		o.called(ev)
	case "Runtime.exceptionThrown":
		o.thrown(ev)
	case "Log.entryAdded":
		o.entry(ev)
	}
}

func (o *observer) context(ev browser.Event) {
	var p struct {
		Context struct {
			ID     int    `json:"id"`
			Origin string `json:"origin"`
			Aux    struct {
				Default bool   `json:"isDefault"`
				FrameID string `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	if len(o.contexts) >= maxContexts { // Chrome does not tell of all that end
		clear(o.contexts)
	}
	o.contexts[contextKey{ev.Frame, p.Context.ID}] = execution{p.Context.Aux.FrameID, p.Context.Origin, p.Context.Aux.Default}
}

// runs is the document whose script it was; ok is false for scripts of extensions,
// whose business is not the page's.
func (o *observer) runs(target browser.FrameID, id int) (p place, ok bool) {
	c, known := o.contexts[contextKey{target, id}]
	if !known {
		return o.where(string(target), ""), true
	}
	p = o.where(c.frame, "")
	// Events come late: the frame may show another document by now.
	if strings.Contains(c.origin, "://") && c.origin != "://" && siteOf(p.url) != c.origin {
		p = place{url: c.origin + "/"}
	}
	return p, c.own
}

type callFrame struct {
	Function string `json:"functionName"`
	URL      string `json:"url"`
	Line     int    `json:"lineNumber"`
	Column   int    `json:"columnNumber"`
}

type stackTrace struct {
	Frames []callFrame `json:"callFrames"`
}

func (s stackTrace) at() string {
	for _, f := range s.Frames {
		if f.URL != "" {
			return position(f.URL, f.Line, f.Column)
		}
	}
	return ""
}

// String is the upper part of a stack.
func (s stackTrace) String() string {
	var b strings.Builder
	for i, f := range s.Frames {
		if i == 6 {
			fmt.Fprintf(&b, "\n    … %d more", len(s.Frames)-i)
			break
		}
		name := f.Function
		if name == "" {
			name = "(anonymous)"
		}
		fmt.Fprintf(&b, "\n    at %s (%s)", name, position(f.URL, f.Line, f.Column))
	}
	return b.String()
}

// position counts lines and columns from 1, as editors do.
func position(url string, line, column int) string {
	if url == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", shortURL(url), line+1, column+1)
}

// shortURL leaves out what does not help to find a file.
func shortURL(url string) string {
	if base, _, ok := strings.Cut(url, "?"); ok && len(url) > 100 {
		url = base + "?…"
	}
	return Cut(url, 200)
}

func (o *observer) called(ev browser.Event) {
	var p struct {
		Type    string        `json:"type"`
		Args    []remoteValue `json:"args"`
		Context int           `json:"executionContextId"`
		Time    float64       `json:"timestamp"`
		Stack   stackTrace    `json:"stackTrace"`
	}
	if json.Unmarshal(ev.Params, &p) != nil || p.Type == "clear" || p.Type == "endGroup" {
		return
	}
	where, ok := o.runs(ev.Frame, p.Context)
	if !ok {
		return
	}
	l := logLine{Level: levelOf(p.Type), Source: "console", Text: formatCall(p.Args), At: p.Stack.at(), Time: wall(p.Time), place: where}
	switch p.Type {
	case "trace":
		l.Text += p.Stack.String()
	case "assert":
		l.Text = "Assertion failed: " + l.Text
	}
	o.line(l)
}

func (o *observer) thrown(ev browser.Event) {
	var p struct {
		Time    float64 `json:"timestamp"`
		Details struct {
			Text      string       `json:"text"`
			URL       string       `json:"url"`
			Line      int          `json:"lineNumber"`
			Column    int          `json:"columnNumber"`
			Stack     stackTrace   `json:"stackTrace"`
			Exception *remoteValue `json:"exception"`
			Context   int          `json:"executionContextId"`
		} `json:"exceptionDetails"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	d := p.Details
	where, ok := o.runs(ev.Frame, d.Context)
	if !ok {
		return
	}
	l := logLine{Level: "error", Source: "exception", Text: d.Text, At: d.Stack.at(), Time: wall(p.Time), place: where}
	if d.Exception != nil {
		l.Text += " " + d.Exception.text()
	}
	if !strings.Contains(l.Text, "\n    at ") {
		l.Text += d.Stack.String()
	}
	if l.At == "" {
		l.At = position(d.URL, d.Line, d.Column)
	}
	o.line(l)
}

func (o *observer) entry(ev browser.Event) {
	var p struct {
		Entry struct {
			Source string     `json:"source"`
			Level  string     `json:"level"`
			Text   string     `json:"text"`
			Time   float64    `json:"timestamp"`
			URL    string     `json:"url"`
			Line   int        `json:"lineNumber"`
			Stack  stackTrace `json:"stackTrace"`
		} `json:"entry"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	if p.Entry.Source == "worker" { // in few words what the worker itself has told
		return
	}
	e := p.Entry
	l := logLine{Level: levelOf(e.Level), Source: e.Source, Text: e.Text, At: e.Stack.at(), Time: wall(e.Time), place: o.where(string(ev.Frame), "")}
	if l.At == "" && e.URL != "" {
		l.At = shortURL(e.URL)
		if e.Line > 0 {
			l.At = position(e.URL, e.Line, 0)
		}
	}
	o.line(l)
}

// wall is a time that Chrome gives in milliseconds.
func wall(ms float64) time.Time { return time.UnixMicro(int64(ms * 1000)) }

// line keeps an entry. One that only says the last one again is counted.
func (o *observer) line(l logLine) {
	l.Seq = o.console.next()
	total := len(l.Text)
	l.Text, _ = o.redact().Text(Cut(l.Text, 8*maxLineText))
	if len(l.Text) > maxLineText {
		l.Text = fmt.Sprintf("%s… (%d bytes)", Cut(l.Text, maxLineText), total)
	}
	l.At, _ = o.redact().URL(l.At)
	if n := len(o.console.items); n > 0 {
		if last := o.console.items[n-1]; last.Text == l.Text && last.Level == l.Level && last.At == l.At && last.place == l.place {
			l.Times = max(last.Times, 1) + 1
			*last = l
			return
		}
	}
	o.console.add(&l, len(l.Text)+len(l.At)+len(l.place.url)+200, maxLines, o.share(consoleShare))
}

// consoleData is console_logs' structured content.
type consoleData struct {
	Entries []*logLine `json:"entries"`
	LastSeq int        `json:"lastSeq"`
	Dropped int        `json:"dropped,omitempty"` // older entries that were not kept
	Denied  int        `json:"denied,omitempty"`  // entries of sites that are not allowed
	More    int        `json:"more,omitempty"`    // entries that fit but were not shown
}

// ConsoleLogs is console_logs.
func ConsoleLogs(ctx context.Context, s *Session, a ConsoleLogsArgs) (*Result, error) {
	t, unlock, err := observed(ctx, s, a.TabID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	data, text, part := t.observer.lines(a)
	r := &Result{Page: text, Data: data}
	if n := len(data.Entries); n > 0 {
		r.URL = data.Entries[n-1].place.url
		r.Origin = siteOf(r.URL)
	}
	r.Text = data.said(part, a.Level != levels[0])
	return r, nil
}

// lines picks the entries that a call asked for, and writes them.
func (o *observer) lines(a ConsoleLogsArgs) (consoleData, string, span) {
	o.mu.Lock()
	all := slices.Clone(o.console.items)
	data := consoleData{Entries: []*logLine{}, LastSeq: o.console.last, Dropped: o.console.dropped}
	for i, l := range all { // they may be counted up meanwhile
		c := *l
		all[i] = &c
	}
	if a.Clear {
		o.console.clear()
	}
	o.mu.Unlock()
	least := slices.Index(levels, a.Level)
	for _, l := range all {
		if a.SinceSeq != nil && l.Seq <= *a.SinceSeq || slices.Index(levels, l.Level) < least {
			continue
		}
		if !o.mayObserve(l.place) {
			data.Denied++
			continue
		}
		data.Entries = append(data.Entries, l)
	}
	entries, text, part := pick(data.Entries, a.SinceSeq, a.Limit, func(l *logLine) int { return l.Seq }, (*logLine).String)
	data.Entries, data.More = entries, part.more
	return data, text, part
}

func (l *logLine) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", l.Seq, l.Level)
	if l.Source != "console" {
		fmt.Fprintf(&b, " (%s)", l.Source)
	}
	if l.Times > 1 {
		fmt.Fprintf(&b, " ×%d", l.Times)
	}
	fmt.Fprintf(&b, " %s", strings.ReplaceAll(l.Text, "\n", "\n    "))
	if l.At != "" && !strings.Contains(l.Text, "\n    at ") {
		fmt.Fprintf(&b, " — %s", l.At)
	}
	return b.String() + "\n"
}

// said is what we have to say about the entries.
func (d consoleData) said(part span, filtered bool) string {
	lines := part.rest(d.Dropped, maxLines, d.Denied)
	if len(d.Entries) == 0 {
		lines = append([]string{"nothing was logged" + part.nothing(filtered)}, lines...)
	}
	return strings.Join(lines, "\n")
}
