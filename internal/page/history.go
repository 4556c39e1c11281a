package page

import (
	"context"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// Back is back.
func Back(ctx context.Context, s *Session, a HistoryArgs) (*Result, error) {
	return s.leave(ctx, a.TabID, a.Wall, func(ctx context.Context, t *Tab) (*Result, error) { return t.travel(ctx, -1) })
}

// Forward is forward.
func Forward(ctx context.Context, s *Session, a HistoryArgs) (*Result, error) {
	return s.leave(ctx, a.TabID, a.Wall, func(ctx context.Context, t *Tab) (*Result, error) { return t.travel(ctx, 1) })
}

// Reload is reload.
func Reload(ctx context.Context, s *Session, a ReloadArgs) (*Result, error) {
	return s.leave(ctx, a.TabID, a.Wall, func(ctx context.Context, t *Tab) (*Result, error) { return t.reload(ctx, a.WaitUntil) })
}

// leave runs a navigation of an existing tab. The page that is left is not judged: an
// agent must be able to get away from one that it may not read.
func (s *Session) leave(ctx context.Context, id browser.TabID, w Wall, do func(context.Context, *Tab) (*Result, error)) (*Result, error) {
	t, err := s.Resolve(ctx, id, policy.Act)
	if err != nil {
		return nil, err
	}
	unlock, err := t.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := do(ctx, t)
	return t.walled(ctx, w, r, err)
}

type historyEntry struct {
	ID  int    `json:"id"`
	URL string `json:"url"`
}

// travel goes through the tab's history.
func (t *Tab) travel(ctx context.Context, by int) (*Result, error) {
	if err := t.reachable(ctx); err != nil {
		return nil, err
	}
	entry, err := t.entry(ctx, by)
	if err != nil {
		return nil, err
	}
	if err := t.s.Judge(entry.URL, "", policy.Read); err != nil {
		return nil, err
	}
	from := t.state.now()
	err = t.call(ctx, "", "Page.navigateToHistoryEntry", map[string]any{"entryId": entry.ID}, nil)
	if browser.CodeOf(err) == browser.DialogOpen {
		return t.stoppedByDialog(from, err)
	}
	if err != nil && !navigated(err) {
		return nil, err
	}
	return t.arrive(ctx, from, "")
}

func (t *Tab) entry(ctx context.Context, by int) (historyEntry, error) {
	var h struct {
		Current int            `json:"currentIndex"`
		Entries []historyEntry `json:"entries"`
	}
	if err := t.call(ctx, "", "Page.getNavigationHistory", nil, &h); err != nil {
		return historyEntry{}, err
	}
	i := h.Current + by
	switch {
	case i < 0:
		return historyEntry{}, browser.Errorf(browser.NavigationFailed, "there is nothing to go back to: this is the first page of tab %s; use navigate", t.ID())
	case i >= len(h.Entries):
		return historyEntry{}, browser.Errorf(browser.NavigationFailed, "there is nothing to go forward to: this is the newest page of tab %s; use navigate", t.ID())
	}
	return h.Entries[i], nil
}

// arrive waits for a navigation of any kind: a new document, one out of the
// back/forward cache (which never loads), or one within the document.
func (t *Tab) arrive(ctx context.Context, from int, until string) (*Result, error) {
	within := false
	t.state.wait(ctx, answerBudget, func(s *state) bool {
		within = s.within.seq > from && s.commit.seq <= from
		return within || s.commit.seq > from || s.announced() != nil || s.gone != "" || s.stopped > from && s.started > from && s.stopped > s.started
	})
	if within {
		return t.land(ctx, from, "")
	}
	return t.settle(ctx, from, until)
}

func (t *Tab) reload(ctx context.Context, until string) (*Result, error) {
	if err := t.reachable(ctx); err != nil {
		return nil, err
	}
	from := t.state.now()
	reload := func(ctx context.Context) error { return t.call(ctx, "", "Page.reload", nil, nil) }
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := reload(short)
	if browser.CodeOf(err) == browser.DialogOpen {
		return t.stoppedByDialog(from, err)
	}
	if err != nil && !navigated(err) && browser.CodeOf(err) != browser.Timeout {
		return nil, err
	}
	return t.arrive(ctx, from, until)
}
