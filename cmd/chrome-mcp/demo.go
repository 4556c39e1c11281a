package main

import (
	"context"
	"errors"
	goflag "flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/cdpfallback"
)

// demo is one run of the whole job: a browser, a profile and a data folder of its own,
// installed and paired for real, and an agent's short task in it.
type demo struct {
	out     io.Writer
	yes     bool   // do not ask before installing a browser
	hidden  bool   // no window
	picture string // where the screenshot goes
	dir     string // profile and data folder, removed at the end

	path    string // the browser's executable
	browser *cdpfallback.Backend
	shop    *shop
	client  *mcp.ClientSession
	form    map[string]string // refs that the snapshot gave, by name
}

// step is a line of the demo: what is done and, when it worked, what came of it.
type step struct {
	name string
	do   func(ctx context.Context) (string, error)
}

// stepTime bounds a step; installing a browser is not one.
const stepTime = 60 * time.Second

func runDemo(args []string, stdout, stderr io.Writer) int {
	d := &demo{out: stdout}
	flags := goflag.NewFlagSet("chrome-mcp demo", goflag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&d.yes, "yes", false, "install Chromium without asking, if there is none")
	flags.BoolVar(&d.hidden, "headless", !hasScreen(), "show no window")
	flags.StringVar(&d.picture, "screenshot", "chrome-mcp-demo.jpg", "`file` for the screenshot")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, goflag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		complain(stderr, fmt.Errorf("demo takes no argument %q; chrome-mcp demo --help lists its flags", flags.Arg(0)))
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// With nobody reading any more, the browser and the folder still have to go.
	signal.Ignore(syscall.SIGPIPE)
	defer d.close()
	if err := d.play(ctx); err != nil {
		complain(stderr, err)
		return 1
	}
	return 0
}

// play runs the steps and stops at the first that fails.
func (d *demo) play(ctx context.Context) error {
	begin := time.Now()
	fmt.Fprint(d.out, "chrome-mcp demo: the whole job once, in a browser of its own. Your browsers stay as they are.\n\n")
	path, err := d.findBrowser(ctx)
	if err != nil {
		return err
	}
	d.path = path
	if d.dir, err = os.MkdirTemp("", "chrome-mcp-demo-"); err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	fmt.Fprintln(d.out, "  Set up, as a user does once")
	if err := d.run(ctx, []step{
		{"install", d.install}, {"browser", d.startBrowser}, {"server", d.startServer}, {"pair", d.pair},
	}); err != nil {
		return err
	}
	fmt.Fprintln(d.out, "\n  Work, as an agent does it, each line one tool call")
	if err := d.run(ctx, []step{
		{"navigate", d.navigate}, {"snapshot", d.snapshot}, {"fill_form", d.fill},
		{"click", d.click}, {"get_text", d.read}, {"screenshot", d.screenshot},
	}); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nAll of it worked, in %.1f s. To use it with your own browser: chrome-mcp install\n", time.Since(begin).Seconds())
	return nil
}

func (d *demo) run(ctx context.Context, steps []step) error {
	for _, s := range steps {
		ctx, cancel := context.WithTimeout(ctx, stepTime)
		begin := time.Now()
		said, err := s.do(ctx)
		cancel()
		mark, took := "✓", time.Since(begin)
		if err != nil {
			mark, said = "✗", "failed"
		}
		for i, line := range strings.Split(strings.TrimRight(said, "\n"), "\n") {
			if i == 0 {
				fmt.Fprintf(d.out, "  %s %-10s %6d ms  %s\n", mark, s.name, took.Milliseconds(), line)
			} else {
				fmt.Fprintf(d.out, "%25s%s\n", "", line)
			}
		}
		if err != nil {
			return fmt.Errorf("%s failed: %w", s.name, err)
		}
	}
	return nil
}

// close ends what was started and removes what was written, but for the screenshot.
func (d *demo) close() {
	if d.client != nil {
		_ = d.client.Close()
	}
	if d.browser != nil {
		_ = d.browser.Shutdown(context.Background())
	}
	if d.shop != nil {
		d.shop.close()
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}

func (d *demo) data() string    { return filepath.Join(d.dir, "data") }
func (d *demo) profile() string { return filepath.Join(d.dir, "profile") }
