package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden files")

// noRaceSleep spares the second that the race detector waits at the end of a process.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

// asMain makes the test binary be chrome-mcp, for tests that need the process itself.
const asMain = "CHROME_MCP_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	testscript.Main(m, map[string]func(){"chrome-mcp": main})
}

// TestScripts runs the command line as a user does, each script in a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Vars = append(e.Vars, noRaceSleep)
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("LOCALAPPDATA", filepath.Join(home, "AppData", "Local"))
			e.Setenv("DATA", filepath.Join(home, ".local", "share", "chrome-mcp"))
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"protocol": protocol,
		},
	})
}

// protocol checks that a file holds nothing but lines of JSON-RPC.
func protocol(ts *testscript.TestScript, neg bool, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var m struct{ JSONRPC string }
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			ts.Fatalf("not a line of the protocol: %q", line)
		}
	}
}

func TestHelpIsComplete(t *testing.T) {
	var out bytes.Buffer
	if code := run([]string{"help"}, nil, &out, os.Stderr); code != 0 {
		t.Fatalf("exit %d", code)
	}
	for _, c := range commands {
		if strings.Contains(out.String(), "  "+c.name+" ") == c.hidden {
			t.Errorf("help does not name %s", c.name)
		}
	}
	for _, f := range flags {
		if !strings.Contains(out.String(), "--"+f.name) {
			t.Errorf("help does not name --%s", f.name)
		}
		for _, name := range f.commands {
			if commandNamed(name) == nil {
				t.Errorf("--%s belongs to %s, which is no command", f.name, name)
			}
		}
	}
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		os.WriteFile(golden, out.Bytes(), 0o644)
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s is stale (%v); run with -update", golden, err)
	}
}

func TestSwitchesAreFlags(t *testing.T) {
	for name := range switches {
		if f := flagNamed(name); f == nil || f.arg != "" || !f.of(commandNamed("serve")) {
			t.Errorf("--%s sets the policy but is no switch of serve", name)
		}
	}
}

func TestParse(t *testing.T) {
	cases := []struct {
		args, command string
		values        string // name=value,…
		err           string
	}{
		{args: "", command: "serve"},
		{args: "--allow-domain a.test --allow-domain=b.test", command: "serve", values: "allow-domain=a.test|b.test"},
		{args: "--allow-domain=a.test,*.b.test --deny-domain=", command: "serve", values: "allow-domain=a.test,*.b.test deny-domain="},
		{args: "serve --port 4711", command: "serve", values: "port=4711"},
		{args: "--port 4711 serve", command: "serve", values: "port=4711"},
		{args: "--port=4711 serve --headless", command: "serve", values: "port=4711 headless=true"},
		{args: "--headless=True --redact=1", command: "serve", values: "headless=true redact=true"},
		{args: "--headless=F", command: "serve", values: "headless=false"},
		{args: "--headless=false", command: "serve", values: "headless=false"},
		{args: "--yes install --browser chrome", command: "install", values: "yes=true browser=chrome"},
		{args: "--print-extension-path", command: "extension-path"},
		{args: "--print-pairing", command: "print-pairing"},
		{args: "--version", command: "version"},
		{args: "-h", command: "help"},
		{args: "install --help", command: "help"},
		{args: "--allow-domain x.test --help", command: "help"},
		{args: "demo --anything", command: "demo"},

		{args: "--enable-mutation", err: "unknown flag --enable-mutation; did you mean --enable-mutations?"},
		{args: "--enable-eval", err: "did you mean --"},
		{args: "--allow-domains=x", err: "did you mean --allow-domain?"},
		{args: "--xyzzy", err: "unknown flag --xyzzy; see `chrome-mcp help`"},
		{args: "--allow-domains a.com", err: "unknown flag --allow-domains; did you mean --allow-domain?"},
		{args: "--xyzzy=1 frobnicate", err: "unknown flag --xyzzy; see `chrome-mcp help`"},
		{args: "-port 1", err: "unknown flag -port; did you mean --port?"},
		{args: "instal", err: "unknown command instal; did you mean install?"},
		{args: "frobnicate", err: "unknown command frobnicate; see"},
		{args: "status extra", err: "status takes no argument \"extra\""},
		{args: "--port", err: "flag --port needs a value: --port N"},
		{args: "--policy --headless", err: "flag --policy needs a value"},
		{args: "--port 70000", err: "is no port"},
		{args: "--port x", err: "is no port"},
		{args: "--backend chrome", err: "is not one of auto, extension, cdp"},
		{args: "--headless=maybe", err: "is a switch and takes no value"},
		{args: "--allow-domain http://x/path", err: "flag --allow-domain: site rule"},
		{args: "install --client cursor --allow-domain x.test", command: "install", values: "client=cursor allow-domain=x.test"},
		{args: "config --headless cursor", command: "config", values: "headless=true"},
		{args: "config --client cursor", err: "belongs to install and uninstall, not to config"},
		{args: "install --client netscape", err: "flag --client: unknown client"},
		{args: "uninstall --allow-domain x.test", err: "belongs to serve, not to uninstall"},
		{args: "--allow-domain a.test,http://x/path", err: "flag --allow-domain: site rule"},
		{args: "uninstall --force", err: "belongs to install, not to uninstall"},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			inv, err := parse(strings.Fields(c.args))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v; want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if inv.command.name != c.command {
				t.Errorf("command %s; want %s", inv.command.name, c.command)
			}
			for _, pair := range strings.Fields(c.values) {
				name, want, _ := strings.Cut(pair, "=")
				if got := strings.Join(inv.all(name), "|"); got != want {
					t.Errorf("--%s = %q; want %q", name, got, want)
				}
			}
		})
	}
}
