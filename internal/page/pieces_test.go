package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
)

// striped is a page of that height whose colour says where one is: a hundred CSS pixels
// are one step of red.
func striped(height int) string {
	return html(fmt.Sprintf(`<body style="margin:0"><canvas style="display:none"></canvas><script>
		for (let y = 0; y < %d; y += 100) { const d = document.createElement('div');
			d.style.cssText = 'height:100px;background:rgb(' + (y / 100 %% 8 * 32) + ',0,' + (y %% 1600 < 800 ? 0 : 200) + ')'; document.body.append(d) }
	</script>`, height))
}

// looks holds that a picture shows the page from top on.
func looks(t *testing.T, what string, img browser.Image, top, scale float64) {
	t.Helper()
	p, _, err := image.Decode(bytes.NewReader(img.Data))
	if err != nil {
		t.Fatal(err)
	}
	for y := 10; y < p.Bounds().Dy(); y += 97 {
		css := top + float64(y)/scale
		if in := int(css) % 100; in < 25 || in > 75 { // too near to an edge
			continue
		}
		red, _, blue, _ := p.At(p.Bounds().Min.X+20, p.Bounds().Min.Y+y).RGBA()
		want := int(css) / 100 % 8 * 32
		if got := int(red >> 8); got < want-12 || got > want+12 || (int(css)%1600 < 800) != (blue>>8 < 100) {
			t.Errorf("%s: at %d px, which is %.0f of the page, it is %d and %d, want red %d", what, y, css, red>>8, blue>>8, want)
			return
		}
	}
}

type pieced struct {
	Width, Height, Pictures int
	Scale, PieceHeight      float64
	Files                   []string
	Truncated               bool
}

func TestHighPagesComeInReadablePieces(t *testing.T) {
	f := keeper(t, nil, 0)
	for _, tt := range []struct {
		height, pictures, files int
	}{{1500, 0, 0}, {5000, 2, 0}, {21_000, 7, 0}, {60_000, 7, 12}} {
		f.navigate(striped(tt.height))
		r := must(f.open, page.Screenshot, page.ScreenshotArgs{FullPage: true})
		var d pieced
		raw, _ := json.Marshal(r.Data)
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, img := range r.Images {
			size += len(img.Data)
		}
		t.Logf("%d: %s, %d KB", tt.height, r.Text, size>>10)
		if d.Pictures != tt.pictures || len(r.Images) != max(1, tt.pictures) || len(d.Files) != tt.files || d.Width < 598 || d.Height > 1568 || size > 800<<10 || d.Truncated {
			t.Errorf("%d: %d pictures of %d bytes, %+v", tt.height, len(r.Images), size, d)
			continue
		}
		for i, img := range r.Images {
			looks(t, fmt.Sprintf("%d, picture %d", tt.height, i), img, float64(i)*d.PieceHeight, d.Scale)
		}
		for i, path := range d.Files {
			b, err := os.ReadFile(path)
			if err != nil || !strings.Contains(path, "screenshots") {
				t.Fatalf("%s: %v", path, err)
			}
			looks(t, path, browser.Image{Data: b}, float64(i+7)*d.PieceHeight, d.Scale)
		}
	}
	// A scale that was asked for is one picture.
	if r := must(f.open, page.Screenshot, page.ScreenshotArgs{FullPage: true, Scale: 0.05}); len(r.Images) != 1 {
		t.Errorf("%d pictures", len(r.Images))
	}
}

func TestHighPagesWithoutFiles(t *testing.T) {
	o := visit(t, striped(60_000))
	r := must(o, page.Screenshot, page.ScreenshotArgs{FullPage: true})
	says(t, r.Text, "7 pictures", "of 60000", "target further down")
	if len(r.Images) != 7 {
		t.Errorf("%d pictures", len(r.Images))
	}
	r = must(o, page.Screenshot, page.ScreenshotArgs{Target: page.Target{Selector: "body"}, Format: "png"})
	if len(r.Images) != 7 {
		t.Errorf("%d pictures of an element", len(r.Images))
	}
}
