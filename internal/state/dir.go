// Package state keeps what outlives one process and what processes tell each other:
// the data folder, the handshake files of live servers, which browsers have paired,
// and what the native messaging host last saw.
//
// Everything is private to the user: the folder is 0700 and each file 0600 (on Windows
// an ACL for the user alone), written by temp file and rename and checked afterwards.
// What cannot be made private is not written. The package opens no socket, knows no
// browser, and never puts a token into an error or a log.
package state

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"
)

// DataEnv names the environment variable that moves the data folder.
const DataEnv = "CHROME_MCP_DATA"

// FindHome sets HOME where it is missing, as under some clients and services. Else xdg
// takes the root folder for it, and the browser's host would look in another place.
func FindHome() {
	if !homeless() {
		return
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		_ = os.Setenv("HOME", u.HomeDir)
		xdg.Reload()
	}
}

func homeless() bool { return runtime.GOOS != "windows" && os.Getenv("HOME") == "" }

// DataDir returns the data folder of this user: $CHROME_MCP_DATA, else the place for
// application data of the OS. It creates nothing. With an error comes the path that it
// would have been.
func DataDir() (string, error) {
	if dir := os.Getenv(DataEnv); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("%s=%q is not a usable path: %w", DataEnv, dir, err)
		}
		return abs, nil
	}
	// A home that is not there is a broken environment (a service account, a stripped
	// container). Creating it would hide that and litter the root folder.
	dir := filepath.Join(xdg.DataHome, "chrome-mcp")
	if home := xdg.Home; os.Getenv("XDG_DATA_HOME") == "" {
		if homeless() {
			return dir, fmt.Errorf("HOME is not set; set it, or %s to a folder of your own", DataEnv)
		}
		if fi, err := os.Stat(home); home == "" || err != nil || !fi.IsDir() {
			return dir, fmt.Errorf("home folder %q does not exist; set HOME, or %s to a folder of your own", home, DataEnv)
		}
	}
	return dir, nil
}

// Store is a data folder.
type Store struct {
	dir string
}

// Open returns the store of a data folder. It does no I/O: the folder is made when
// something is first written.
func Open(dir string) *Store { return &Store{dir: dir} }

// Dir returns the folder's path.
func (s *Store) Dir() string { return s.dir }

// Path joins names to the folder's path.
func (s *Store) Path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// Ensure makes the folder, private to the user, or says why that cannot be.
func (s *Store) Ensure() error {
	if s.dir == "" {
		return fmt.Errorf("no data folder; set %s to a folder of your own", DataEnv)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder %s: %w; set %s to a folder that you can write", s.dir, err, DataEnv)
	}
	if err := makeDirPrivate(s.dir); err != nil {
		return fmt.Errorf("data folder %s cannot be made private: %w; set %s to a folder of your own", s.dir, err, DataEnv)
	}
	return nil
}
