package page

import (
	"bytes"
	"context"
	"image"
	"image/draw"
	"math"

	"chrome-mcp/internal/browser"
)

// Bounds of pictures that are put together from parts.
const (
	partHeight   = 8192      // CSS px: half of tallest, for screens with two pixels each
	mostHeight   = 8 * 16384 // CSS px; a page that grows without end has an end here
	stitchedArea = 7_000_000 // pixels: all parts are held at once, with four bytes each
	partQuality  = 90        // a JPEG that is made into another one must not show it
)

// fit makes the scale small enough to hold a picture of parts in memory.
func (s *shot) fit() {
	if s.clip.Height > tallest {
		s.scale = math.Min(s.scale, math.Sqrt(stitchedArea/(s.clip.Width*s.clip.Height)))
	}
}

// stitch takes a picture that is higher than Chrome draws at once, part by part.
func (t *Tab) stitch(ctx context.Context, s *shot) (browser.Image, error) {
	dst := image.NewRGBA(image.Rect(0, 0, pixels(s.clip.Width, s.scale), pixels(s.clip.Height, s.scale)))
	for top := 0.0; top < s.clip.Height; top += partHeight {
		part := s.clip
		part.Y, part.Height = s.clip.Y+top, math.Min(partHeight, s.clip.Height-top)
		img, err := t.shoot(ctx, browser.CaptureOptions{Format: s.format, Quality: partQuality, Clip: &part, Scale: s.scale, Beyond: true})
		if err != nil {
			return img, err
		}
		src, _, err := image.Decode(bytes.NewReader(img.Data))
		if err != nil {
			return img, unreadable(err)
		}
		at := image.Rect(0, pixels(top, s.scale), dst.Rect.Max.X, dst.Rect.Max.Y)
		draw.Draw(dst, at, src, src.Bounds().Min, draw.Src)
		progress(ctx)(int64(math.Ceil(top/partHeight))+1, int64(math.Ceil(s.clip.Height/partHeight)))
	}
	s.cover(dst)
	return s.encode(dst)
}

func pixels(css, scale float64) int { return max(1, int(math.Round(css*scale))) }

func unreadable(err error) error {
	return browser.Errorf(browser.CDPError, "the browser sent a picture that cannot be read: %v; try again", err)
}
