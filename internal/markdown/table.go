package markdown

import (
	"strings"

	"golang.org/x/net/html"
)

// A page may say that a cell spans anything; these bound what is believed.
const (
	maxSpan = 100
	maxGrid = 100_000 // cells
)

// table renders a table of data; one that only lays things out becomes what is in it.
func (r *renderer) table(n *html.Node) []block {
	rows := rowsOf(n)
	if isLayout(n, rows) {
		var out []block
		for _, row := range rows {
			for _, cell := range row.cells {
				out = apart(out, r.blocks(cell, 0))
			}
		}
		return append(r.caption(n), out...)
	}
	headed := len(rows) > 0 && rows[0].head
	grid := dropEmpty(r.grid(rows), headed)
	if len(grid) == 0 {
		return r.caption(n)
	}
	head := make([]string, len(grid[0]))
	if headed {
		head, grid = grid[0], grid[1:]
	}
	lines := []string{tableLine(head), "|" + strings.Repeat(" --- |", len(head))}
	for _, row := range grid {
		lines = append(lines, tableLine(row))
	}
	return append(r.caption(n), block{kind: other, text: strings.Join(lines, "\n")})
}

func tableLine(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

func (r *renderer) caption(n *html.Node) []block {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "caption" {
			return r.blocks(c, 0)
		}
	}
	return nil
}

type row struct {
	cells []*html.Node
	head  bool
}

func rowsOf(table *html.Node) []row {
	var rows []row
	var visit func(n *html.Node, inHead bool)
	visit = func(n *html.Node, inHead bool) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type != html.ElementNode || c.Data == "caption" || c.Data == "table":
			case c.Data == "tr":
				rows = append(rows, row{cellsOf(c), inHead})
			default:
				visit(c, c.Data == "thead" || inHead && c.Data == "div")
			}
		}
	}
	visit(table, false)
	if len(rows) > 0 && !rows[0].head {
		rows[0].head = len(rows) > 1 && len(rows[0].cells) > 0
		for _, c := range rows[0].cells {
			rows[0].head = rows[0].head && c.Data == "th"
		}
	}
	return rows
}

func cellsOf(tr *html.Node) []*html.Node {
	var cells []*html.Node
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th"):
			cells = append(cells, c)
		case c.Type == html.ElementNode:
			cells = append(cells, cellsOf(c)...)
		}
	}
	return cells
}

// isLayout says whether a table without any heading cell holds what no cell can, or
// has one column only.
func isLayout(n *html.Node, rows []row) bool {
	columns, big := 0, false
	for _, r := range rows {
		columns = max(columns, len(r.cells))
		for _, c := range r.cells {
			big = big || contains(c, func(n *html.Node) bool {
				return n.Type == html.ElementNode && (n.Data == "table" || n.Data == "hr" || n.Data == "frame" || n.Data == "pre" && strings.Contains(textOf(n), "\n") || headings[n.Data])
			})
		}
	}
	if contains(n, isElement("th")) && columns > 1 {
		return false
	}
	return columns < 2 || big
}

var headings = set("h1", "h2", "h3", "h4", "h5", "h6")

// grid gives every cell its place. What spans rows is said in each of them, since it
// holds there; what spans columns is said once, in a heading in each.
func (r *renderer) grid(rows []row) [][]string {
	grid := make([][]string, len(rows))
	taken := make([]map[int]bool, len(rows))
	for i := range taken {
		taken[i] = map[int]bool{}
	}
	room := maxGrid
	put := func(i, col int, s string) {
		room--
		for len(grid[i]) <= col {
			grid[i] = append(grid[i], "")
		}
		grid[i][col], taken[i][col] = s, true
	}
	for i, row := range rows {
		col := 0
		for _, c := range row.cells {
			for taken[i][col] {
				col++
			}
			s := r.cell(c)
			wide, high := span(attr(c, "colspan")), min(span(attr(c, "rowspan")), len(rows)-i)
			if room < wide*high {
				wide, high = 1, 1
			}
			for y := range high {
				for x := range wide {
					if x > 0 && !row.head {
						put(i+y, col+x, "")
					} else {
						put(i+y, col+x, s)
					}
				}
			}
			col += wide
		}
	}
	return even(grid)
}

func span(s string) int { return min(max(number(s, 1), 1), maxSpan) }

func even(grid [][]string) [][]string {
	width := 0
	for _, row := range grid {
		width = max(width, len(row))
	}
	for i := range grid {
		for len(grid[i]) < width {
			grid[i] = append(grid[i], "")
		}
	}
	return grid
}

// cell is the content of a cell on one line.
func (r *renderer) cell(n *html.Node) string {
	return strings.ReplaceAll(r.inlineOf(childrenOf(n), 0, "<br>"), "|", `\|`)
}

// dropEmpty leaves out rows and columns that hold nothing, but not the heading row.
func dropEmpty(grid [][]string, headed bool) [][]string {
	var rows [][]string
	used := map[int]bool{}
	for i, row := range grid {
		empty := true
		for x, s := range row {
			if s != "" {
				empty, used[x] = false, true
			}
		}
		if !empty || headed && i == 0 {
			rows = append(rows, row)
		}
	}
	for i, row := range rows {
		var kept []string
		for x, s := range row {
			if used[x] {
				kept = append(kept, s)
			}
		}
		rows[i] = kept
	}
	if len(used) == 0 {
		return nil
	}
	return rows
}
