package main

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"chrome-mcp/extension"
)

// TestContrast holds WCAG AA for the colours of the pages: 4.5 for text on what it
// stands on, 3 for the edges of controls.
func TestContrast(t *testing.T) {
	css, err := fs.ReadFile(extension.FS, "ui.css")
	if err != nil {
		t.Fatal(err)
	}
	pairs := []struct {
		front string
		least float64
		backs []string
	}{
		{"text", 4.5, []string{"ground", "card", "sunken", "bad-ground"}},
		{"muted", 4.5, []string{"ground", "card", "sunken", "bad-ground"}},
		{"on-accent", 4.5, []string{"accent", "accent-hover"}},
		{"ok", 4.5, []string{"card", "sunken"}},
		{"bad", 4.5, []string{"card"}},
		{"busy", 3, []string{"card"}},
		{"edge", 3, []string{"ground", "card"}},
	}
	for scheme, colours := range schemes(t, string(css)) {
		for _, p := range pairs {
			for _, back := range p.backs {
				got := contrast(colours[p.front], colours[back])
				if got < p.least {
					t.Errorf("%s: %s on %s has contrast %.2f, less than %.1f", scheme, p.front, back, got, p.least)
				}
			}
		}
	}
}

var declaration = regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6});`)

// schemes reads the colours of both blocks; the first is light, the second dark.
func schemes(t *testing.T, css string) map[string]map[string]float64 {
	t.Helper()
	blocks := strings.Split(css, ":root {")
	if len(blocks) != 3 {
		t.Fatalf("ui.css has %d :root blocks, want light and dark", len(blocks)-1)
	}
	all := map[string]map[string]float64{}
	for i, name := range []string{"light", "dark"} {
		all[name] = map[string]float64{}
		block, _, _ := strings.Cut(blocks[i+1], "}")
		for _, m := range declaration.FindAllStringSubmatch(block, -1) {
			all[name][m[1]] = luminance(t, m[2])
		}
	}
	return all
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(v uint64) float64 {
		c := float64(v&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

func contrast(a, b float64) float64 {
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}
