package page

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// event takes one event into the state. It runs on the tab's event goroutine and must
// not block.
func (t *Tab) event(ev browser.Event) {
	if t.observer.event(ev) {
		return
	}
	t.downloadEvent(ev)
	s := &t.state
	s.mu.Lock()
	s.seq++
	var dialog *Dialog
	offered := len(s.offers)
	if h := eventTable[ev.Method]; h != nil {
		h(s, ev)
	}
	changed := offered != len(s.offers) || strings.HasPrefix(ev.Method, "WebMCP.")
	if ev.Method == "Page.javascriptDialogOpening" {
		dialog = s.dialog
	}
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if changed && t.s.cfg.OnPageTools != nil {
		go t.s.cfg.OnPageTools() // it may ask for the count, and tells the client
	}
	t.follow(ev, dialog)
}

// follow does what an event means beyond the state of this tab.
func (t *Tab) follow(ev browser.Event, dialog *Dialog) {
	switch ev.Method {
	case "Page.javascriptDialogOpening":
		if dialog != nil {
			t.dialogOpened(*dialog)
		}
	case "tab.created":
		var p struct {
			TabID browser.TabID `json:"tabId"`
		}
		if json.Unmarshal(ev.Params, &p) == nil && p.TabID != "" && t.s.Owns(t.ID()) {
			t.s.adopt(p.TabID)
		}
	case "tab.detached", "events.lost":
		t.choosers.forget()
	case "tab.removed":
		go t.s.drop(t.ID()) // it ends this subscription
	}
}

// dialogOpened answers a dialog by the tab's standing policy, or wakes everybody who
// waits for the page.
func (t *Tab) dialogOpened(d Dialog) {
	t.mu.Lock()
	standing, prompt := t.policy, t.prompt
	t.mu.Unlock()
	if standing == "" {
		t.state.announce()
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(t.s.caller(context.Background()), 5*time.Second)
		defer cancel()
		// The tab may show another page than when the answer was settled.
		err := error(nil)
		if standing == "accept" {
			err = t.judgeDialog(ctx, d)
		}
		if err == nil {
			err = t.answer(ctx, d, standing == "accept", prompt)
		}
		if err != nil {
			t.state.announce()
		}
	}()
}

// announce wakes those who wait for the page, since a dialog is open.
func (s *state) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dialog == nil {
		return
	}
	select {
	case <-s.opened:
	default:
		close(s.opened)
	}
}

// eventTable holds what each event changes. The lock is held.
var eventTable = map[string]func(*state, browser.Event){
	"Page.frameNavigated":           (*state).frameNavigated,
	"Page.navigatedWithinDocument":  (*state).navigatedWithin,
	"Page.frameRequestedNavigation": (*state).requested,
	"Page.frameStartedNavigating":   (*state).startedNavigating,
	"Page.frameStartedLoading":      (*state).startedLoading,
	"Page.frameStoppedLoading":      (*state).stoppedLoading,
	"Page.lifecycleEvent":           (*state).lifecycle,
	"Page.frameAttached":            (*state).frameChange,
	"Page.frameDetached":            (*state).frameDetached,
	"Page.javascriptDialogOpening":  (*state).dialogOpening,
	"Page.javascriptDialogClosed":   (*state).dialogClosed,
	"Page.windowOpen":               (*state).windowOpened,
	"Page.downloadWillBegin":        (*state).downloading,
	"Page.fileChooserOpened":        (*state).chooserOpened,
	"Input.dragIntercepted":         (*state).dragIntercepted,
	"WebMCP.toolsAdded":             func(s *state, ev browser.Event) { s.offered(ev, 1) },
	"WebMCP.toolsRemoved":           func(s *state, ev browser.Event) { s.offered(ev, -1) },
	"tab.created":                   (*state).tabCreated,
	"tab.removed":                   (*state).removed,
	"tab.detached":                  (*state).detached,
	"Inspector.targetCrashed":       (*state).frameChange,
}

func (s *state) frameChange(browser.Event) { s.frames++ }

