package page

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// span is the part of a log that an answer has: the newest entries, or those that follow
// a number. It is bounded by what was asked for and by what an answer holds.
type span struct {
	follows bool // a number was given
	after   int  // that number
	more    int  // entries that fit what was asked for and are not shown
	full    bool // for want of room
	next    int  // sinceSeq that goes on with them
}

// logRoom is how many characters of entries an answer has. What is left up to textCap is
// for our own words.
const logRoom = textCap - 2000

// pick takes the part of a log that a call asked for, and writes it. Without write it
// is bounded by limit only.
func pick[T any](list []T, since *int, limit int, seq func(T) int, write func(T) string) (part []T, text string, s span) {
	s.follows = since != nil
	if s.follows {
		s.after = *since
	}
	part = list
	if limit > 0 && len(list) > limit {
		part = list[len(list)-limit:]
		if s.follows {
			part = list[:limit]
		}
	}
	if write != nil {
		var lines []string
		lines, s.full = s.fill(len(part), func(i int) string { return write(part[i]) })
		if s.follows {
			part = part[:len(lines)]
		} else {
			part = part[len(part)-len(lines):]
		}
		text = strings.TrimSuffix(strings.Join(lines, ""), "\n")
	}
	s.more = len(list) - len(part)
	switch {
	case s.more == 0:
	case s.follows:
		s.next = seq(part[len(part)-1])
	default:
		s.next = seq(list[0]) - 1
	}
	return part, text, s
}

// fill writes entries until there is no room, beginning at the end that matters. One is
// always written.
func (s span) fill(n int, write func(i int) string) (lines []string, full bool) {
	room := logRoom
	for done := range n {
		i := done
		if !s.follows {
			i = n - 1 - done
		}
		line := write(i)
		if room -= shownLen(line); room < 0 && done > 0 {
			full = true
			break
		}
		lines = append(lines, line)
	}
	if !s.follows {
		slices.Reverse(lines)
	}
	return lines, full
}

// shownLen is how many characters a text has once what nobody sees is written as escapes.
func shownLen(s string) (n int) {
	for _, r := range s {
		n++
		if r != '\n' && !unicode.IsPrint(r) {
			n += len(`\u{10FFFF}`)
		}
	}
	return n
}

// nothing says that nothing was found, and what was asked for.
func (s span) nothing(filtered bool) string {
	switch {
	case filtered && s.after > 0:
		return fmt.Sprintf(" that fits, after %d", s.after)
	case filtered:
		return " that fits"
	case s.after > 0:
		return fmt.Sprintf(" after %d", s.after)
	}
	return " since this session began to use the tab"
}

// rest says what is not shown, and how to get it.
func (s span) rest(dropped, kept, denied int) (lines []string) {
	if dropped > 0 {
		lines = append(lines, fmt.Sprintf("%d older entries were dropped; about the last %d are kept", dropped, kept))
	}
	switch {
	case s.more > 0 && s.follows:
		lines = append(lines, fmt.Sprintf("%d more follow: go on with sinceSeq %d", s.more, s.next))
	case s.more > 0 && s.full:
		lines = append(lines, fmt.Sprintf("%d earlier ones do not fit into one answer: sinceSeq %d goes through them from the first on", s.more, s.next))
	case s.more > 0:
		lines = append(lines, fmt.Sprintf("%d earlier ones are not shown: raise limit, or go through them from the first on with sinceSeq %d", s.more, s.next))
	}
	if denied > 0 {
		lines = append(lines, fmt.Sprintf("%d entries of pages that are not allowed are left out", denied))
	}
	return lines
}
