//go:build linux

package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chrome-mcp/bridge"
	"chrome-mcp/extension"
	"chrome-mcp/installer"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
)

// program is chrome-mcp, built for the tests: doctor starts it as a browser does.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "doctor-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "chrome-mcp")
	out, err := exec.Command("go", "build", "-o", program, "chrome-mcp/cmd/chrome-mcp").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// home is a user's home folder, with chrome-mcp installed for the Chromium in it. The
// extension is on in the profile that the user works in, and has not been paired.
type home struct {
	*testing.T
	dir      string
	config   Config
	manifest string
	chromium string // user data folder
}

func newHome(t *testing.T) *home {
	dir := t.TempDir()
	t.Setenv("DISPLAY", ":0")
	t.Setenv("CHROME_PATH", program) // something that can be run
	t.Setenv(state.DataEnv, "")
	t.Setenv(bridge.PortEnv, "0")
	h := &home{T: t, dir: dir, chromium: filepath.Join(dir, ".config/chromium")}
	h.config = Config{
		System: installer.System{
			OS: "linux", Home: dir, Config: filepath.Join(dir, ".config"), PATH: []string{filepath.Join(dir, "bin")},
			Read:   os.ReadFile,
			Exists: func(path string) bool { return strings.HasPrefix(path, dir) && exists(path) },
		},
		Options: installer.Options{Data: filepath.Join(dir, "data"), Host: wire.HostName},
		Program: program, Etc: filepath.Join(dir, "etc"), Wait: time.Millisecond, Patience: time.Millisecond,
	}
	h.manifest = filepath.Join(h.chromium, "NativeMessagingHosts", wire.HostName+".json")
	h.write("bin/chromium", "")
	h.profiles("Default")
	h.loaded("Default", h.data("extension"), "[]")
	h.running()
	h.install()
	return h
}

func (h *home) data(elem ...string) string {
	return filepath.Join(append([]string{h.config.Options.Data}, elem...)...)
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *home) write(path, text string) {
	h.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.dir, path)
	}
	h.must(os.MkdirAll(filepath.Dir(path), 0o700))
	h.must(os.WriteFile(path, []byte(text), 0o600))
}

func (h *home) install(browsers ...string) {
	h.Helper()
	o := h.config.Options
	o.Browsers = browsers
	p, err := installer.NewPlan(h.config.System, o)
	h.must(err)
	h.must(installer.Apply(p, program))
}

// profiles makes the profiles of Chromium; the first is the one with a window.
func (h *home) profiles(names ...string) {
	cache := map[string]any{}
	for i, name := range names {
		cache[name] = map[string]any{"name": "Person " + strconv.Itoa(i+1)}
		h.write(filepath.Join(h.chromium, name, "Preferences"), "{}")
	}
	local, err := json.Marshal(map[string]any{"profile": map[string]any{"info_cache": cache, "last_active_profiles": names[:1]}})
	h.must(err)
	h.write(filepath.Join(h.chromium, "Local State"), string(local))
}

// loaded puts the extension into a profile, as Chromium 156 writes it.
func (h *home) loaded(profile, from, reasons string) {
	h.write(filepath.Join(h.chromium, profile, "Preferences"),
		fmt.Sprintf(`{"extensions":{"settings":{%q:{"location":4,"path":%q,"disable_reasons":%s}}}}`, extension.ID, from, reasons))
}

// running makes Chromium look as if it ran, as this process.
func (h *home) running() {
	name, err := os.Hostname()
	h.must(err)
	h.must(os.Symlink(fmt.Sprintf("%s-%d", name, os.Getpid()), filepath.Join(h.chromium, "SingletonLock")))
}

// edit changes the manifest.
func (h *home) edit(from, to string) {
	h.Helper()
	b, err := os.ReadFile(h.manifest)
	h.must(err)
	text := strings.Replace(string(b), from, to, 1)
	if text == string(b) {
		h.Fatalf("the manifest has no %q: %s", from, b)
	}
	h.write(h.manifest, text)
}

