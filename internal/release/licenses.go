package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// allLicenses joins the licences of what is linked into a program, which ask for that.
func (m *maker) allLicenses(ctx context.Context, info *debug.BuildInfo) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprint(&b, "chrome-mcp is built with Go and with these modules. Their licences:\n")
	for _, d := range append([]*debug.Module{{Path: "std", Version: info.GoVersion}}, info.Deps...) {
		if d.Replace != nil {
			d = d.Replace
		}
		text, err := m.license(ctx, d)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n%s\n%s %s\n%[1]s\n\n%[4]s", strings.Repeat("=", 78), d.Path, d.Version, text)
	}
	return b.Bytes(), nil
}

// license reads the files of a module that say how it may be used.
func (m *maker) license(ctx context.Context, d *debug.Module) (string, error) {
	key := d.Path + "@" + d.Version
	if text, ok := m.licenses[key]; ok {
		return text, nil
	}
	dir, err := moduleDir(ctx, d)
	if err != nil {
		return "", fmt.Errorf("find the source of %s: %w", key, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, e := range entries {
		if e.IsDir() || !licenseName.MatchString(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		text.WriteString(strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n")) + "\n")
	}
	if text.Len() == 0 {
		return "", fmt.Errorf("%s has no licence; do not link what nobody may use", key)
	}
	m.licenses[key] = text.String()
	return text.String(), nil
}

func moduleDir(ctx context.Context, d *debug.Module) (string, error) {
	if d.Path == "std" {
		out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
		return strings.TrimSpace(string(out)), err
	}
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", d.Path+"@"+d.Version).Output()
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(out, &answer); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	return answer.Dir, err
}
