package page

import (
	"encoding/json"

	"chrome-mcp/internal/browser"
)

// offered counts tools that documents register or take back.
func (s *state) offered(ev browser.Event, by int) {
	var p struct {
		Tools []struct {
			FrameID string `json:"frameId"`
		} `json:"tools"`
	}
	if json.Unmarshal(ev.Params, &p) != nil {
		return
	}
	if s.offers == nil {
		s.offers = map[string]int{}
	}
	for _, tool := range p.Tools {
		s.offers[tool.FrameID] += by
		if s.offers[tool.FrameID] <= 0 {
			delete(s.offers, tool.FrameID)
		}
	}
}

func (s *state) frameDetached(ev browser.Event) {
	s.frameChange(ev)
	var p struct {
		FrameID string `json:"frameId"`
		Reason  string `json:"reason"`
	}
	if json.Unmarshal(ev.Params, &p) == nil && p.Reason != "swap" {
		delete(s.offers, p.FrameID)
	}
}

// PageTools is how many tools the pages in the session's tabs offer, as far as the browser
// tells.
func (s *Session) PageTools() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, t := range s.tabs {
		t.state.mu.Lock()
		for _, tools := range t.state.offers {
			n += tools
		}
		t.state.mu.Unlock()
	}
	return n
}
