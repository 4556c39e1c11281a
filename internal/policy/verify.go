package policy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Report is what Verify found.
type Report struct {
	Files, Lines int
	Faults       []string // where the chain is broken, and how
	Notes        []string // what cannot be checked, though nothing is wrong
}

// Verify checks the chains of all audit files in dir. It finds lines that were changed,
// removed or put in anywhere but at the end of a session's last file.
func Verify(dir string) (Report, error) {
	files, err := auditFiles(dir)
	if err != nil {
		return Report{}, err
	}
	var r Report
	ends := map[string]line{} // by session: the last line, with Prev its own hash
	for _, path := range files {
		name, part, ok := cutPart(path)
		if !ok {
			continue
		}
		last, known := ends[name]
		if !known && part != "0001" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: begins with part %s, older parts were removed", name, part))
		}
		last, err := r.file(path, last, !known && part != "0001")
		if err != nil {
			return r, err
		}
		ends[name] = last
	}
	return r, nil
}

func cutPart(path string) (name, part string, ok bool) {
	base := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	i := strings.LastIndexByte(base, '.')
	if i < 0 {
		return "", "", false
	}
	return base[:i], base[i+1:], true
}

// file checks one file. trust takes the first line's own word for what was before it.
func (r *Report) file(path string, last line, trust bool) (line, error) {
	f, err := os.Open(path)
	if err != nil {
		return last, err
	}
	defer f.Close()
	r.Files++
	scan := bufio.NewScanner(f)
	scan.Buffer(make([]byte, 64<<10), maxPart+1)
	for n := 1; scan.Scan(); n++ {
		var l line
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			r.fault(path, n, "is no audit entry")
			trust = true
			continue
		}
		r.Lines++
		if !trust && (l.Prev != last.Prev || l.Seq != last.Seq+1) {
			r.fault(path, n, "does not follow the line before it: one of them was changed, removed or put in")
		}
		last, trust = line{Seq: l.Seq, Prev: hash(scan.Bytes())}, false
	}
	return last, scan.Err()
}

func (r *Report) fault(path string, n int, what string) {
	r.Faults = append(r.Faults, fmt.Sprintf("%s:%d %s", filepath.Base(path), n, what))
}
