package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// verdict is the person's word on a step.
type verdict string

const (
	right   verdict = "right"
	wrong   verdict = "wrong"
	skipped verdict = "skipped"
)

// report is what came of a check, for people (report.md) and programs (report.json).
type report struct {
	Version  string    `json:"version"`
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended"`
	Changing bool      `json:"includeMutating"`
	Browsers any       `json:"browsers"`
	Entries  []entry   `json:"steps"`
}

// entry is one step and its verdict.
type entry struct {
	Site     string   `json:"site"`
	Step     step     `json:"step"`
	Changes  bool     `json:"mutating"`
	Failed   bool     `json:"failed"`
	Millis   int64    `json:"ms"`
	Said     string   `json:"said,omitempty"`
	Pictures []string `json:"pictures,omitempty"`
	Verdict  verdict  `json:"verdict"`
	Note     string   `json:"note,omitempty"`
}

func (r report) count(v verdict) (n int) {
	for _, e := range r.Entries {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// finish writes the report and says how it went; a wrong step is an error.
func (c *check) finish() error {
	r := &c.report
	r.Ended = time.Now()
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	md := filepath.Join(c.dir, "report.md")
	err = errors.Join(
		os.WriteFile(filepath.Join(c.dir, "report.json"), append(raw, '\n'), 0o600),
		os.WriteFile(md, []byte(r.markdown()), 0o600))
	c.say("\n%d right, %d wrong, %d skipped. Report, with text of your pages: %s\n", r.count(right), r.count(wrong), r.count(skipped), md)
	if n := r.count(wrong); n > 0 {
		err = errors.Join(err, fmt.Errorf("steps that were wrong: %d", n))
	}
	return err
}

func (r report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# chrome-mcp %s, checked by a person\n\n%s, %.0f s. Steps that change something: %s.\n\n%d right, %d wrong, %d skipped.\n",
		r.Version, r.Began.Format(time.DateTime), r.Ended.Sub(r.Began).Seconds(),
		map[bool]string{true: "offered", false: "left out"}[r.Changing], r.count(right), r.count(wrong), r.count(skipped))
	last := ""
	for _, e := range r.Entries {
		if e.Site != last {
			fmt.Fprintf(&b, "\n## %s\n\n| step | ms | verdict | note |\n| --- | ---: | --- | --- |\n", cell(e.Site))
			last = e.Site
		}
		failed := ""
		if e.Failed {
			failed = " (failed)"
		}
		fmt.Fprintf(&b, "| `%s %s` | %d | %s%s | %s |\n", e.Step.Tool, cell(compact(e.Step.Args)), e.Millis, e.Verdict, failed, cell(e.Note))
	}
	return b.String()
}

// cell keeps a text in its cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "`", "'").Replace(s)
}
