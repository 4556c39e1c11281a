package choice

import "chrome-mcp/internal/browser"

var _ browser.Wrapper = (*Choice)(nil)

// Unwrap returns the backends that are chosen among.
func (c *Choice) Unwrap() []browser.Backend {
	var list []browser.Backend
	for _, b := range []browser.Backend{c.cfg.Extension, c.cfg.Fallback} {
		if b != nil {
			list = append(list, b)
		}
	}
	return list
}
