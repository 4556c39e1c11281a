//go:build !windows && !darwin

package doctor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"chrome-mcp/installer"
)

// managedBy reads the folder as the browser does: files in the order of their names,
// later ones over earlier ones.
func (e *exam) managedBy(_ context.Context, p installer.Policies) (m managed, from string) {
	if p.Linux == "" {
		return m, ""
	}
	from = filepath.Join(e.Etc, strings.TrimPrefix(p.Linux, "/etc"))
	entries, _ := os.ReadDir(from)
	for _, entry := range entries {
		if b, err := os.ReadFile(filepath.Join(from, entry.Name())); err == nil {
			_ = json.Unmarshal(b, &m) // a file that is no JSON forbids nothing
		}
	}
	return m, from
}
