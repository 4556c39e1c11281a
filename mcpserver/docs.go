package mcpserver

import (
	"cmp"
	"fmt"
	"strings"

	"chrome-mcp/internal/policy"
)

// ToolDocs returns docs/tools.md, made from the table.
func ToolDocs() string {
	var b strings.Builder
	b.WriteString("# Tools\n\nMade from the table of tools by `go test ./mcpserver -update`; do not edit.\n\n")
	b.WriteString("Access decides what has to be switched on: *read* and, with the flag that is named, the others. All sites are closed until `--allow-domain` or the user, in the extension's popup, opens them.\n")
	b.WriteString("\n`--toolset core` offers the tools marked *core*, with short schemas: arguments in italics are left out there, and taken all the same.\n")
	for _, t := range table() {
		fmt.Fprintf(&b, "\n## %s\n\n%s Access: %s%s.\n", t.name, t.desc, accessDoc(t), map[bool]string{true: "; *core*"}[t.core])
		if len(t.spec.fields) == 0 {
			continue
		}
		b.WriteString("\n| argument | type | |\n| --- | --- | --- |\n")
		for _, f := range t.spec.fields {
			name := f.name
			if t.core && f.rare {
				name = "*" + name + "*"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", name, f.typeDoc(), f.noteDoc())
		}
	}
	return b.String()
}

func accessDoc(t *tool) string {
	if flag := policy.Flag(t.access); flag != "" {
		return fmt.Sprintf("%s (`%s`)", t.access, flag)
	}
	return string(t.access)
}

func (f *argField) typeDoc() string {
	switch {
	case f.enum != nil:
		return strings.Join(f.enum, ", ")
	case f.item != nil && f.item.enum != nil:
		return "list of " + strings.Join(f.item.enum, ", ")
	case f.item != nil && f.item.object != nil:
		return "list of " + f.item.object.names()
	case f.item != nil:
		return "list of " + f.item.kind
	case f.object != nil:
		return f.object.names()
	}
	return f.kind
}

func (s *argSpec) names() string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

func (f *argField) noteDoc() string {
	note := strings.ReplaceAll(cmp.Or(f.doc, f.desc), "|", `\|`)
	if f.required {
		note = "Required. " + note
	}
	if f.def != "" {
		note += fmt.Sprintf(" Default: %s.", strings.Trim(f.def, `"`))
	}
	if f.max != nil {
		note += fmt.Sprintf(" At most %v.", *f.max)
	}
	return strings.TrimSpace(note)
}
