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
	stitchedArea = 4_500_000 // pixels: all parts are held at once, with four bytes each
	partQuality  = 90        // a JPEG that is made into another one must not show it
)

// fit makes the scale small enough to hold a picture of parts in memory.
func (s *shot) fit() {
	if s.clip.Height > tallest {
		s.scale = math.Min(s.scale, math.Sqrt(stitchedArea/(s.clip.Width*s.clip.Height)))
	}
}

// stitch takes a picture that is higher than Chrome draws at once, part by part.
func (t *Tab) stitch(ctx context.Context, s *shot) (image.Image, error) {
	dst := image.NewRGBA(s.bounds())
	err := t.parts(ctx, s, func(src image.Image, at image.Rectangle) error {
		draw.Draw(dst, at, src, src.Bounds().Min, draw.Src)
		return nil
	})
	s.cover(dst)
	return dst, err
}

// bounds are those of the picture in its own pixels.
func (s *shot) bounds() image.Rectangle {
	return image.Rect(0, 0, pixels(s.clip.Width, s.scale), pixels(s.clip.Height, s.scale))
}

// parts takes a picture in parts that Chrome draws at once, from top to bottom, and says
// where in the picture each belongs. A part has whole rows of pixels: in a row that it
// shares with the next there would be nothing of either.
func (t *Tab) parts(ctx context.Context, s *shot, use func(src image.Image, at image.Rectangle) error) error {
	all := s.bounds()
	rows := all.Dy()
	if s.clip.Height > tallest {
		rows = max(1, int(partHeight*s.scale))
	}
	for top := 0; top < all.Dy(); top += rows {
		part := *s
		part.quality = partQuality
		if rows < all.Dy() {
			part.beyond = true
			part.clip.Y += float64(top) / s.scale
			part.clip.Height = math.Min(float64(rows), float64(all.Dy()-top)) / s.scale
		}
		img, err := t.shoot(ctx, part.options())
		if err != nil {
			return err
		}
		src, _, err := image.Decode(bytes.NewReader(img.Data))
		if err != nil {
			return unreadable(err)
		}
		if err := use(src, image.Rect(0, top, all.Dx(), min(top+rows, all.Dy()))); err != nil {
			return err
		}
		progress(ctx)(int64(top/rows)+1, int64((all.Dy()+rows-1)/rows))
	}
	return nil
}

func pixels(css, scale float64) int { return max(1, int(math.Round(css*scale))) }

func unreadable(err error) error {
	return browser.Errorf(browser.CDPError, "the browser sent a picture that cannot be read: %v; try again", err)
}
