package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/terminal"
	"chrome-mcp/internal/version"
)

// hasScreen says whether a window could be seen.
func hasScreen() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// findBrowser finds a Chromium. Where apt-get is, it offers to install one.
func (d *demo) findBrowser(ctx context.Context) (string, error) {
	path, err := cdpfallback.FindChromium()
	if err == nil || os.Getenv("CHROME_PATH") != "" {
		return path, err
	}
	apt, notHere := exec.LookPath("apt-get")
	if notHere != nil {
		return "", err
	}
	command := []string{apt, "install", "-y", "--no-install-recommends", "chromium"}
	if os.Geteuid() != 0 {
		command = append([]string{"sudo"}, command...)
	}
	if err := d.agree("There is no Chromium here. Run `" + strings.Join(command, " ") + "`?"); err != nil {
		return "", err
	}
	fmt.Fprintln(d.out, "  Installing Chromium …")
	update := append(command[:len(command)-4:len(command)-4], "update")
	for _, c := range [][]string{update, command} {
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s\ninstall Chromium by hand, or set CHROME_PATH to one", strings.Join(c, " "), err, lastLines(out))
		}
	}
	return cdpfallback.FindChromium()
}

func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// agree asks the person at the terminal, unless --yes was given.
func (d *demo) agree(question string) error {
	if d.yes {
		return nil
	}
	if !terminal.Is(os.Stdin) {
		return errors.New("there is no Chromium, and nobody to ask; give --yes to have it installed, or set CHROME_PATH to one")
	}
	fmt.Fprintf(d.out, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was installed; set CHROME_PATH to a Chromium to go on")
}

// self is this program with the demo's data folder.
func (d *demo) self(ctx context.Context, args ...string) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), "CHROME_MCP_DATA="+d.data())
	return cmd, nil
}

// install runs the installer for the demo's own profile.
func (d *demo) install(ctx context.Context) (string, error) {
	cmd, err := d.self(ctx, "install", "--user-data-dir", d.profile(), "--yes")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(d.profile(), 0o700); err != nil {
		return "", err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return "host and extension, for a profile in " + d.dir, nil
}

func (d *demo) startBrowser(ctx context.Context) (string, error) {
	b, err := cdpfallback.Start(ctx, cdpfallback.Config{
		Path: d.path, ProfileDir: d.profile(), Headless: d.hidden,
		ExtraArgs: []string{"--load-extension=" + filepath.Join(d.data(), "extension")},
	})
	if err != nil {
		return "", err
	}
	d.browser = b
	said := b.Status().Browsers[0].Version + ", " + d.path
	if d.hidden {
		said += ", without a window"
	}
	return said, nil
}

// startServer starts this program as an MCP client does, from where it was installed.
func (d *demo) startServer(ctx context.Context) (string, error) {
	d.shop = openShop()
	cmd := exec.Command(filepath.Join(d.data(), "bin", program()), "--allow-domain", d.shop.host(), "--enable-mutations")
	cmd.Env = append(os.Environ(), "CHROME_MCP_DATA="+d.data())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: version.Version}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	d.client = session
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("MCP over stdio, %d tools, only %s allowed", len(list.Tools), d.shop.host()), nil
}

func program() string {
	if runtime.GOOS == "windows" {
		return "chrome-mcp.exe"
	}
	return "chrome-mcp"
}

// pair opens the extension's options page and presses Pair, with the real mouse as far
// as the page can tell.
func (d *demo) pair(ctx context.Context) (string, error) {
	info, err := d.browser.Open(ctx, browser.OpenOptions{URL: "chrome-extension://" + extension.ID + "/options.html", Active: true})
	if err != nil {
		return "", err
	}
	defer d.browser.Close(context.WithoutCancel(ctx), info.ID)
	tab, err := d.browser.Tab(info.ID)
	if err != nil {
		return "", err
	}
	at, err := pairButton(ctx, tab)
	if err != nil {
		return "", err
	}
	var clicks []browser.Command
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		clicks = append(clicks, browser.Command{Method: "Input.dispatchMouseEvent", Params: map[string]any{
			"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1,
		}})
	}
	begin := time.Now()
	if _, err := tab.Batch(ctx, clicks); err != nil {
		return "", err
	}
	var status string
	err = inPage(ctx, tab, `new Promise(done => {
		const look = () => {
			if (/\bconnected\b/.test(document.querySelector('#status').textContent)) return done('');
			if (performance.now() > end) return done(document.body.innerText);
			setTimeout(look, 10);
		};
		const end = performance.now() + 10000;
		look();
	})`, &status)
	if err != nil {
		return "", err
	}
	if status != "" {
		return "", fmt.Errorf("the options page did not say connected; it says:\n%s", status)
	}
	return fmt.Sprintf("pressed Pair on the extension's page: connected after %d ms", time.Since(begin).Milliseconds()), nil
}

// pairButton waits for the options page and returns the middle of its Pair button, once
// that has stopped moving: the page fills in what it knows of the extension.
func pairButton(ctx context.Context, tab browser.Tab) (at struct{ X, Y float64 }, err error) {
	for {
		err = inPage(ctx, tab, `new Promise(done => {
			let last = '';
			const look = () => {
				const r = document.querySelector('#pair')?.getBoundingClientRect();
				const at = r && {x: r.x + r.width / 2, y: r.y + r.height / 2};
				if (r?.width && JSON.stringify(at) === last) return done(at);
				last = JSON.stringify(at);
				setTimeout(look, 100);
			};
			look();
		})`, &at)
		// The blank page that the tab began with takes the question away with it.
		if browser.CodeOf(err) != browser.TargetGone || ctx.Err() != nil {
			return at, err
		}
	}
}

// inPage evaluates an expression in the page of a tab.
func inPage(ctx context.Context, tab browser.Tab, expression string, into any) error {
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	}
	err := tab.Call(ctx, "", "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true,
	}, &answer)
	if err != nil {
		return err
	}
	if answer.Result.Value == nil {
		return errors.New("the extension's options page does not answer")
	}
	return json.Unmarshal(answer.Result.Value, into)
}
