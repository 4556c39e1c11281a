package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"chrome-mcp/bridge"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
)

// handshakes looks at the files by which servers are found.
func (e *exam) handshakes() {
	live, errs := e.store.Live()
	for _, err := range errs {
		var file *state.FileError
		if !errors.As(err, &file) || !removable(file.Fault) {
			fix := "chmod 700 " + e.quote(e.Options.Data)
			if file != nil && file.Path != e.Options.Data {
				fix = "rm -r " + e.quote(file.Path)
			}
			e.fail("handshake.unreadable", "a server's file cannot be read", err.Error(), fix)
			continue
		}
		// A server that lives notices that its file is gone, and writes one with a new token.
		e.fixable("handshake."+string(file.Fault), "a server's file cannot be trusted", err.Error(), func() error { return os.Remove(file.Path) })
	}
	var names []string
	for _, h := range live {
		if h.PID != os.Getpid() {
			names = append(names, h.Path)
		}
	}
	if len(errs) == 0 {
		what := "no server runs now; clients start them"
		if names != nil {
			what = "servers' files can be read, by you alone"
		}
		e.fine("handshake", what, "%s", few(names))
	}
}

// removable are the faults of what surely is a file, or a link, of a server's name.
func removable(f state.Fault) bool {
	switch f {
	case state.FaultMode, state.FaultSymlink, state.FaultSize, state.FaultSyntax, state.FaultVersion:
		return true
	}
	return false
}

// servers looks at the servers that run, here and in other data folders.
func (e *exam) servers(ctx context.Context) {
	live, _ := e.store.Live()
	for _, h := range live {
		if h.PID == os.Getpid() {
			continue
		}
		name := fmt.Sprintf("server %d (%s)", h.PID, h.Client)
		c, err := net.DialTimeout("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(h.Port)), time.Second)
		switch {
		case err != nil:
			e.fail("server.silent", name+" does not answer on its port", err.Error(), "restart its MCP client; if it stays so, a firewall blocks 127.0.0.1")
			continue
		case h.Version != version.Version:
			e.fail("server.version", name+" is of another version", "it is "+h.Version+", this program "+version.Version, installCommand+", then restart the MCP client")
		default:
			e.fine("server", name+" answers", "port %d, since %s", h.Port, time.UnixMilli(h.TS).Format(time.DateTime))
		}
		c.Close()
	}
	e.defaultPort()
	e.elsewhere(ctx)
}

// defaultPort says when somebody else has the port that servers try first. They take
// another then, which matters to nobody but to firewall rules.
func (e *exam) defaultPort() {
	port := wire.DefaultPort
	if n, err := strconv.Atoi(os.Getenv(bridge.PortEnv)); err == nil && n >= 0 && n <= 65535 {
		port = n
	}
	if port == 0 {
		return // any will do
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		l.Close()
		return
	}
	live, _ := e.store.Live()
	for _, h := range live {
		if h.Port == port {
			return
		}
	}
	e.warn("port.taken", "another program has the port that servers try first; they take any other", err.Error(), fmt.Sprintf("set %s to a free port, if a firewall has a rule for %d", bridge.PortEnv, port))
}

// elsewhere finds servers that browsers do not see, because they leave word in another
// data folder.
func (e *exam) elsewhere(ctx context.Context) {
	list, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return
	}
	for _, p := range list {
		if int(p.Pid) == os.Getpid() {
			continue
		}
		name, err := p.NameWithContext(ctx)
		if err != nil || strings.TrimSuffix(name, ".exe") != "chrome-mcp" {
			continue
		}
		env, err := p.EnvironWithContext(ctx)
		if err != nil {
			continue
		}
		for _, entry := range env {
			dir, ok := strings.CutPrefix(entry, state.DataEnv+"=")
			if ok && dir != "" && !same(dir, e.Options.Data) && e.serves(dir, int(p.Pid)) {
				e.warn("data.server", "a server leaves word where this browser's host does not look", fmt.Sprintf("process %d has %s=%s, the host looks in %s", p.Pid, state.DataEnv, dir, e.Options.Data),
					"take "+state.DataEnv+" out of that MCP client's configuration, and restart the client")
			}
		}
	}
}

// serves reports whether that process is a server that waits for browsers, not one of
// the other roles.
func (e *exam) serves(dir string, pid int) bool {
	live, _ := state.Open(dir).Live()
	for _, h := range live {
		if h.PID == pid {
			return true
		}
	}
	return false
}

// same compares folders, through links.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := filepath.EvalSymlinks(a)
	y, err2 := filepath.EvalSymlinks(b)
	return err1 == nil && err2 == nil && x == y
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
