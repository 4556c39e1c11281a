package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"chrome-mcp/extension"
	"chrome-mcp/installer"
	"chrome-mcp/internal/state"
	"chrome-mcp/internal/version"
	"chrome-mcp/nmhost"
)

func isOrigin(arg string) bool { return strings.HasPrefix(arg, "chrome-extension://") }

// runHost is the native messaging host. It logs to a file only: standard output is the
// protocol's, and Chrome throws standard error away.
func runHost(origin string, stdin io.Reader, stdout, stderr io.Writer) int {
	store := state.Open(hostDir())
	log := slog.New(slog.DiscardHandler)
	if w, err := store.OpenLog("host.log"); err == nil {
		defer w.Close()
		log = slog.New(slog.NewTextHandler(w, nil)).With("pid", os.Getpid())
	}
	log.Info("started", "version", version.Version, "caller", origin)
	err := nmhost.Run(context.Background(), nmhost.Config{
		In: stdin, Out: stdout, Caller: origin, ExtensionID: extension.ID,
		Version: version.Version, Store: store, Log: log,
	})
	if err != nil {
		log.Error("ended", "err", err)
		complain(stderr, err)
		return 1
	}
	return 0
}

// hostDir is the data folder of the host role. Chrome's environment says nothing about
// the user's, so the place of the program decides.
func hostDir() string {
	if data := installedIn(); data != "" {
		return data
	}
	dir, _ := state.DataDir()
	return dir
}

// dataDir is the data folder of the other roles. A program that is installed uses that
// folder too, unless told otherwise: MCP clients start servers with few of the user's
// variables, and server and host have to meet.
func dataDir() (string, error) {
	if data := installedIn(); data != "" && os.Getenv(state.DataEnv) == "" {
		return data, nil
	}
	return state.DataDir()
}

// installedIn is the data folder that this program was installed in; "" if it runs from
// elsewhere.
func installedIn() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	data := filepath.Dir(filepath.Dir(exe))
	if _, err := os.Stat(filepath.Join(data, installer.RecordFile)); err != nil || filepath.Base(filepath.Dir(exe)) != "bin" {
		return ""
	}
	return data
}
