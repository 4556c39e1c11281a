// Command release builds what a release publishes: the program for each system in an
// archive and in an .mcpb bundle, the extension for the Web Store, lists of what is in
// them, and the manifests for registries. The same commit gives the same bytes.
//
// It publishes nothing, needs no secret, and no network but for Go modules.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"chrome-mcp/internal/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "release:", err)
		}
		stop()
		os.Exit(1)
	}
}

// maker makes one release. It is run in the root of the repository.
type maker struct {
	out     string // folder for the files
	repo    string // address of the repository
	time    time.Time
	targets []target
	say     io.Writer
	begin   time.Time

	files    []published // in the order in which they were made
	licenses map[string]string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	m := &maker{say: stdout, begin: time.Now(), licenses: map[string]string{}}
	flags.StringVar(&m.out, "out", filepath.Join("build", "release"), "`folder` for the files; an earlier release in it is replaced")
	flags.StringVar(&m.repo, "repo", "https://github.com/OWNER/chrome-mcp", "`address` of the repository that publishes them")
	names := flags.String("targets", allTargets(), "`systems` to build for")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if m.targets, err = parseTargets(*names); err != nil {
		return err
	}
	if m.time, err = sourceTime(ctx); err != nil {
		return err
	}
	if err := clear(m.out); err != nil {
		return err
	}
	m.warn(ctx, stderr)
	return m.release(ctx)
}

// release makes everything, each file from those before it.
func (m *maker) release(ctx context.Context) error {
	pages, err := readPages(ctx)
	if err != nil {
		return err
	}
	for _, t := range m.targets {
		if err := m.system(ctx, t, pages); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	for _, step := range []func() error{m.extension, m.registry, m.formula, m.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Fprintf(m.say, "%d files in %s, %.0f s\n", len(m.files), m.out, time.Since(m.begin).Seconds())
	return nil
}

// warn names what makes a release unfit to publish.
func (m *maker) warn(ctx context.Context, w io.Writer) {
	if strings.Contains(m.repo, "/OWNER/") {
		fmt.Fprintln(w, "release: server.json and the formula name OWNER's repository; give the right one with REPO=https://github.com/… before you publish")
	}
	if out, err := git(ctx, "status", "--porcelain"); err == nil && out != "" {
		fmt.Fprintln(w, "release: there are changes that are not committed; nobody can build these bytes again")
	}
	if tag, err := git(ctx, "describe", "--exact-match", "--tags"); err == nil && tag != "v"+version.Version {
		fmt.Fprintf(w, "release: the commit is tagged %s, but internal/version says %s\n", tag, version.Version)
	}
}

// sourceTime is the time that all files of the release get.
func sourceTime(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git(ctx, "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, fmt.Errorf("when was the last commit: %w; without a repository set SOURCE_DATE_EPOCH to the seconds", err)
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w; it is seconds since 1970", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	return strings.TrimSpace(string(out)), err
}

// clear empties the folder, if it holds a release and nothing else of anybody's.
func clear(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, sumsName)); err != nil {
		return fmt.Errorf("%s holds something else than a release; empty it, or name another folder with -out", dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}
