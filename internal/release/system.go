package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"chrome-mcp/internal/version"
	"chrome-mcp/manifests"
)

// target is a system to build for.
type target struct{ goos, goarch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string { return t.goos + "/" + t.goarch }

// base is the beginning of its files' names.
func (t target) base() string {
	return "chrome-mcp-" + version.Version + "-" + t.goos + "-" + t.goarch
}

func allTargets() string {
	var names []string
	for _, t := range targets {
		names = append(names, t.String())
	}
	return strings.Join(names, ",")
}

func parseTargets(names string) (list []target, err error) {
	for n := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == n })
		if i < 0 {
			return nil, fmt.Errorf("there is no target %q; there are %s", n, allTargets())
		}
		list = append(list, targets[i])
	}
	return list, nil
}

// system makes the files of one system: archive, bundle, list of contents.
func (m *maker) system(ctx context.Context, t target, pages []entry) error {
	program, err := build(ctx, t)
	if err != nil {
		return err
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return err
	}
	licenses, err := m.allLicenses(ctx, info)
	if err != nil {
		return err
	}
	own, err := readFiles("README.md", "LICENSE", "CHANGELOG.md")
	if err != nil {
		return err
	}
	files := append(own, entry{"THIRD-PARTY-LICENSES.txt", licenses, false}, entry{manifests.Program(t.goos), program, true})
	if err := m.archive(t, append(files, pages...)); err != nil {
		return err
	}
	if err := m.bundle(t, program, licenses); err != nil {
		return err
	}
	sbom, err := newSBOM(info, program, m.time).encode()
	if err != nil {
		return err
	}
	return m.publish(t.base()+".cdx.json", sbom)
}

func (m *maker) archive(t target, files []entry) error {
	for i := range files {
		files[i].name = t.base() + "/" + files[i].name
	}
	pack, suffix := tarGz, ".tar.gz"
	if t.goos == "windows" {
		pack, suffix = zipped, ".zip"
	}
	b, err := pack(files, m.time)
	if err != nil {
		return err
	}
	return m.publish(t.base()+suffix, b)
}

//go:embed icon.png
var icon []byte // drawn by extension/icongen

func (m *maker) bundle(t target, program, licenses []byte) error {
	b := manifests.NewBundle(version.Version, t.goos, m.repo)
	manifest, err := b.Encode()
	if err != nil {
		return err
	}
	files, err := readFiles("LICENSE")
	if err != nil {
		return err
	}
	packed, err := zipped(append(files,
		entry{manifests.BundleManifest, manifest, false}, entry{manifests.BundleIcon, icon, false},
		entry{b.Server.EntryPoint, program, true}, entry{"THIRD-PARTY-LICENSES.txt", licenses, false}), m.time)
	if err != nil {
		return err
	}
	return m.publish(t.base()+".mcpb", packed)
}

// build compiles the program and returns the file. The variables that could change its
// bytes are set; the version of Go is the one in go.mod, see the Makefile.
func build(ctx context.Context, t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "chrome-mcp-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, manifests.Program(t.goos))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w", "-o", path, "./cmd/chrome-mcp")
	cmd.Env = append(os.Environ(), "GOOS="+t.goos, "GOARCH="+t.goarch, "CGO_ENABLED=0",
		"GOFLAGS=-mod=readonly", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(path)
}

func readFiles(paths ...string) (files []entry, err error) {
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("%w; run make release in the root of the repository", err)
		}
		files = append(files, entry{filepath.Base(p), b, false})
	}
	return files, nil
}
