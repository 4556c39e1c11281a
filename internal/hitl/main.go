// Command hitl is a person's own check of chrome-mcp: it works on the sites of a file of
// theirs, in the Chrome that they use, through the real server, and asks after each step
// whether that was right. Steps that read run freely; a step that may change something
// runs only with --include-mutating and a typed yes.
//
// It never runs without a person, and never on a site that is not in the file.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/terminal"
	"chrome-mcp/internal/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hitl:", err)
		stop()
		os.Exit(1)
	}
}

// settings are those of the command line.
type settings struct {
	server   string
	targets  string
	out      string
	changing bool
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("hitl", flag.ContinueOnError)
	flags.StringVar(&s.server, "server", "./chrome-mcp", "the `program` to check")
	flags.StringVar(&s.targets, "targets", "test-targets.json", "the `file` with your sites; test-targets.example.json shows how it looks")
	flags.StringVar(&s.out, "out", filepath.Join("build", "hitl"), "`folder` for the reports, which hold text of your pages")
	flags.BoolVar(&s.changing, "include-mutating", false, "offer the steps that may change something; each still needs a typed yes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := gate(os.Getenv, terminal.Is(os.Stdin), terminal.Is(os.Stdout)); err != nil {
		return err
	}
	sites, err := readTargets(s.targets)
	if err != nil {
		return err
	}
	client, err := connect(ctx, s, sites)
	if err != nil {
		return err
	}
	defer client.Close()
	dir := filepath.Join(s.out, time.Now().Format("2006-01-02-150405"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	c := &check{
		person: person{in: bufio.NewReader(os.Stdin), out: out}, client: client, changing: s.changing, dir: dir,
		report: report{Version: version.Version, Began: time.Now(), Changing: s.changing},
	}
	return errors.Join(c.all(ctx, sites), c.finish())
}

// connect starts the server with no more than the sites need.
func connect(ctx context.Context, s settings, sites []site) (*mcp.ClientSession, error) {
	cmd := exec.Command(s.server, serverFlags(sites, s.changing)...)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "hitl", Version: version.Version}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w; make build makes it", s.server, err)
	}
	return session, nil
}
