package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"chrome-mcp/internal/terminal"
)

// width is how wide a line gets: terminals are at least that wide.
const width = 80

// paper is where a person reads. It has colours only on a terminal, and none when the
// user wants none (https://no-color.org).
type paper struct {
	io.Writer
	colours bool
}

func newPaper(w io.Writer) paper {
	f, ok := w.(*os.File)
	return paper{w, ok && terminal.Is(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Colours, by what they say.
const (
	plain  = ""
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (p paper) paint(colour, text string) string {
	if !p.colours || colour == plain || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// para writes text in lines of at most width characters. The first line begins with
// head, which is written as it is; the others, and text after a line break, stand under
// its end. Words that are longer, paths above all, are not cut.
func (p paper) para(head string, indent int, colour, text string) {
	fmt.Fprint(p, head)
	for i, line := range wrap(text, width-indent) {
		if i > 0 {
			fmt.Fprint(p, strings.Repeat(" ", indent))
		}
		fmt.Fprintln(p, p.paint(colour, line))
	}
}

// wrap breaks text between words.
func wrap(text string, room int) []string {
	var lines []string
	for _, part := range strings.Split(strings.TrimSpace(text), "\n") {
		line := ""
		for _, word := range strings.Fields(part) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= room:
				line += " " + word
			default:
				lines, line = append(lines, line), word
			}
		}
		lines = append(lines, line)
	}
	return lines
}
