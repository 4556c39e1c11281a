package e2e

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"chrome-mcp/mcpserver"
)

var update = flag.Bool("update", false, "write docs/tokens.md and docs/first-run.md again")

// perToken is the usual estimate of bytes for one token of English, JSON and markup. What
// a model really counts depends on the model.
const perToken = 4

// slack is by how much a figure may have moved before the document is stale.
const slack = 0.02

// TestTokens measures what a model is given, and holds docs/tokens.md to it.
func TestTokens(t *testing.T) {
	published(t)
	got := tokensDoc(t)
	path := filepath.Join("..", "docs", "tokens.md")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at, ok := alike(string(have), got); !ok {
		t.Errorf("docs/tokens.md is stale at %q; run make tokens", at)
	}
}

var figure = regexp.MustCompile(`\d[\d,]*`)

// alike compares texts whose figures may differ by the slack, and says where they do not.
func alike(a, b string) (at string, ok bool) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(as), len(bs)) {
		if i >= len(as) || i >= len(bs) {
			return "the end", false
		}
		if figure.ReplaceAllString(as[i], "#") != figure.ReplaceAllString(bs[i], "#") {
			return as[i], false
		}
		x, y := figure.FindAllString(as[i], -1), figure.FindAllString(bs[i], -1)
		for j := range x {
			if m, n := number(x[j]), number(y[j]); math.Abs(m-n) > slack*max(m, n)+1 {
				return as[i], false
			}
		}
	}
	return "", true
}

func number(s string) float64 {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil {
		return math.NaN() // is like nothing
	}
	return float64(n)
}

// tokensDoc measures and writes the document.
func tokensDoc(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# What it costs a model

Written by ` + "`make tokens`" + `; do not edit. A test fails when a figure has moved by more than 2 %.
Tokens are estimated as bytes / 4, for us and for others alike.

## The list of tools

Sent once a session, and then with every turn. What is switched off is not listed.

| started with | tools | bytes | tokens |
| --- | ---: | ---: | ---: |
`)
	for _, l := range [][]string{{}, {"--toolset", "core"}, {"--toolset", "read"}, {"--enable-mutations"}, {"--toolset", "core", "--enable-mutations"}, allowAll()} {
		n, tools := listBytes(t, l)
		name := strings.Join(l, " ")
		switch {
		case len(l) == 0:
			name = "no flags"
		case len(l) == len(allowAll()):
			name = "every permission, `--toolset full`"
		default:
			name = "`" + name + "`"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", name, tools, thousands(n), tokens(n))
	}
	n := len(mcpserver.Instructions)
	fmt.Fprintf(&b, "\nThe instructions, which a client may add to the prompt, have %s bytes (%s tokens).\n", thousands(n), tokens(n))
	b.WriteString(others)
	snapshots(t, &b)
	return b.String()
}

// others are the figures of other servers, measured once on the same machine.
const others = `
Others, as they start without flags: Playwright MCP 0.0.83 20,286 bytes (25 tools),
chrome-devtools-mcp 1.11 29,361 (32), agent-browser 0.41.2 88,189 (29).

## A snapshot

Bytes of the text that the model gets. The first two columns and Playwright's own snapshot
are measured on the pages of our tests; the three servers behind it were measured once, on
pages of the same make and size (there 300, 500 and 230 elements can be acted on). Our
snapshot shows the first rows of a long table and how to get the others; with
interactiveOnly every element that can be acted on has a line and a ref.

| page | snapshot | interactiveOnly | its refs | Playwright 1.65 | Playwright MCP 0.0.83 | chrome-devtools-mcp 1.11 | agent-browser 0.41.2 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

// tokenPages are the pages, with what the other servers made of their like.
func tokenPages() ([]publication, []string) {
	return []publication{
			{name: "5,000 elements", url: rig.site.base + "/big", ready: "true"},
			{name: "table of 500 rows", url: rig.site.base + "/table", ready: "true"},
			{name: "Swagger UI, all open", url: rig.site.base + "/web/swagger.html#full", ready: `document.querySelectorAll('.opblock.is-open').length > 15`},
		}, []string{
			"167,741 | 90,388 | 22,043 |",
			"179,532 | 98,380 | 106,883 |",
			"76,557 | 49,583 | 26,985 |",
		}
}

func snapshots(t *testing.T, b *strings.Builder) {
	pages, peers := tokenPages()
	theirs := playwright(t, pages)
	s := paired(t, false).serve(t)
	for i, p := range pages {
		r := s.call(t, "tab_new", args{"url": p.url})
		s.wantTrue(t, p.ready)
		whole := s.call(t, "snapshot", nil).text
		brief := s.call(t, "snapshot", args{"interactiveOnly": true}).text
		s.call(t, "tab_close", args{"tabId": r.data["tabId"]})
		fmt.Fprintf(b, "| %s | %s | %s | %d | %s | %s\n", p.name, thousands(len(whole)), thousands(len(brief)),
			len(snapshotLine.FindAllString(brief, -1)), thousands(len(theirs[i])), peers[i])
	}
	b.WriteString("\n`find` and `get_text` cost what they return. `maxBytes` asks for more than one answer holds.\n")
}

// listBytes is the size of the answer to tools/list, as it goes over the pipe.
func listBytes(t *testing.T, flags []string) (bytes, tools int) {
	t.Helper()
	client := "list " + strings.Join(flags, " ")
	s, err := startServer(t.Context(), t.TempDir(), client, flags...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	for line := range strings.Lines(rig.log.of(client + " stdout")) {
		if strings.Contains(line, `"inputSchema"`) {
			bytes += len(line)
		}
	}
	return bytes, len(s.tools)
}

func tokens(bytes int) string { return thousands((bytes + perToken/2) / perToken) }

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
