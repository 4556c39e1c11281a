package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var long = flag.Bool("long", false, "also run the tests that wait for minutes")

// rig is what all tests share: the binary, built once, and the pages.
var rig struct {
	dir  string // temporary, removed at the end
	bin  string // the program
	site *site
	log  *record // everything that servers and browsers said
}

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("every test here needs a browser; run without -short")
		return
	}
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "chrome-mcp-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	rig.dir, rig.log = dir, &record{}
	rig.bin = filepath.Join(dir, "build", "chrome-mcp")
	if out, err := exec.Command("go", "build", "-o", rig.bin, "chrome-mcp/cmd/chrome-mcp").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	if rig.site, err = newSite(casesDir()); err != nil {
		return 1, err
	}
	defer rig.site.close()
	defer endShared()
	return m.Run(), nil
}

// casesDir is the folder of the cases.
func casesDir() string {
	if dir := os.Getenv("CASES_DIR"); dir != "" {
		return dir
	}
	return filepath.Join("testdata", "cases")
}
