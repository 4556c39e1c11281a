package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// person is who judges.
type person struct {
	in  *bufio.Reader
	out io.Writer
}

func (p person) say(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// line reads one answer; the end of input is an error, as no answer is.
func (p person) line() (string, error) {
	text, err := p.in.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("no answer: %w", err)
	}
	return strings.TrimSpace(text), nil
}

// leave asks for a yes. Only the word itself is one: a y is typed too easily.
func (p person) leave() (bool, error) {
	p.say("  This may change something. Type yes to do it: ")
	answer, err := p.line()
	return answer == "yes", err
}

// verdict asks whether a step was right, and for a word about it.
func (p person) verdict() (verdict, string, error) {
	for {
		p.say("  Right? y, n or s for skip, and a note if you like: ")
		answer, err := p.line()
		if err != nil {
			return "", "", err
		}
		word, note, _ := strings.Cut(answer, " ")
		switch strings.ToLower(word) {
		case "y", "yes":
			return right, strings.TrimSpace(note), nil
		case "n", "no":
			return wrong, strings.TrimSpace(note), nil
		case "s", "skip":
			return skipped, strings.TrimSpace(note), nil
		}
	}
}
