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

// web serves /web/NAME.js, what bundled built, and /npm/, the packages as they are.
func (s *site) web(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("Content-Type")
	if name, ok := strings.CutPrefix(r.URL.Path, "/web/"); ok {
		http.ServeFile(w, r, filepath.Join(rig.dir, "web", filepath.Base(name)))
		return
	}
	http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(webDir, "node_modules")))).ServeHTTP(w, r)
}

// onBackends runs a test through the extension and through the fallback.
func onBackends(t *testing.T, test func(t *testing.T, s *server)) {
	hosts := []string{"127.0.0.1", "localhost"}
	t.Run("extension", func(t *testing.T) { test(t, paired(t, false).serve(t, allowHosts(hosts...)...)) })
	t.Run("cdp", func(t *testing.T) { test(t, cdpSeat(t).connect(t, hosts)) })
}