func (s *state) frameNavigated(ev browser.Event) {
	s.frames++
	var p struct {
		Frame struct {
			ID       string `json:"id"`
			ParentID string `json:"parentId"`
			LoaderID string `json:"loaderId"`
			URL      string `json:"url"`
		} `json:"frame"`
		Type string `json:"type"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	delete(s.offers, p.Frame.ID)
	if ev.Frame != "" || p.Frame.ParentID != "" {
		return
	}
	clear(s.offers)
	s.main = p.Frame.ID
	s.setLoader(p.Frame.LoaderID)
	s.restored = p.Type == "BackForwardCacheRestore"
	s.commit = mark{s.seq, p.Frame.URL}
	s.closeDialog()
}

func (s *state) setLoader(id string) {
	if id != s.loader {
		s.loader = id
		s.phases = map[string]bool{}
	}
}

func (s *state) navigatedWithin(ev browser.Event) {
	s.frames++
	var p struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
	}
	if json.Unmarshal(ev.Params, &p) == nil && s.isMain(ev, p.FrameID) {
		s.within = mark{s.seq, p.URL}
	}
}

// isMain says whether a frame id of an event is the main frame's.
func (s *state) isMain(ev browser.Event, id string) bool {
	return ev.Frame == "" && (s.main == "" || id == s.main)
}

func (s *state) requested(ev browser.Event) {
	var p struct {
		FrameID     string `json:"frameId"`
		URL         string `json:"url"`
		Disposition string `json:"disposition"`
	}
	if json.Unmarshal(ev.Params, &p) == nil && s.isMain(ev, p.FrameID) && (p.Disposition == "" || p.Disposition == "currentTab") {
		s.asked = mark{s.seq, p.URL}
	}
}

func (s *state) startedNavigating(ev browser.Event) {
	var p struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
		Type    string `json:"navigationType"`
	}
	if json.Unmarshal(ev.Params, &p) != nil || !s.isMain(ev, p.FrameID) {
		return
	}
	switch p.Type {
	case "sameDocument", "historySameDocument":
	default:
		s.asked = mark{s.seq, p.URL}
	}
}

func (s *state) startedLoading(ev browser.Event) {
	if s.isMain(ev, frameID(ev)) {
		s.started = s.seq
	}
}

func (s *state) stoppedLoading(ev browser.Event) {
	if s.isMain(ev, frameID(ev)) {
		s.stopped = s.seq
	}
}

func frameID(ev browser.Event) string {
	var p struct {
		FrameID string `json:"frameId"`
	}
	_ = json.Unmarshal(ev.Params, &p)
	return p.FrameID
}

func (s *state) lifecycle(ev browser.Event) {
	var p struct {
		FrameID  string `json:"frameId"`
		LoaderID string `json:"loaderId"`
		Name     string `json:"name"`
	}
	if json.Unmarshal(ev.Params, &p) != nil || !s.isMain(ev, p.FrameID) {
		return
	}
	s.setLoader(p.LoaderID)
	s.phases[p.Name] = true
}

func (s *state) dialogOpening(ev browser.Event) {
	var p struct {
		URL           string `json:"url"`
		Message       string `json:"message"`
		Type          string `json:"type"`
		DefaultPrompt string `json:"defaultPrompt"`
	}
	if json.Unmarshal(ev.Params, &p) != nil || s.dialog != nil {
		return
	}
	s.lastSeq++
	s.dialog = &Dialog{Seq: s.lastSeq, Type: p.Type, Message: p.Message, Default: p.DefaultPrompt, URL: p.URL, Open: true, frame: ev.Frame, at: s.seq}
}

func (s *state) dialogClosed(ev browser.Event) {
	var p struct {
		Result    bool   `json:"result"`
		UserInput string `json:"userInput"`
	}
	if json.Unmarshal(ev.Params, &p) != nil || s.dialog == nil {
		return
	}
	d := *s.dialog
	d.Open, d.Result, d.Input = false, "dismissed", p.UserInput
	if p.Result {
		d.Result = "accepted"
	}
	s.dialogs = keep(s.dialogs, d, maxDialogs)
	s.closeDialog()
}

// closeDialog makes a fresh channel: the old one may be closed.
func (s *state) closeDialog() {
	s.dialog = nil
	select {
	case <-s.opened:
		s.opened = make(chan struct{})
	default:
	}
}

func (s *state) windowOpened(browser.Event) { s.windows = s.seq }

func (s *state) tabCreated(ev browser.Event) {
	var p struct {
		TabID browser.TabID `json:"tabId"`
		URL   string        `json:"url"`
	}
	if json.Unmarshal(ev.Params, &p) == nil {
		s.tabs = keep(s.tabs, openedTab{s.seq, p.TabID, p.URL}, maxHappened)
	}
}

func (s *state) downloading(ev browser.Event) {
	var p struct {
		URL  string `json:"url"`
		Name string `json:"suggestedFilename"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	s.downloads = keep(s.downloads, download{s.seq, p.Name, p.URL}, maxHappened)
}

func (s *state) removed(browser.Event) {
	s.gone = "closed"
	s.closeDialog()
}

func (s *state) detached(browser.Event) {
	s.frames++
	s.closeDialog()
}

func (s *state) dragIntercepted(ev browser.Event) {
	var p struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(ev.Params, &p) == nil {
		s.drag = p.Data
	}
}
