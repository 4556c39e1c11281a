package page

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"slices"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// Bounds of pictures. Models scale bigger ones down, and clients choke on them.
const (
	longestSide  = 1568
	pictureBytes = 800 << 10
	tallest      = 16384 // CSS px; Chrome repeats or blanks what is beyond
	jpegQuality  = 70
)

// picture is screenshot's structured content.
type picture struct {
	Width      int     `json:"width"`
	Height     int     `json:"height"`
	Scale      float64 `json:"scale"` // picture pixels per CSS pixel
	MIME       string  `json:"mimeType"`
	Bytes      int     `json:"bytes"`
	Truncated  bool    `json:"truncated,omitempty"`
	FullHeight float64 `json:"fullHeight,omitempty"` // of the page, when the picture does not show all
	Masked     int     `json:"masked,omitempty"`     // frames painted over: their sites are not allowed
}

// shot is what to take.
type shot struct {
	clip    browser.Rect // in CSS pixels of the page
	beyond  bool
	scale   float64
	format  string
	quality int
	masks   []browser.Rect // in CSS pixels of the page
}

// Screenshot is screenshot. It scrolls, activates and focuses nothing.
func Screenshot(ctx context.Context, t *Tab, a ScreenshotArgs) (*Result, error) {
	if a.FullPage && a.Target.given() {
		return nil, browser.Errorf(browser.BadArgs, "give fullPage or a target, not both")
	}
	v, answer, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}})
	if err != nil {
		return nil, err
	}
	s := shot{format: a.Format, quality: a.Quality, clip: browser.Rect{X: v.ScrollX, Y: v.ScrollY, Width: v.Width, Height: v.Height}}
	data := picture{}
	switch {
	case a.Target.given():
		if s.clip, err = t.targetClip(ctx, a.Target, v); err != nil {
			return nil, err
		}
		s.beyond = true
	case a.FullPage:
		s.clip = browser.Rect{Width: v.FullWidth, Height: math.Min(v.FullHeight, tallest)}
		s.beyond = true
		if v.FullHeight > tallest {
			data.Truncated, data.FullHeight = true, v.FullHeight
		}
	}
	s.defaults(a.Scale)
	img, err := t.masked(ctx, v, &s)
	if err != nil {
		return nil, err
	}
	if err := t.Judge(ctx, policy.Read); err != nil { // it may have gone elsewhere meanwhile
		return nil, err
	}
	if !a.Target.given() && !a.FullPage {
		t.mu.Lock()
		t.scale = s.scale
		t.mu.Unlock()
	}
	return pictureResult(img, s, data, answer)
}

func (s *shot) defaults(asked float64) {
	if s.format == "" {
		s.format = "jpeg"
	}
	if s.quality == 0 {
		s.quality = jpegQuality
	}
	s.scale = asked
	if s.scale == 0 {
		s.scale = math.Min(1, longestSide/math.Max(s.clip.Width, s.clip.Height))
	}
}

func pictureResult(img browser.Image, s shot, data picture, answer browser.Answer) (*Result, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil {
		return nil, browser.Errorf(browser.CDPError, "the browser sent a picture that cannot be read: %v", err)
	}
	data.Width, data.Height, data.Scale, data.MIME = cfg.Width, cfg.Height, s.scale, img.MIME
	data.Bytes, data.Masked = len(img.Data), len(s.masks)
	said := fmt.Sprintf("%d×%d %s", data.Width, data.Height, img.MIME)
	if s.scale != 1 {
		said += fmt.Sprintf(", %.3g pixels per CSS pixel; click takes x and y in pixels of a viewport picture", s.scale)
	}
	if data.Truncated {
		said += fmt.Sprintf("; the page is %.0f high, the picture ends at %d", data.FullHeight, tallest)
	}
	if data.Masked > 0 {
		said += fmt.Sprintf("; %d frames are painted over: their sites are not allowed", data.Masked)
	}
	return &Result{Text: said, Data: data, Images: []browser.Image{img}, URL: answer.URL, Origin: answer.Origin}, nil
}

// targetClip is the target's box in the page.
func (t *Tab) targetClip(ctx context.Context, g Target, v pagefn.Probe) (browser.Rect, error) {
	b, h, err := find(ctx, ask[pagefn.Box]{tab: t, target: g, fn: "box", budget: readBudget, args: func(l pagefn.Locator, _ int) any {
		return pagefn.BoxArgs{Target: l}
	}})
	if err != nil {
		return browser.Rect{}, err
	}
	if b.Width < 1 || b.Height < 1 {
		return browser.Rect{}, browser.Errorf(browser.NotActionable, "%s has no size on the page; it cannot be pictured", g)
	}
	r, err := t.up(ctx, h.frame, browser.Rect{X: b.X, Y: b.Y, Width: b.Width, Height: b.Height})
	r.X, r.Y = r.X+v.ScrollX, r.Y+v.ScrollY
	r.Height = math.Min(r.Height, tallest)
	return r, err
}