// heard lets the installed host hear messages of an extension and returns its answers'
// end; the host ends with the test.
func (h *home) heard(messages ...string) {
	h.Helper()
	cmd := exec.Command(h.data("bin/chrome-mcp"), extension.Origin)
	in, err := cmd.StdinPipe()
	h.must(err)
	h.must(cmd.Start())
	h.Cleanup(func() { in.Close(); cmd.Wait() })
	for _, m := range messages {
		length := len(m) // little-endian here, as on every system that Chrome runs on
		_, err := in.Write(append([]byte{byte(length), byte(length >> 8), 0, 0}, m...))
		h.must(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		seen, err := state.Open(h.config.Options.Data).LastSeen()
		h.must(err)
		if !seen.Time.IsZero() && (len(messages) == 1 || seen.Left != "") {
			return
		}
		if time.Now().After(deadline) {
			h.Fatal("the host noted nothing")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func hello(version string) string {
	return fmt.Sprintf(`{"v":1,"type":"hello","ext":{"id":%q,"version":%q,"instance":"i"}}`, extension.ID, version)
}

// server leaves the handshake file of a process that lives.
func (h *home) server(change func(*state.Handshake)) {
	h.Helper()
	cmd := exec.Command("sleep", "60")
	h.must(cmd.Start())
	h.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	h.must(err)
	h.Cleanup(func() { l.Close() })
	s := state.Handshake{V: 1, Port: l.Addr().(*net.TCPAddr).Port, Token: state.NewToken(), PID: cmd.Process.Pid, SessionID: "s", Client: "tester", Version: version.Version}
	change(&s)
	b, err := json.Marshal(s)
	h.must(err)
	h.write(h.data("handshake.json"), string(b))
}

// faults is every way of breaking the set-up that we know of, and what doctor has to
// say to it. A fix of fixCommand is carried out, and has to help.
var faults = map[string]struct {
	breaks func(h *home)
	id     string
	fix    string // what the remedy holds; {dir} is the home folder
}{
	"not installed": {func(h *home) { _, err := installer.Undo(h.config.Options.Data, false); h.must(err) }, "install.missing", "chrome-mcp install"},

	"manifest missing":       {func(h *home) { h.must(os.Remove(h.manifest)) }, "manifest.missing", fixCommand},
	"manifest of wrong path": {func(h *home) { h.edit(h.data("bin/chrome-mcp"), "/opt/moved/chrome-mcp") }, "manifest.path", fixCommand},
	"manifest of other":      {func(h *home) { h.edit(h.data("bin/chrome-mcp"), "/bin/true") }, "manifest.foreign", "chrome-mcp install --force --browser chromium"},
	"manifest, wrong origin": {func(h *home) { h.edit(extension.ID, strings.Repeat("a", 32)) }, "manifest.origin", fixCommand},
	"manifest, origin cut":   {func(h *home) { h.edit(extension.ID+"/", extension.ID) }, "manifest.origin", fixCommand},
	"manifest, wrong name":   {func(h *home) { h.edit(wire.HostName, "com.other") }, "manifest.name", fixCommand},
	"manifest, wrong type":   {func(h *home) { h.edit("stdio", "pipe") }, "manifest.broken", fixCommand},
	"manifest, not JSON":     {func(h *home) { h.write(h.manifest, "oops") }, "manifest.broken", fixCommand},
	"manifest for a second":  {func(h *home) { h.write(".config/google-chrome/Local State", "{}") }, "manifest.none", "chrome-mcp install --browser chrome"},
	"manifest of a rival": {func(h *home) {
		h.write(filepath.Join(filepath.Dir(h.manifest), "rival.json"), fmt.Sprintf(`{"allowed_origins":[%q]}`, extension.Origin))
	}, "manifest.rival", "ours is {dir}/.config/chromium/NativeMessagingHosts/com.chrome_mcp.host.json"},
	"program gone":           {func(h *home) { h.must(os.Remove(h.data("bin/chrome-mcp"))) }, "install.program", fixCommand},
	"program not executable": {func(h *home) { h.must(os.Chmod(h.data("bin/chrome-mcp"), 0o644)) }, "host.not-executable", fixCommand},
	"program does not work":  {func(h *home) { h.script("echo no such library >&2; exit 127") }, "host.broken", "chrome-mcp install"},
	"program hangs":          {func(h *home) { h.script("exec sleep 30") }, "host.hangs", "chrome-mcp install"},
	"program of other release": {func(h *home) {
		h.answer(`{"v":1,"type":"error","code":"VERSION_MISMATCH","message":"this host is 0.0.9"}`)
	}, "host.version", "chrome-mcp install"},
	"program of other folder": {func(h *home) { h.elsewhere() }, "data.two", "chrome-mcp install --force"},

	"two data folders": {func(h *home) { h.moved() }, "data.two", "unset CHROME_MCP_DATA"},
	"data open to all": {func(h *home) { h.must(os.Chmod(h.data(), 0o755)) }, "data.mode", fixCommand},
	"data is a file":   {func(h *home) { h.must(os.RemoveAll(h.data())); h.write(h.data(), "") }, "data.unreadable", "set CHROME_MCP_DATA"},
	"record open":      {func(h *home) { h.must(os.Chmod(h.data(installer.RecordFile), 0o644)) }, "install.record", fixCommand},
	"record broken":    {func(h *home) { h.write(h.data(installer.RecordFile), "{") }, "install.record", "rm {dir}/data/install.json && chrome-mcp install"},

	"handshake open":        {func(h *home) { h.server(func(*state.Handshake) {}); h.must(os.Chmod(h.data("handshake.json"), 0o644)) }, "handshake.mode", fixCommand},
	"handshake broken":      {func(h *home) { h.write(h.data("handshake.json"), "{") }, "handshake.syntax", fixCommand},
	"handshake of a format": {func(h *home) { h.server(func(s *state.Handshake) { s.V = 2 }) }, "handshake.version", fixCommand},
	"handshake is a link":   {func(h *home) { h.must(os.Symlink("/etc/passwd", h.data("handshake.json"))) }, "handshake.symlink", fixCommand},
	"handshake is huge":     {func(h *home) { h.write(h.data("handshake.json"), strings.Repeat(" ", 1<<20)) }, "handshake.size", fixCommand},
	"handshake is a folder": {func(h *home) { h.must(os.Mkdir(h.data("handshake.json"), 0o700)) }, "handshake.unreadable", "rm -r {dir}/data/handshake.json"},
	"nothing can be left": {func(h *home) {
		h.must(os.Mkdir(h.data(fmt.Sprintf("handshake.%d.try%d.json", os.Getpid(), tries.Load()+1)), 0o700))
	}, "data.unwritable", "set CHROME_MCP_DATA"},

	"server silent":     {func(h *home) { h.server(func(s *state.Handshake) { s.Port = 1 }) }, "server.silent", "restart its MCP client"},
	"server of release": {func(h *home) { h.server(func(s *state.Handshake) { s.Version = "0.0.9" }) }, "server.version", "chrome-mcp install"},
	"port taken": {func(h *home) {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		h.must(err)
		h.Cleanup(func() { l.Close() })
		h.Setenv(bridge.PortEnv, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}, "port.taken", "set CHROME_MCP_WS_PORT"},

	"no display": {func(h *home) { h.Setenv("DISPLAY", ""); h.Setenv("WAYLAND_DISPLAY", "") }, "fallback.display", "--headless"},
	"no browser": {func(h *home) { h.Setenv("CHROME_PATH", "/nowhere/chrome") }, "fallback.chrome", "set CHROME_PATH"},

	"no client knows us":   {func(h *home) { h.cursor("{}") }, "client.none", "chrome-mcp install --client cursor"},
	"client starts other":  {func(h *home) { h.cursor(`{"mcpServers":{"chrome":{"command":"/opt/old/chrome-mcp"}}}`) }, "client.other", "chrome-mcp install --client cursor --force"},
	"client's file broken": {func(h *home) { h.cursor("{") }, "client.unreadable", "{dir}/.cursor/mcp.json"},

	"snap browser":    {func(h *home) { h.write("snap/chromium/common/chromium/Local State", "{}") }, "browser.snap", "flatpak install"},
	"flatpak browser": {func(h *home) { h.flatpak() }, "browser.flatpak", "flatpak override --user --filesystem={dir}/data:ro com.google.Chrome"},

	"policy forbids hosts":      {func(h *home) { h.policy(`{"NativeMessagingBlocklist":["*"]}`) }, "policy.host", "add com.chrome_mcp.host to NativeMessagingAllowlist"},
	"policy forbids user hosts": {func(h *home) { h.policy(`{"NativeMessagingUserLevelHosts":false}`) }, "policy.user-hosts", "chrome://policy"},
	"policy forbids extensions": {func(h *home) { h.policy(`{"ExtensionInstallBlocklist":["*"]}`) }, "policy.extension", extension.ID},
	"policy forbids unpacked":   {func(h *home) { h.policy(`{"DeveloperToolsAvailability":2}`) }, "policy.developer-mode", "developer mode"},

	"extension changed":          {func(h *home) { h.write(h.data("extension/worker.js"), "") }, "extension.files", fixCommand},
	"extension missing":          {func(h *home) { h.profiles("Default") }, "extension.missing", "choose {dir}/data/extension"},
	"extension disabled":         {func(h *home) { h.loaded("Default", h.data("extension"), "[1]") }, "extension.disabled", "switch chrome-mcp on"},
	"extension disabled, of old": {func(h *home) { h.loaded("Default", h.data("extension"), "1") }, "extension.disabled", "switch chrome-mcp on"},
	"extension of a copy":        {func(h *home) { h.loaded("Default", "/opt/copy", "[]") }, "extension.folder", "load {dir}/data/extension"},
	"extension not paired":       {func(h *home) {}, "extension.unpaired", "chromium --profile-directory=Default " + extension.Origin + "options.html  and press Pair"},
	"extension stopped":          {func(h *home) { h.heard(hello(version.Version), `{"v":1,"type":"bye","reason":"stopped"}`) }, "extension.stopped", "press Resume"},
	"extension of a release":     {func(h *home) { h.heard(hello("0.0.9")) }, "extension.version", "press Reload"},
	"extension silent":           {func(h *home) { h.heard(hello(version.Version)) }, "extension.silent", "press Reload"},
	"browser closed":             {func(h *home) { h.must(os.Remove(filepath.Join(h.chromium, "SingletonLock"))) }, "browser.closed", "chromium --profile-directory=Default"},
	"wrong profile": {func(h *home) {
		h.profiles("Profile 1", "Default")
		h.loaded("Default", h.data("extension"), "[]")
	}, "extension.profile", "chromium --profile-directory=Default"},
}

// script replaces the installed program.
func (h *home) script(text string) {
	h.write(h.data("bin/chrome-mcp"), "#!/bin/sh\n"+text+"\n")
	h.must(os.Chmod(h.data("bin/chrome-mcp"), 0o755))
}

// answer replaces the installed program by one that always answers that.
func (h *home) answer(message string) {
	h.write("answer", string([]byte{byte(len(message)), 0, 0, 0})+message)
	h.script("cat '" + filepath.Join(h.dir, "answer") + "'; cat >/dev/null")
}

// elsewhere makes the installed program a link to that of another data folder.
func (h *home) elsewhere() {
	other := filepath.Join(h.dir, "other")
	h.must(os.MkdirAll(filepath.Join(other, "bin"), 0o700))
	h.must(os.Rename(h.data("bin/chrome-mcp"), filepath.Join(other, "bin/chrome-mcp")))
	h.write(filepath.Join(other, installer.RecordFile), "{}")
	h.must(os.Symlink(filepath.Join(other, "bin/chrome-mcp"), h.data("bin/chrome-mcp")))
}

// moved sets the environment variable that puts the data folder elsewhere.
func (h *home) moved() {
	h.config.Options.Data = filepath.Join(h.dir, "moved")
	h.Setenv(state.DataEnv, h.config.Options.Data)
}

func (h *home) flatpak() {
	h.write(".var/app/com.google.Chrome/config/google-chrome/Local State", "{}")
	h.install("chrome-flatpak")
}

func (h *home) cursor(text string) { h.write(".cursor/mcp.json", text) }

func (h *home) policy(text string) { h.write("etc/chromium/policies/managed/a.json", text) }

func TestFaults(t *testing.T) {
	hostTime = 2 * time.Second
	ids := map[string]string{}
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			c.breaks(h)
			f, ok := find(Run(t.Context(), h.config), c.id)
			if !ok {
				t.Fatalf("%s is not found", c.id)
			}
			if fix := strings.ReplaceAll(c.fix, "{dir}", h.dir); !strings.Contains(f.Fix, fix) || f.What == "" || f.Evidence == "" {
				t.Errorf("found %+v; want a fix with %q", f, fix)
			}
			if f.Fixable != (c.fix == fixCommand) {
				t.Errorf("%s: fixable is %v", c.id, f.Fixable)
			}
			if !f.Fixable {
				return
			}
			// Some of it mends itself as soon as a server or the host starts, so anew.
			h = newHome(t)
			c.breaks(h)
			r := Fix(t.Context(), h.config)
			if _, left := find(r, c.id); left || !slices.Contains(r.Fixed, c.id) {
				t.Errorf("%s is not mended: fixed %v, then %+v", c.id, r.Fixed, r.Findings)
			}
		})
		if before := ids[c.id]; before != "" && !twice[c.id] {
			t.Errorf("%q and %q have one id, %s", before, name, c.id)
		}
		ids[c.id] = name
	}
}

// twice are the ids of faults that can come about in more than one way.
var twice = map[string]bool{
	"manifest.origin": true, "manifest.broken": true, "data.two": true, "install.record": true, "extension.disabled": true,
}

func find(r Report, id string) (Finding, bool) {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
	if i < 0 {
		return Finding{}, false
	}
	return r.Findings[i], true
}

// Before the browser comes in, all is well: no fault stands beside the one reason why
// there is no call.
func TestNothingElse(t *testing.T) {
	h := newHome(t)
	r := Run(t.Context(), h.config)
	if r.OK {
		t.Error("a call would work, without a browser")
	}
	for _, f := range r.Findings {
		if f.State != OK && f.ID != "extension.unpaired" && f.ID != "data.server" {
			t.Errorf("found %+v", f)
		}
		if strings.Contains(f.ID, ".") == (f.State == OK) {
			t.Errorf("%s is %s", f.ID, f.State)
		}
	}
	for _, id := range []string{"program", "data", "install", "manifest", "host", "handshake", "port", "extension", "fallback"} {
		if _, ok := find(r, id); !ok {
			t.Errorf("no finding %s", id)
		}
	}
}

// A file of a server that was killed goes.
func TestDeadHandshake(t *testing.T) {
	h := newHome(t)
	h.server(func(s *state.Handshake) { s.PID = 1<<31 - 1 })
	Run(t.Context(), h.config)
	if exists(h.data("handshake.json")) {
		t.Error("the file is still there")
	}
}

// What a walk leaves behind: nothing, but the host's line in its log.
func TestLeavesNothing(t *testing.T) {
	h := newHome(t)
	before, err := os.ReadDir(h.data())
	h.must(err)
	Run(t.Context(), h.config)
	after, err := os.ReadDir(h.data())
	h.must(err)
	for _, d := range after {
		if d.Name() != ".lock" && d.Name() != "host.log" && !slices.ContainsFunc(before, func(b os.DirEntry) bool { return b.Name() == d.Name() }) {
			t.Errorf("left behind: %s", d.Name())
		}
	}
}

// The report names no token.
func TestNoToken(t *testing.T) {
	h := newHome(t)
	token := state.NewToken()
	h.server(func(s *state.Handshake) { s.Token, s.Version = token, "0.0.9" })
	b, err := json.Marshal(Run(t.Context(), h.config))
	h.must(err)
	if strings.Contains(string(b), token) {
		t.Errorf("the token is in %s", b)
	}
}

// A network that forbids listening is told from a folder that cannot be written.
func TestNotStarted(t *testing.T) {
	h := newHome(t)
	e := &exam{Config: h.config, store: state.Open(h.config.Options.Data)}
	_, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "192.0.2.1:0")
	e.notStarted(fmt.Errorf("cannot listen: %w", err))
	e.notStarted(errors.New("cannot write"))
	if e.list[0].ID != "port.blocked" || e.list[1].ID != "data.unwritable" {
		t.Errorf("found %+v", e.list)
	}
}

// A walk that is interrupted ends.
func TestCancelled(t *testing.T) {
	h := newHome(t)
	h.config.Wait = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	Run(ctx, h.config)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
