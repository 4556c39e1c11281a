package cdpfallback

import (
	"slices"

	"chrome-mcp/internal/browser"
)

// observers are the commands with which a target begins to tell what its page does.
var observers = []string{"Network.enable", "Runtime.enable", "Log.enable"}

// observe notes a command that switches an observer on in the tab's own target. Frames
// that get a target of their own later are observed from their first moment: they wait
// for it, because what they ask for as they load is told to nobody later.
func (s *session) observe(method string, params any) {
	if s.root != "" || !slices.Contains(observers, method) {
		return
	}
	s.tab.b.mu.Lock()
	first := len(s.observing) == 0
	s.observing = slices.DeleteFunc(s.observing, func(c browser.Command) bool { return c.Method == method })
	s.observing = append(s.observing, browser.Command{Method: method, Params: params})
	listening := s.tab.b.workersOf(s.tab)
	s.tab.b.mu.Unlock()
	for _, w := range listening {
		w.send([]browser.Command{{Method: method, Params: params}})
	}
	if first {
		// It is answered in its turn; nothing depends on when.
		_, _ = s.tab.b.conn.start(s.id, "Target.setAutoAttach", autoAttach(true))
	}
}

// observed are the observers to switch on in a target that has just come.
func (s *session) observed() []browser.Command {
	s.tab.b.mu.Lock()
	defer s.tab.b.mu.Unlock()
	if s.root == "" || s.tab.main == nil {
		return nil
	}
	return slices.Clone(s.tab.main.observing)
}

// autoAttach are the parameters with which frames' targets are attached to as they come.
// Where they are observed, workers are too, and all wait until they are told to go on.
func autoAttach(observed bool) map[string]any {
	filter := []map[string]any{{"type": "iframe"}}
	if observed {
		filter = append(filter, map[string]any{"type": "worker"})
	}
	return map[string]any{
		"autoAttach": true, "waitForDebuggerOnStart": observed, "flatten": true,
		"filter": append(filter, map[string]any{"exclude": true}),
	}
}
