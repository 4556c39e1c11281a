package mcpserver

import "strings"

// nearest returns the known name that is most likely meant by name, or "".
func nearest(name string, known []string) string {
	best, at := "", 1+max(1, len(name)/3)
	for _, k := range known {
		if d := distance(fold(name), fold(k)); d < at {
			best, at = k, d
		}
	}
	return best
}

// fold makes tab_id, tab-id and tabId the same.
func fold(s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
