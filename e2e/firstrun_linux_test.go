package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/cdpfallback"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/terminal/terminaltest"
)

// shop is a name that the browser of the test looks up at our pages.
const shop = "shop.example"

// TestREADMEFirstRun goes from a home without chrome-mcp to the first page read, as the README
// says, and holds docs/first-run.md to what each step shows.
func TestREADMEFirstRun(t *testing.T) {
	home := t.TempDir()
	c := newcomer(t, home)
	term := terminaltest.Start(t, atHome(exec.Command("./chrome-mcp", "install", "--client", "cursor", "--allow-domain", shop), home))
	term.Expect("Write this? [y/N] ")
	term.Type("y\n")
	term.Expect("Waiting for you")
	c.loadByHand(t, filepath.Join(home, ".local/share/chrome-mcp/extension"))
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	term.Expect("All is set up")
	if status := term.End(); status != 0 {
		t.Errorf("install ended with %d", status)
	}
	s := cursor(t, home)
	went := s.call(t, "navigate", args{"url": "http://" + shop + "/form"}).text
	read := s.call(t, "read_as_markdown", nil).text
	got := strings.NewReplacer(home, "/home/you", "\r", "").Replace(fmt.Sprintf(firstRun,
		strings.TrimSpace(term.Screen()), strings.TrimSpace(went), strings.TrimSpace(read)))
	path := filepath.Join("..", "docs", "first-run.md")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if changing.ReplaceAllString(string(have), "") != changing.ReplaceAllString(got, "") {
		t.Errorf("docs/first-run.md is stale; run go test ./e2e -run TestREADMEFirstRun -update. It is now:\n%s", got)
	}
}

// changing is what differs from run to run: numbers, handles, marks around page text.
var changing = regexp.MustCompile(`\d+|\[/?page \w+|ext:\w+:\w+|chromium-\w+`)

// newcomer is a browser that a person has used, but never with us. They have Cursor.
func newcomer(t *testing.T, home string) *chrome {
	t.Helper()
	program, err := os.ReadFile(rig.bin)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"chrome-mcp/chrome-mcp": program, ".cursor/mcp.json": []byte("{}\n")} {
		if err := os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path, err := cdpfallback.FindChromium()
	if err != nil {
		t.Fatal(err)
	}
	b, err := cdpfallback.Start(t.Context(), cdpfallback.Config{
		Path: path, ProfileDir: filepath.Join(home, ".config/chromium"), Headless: true, LeaveDownloads: true,
		Log: rig.log.writer("chromium"),
		ExtraArgs: []string{"--enable-unsafe-extension-debugging",
			"--host-resolver-rules=MAP " + shop + " " + strings.TrimPrefix(rig.site.base, "http://")},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Shutdown(context.Background()) })
	return &chrome{Backend: b}
}

func atHome(cmd *exec.Cmd, home string) *exec.Cmd {
	cmd.Dir = filepath.Join(home, "chrome-mcp")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "NO_COLOR=1"}
	return cmd
}

// loadByHand presses Developer mode and Load unpacked with the mouse. The dialog that
// asks for the folder is the system's; DevTools answers in its place.
func (c *chrome) loadByHand(t *testing.T, dir string) {
	t.Helper()
	tab, err := c.open(t.Context(), "chrome://extensions/")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"#devMode", "#loadUnpacked"} {
		var at struct{ X, Y float64 }
		err := c.eval(t.Context(), tab, fmt.Sprintf(`new Promise(done => (function look(last) {
			const bar = document.querySelector('extensions-manager')?.shadowRoot.querySelector('extensions-toolbar')?.shadowRoot;
			const r = bar?.querySelector(%q)?.getBoundingClientRect(), at = JSON.stringify(r);
			r?.width && at === last ? done({x: r.x + r.width / 2, y: r.y + r.height / 2}) : setTimeout(look, 100, at);
		})())`, id), &at)
		if err != nil {
			t.Fatal(err)
		}
		var press []browser.Command
		for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
			press = append(press, browser.Command{Method: "Input.dispatchMouseEvent", Params: args{
				"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}})
		}
		if _, err := tab.Batch(t.Context(), press); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Command(t.Context(), "", "Extensions.loadUnpacked", args{"path": dir}, nil); err != nil {
		t.Fatal(err)
	}
}

// cursor starts the server as Cursor does: by what stands in its file.
func cursor(t *testing.T, home string) *server {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(home, ".cursor/mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Servers) != 1 {
		t.Fatalf("%v\n%s", err, raw)
	}
	for _, s := range file.Servers {
		cmd := atHome(exec.Command(s.Command, s.Args...), home)
		cmd.Stderr = rig.log.writer("cursor stderr")
		session, err := mcp.NewClient(&mcp.Implementation{Name: "Cursor", Version: "1"}, nil).
			Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return &server{ClientSession: session, cmd: cmd}
	}
	return nil
}

// firstRun is the document, around what the terminal and the tools said.
const firstRun = `# The first run

Four commands and three clicks, on a Linux with Go, Chromium and Cursor, in a home that never
saw chrome-mcp. Written by ` + "`go test ./e2e -run TestREADMEFirstRun -update`" + `, which does it from
the fourth command on. The site is a page of the tests; DevTools names the folder that
*Load unpacked* asks for, in place of the system's dialog; and the test plays Cursor, from
the entry in its file.

## Commands

` + "```console" + `
$ git clone https://github.com/OWNER/chrome-mcp
$ cd chrome-mcp
$ make build
$ ./chrome-mcp install --client cursor --allow-domain ` + shop + `
%s
` + "```" + `

Git and make print a line each, as ever. The last two lines came after the clicks.

## Clicks

1. At ` + "`chrome://extensions`" + `: *Developer mode*.
2. *Load unpacked*, and the folder that install named.
3. On the extension's options page, which Enter in the terminal opens: *Pair*.

## The first page

In Cursor, after its restart: "Read ` + "http://" + shop + `/form". The agent calls ` + "`navigate`" + ` and
` + "`read_as_markdown`" + `, and gets:

` + "```" + `
%s
` + "```" + `

` + "```" + `
%s
` + "```" + `
`
