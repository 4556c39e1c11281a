package doctor

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"time"

	"chrome-mcp/installer"
)

// managedBy reads what a configuration profile set for the browser.
func (e *exam) managedBy(ctx context.Context, p installer.Policies) (m managed, from string) {
	if p.Darwin == "" {
		return m, ""
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	from = "/Library/Managed Preferences/" + p.Darwin + ".plist"
	if _, err := os.Stat(from); err != nil {
		return m, from
	}
	if b, err := exec.CommandContext(ctx, "plutil", "-convert", "json", "-o", "-", from).Output(); err == nil {
		_ = json.Unmarshal(b, &m) // what is not understood forbids nothing
	}
	return m, from
}
