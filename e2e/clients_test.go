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
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/e2e/nodejs"
)

const (
	handshaking = "2025-11-25" // the revision with a handshake and sessions
	stateless   = "2026-07-28" // the one without
)

// TestClients does the main job with the clients that people have, through the extension:
// open a page, look at it, fill a field, press a button, read what came of it.
func TestClients(t *testing.T) {
	c := paired(t, false)
	over := c.serveHTTP(t, allowAll()...)
	for _, client := range []struct{ name, script, version string }{
		{"TypeScript SDK v1", "client-v1.mjs", handshaking},
		{"TypeScript SDK v2, with a handshake", "client-v2.mjs", handshaking},
		{"TypeScript SDK v2, stateless", "client-v2.mjs", stateless},
	} {
		t.Run(client.name+" over stdio", func(t *testing.T) {
			scriptedJob(t, client.script, map[string]any{"version": client.version,
				"program": rig.bin, "args": allowAll(), "env": map[string]string{"CHROME_MCP_DATA": c.data, "PATH": os.Getenv("PATH")}})
		})
		t.Run(client.name+" over HTTP", func(t *testing.T) {
			scriptedJob(t, client.script, map[string]any{"version": client.version, "url": over.url, "token": over.token})
		})
	}
	for _, version := range []string{handshaking, stateless} {
		t.Run("Go SDK over stdio at "+version, func(t *testing.T) { goJob(t, c.stdioAt(t, version)) })
		t.Run("Go SDK over HTTP at "+version, func(t *testing.T) {
			s, _ := over.client(t, t.Name(), version)
			goJob(t, s)
		})
	}
	t.Run("Inspector", func(t *testing.T) { inspect(t, c, over) })
	t.Run("curl as in the README", func(t *testing.T) { curl(t, c, over) })
}

var readmeCurl = regexp.MustCompile("(?s)```sh\n([^`]*\ncurl [^`]*)```")

// curl does the job with the very lines of the README; only address, tool and arguments
// are others.
func curl(t *testing.T, c *chrome, over *httpServer) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := readmeCurl.FindSubmatch(readme)
	if block == nil {
		t.Fatal("the README shows no curl")
	}
	call := func(tool, arguments string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", strings.NewReplacer("http://127.0.0.1:8931/mcp", over.url,
			"chrome_status", tool, `"arguments": {}`, `"arguments": `+arguments).Replace(string(block[1])))
		cmd.Env = append(environment(c.data), "PATH="+filepath.Dir(rig.bin)+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), `data: {"jsonrpc":"2.0","id":1,"result"`) || strings.Contains(string(out), `"isError":true`) {
			t.Fatalf("curl of %s: %v\n%s", tool, err, out)
		}
		return string(out)
	}
	call("navigate", fmt.Sprintf(`{"url": %q}`, rig.site.base+"/form"))
	call("type", `{"role": "textbox", "name": "Name", "text": "Ada"}`)
	call("click", `{"role": "button", "name": "Send"}`)
	sent(t, call("get_text", "{}"))
}

// stdioAt starts a server for a client that speaks one revision only.
func (c *chrome) stdioAt(t *testing.T, version string) *server {
	t.Helper()
	cmd := exec.Command(rig.bin, allowAll()...)
	cmd.Env, cmd.Dir, cmd.Stderr = environment(c.data), rig.dir, rig.log.writer(t.Name()+" stderr")
	session, err := mcp.NewClient(&mcp.Implementation{Name: t.Name(), Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &server{ClientSession: session, cmd: cmd}
}

var nameField = regexp.MustCompile(`textbox "Name" \[(e\d+)\]`)

func goJob(t *testing.T, s *server) {
	s.call(t, "navigate", args{"url": rig.site.base + "/form"})
	seen := nameField.FindStringSubmatch(s.call(t, "snapshot", args{"interactiveOnly": true}).text)
	if seen == nil {
		t.Fatal("the snapshot has no field for the name")
	}
	s.call(t, "type", args{"ref": seen[1], "text": "Ada"})
	s.call(t, "click", args{"role": "button", "name": "Send"})
	sent(t, s.call(t, "get_text", nil).text)
}

// sent holds that the form arrived.
func sent(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(text, "sent name=Ada") {
		t.Errorf("the form was not sent:\n%s", clip(text))
	}
}

// scriptedJob has a client of Node do the job.
func scriptedJob(t *testing.T, script string, job map[string]any) {
	t.Helper()
	job["page"] = rig.site.base + "/form"
	what, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	out := runNode(t, []string{"JOB=" + string(what)}, script)
	var said struct {
		Tools        int    `json:"tools"`
		Instructions string `json:"instructions"`
		Read         string `json:"read"`
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sent(t, said.Read)
	if said.Tools < 30 || !strings.Contains(said.Instructions, "snapshot") {
		t.Errorf("the client was offered %d tools and these instructions:\n%s", said.Tools, said.Instructions)
	}
}

// inspect uses the protocol's own inspector, as whoever writes a server does.
func inspect(t *testing.T, c *chrome, over *httpServer) {
	cli := filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "clients", "cli", "build", "index.js")
	home := "HOME=" + t.TempDir()
	stdio := func(args ...string) string {
		return runNode(t, []string{home}, append([]string{cli, "-e", "CHROME_MCP_DATA=" + c.data, "--config", stdioConfig(t, c), "--server", "chrome"}, args...)...)
	}
	list := stdio("--method", "tools/list", "--strict") // fails for schemas that some client does not take
	if !strings.Contains(list, `"navigate"`) {
		t.Errorf("tools/list: %s", clip(list))
	}
	read := stdio("--method", "tools/call", "--tool-name", "navigate", "--tool-arg", "url="+rig.site.base+"/form")
	if !strings.Contains(read, "HTTP 200") {
		t.Errorf("navigate: %s", clip(read))
	}
	call := func(tool string, pairs ...string) string {
		a := []string{cli, over.url, "--transport", "http", "--header", "Authorization: Bearer " + over.token, "--method", "tools/call", "--tool-name", tool}
		for _, p := range pairs {
			a = append(a, "--tool-arg", p)
		}
		return runNode(t, []string{home}, a...)
	}
	if got := call("navigate", "url="+rig.site.base+"/form"); !strings.Contains(got, "HTTP 200") {
		t.Errorf("navigate over HTTP: %s", clip(got))
	}
}

// stdioConfig is a client's configuration with our server in it.
func stdioConfig(t *testing.T, c *chrome) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"chrome": map[string]any{"type": "stdio", "command": rig.bin, "args": allowAll(), "env": map[string]string{"CHROME_MCP_DATA": c.data}}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runNode runs a script of the folder that pins the clients, and returns what it prints.
func runNode(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	node, err := nodejs.Find(filepath.Join("testdata", "protocol"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Dir = filepath.Join("testdata", "protocol")
	cmd.Env = append(os.Environ(), env...)
	said := rig.log.writer(t.Name() + " node stderr")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, said
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s\n%s", filepath.Base(args[0]), err, out.String(), rig.log.of(t.Name()+" node stderr"))
	}
	return out.String()
}
