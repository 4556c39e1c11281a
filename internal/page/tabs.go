package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// listedTab is a tab as tabs_list shows it.
type listedTab struct {
	TabID   browser.TabID `json:"tabId"`
	URL     string        `json:"url"`
	Title   string        `json:"title"`
	Active  bool          `json:"active"`
	Index   int           `json:"index"`
	Current bool          `json:"current,omitempty"` // what tools use without a tabId
	Own     bool          `json:"own,omitempty"`     // of this session
	Owner   string        `json:"owner,omitempty"`   // "another session"
	Opener  browser.TabID `json:"opener,omitempty"`
	Loading bool          `json:"loading,omitempty"`
	Asleep  bool          `json:"discarded,omitempty"`
	Denied  bool          `json:"denied,omitempty"` // its site is not allowed: no URL, no title
	Browser string        `json:"browser,omitempty"`
}

// TabsList is tabs_list. Tabs of the user on sites that are not allowed are counted,
// not shown, unless the user allowed to list all.
func TabsList(ctx context.Context, s *Session, _ TabsListArgs) (*Result, error) {
	list, hidden, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	all := len(list)
	list = list[:min(all, mostTabs)]
	var b strings.Builder
	for _, t := range list {
		writeTab(&b, t)
	}
	if more := all - len(list); more > 0 {
		fmt.Fprintf(&b, "%d more tabs of the user are not shown; ask them to bring the one you need to the front, and call again\n", more)
	}
	if len(list) == 0 {
		b.WriteString("no tab to show; open one with navigate or tab_new\n")
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "%d more tabs are on sites that are not allowed\n", hidden)
	}
	return &Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: map[string]any{"tabs": list, "hidden": hidden, "more": all - len(list)}}, nil
}

func (s *Session) list(ctx context.Context) (list []listedTab, hidden int, err error) {
	b, err := s.backend(ctx)
	if err != nil {
		return nil, 0, err
	}
	infos, err := b.Tabs(s.caller(ctx))
	if err != nil {
		return nil, 0, err
	}
	list = []listedTab{}
	current := s.Current()
	for _, i := range infos {
		own := s.Owns(i.ID) || i.Owner == s.cfg.ID
		allowed := s.Judge(i.URL, "", policy.Read) == nil || isBlank(i.URL)
		if !allowed && !own && !s.cfg.Policy.AllTabs {
			hidden++
			continue
		}
		t := listedTab{TabID: i.ID, URL: i.URL, Title: i.Title, Active: i.Active, Index: i.Index, Opener: i.Opener,
			Current: i.ID == current, Own: own, Loading: i.Loading, Asleep: i.Discarded, Browser: i.Browser}
		if !allowed {
			t.Denied = true
			if !s.cfg.Policy.AllTabs {
				t.URL, t.Title = "", ""
			}
		}
		if i.Owner != "" && i.Owner != s.cfg.ID {
			t.Owner = "another session"
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b listedTab) int { return cmp.Compare(rank(a), rank(b)) })
	return list, hidden, nil
}

// mostTabs is how many tabs are listed.
const mostTabs = 100

// rank puts what an agent looks for first: its own tabs, then what the user looks at.
func rank(t listedTab) int {
	switch {
	case t.Current:
		return 0
	case t.Own:
		return 1
	case t.Active:
		return 2
	}
	return 3
}

func isBlank(url string) bool { return url == "" || url == "about:blank" }

func writeTab(b *strings.Builder, t listedTab) {
	fmt.Fprintf(b, "%s", t.TabID)
	for _, m := range []struct {
		on   bool
		mark string
	}{{t.Current, "current"}, {t.Own && !t.Current, "own"}, {t.Owner != "", "another session's"}, {t.Active, "in front"}, {t.Loading, "loading"}, {t.Asleep, "asleep"}, {t.Denied, "not allowed"}} {
		if m.on {
			fmt.Fprintf(b, " (%s)", m.mark)
		}
	}
	if t.Title != "" {
		fmt.Fprintf(b, " %s", quote(t.Title, 120))
	}
	fmt.Fprintf(b, " %s\n", Cut(t.URL, 300))
}