// up maps a box of a frame's viewport to the main frame's, scrolling nothing.
func (t *Tab) up(ctx context.Context, f browser.Frame, r browser.Rect) (browser.Rect, error) {
	for f.Parent != "" {
		parent, a, err := t.owner(ctx, f, pagefn.FrameOwnerArgs{X: r.X, Y: r.Y})
		if err != nil {
			return r, err
		}
		_, b, err := t.owner(ctx, f, pagefn.FrameOwnerArgs{X: r.X + r.Width, Y: r.Y + r.Height})
		if err != nil {
			return r, err
		}
		r = browser.Rect{X: math.Min(a.X, b.X), Y: math.Min(a.Y, b.Y), Width: math.Abs(b.X - a.X), Height: math.Abs(b.Y - a.Y)}
		f = parent
	}
	return r, nil
}

// masks are the boxes of frames that may not be read, in CSS pixels of the page.
func (t *Tab) masks(ctx context.Context, v pagefn.Probe) ([]browser.Rect, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	var list []browser.Rect
	covered := map[browser.FrameID]bool{}
	for _, f := range frames[1:] {
		if covered[f.Parent] {
			covered[f.ID] = true // painted over with the frame around it
			continue
		}
		if t.judgeFrame(f, policy.Read) == nil {
			continue
		}
		covered[f.ID] = true
		r, err := t.frameBox(ctx, f)
		if err != nil {
			return nil, browser.Errorf(browser.PolicyDenied, "the page shows a frame that is not allowed, and where it is could not be found out; take a picture of a part with a target, or read with snapshot")
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
		if browser.CodeOf(err) == browser.CDPError { // it has no box
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

// masked takes the picture with frames that may not be read painted over. A picture
// during which such frames came or moved is not used.
func (t *Tab) masked(ctx context.Context, v pagefn.Probe, s *shot) (browser.Image, error) {
	masks, err := t.masks(ctx, v)
	for range 3 {
		if err != nil {
			break
		}
		before := t.state.frameChanges()
		s.masks = masks
		var img browser.Image
		if img, err = t.take(ctx, s); err != nil {
			break
		}
		if t.state.frameChanges() == before {
			return img, nil
		}
		if masks, err = t.masks(ctx, v); err == nil && slices.Equal(masks, s.masks) {
			return img, nil
		}
	}
	if err == nil {
		err = browser.Errorf(browser.Timeout, "frames of sites that are not allowed come and go all the time; take the picture later, or of a part with a target")
	}
	return browser.Image{}, err
}

// take takes the picture, paints the masks, and makes it smaller until it fits.
func (t *Tab) take(ctx context.Context, s *shot) (browser.Image, error) {
	for {
		clip := s.clip
		img, err := race(ctx, t, func(ctx context.Context) (browser.Image, error) {
			return t.bt.Capture(ctx, browser.CaptureOptions{Format: s.format, Quality: s.quality, Clip: &clip, Scale: s.scale, Beyond: s.beyond})
		})
		if err != nil {
			return img, err
		}
		if len(s.masks) > 0 {
			if img, err = s.paint(img); err != nil {
				return img, err
			}
		}
		if len(img.Data) <= pictureBytes || !s.smaller() {
			return img, nil
		}
	}
}

// smaller chooses a picture with fewer bytes; false when there is none worth having.
func (s *shot) smaller() bool {
	switch {
	case s.format == "png":
		s.format, s.quality = "jpeg", 85
	case s.quality > 50:
		s.quality = 50
	case s.quality > 30:
		s.quality = 30
	case s.scale > 0.2:
		s.scale *= 0.7
	default:
		return false
	}
	return true
}

// paint covers the masks with grey.
func (s *shot) paint(img browser.Image) (browser.Image, error) {
	src, _, err := image.Decode(bytes.NewReader(img.Data))
	if err != nil {
		return img, browser.Errorf(browser.CDPError, "the browser sent a picture that cannot be read: %v", err)
	}
	dst := image.NewRGBA(src.Bounds())
	draw.Draw(dst, dst.Bounds(), src, src.Bounds().Min, draw.Src)
	grey := image.NewUniform(color.RGBA{0x80, 0x80, 0x80, 0xff})
	for _, m := range s.masks {
		r := image.Rect(
			int(math.Floor((m.X-s.clip.X)*s.scale)), int(math.Floor((m.Y-s.clip.Y)*s.scale)),
			int(math.Ceil((m.X+m.Width-s.clip.X)*s.scale)), int(math.Ceil((m.Y+m.Height-s.clip.Y)*s.scale)))
		draw.Draw(dst, r, grey, image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if img.MIME == "image/png" {
		err = png.Encode(&b, dst)
	} else {
		err = jpeg.Encode(&b, dst, &jpeg.Options{Quality: s.quality})
	}
	return browser.Image{Data: b.Bytes(), MIME: img.MIME}, err
}
