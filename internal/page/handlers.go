package page

import (
	"context"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// Config is what a session is made of.
type Config struct {
	ID      string // MCP session id: owner of the session's tabs
	Title   string // client and project, the name of the tab group
	Policy  policy.Policy
	Backend func(ctx context.Context) (browser.Backend, error)
}

// Session is one MCP client's work.
type Session struct{ cfg Config }

// Tab is one tab as a session uses it.
type Tab struct{}

// NewSession returns a session without tabs.
func NewSession(c Config) *Session { return &Session{cfg: c} }

// Close ends the session: its tabs lose their owner.
func (s *Session) Close(ctx context.Context) {}

// Resolve returns the tab of a call: the named one, else the session's current one,
// else for reads the one that the user looks at.
func (s *Session) Resolve(ctx context.Context, id browser.TabID, a policy.Access) (*Tab, error) {
	return nil, errSoon
}

// Judge asks the gate about a document.
func (s *Session) Judge(url, origin string, a policy.Access) error { return nil }

// ID is the tab's id.
func (t *Tab) ID() browser.TabID { return "" }

// Judge asks the gate about the document that the tab shows now.
func (t *Tab) Judge(ctx context.Context, a policy.Access) error { return nil }

// Lock waits for the calls that came before; calls of a tab run in the order of Lock.
func (t *Tab) Lock(ctx context.Context) (unlock func(), err error) { return func() {}, nil }

var errSoon = browser.Errorf(browser.UnknownMethod, "not built yet")

// These take the session: they find, judge and queue for their tab themselves, because
// they open tabs, must be able to leave a denied page, or may not wait in a queue.

// TabsList is tabs_list.
func TabsList(ctx context.Context, s *Session, a TabsListArgs) (*Result, error) { return nil, errSoon }

// TabNew is tab_new.
func TabNew(ctx context.Context, s *Session, a TabNewArgs) (*Result, error) { return nil, errSoon }

// TabSelect is tab_select.
func TabSelect(ctx context.Context, s *Session, a TabSelectArgs) (*Result, error) {
	return nil, errSoon
}

// TabClose is tab_close.
func TabClose(ctx context.Context, s *Session, a TabCloseArgs) (*Result, error) { return nil, errSoon }

// Navigate is navigate.
func Navigate(ctx context.Context, s *Session, a NavigateArgs) (*Result, error) { return nil, errSoon }

// Back is back.
func Back(ctx context.Context, s *Session, a HistoryArgs) (*Result, error) { return nil, errSoon }

// Forward is forward.
func Forward(ctx context.Context, s *Session, a HistoryArgs) (*Result, error) { return nil, errSoon }

// Reload is reload.
func Reload(ctx context.Context, s *Session, a ReloadArgs) (*Result, error) { return nil, errSoon }

// Dialogs is dialogs.
func Dialogs(ctx context.Context, s *Session, a DialogsArgs) (*Result, error) { return nil, errSoon }

// These take a tab that is resolved, judged and locked.

// Click is click.
func Click(ctx context.Context, t *Tab, a ClickArgs) (*Result, error) { return nil, errSoon }

// Type is type.
func Type(ctx context.Context, t *Tab, a TypeArgs) (*Result, error) { return nil, errSoon }

// FillForm is fill_form.
func FillForm(ctx context.Context, t *Tab, a FillFormArgs) (*Result, error) { return nil, errSoon }

// SelectOption is select_option.
func SelectOption(ctx context.Context, t *Tab, a SelectArgs) (*Result, error) { return nil, errSoon }

// Press is press.
func Press(ctx context.Context, t *Tab, a PressArgs) (*Result, error) { return nil, errSoon }

// Hover is hover.
func Hover(ctx context.Context, t *Tab, a HoverArgs) (*Result, error) { return nil, errSoon }

// Scroll is scroll.
func Scroll(ctx context.Context, t *Tab, a ScrollArgs) (*Result, error) { return nil, errSoon }

// Drag is drag.
func Drag(ctx context.Context, t *Tab, a DragArgs) (*Result, error) { return nil, errSoon }

// Snapshot is snapshot.
func Snapshot(ctx context.Context, t *Tab, a SnapshotArgs) (*Result, error) { return nil, errSoon }

// Find is find.
func Find(ctx context.Context, t *Tab, a FindArgs) (*Result, error) { return nil, errSoon }

// GetText is get_text.
func GetText(ctx context.Context, t *Tab, a TextArgs) (*Result, error) { return nil, errSoon }

// GetHTML is get_html.
func GetHTML(ctx context.Context, t *Tab, a HTMLArgs) (*Result, error) { return nil, errSoon }

// Screenshot is screenshot.
func Screenshot(ctx context.Context, t *Tab, a ScreenshotArgs) (*Result, error) { return nil, errSoon }

// Eval is eval.
func Eval(ctx context.Context, t *Tab, a EvalArgs) (*Result, error) { return nil, errSoon }

// WaitFor is wait_for.
func WaitFor(ctx context.Context, t *Tab, a WaitForArgs) (*Result, error) { return nil, errSoon }

// FramesList is frames_list.
func FramesList(ctx context.Context, t *Tab, a FramesListArgs) (*Result, error) { return nil, errSoon }
