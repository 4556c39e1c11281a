package choice

import "chrome-mcp/internal/browser"

var _ browser.Wrapper = (*Choice)(nil)

// Unwrap returns the backends that are chosen among.
func (c *Choice) Unwrap() []browser.Backend { return c.both() }