// open opens a blank tab for the session and makes it current.
func (s *Session) open(ctx context.Context, active bool) (*Tab, error) {
	b, err := s.backend(ctx)
	if err != nil {
		return nil, err
	}
	info, err := b.Open(s.caller(ctx), browser.OpenOptions{Active: active})
	if err != nil {
		return nil, err
	}
	t, err := s.tab(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	s.use(info.ID)
	return t, nil
}

// TabNew is tab_new.
func TabNew(ctx context.Context, s *Session, a TabNewArgs) (*Result, error) {
	url := "about:blank"
	if a.URL != "" {
		var err error
		if url, err = address(a.URL); err != nil {
			return nil, err
		}
	}
	if err := s.Judge(url, "", policy.Read); err != nil {
		return nil, err
	}
	t, err := s.open(ctx, a.Active)
	if err != nil {
		return nil, err
	}
	if url == "about:blank" {
		return t.landed(landing{URL: url, TabID: string(t.ID())}), nil
	}
	unlock, err := t.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := t.navigate(ctx, url, "")
	if err != nil {
		return nil, inTab(err, t.ID())
	}
	return r, nil
}

// inTab adds to an error that a new tab was opened all the same.
func inTab(err error, id browser.TabID) error {
	e, ok := err.(*browser.Error)
	if !ok {
		return err
	}
	with := *e
	with.Message += fmt.Sprintf(" (tab %s was opened and is current)", id)
	return &with
}

// TabSelect is tab_select: it makes a tab the session's current one. The browser shows
// another tab to the user only when active is set.
func TabSelect(ctx context.Context, s *Session, a TabSelectArgs) (*Result, error) {
	info, err := s.info(ctx, a.TabID)
	if err != nil {
		return nil, err
	}
	if err := s.Judge(info.URL, "", policy.Read); err != nil && !isBlank(info.URL) {
		return nil, err
	}
	if a.Active {
		b, err := s.backend(ctx)
		if err != nil {
			return nil, err
		}
		if err := b.Activate(s.caller(ctx), a.TabID); err != nil {
			return nil, err
		}
		info.Active = true
	}
	s.use(a.TabID)
	t := listedTab{TabID: info.ID, URL: info.URL, Title: info.Title, Active: info.Active, Index: info.Index, Current: true, Own: true}
	var b strings.Builder
	writeTab(&b, t)
	return &Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: t, URL: info.URL}, nil
}

// info finds a tab that this session may use.
func (s *Session) info(ctx context.Context, id browser.TabID) (browser.TabInfo, error) {
	t, err := s.tab(ctx, id)
	if err != nil {
		return browser.TabInfo{}, err
	}
	info, err := t.bt.Info(s.caller(ctx))
	if err != nil {
		return browser.TabInfo{}, t.explain(ctx, err)
	}
	if info.Owner != "" && info.Owner != s.cfg.ID {
		return browser.TabInfo{}, browser.Errorf(browser.TabOwned, "tab %s belongs to another session; open your own with tab_new or pick one from tabs_list", id)
	}
	return info, nil
}

// TabClose is tab_close. Closing one of the user's own tabs is an act on its page.
func TabClose(ctx context.Context, s *Session, a TabCloseArgs) (*Result, error) {
	info, err := s.info(ctx, a.TabID)
	if err != nil {
		return nil, err
	}
	if !s.Owns(a.TabID) && info.Owner != s.cfg.ID {
		if err := s.Judge(info.URL, "", policy.Act); err != nil {
			return nil, err
		}
	}
	b, err := s.backend(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.closeTab(ctx, b, a.TabID); err != nil {
		return nil, err
	}
	s.drop(a.TabID)
	next := s.Current()
	text := fmt.Sprintf("closed tab %s", a.TabID)
	if next != "" {
		text += fmt.Sprintf("; current is now %s", next)
	}
	return &Result{Text: text, Data: map[string]any{"closed": true, "tabId": a.TabID, "current": next}, URL: info.URL}, nil
}

// closeTab closes a tab. A page may ask first whether it may be left, and then the browser
// answers only when the question is.
func (s *Session) closeTab(ctx context.Context, b browser.Backend, id browser.TabID) error {
	t, err := s.tab(ctx, id)
	if err != nil {
		return err
	}
	open, asked := t.state.dialogOpen()
	switch {
	case open != nil && open.Type == "beforeunload":
		return t.dialogError(open)
	case open != nil: // it goes with the tab
		asked = nil
	}
	ctx, cancel := context.WithCancel(s.caller(ctx))
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- b.Close(ctx, id) }()
	select {
	case err := <-closed:
		return err
	case <-asked:
	}
	if open, _ = t.state.dialogOpen(); open != nil {
		return browser.Errorf(browser.DialogOpen, "tab %s is not closed: %s; dialogs {\"action\": \"accept\"} closes it, {\"action\": \"dismiss\"} keeps it", id, t.describe(*open))
	}
	return <-closed
}
