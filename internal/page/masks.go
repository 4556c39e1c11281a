package page

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"strings"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// masks are the boxes of frames that may not be read, in CSS pixels of the page.
func (t *Tab) masks(ctx context.Context) ([]browser.Rect, error) {
	denied, err := t.deniedFrames(ctx)
	if err != nil || len(denied) == 0 {
		return nil, err
	}
	v, _, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}})
	if err != nil {
		return nil, err
	}
	var list []browser.Rect
	for _, f := range denied {
		r, err := t.frameBox(ctx, f)
		if err != nil {
			return nil, err
		}
		if r.Width > 0 && r.Height > 0 {
			list = append(list, browser.Rect{X: r.X + v.ScrollX, Y: r.Y + v.ScrollY, Width: r.Width, Height: r.Height})
		}
	}
	return list, nil
}

// frameBox is where a frame is shown in the main frame's viewport, without asking the
// frame itself. A frame that is not shown has no size.
func (t *Tab) frameBox(ctx context.Context, f browser.Frame) (browser.Rect, error) {
	parent, err := t.frame(ctx, f.Parent)
	if err != nil {
		return browser.Rect{}, err
	}
	var o struct {
		BackendNodeID int64 `json:"backendNodeId"`
	}
	if err := t.call(ctx, parent.ID, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &o); err != nil {
		return browser.Rect{}, err
	}
	var m struct {
		Model struct {
			Border []float64 `json:"border"`
		} `json:"model"`
	}
	if err := t.call(ctx, parent.ID, "DOM.getBoxModel", map[string]any{"backendNodeId": o.BackendNodeID}, &m); err != nil {
		if browser.CodeOf(err) == browser.CDPError && strings.Contains(err.Error(), "compute box model") { // it is not shown
			return browser.Rect{}, nil
		}
		return browser.Rect{}, err
	}
	r := bounds(m.Model.Border)
	// The box is relative to the outermost frame of the same process.
	root := parent
	for root.Parent != "" && !root.Process {
		if root, err = t.frame(ctx, root.Parent); err != nil {
			return browser.Rect{}, err
		}
	}
	return t.up(ctx, root, r)
}

// bounds is the box around a quad.
func bounds(quad []float64) browser.Rect {
	if len(quad) < 8 {
		return browser.Rect{}
	}
	x0, y0, x1, y1 := quad[0], quad[1], quad[0], quad[1]
	for i := 2; i+1 < len(quad); i += 2 {
		x0, x1 = math.Min(x0, quad[i]), math.Max(x1, quad[i])
		y0, y1 = math.Min(y0, quad[i+1]), math.Max(y1, quad[i+1])
	}
	return browser.Rect{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0}
}

// withMasks takes a picture with take and frames that may not be read painted over. One
// during which such frames came or moved is not used.
func withMasks[T any](ctx context.Context, t *Tab, s *shot, take func(context.Context, *shot) (T, error)) (none T, err error) {
	before, err := t.masks(ctx)
	for range maskTries {
		if err == nil {
			s.masks = before
			img, failed := take(ctx, s)
			if failed != nil {
				return img, failed
			}
			var after []browser.Rect
			if after, err = t.masks(ctx); err == nil && slices.Equal(before, after) {
				return img, nil
			}
			before = after
			continue
		}
		switch browser.CodeOf(err) {
		case browser.TargetGone, browser.RefExpired, browser.CDPError: // a frame went away meanwhile
			before, err = t.masks(ctx)
		default:
			return none, err
		}
	}
	why := "frames of sites that are not allowed move, come and go all the time"
	if err != nil {
		why = "the page shows a frame that is not allowed, and where that is could not be found out"
	}
	return none, browser.Errorf(browser.PolicyDenied, "%s; take the picture later, or read with snapshot", why)
}

// maskTries is how often a picture is taken of a page whose denied frames do not rest.
const maskTries = 4

// paint covers the masks in a picture.
func (s *shot) paint(src image.Image) image.Image {
	dst := image.NewRGBA(src.Bounds())
	draw.Draw(dst, dst.Bounds(), src, src.Bounds().Min, draw.Src)
	s.cover(dst)
	return dst
}

// cover paints the masks grey.
func (s *shot) cover(dst draw.Image) {
	grey := image.NewUniform(color.RGBA{0x80, 0x80, 0x80, 0xff})
	margin := 0
	if s.clip.Height > tallest {
		margin = 1 // parts begin at whole pixels, so what they show may be off by a part of one
	}
	for _, m := range s.masks {
		r := image.Rect(
			int(math.Floor((m.X-s.clip.X)*s.scale)), int(math.Floor((m.Y-s.clip.Y)*s.scale)),
			int(math.Ceil((m.X+m.Width-s.clip.X)*s.scale)), int(math.Ceil((m.Y+m.Height-s.clip.Y)*s.scale)))
		draw.Draw(dst, r.Inset(-margin), grey, image.Point{}, draw.Src)
	}
}

// quickPNG costs a third of the time of the usual encoder for some more bytes.
var quickPNG = png.Encoder{CompressionLevel: png.BestSpeed}

func (s *shot) encode(img image.Image) (browser.Image, error) {
	var b bytes.Buffer
	if s.format == "png" {
		err := quickPNG.Encode(&b, img)
		return browser.Image{Data: b.Bytes(), MIME: "image/png"}, err
	}
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: s.quality})
	return browser.Image{Data: b.Bytes(), MIME: "image/jpeg"}, err
}
