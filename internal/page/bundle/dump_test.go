package bundle_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/pagefn"
)

// dump writes a snapshot as the tools show it, with Act as "*" and frames as "#n".
func dump(s pagefn.Snapshot) string {
	var b strings.Builder
	for _, n := range s.Nodes {
		b.WriteString(strings.Repeat("  ", n.Depth) + n.Role)
		if n.Name != "" {
			fmt.Fprintf(&b, " %q", n.Name)
		}
		if n.Act {
			b.WriteString(" *")
		}
		if n.Value != "" {
			fmt.Fprintf(&b, " value=%q", n.Value)
		}
		if len(n.States) > 0 {
			b.WriteString(" " + strings.Join(n.States, " "))
		}
		if n.URL != "" {
			b.WriteString(" → " + n.URL)
		}
		if n.Frame != 0 {
			fmt.Fprintf(&b, " #%d", n.Frame)
		}
		b.WriteByte('\n')
	}
	if s.Truncated > 0 {
		fmt.Fprintf(&b, "(%d left out)\n", s.Truncated)
	}
	return b.String()
}

// writeGolden writes an archive anew: the page and what came of it.
func writeGolden(file, page string, got map[string]string) error {
	arc := &txtar.Archive{Files: []txtar.File{{Name: "in.html", Data: []byte(page)}}}
	for _, name := range []string{"full", "interactive"} {
		arc.Files = append(arc.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	return os.WriteFile(file, txtar.Format(arc), 0o644)
}

func jsonArgs(s string) any { return json.RawMessage(s) }

func unmarshal(raw json.RawMessage, v any) error { return json.Unmarshal(raw, v) }

func bundleSource() string { return bundle.Source }
