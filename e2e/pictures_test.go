package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
)

// TestPictures takes the README's pictures of the options page, connected, and of the
// popup. With UPDATE_PICTURES=1 they replace those in docs.
func TestPictures(t *testing.T) {
	// Pictures larger than the window come out torn, so the window holds all of the page.
	c := newChrome(t, chromeOptions{headed: true, args: []string{"--force-device-scale-factor=2", "--window-size=980,1700"}})
	dir := t.TempDir()
	if os.Getenv("UPDATE_PICTURES") == "1" {
		dir = filepath.Join("..", "docs")
	}
	first, err := startServer(t.Context(), c.data, "claude-code", allowHosts("127.0.0.1")...)
	if err != nil {
		t.Fatal(err)
	}
	defer first.stop()
	second, err := startServer(t.Context(), c.data, "cursor", "--allow-domain", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer second.stop()
	if _, err := c.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.call(t, "tab_new", args{"url": rig.site.base + "/form"})
	first.call(t, "tab_new", args{"url": rig.site.base + "/article"})
	second.call(t, "tab_new", args{"url": rig.site.base + "/big"})

	page, err := c.open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background(), page.ID())
	if _, err := c.connected(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	c.photograph(t, page, filepath.Join(dir, "options.png"))

	site, err := c.open(t.Context(), rig.site.base+"/form")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background(), site.ID())
	second.do(t.Context(), "click", args{"selector": "h1"}) // is refused, so the popup asks
	c.photographPopup(t, filepath.Join(dir, "popup.png"))
}

// photographPopup opens the popup over the tab in front and saves a picture of it.
func (c *chrome) photographPopup(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	if err := c.worker(ctx, `chrome.action.openPopup()`, nil); err != nil {
		t.Fatal(err)
	}
	popup := c.attachTo(t, ctx, "chrome-extension://"+extension.ID+"/popup.html")
	send := func(ctx context.Context, params, result any) error {
		return c.Command(ctx, popup, "Runtime.evaluate", params, result)
	}
	// The popup grows with what it is told, and its window follows.
	err := evaluate(ctx, send, `new Promise(done => {
		let last = 0;
		const look = () => {
			const size = document.documentElement.scrollHeight;
			if (size === last && innerHeight >= size) return done(true);
			last = size;
			setTimeout(look, 300);
		};
		look();
		setTimeout(done, 5000);
	})`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shot struct{ Data []byte }
	if err := c.Command(ctx, popup, "Page.captureScreenshot", args{"format": "png"}, &shot); err != nil {
		t.Fatal(err)
	}
	savePicture(t, path, shot.Data)
}

// attachTo waits for a target with that URL and returns a session on it.
func (c *chrome) attachTo(t *testing.T, ctx context.Context, url string) (session string) {
	t.Helper()
	for ctx.Err() == nil {
		var list struct {
			Infos []struct{ TargetID, URL string } `json:"targetInfos"`
		}
		if err := c.Command(ctx, "", "Target.getTargets", nil, &list); err != nil {
			t.Fatal(err)
		}
		for _, info := range list.Infos {
			if info.URL != url {
				continue
			}
			var s struct{ SessionID string }
			if err := c.Command(ctx, "", "Target.attachToTarget", args{"targetId": info.TargetID, "flatten": true}, &s); err != nil {
				t.Fatal(err)
			}
			return s.SessionID
		}
		wait(ctx, 20*time.Millisecond)
	}
	t.Fatalf("no target shows %s", url)
	return ""
}

// photograph saves a picture of a page, all of it and no more.
func (c *chrome) photograph(t *testing.T, tab browser.Tab, path string) {
	t.Helper()
	ctx := t.Context()
	// Two frames: what the page was told last is laid out and painted.
	if err := c.eval(ctx, tab, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))`, nil); err != nil {
		t.Fatal(err)
	}
	var size struct{ Width, Height, Window float64 }
	if err := c.eval(ctx, tab, `({width: innerWidth, height: document.body.offsetHeight, window: innerHeight})`, &size); err != nil {
		t.Fatal(err)
	}
	if size.Height > size.Window {
		t.Errorf("the page is %v high, the window only %v: make it higher", size.Height, size.Window)
	}
	img, err := tab.Capture(ctx, browser.CaptureOptions{Format: "png", Scale: 2, Clip: &browser.Rect{Width: size.Width, Height: size.Height}})
	if err != nil {
		t.Fatal(err)
	}
	savePicture(t, path, img.Data)
}

func savePicture(t *testing.T, path string, data []byte) {
	t.Helper()
	if len(data) < 5000 {
		t.Errorf("%s has %d bytes", path, len(data))
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
