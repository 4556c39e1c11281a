// Package nodejs finds a Node that is new enough for the clients and suites that the
// tests run. It is for tests only.
package nodejs

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// oldest is the version that the MCP Inspector asks for.
var oldest = [2]int{22, 19}

// Find returns the Node on PATH, if it is new enough, else the one that npm brought to
// packages, a folder with a node_modules.
func Find(packages string) (string, error) {
	if path, err := exec.LookPath("node"); err == nil && recent(path) {
		return path, nil
	}
	found, err := filepath.Glob(filepath.Join(packages, "node_modules", "node-*", "bin", "node"))
	if err != nil || len(found) == 0 {
		return "", errors.New("the tests need Node 22.19 or newer; run .ci/setup test, or install it")
	}
	return filepath.Abs(found[0])
}

func recent(path string) bool {
	out, err := exec.Command(path, "--version").Output()
	parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	if err != nil || len(parts) < 2 {
		return false
	}
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	return major > oldest[0] || major == oldest[0] && minor >= oldest[1]
}
