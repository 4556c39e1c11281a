package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Published editors and pages, from npm in the versions that testdata/web pins.

var webDir = filepath.Join("testdata", "web")

// published prepares them once. Without them the tests fail: a run that left them out
// would say nothing of real pages.
func published(t *testing.T) {
	t.Helper()
	if err := bundled(); err != nil {
		t.Fatal(err)
	}
}

// bundled builds the editors that are published as modules to rig.dir/web.
var bundled = sync.OnceValue(func() error {
	if _, err := os.Stat(filepath.Join(webDir, "node_modules", ".package-lock.json")); err != nil {
		return fmt.Errorf("the packages of e2e/testdata/web are not installed: %w; run make setup", err)
	}
	sources, err := filepath.Glob(filepath.Join(webDir, "editors", "*.js"))
	if err != nil {
		return err
	}
	flags := []string{"tool", "esbuild", "--bundle", "--format=esm", "--minify", "--log-level=warning",
		`--define:process.env.NODE_ENV="production"`, "--outdir=" + filepath.Join(rig.dir, "web")}
	if out, err := exec.Command("go", append(flags, sources...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("bundle the editors: %w\n%s\nif packages are missing, run make setup", err, out)
	}
	return nil
})

// webRoots are the addresses below which published files are. Most are in /npm/, the
// packages as they are; Gentelella is built for the root of a site.
var webRoots = map[string]string{
	"/npm/":        "",
	"/production/": "gentelella/dist/production",
	"/js/":         "gentelella/dist/js",
	"/assets/":     "gentelella/dist/assets",
	"/images/":     "gentelella/dist/images",
}

func webRoot(path string) string {
	end := strings.Index(path[1:], "/") + 2
	return path[:end]
}

func isWeb(path string) bool {
	_, ok := webRoots[webRoot(path)]
	return ok || webRoot(path) == "/web/"
}

// web serves published files, at /web/NAME.js what bundled built, and at /web/NAME.html
// pages that put published files to work.
func (s *site) web(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("Content-Type")
	root := webRoot(r.URL.Path)
	dir := filepath.Join(webDir, "node_modules", webRoots[root])
	switch {
	case root == "/web/" && filepath.Ext(r.URL.Path) == ".html":
		dir = filepath.Join(webDir, "pages")
	case root == "/web/":
		dir = filepath.Join(rig.dir, "web")
	}
	http.StripPrefix(root, http.FileServer(http.Dir(dir))).ServeHTTP(w, r)
}

// onBackends runs a test through the extension and, beside it, through the fallback.
func onBackends(t *testing.T, test func(t *testing.T, s *server)) {
	hosts := []string{"127.0.0.1", "localhost"}
	for name, connect := range map[string]func(t *testing.T) *server{
		"extension": func(t *testing.T) *server { return paired(t, false).serve(t, allowHosts(hosts...)...) },
		"cdp":       func(t *testing.T) *server { return cdpSeat(t).connect(t, hosts) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, connect(t))
		})
	}
}
