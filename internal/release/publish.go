package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/version"
	"chrome-mcp/manifests"
)

// published is a file of the release.
type published = manifests.File

const sumsName = "SHA256SUMS"

// publish writes a file of the release.
func (m *maker) publish(name string, data []byte) error {
	sum := sha256.Sum256(data)
	m.files = append(m.files, published{Name: name, SHA256: hex.EncodeToString(sum[:])})
	fmt.Fprintf(m.say, "%6.1f s %9.1f kB  %s\n", time.Since(m.begin).Seconds(), float64(len(data))/1000, name)
	return os.WriteFile(filepath.Join(m.out, name), data, 0o644)
}

// extension is the zip that the Web Store takes. The store refuses a manifest with a
// key, which pins the id of an unpacked extension; it has keys of its own.
func (m *maker) extension() error {
	names, err := extension.Files()
	if err != nil {
		return err
	}
	var files []entry
	for _, n := range names {
		data, err := fs.ReadFile(extension.FS, n)
		if err != nil {
			return err
		}
		if n == "manifest.json" {
			if data, err = withoutKey(data); err != nil {
				return err
			}
		}
		files = append(files, entry{n, data, false})
	}
	packed, err := zipped(files, m.time)
	if err != nil {
		return err
	}
	return m.publish("chrome-mcp-extension-"+version.Version+".zip", packed)
}

func withoutKey(manifest []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(manifest, &fields); err != nil {
		return nil, err
	}
	delete(fields, "key")
	b, err := json.MarshalIndent(fields, "", "  ")
	return append(b, '\n'), err
}

func (m *maker) registry() error {
	bundles := slices.DeleteFunc(slices.Clone(m.files), func(f published) bool { return !strings.HasSuffix(f.Name, ".mcpb") })
	r, err := manifests.NewRegistry(version.Version, m.repo, bundles)
	if err != nil {
		return err
	}
	b, err := r.Encode()
	if err != nil {
		return err
	}
	return m.publish("server.json", b)
}

func (m *maker) formula() error {
	b, err := manifests.NewFormula(version.Version, m.repo, func(goos, goarch string) (published, bool) {
		i := slices.IndexFunc(m.files, func(f published) bool { return f.Name == target{goos, goarch}.base()+".tar.gz" })
		if i < 0 {
			return published{}, false
		}
		return m.files[i], true
	}).Encode()
	if err != nil {
		return err
	}
	return m.publish("chrome-mcp.rb", b)
}

// sums lists all files as sha256sum does, and checks them with -c.
func (m *maker) sums() error {
	var b bytes.Buffer
	for _, f := range slices.SortedFunc(slices.Values(m.files), func(a, b published) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Name)
	}
	return m.publish(sumsName, b.Bytes())
}

// pages are the files that the program itself prints, and the arguments with which.
var pages = []struct {
	name string
	args []string
}{
	{"man/chrome-mcp.1", []string{"man"}},
	{"completions/chrome-mcp.bash", []string{"completion", "bash"}},
	{"completions/_chrome-mcp", []string{"completion", "zsh"}},
	{"completions/chrome-mcp.fish", []string{"completion", "fish"}},
	{"completions/chrome-mcp.ps1", []string{"completion", "powershell"}},
}

// readPages runs the program of this machine for its manual page and its completions.
func readPages(ctx context.Context) (files []entry, err error) {
	for _, p := range pages {
		out, err := exec.CommandContext(ctx, "go", append([]string{"run", "-trimpath", "./cmd/chrome-mcp"}, p.args...)...).Output()
		if err != nil {
			return nil, fmt.Errorf("chrome-mcp %s: %w", strings.Join(p.args, " "), err)
		}
		files = append(files, entry{p.name, out, false})
	}
	return files, nil
}
