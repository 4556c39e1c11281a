package installer

import (
	"fmt"
	"strings"
)

// String shows the plan as the user reads it before agreeing.
func (p *Plan) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		switch s.Kind {
		case PutProgram:
			fmt.Fprintf(&b, "  program    %s\n", s.Path)
		case PutExtension:
			fmt.Fprintf(&b, "  extension  %s\n", s.Path)
		case PutManifest:
			fmt.Fprintf(&b, "  host       %s\n             for %s\n", s.Path, strings.Join(s.For, ", "))
		case PutClient:
			what := s.Path
			if s.Client.Command != nil {
				what = shown(s.Client.Command)
			}
			fmt.Fprintf(&b, "  client     %s\n             for %s\n", what, strings.Join(s.For, ", "))
		case SetKey:
			fmt.Fprintf(&b, "  registry   HKCU\\%s\n             for %s\n", s.Path, strings.Join(s.For, ", "))
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "  note       %s\n", n)
	}
	return b.String()
}
