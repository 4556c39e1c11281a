package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"chrome-mcp/internal/policy"
)

// auditDir is the folder of audit logs in the data folder.
const auditDir = "audit"

func runAudit(inv *invocation) int {
	data, err := dataDir()
	if err != nil {
		return inv.fail(err)
	}
	dir := filepath.Join(data, auditDir)
	if inv.has("verify") {
		return verifyAudit(inv, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return inv.fail(err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != ".jsonl" })
	for _, e := range entries {
		if err := printFile(inv.stdout, filepath.Join(dir, e.Name())); err != nil {
			return inv.fail(err)
		}
	}
	if len(entries) == 0 {
		fmt.Fprintln(inv.stderr, "No call was made yet, so there is no log in", dir)
	}
	return 0
}

func printFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

func verifyAudit(inv *invocation, dir string) int {
	r, err := policy.Verify(dir)
	if err != nil {
		return inv.fail(err)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(inv.stdout, "note:", n)
	}
	for _, f := range r.Faults {
		fmt.Fprintln(inv.stdout, "FAULT:", f)
	}
	fmt.Fprintf(inv.stdout, "%d lines in %d files, %d faults\n", r.Lines, r.Files, len(r.Faults))
	if len(r.Faults) > 0 {
		return 1
	}
	return 0
}
