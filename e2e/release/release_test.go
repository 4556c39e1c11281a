package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/extension"
	"chrome-mcp/internal/version"
	"chrome-mcp/manifests"
)

// made is one release of this machine's system, which all tests look at.
var made struct {
	dir  string // temporary, removed at the end
	out  string // the release
	base string // beginning of its files' names
}

// epoch is the time of the release, as packagers give it.
const epoch = "1700000000"

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("every test here builds a release; run without -short")
		return
	}
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	if made.dir, err = os.MkdirTemp("", "chrome-mcp-release-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(made.dir)
	made.base = "chrome-mcp-" + version.Version + "-" + runtime.GOOS + "-" + runtime.GOARCH
	if made.out, err = release(filepath.Join(made.dir, "a")); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// release copies the sources to a folder, without their history, and makes a release of
// them there for this machine's system.
func release(root string) (string, error) {
	if err := copySources(filepath.Join("..", ".."), root); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "run", "./internal/release", "-targets", runtime.GOOS+"/"+runtime.GOARCH)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+epoch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return filepath.Join(root, "build", "release"), nil
}

func copySources(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && slices.Contains([]string{".git", "build", "node_modules", "e2e", ".tools"}, d.Name()) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody's temporary file
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
}

// TestReproducible makes the release again from another folder: the same bytes.
func TestReproducible(t *testing.T) {
	again, err := release(filepath.Join(t.TempDir(), "another place"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(made.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		other, err := os.ReadFile(filepath.Join(again, e.Name()))
		if err != nil || !bytes.Equal(other, read(t, e.Name())) {
			t.Errorf("%s has other bytes (%v)", e.Name(), err)
		}
	}
	if len(entries) != 7 {
		t.Errorf("the release has %d files: %v", len(entries), entries)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(made.out, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSums holds that every file but the list itself is in the list, with its hash.
func TestSums(t *testing.T) {
	entries, err := os.ReadDir(made.out)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, e := range entries {
		if e.Name() != "SHA256SUMS" {
			fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(read(t, e.Name())), e.Name())
		}
	}
	if got := string(read(t, "SHA256SUMS")); got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}

// TestArchive unpacks the archive and runs what is in it.
func TestArchive(t *testing.T) {
	names, program := unpackArchive(t)
	for _, n := range []string{"README.md", "LICENSE", "CHANGELOG.md", "THIRD-PARTY-LICENSES.txt", "man/chrome-mcp.1", "completions/chrome-mcp.bash", "completions/_chrome-mcp", "completions/chrome-mcp.fish", "completions/chrome-mcp.ps1"} {
		if !slices.Contains(names, made.base+"/"+n) {
			t.Errorf("the archive has no %s: %v", n, names)
		}
	}
	out, err := exec.Command(program, "version").CombinedOutput()
	if want := "chrome-mcp " + version.Version + "\n"; err != nil || string(out) != want {
		t.Errorf("version: %v %q", err, out)
	}
}

func unpackArchive(t *testing.T) (names []string, program string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(read(t, made.base+".tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names, program
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if fmt.Sprint(h.ModTime.Unix()) != epoch || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s has the time %v and the owner %d %s", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		if filepath.Base(h.Name) != "chrome-mcp" {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		program = filepath.Join(t.TempDir(), "chrome-mcp")
		if err := os.WriteFile(program, data, h.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBundle unpacks the bundle with the official packer, has it validate the manifest,
// and starts the server as a client does whose user left all settings as they are.
func TestBundle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	packer(t, "unpack", filepath.Join(made.out, made.base+".mcpb"), dir)
	manifest := filepath.Join(dir, "manifest.json")
	if out := packer(t, "validate", manifest); !strings.Contains(out, "validation passes") {
		t.Error(out)
	}
	raw, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var b manifests.Bundle
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	fill := []string{"${__dirname}", dir}
	for name, o := range b.UserConfig {
		fill = append(fill, "${user_config."+name+"}", fmt.Sprint(o.Default))
	}
	filled := strings.NewReplacer(fill...)
	var args []string
	for _, a := range b.Server.Config.Args {
		args = append(args, filled.Replace(a))
	}
	cmd := exec.Command(filled.Replace(b.Server.Config.Command), args...)
	cmd.Env = append(os.Environ(), "CHROME_MCP_DATA="+t.TempDir())
	client := mcp.NewClient(&mcp.Implementation{Name: "bundle", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) == 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func packer(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", append([]string{npm("@anthropic-ai/mcpb/dist/cli/cli.js")}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("mcpb %v: %v\n%s\nif the packer is missing, run make setup", args, err, out)
	}
	return string(out)
}

// npm is a file of a package that testdata pins.
func npm(file string) string {
	return filepath.Join("testdata", "node_modules", filepath.FromSlash(file))
}

// TestExtension holds what the Web Store wants: the extension as it is, with no key.
func TestExtension(t *testing.T) {
	data := read(t, "chrome-mcp-extension-"+version.Version+".zip")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	names, err := extension.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != len(names) {
		t.Errorf("%d files, the extension has %d", len(z.File), len(names))
	}
	for _, n := range names {
		got, err := fs.ReadFile(z, n)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fs.ReadFile(extension.FS, n)
		if err != nil {
			t.Fatal(err)
		}
		if n == "manifest.json" {
			sameButKey(t, got, want)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s differs", n)
		}
	}
}

func sameButKey(t *testing.T, got, want []byte) {
	t.Helper()
	var a, b map[string]any
	if err := errors.Join(json.Unmarshal(got, &a), json.Unmarshal(want, &b)); err != nil {
		t.Fatal(err)
	}
	if _, ok := a["key"]; ok || b["key"] == nil {
		t.Error("the store's manifest has a key, or ours has none")
	}
	delete(b, "key")
	if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
		t.Errorf("got  %s\nwant %s", x, y)
	}
}
