package main

import (
	"fmt"
	"strings"
)

// unknown is the error for a word that is not in the table, with the nearest that is. typed
// stood before the word, and prefix has to stand before those in the table.
func unknown(kind, word string, known []string, typed, prefix string) error {
	best, distance := "", len(word)/3+2
	for _, k := range known {
		if d := edits(word, k); d < distance {
			best, distance = k, d
		}
		// A word that was cut, or left out in the middle, is near as well.
		if len(word) >= 4 && strings.Contains(k, word) && distance > 1 {
			best, distance = k, 1
		}
	}
	if best == "" {
		return fmt.Errorf("unknown %s %s%s; see `chrome-mcp help`", kind, typed, word)
	}
	return fmt.Errorf("unknown %s %s%s; did you mean %s%s?", kind, typed, word, prefix, best)
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
