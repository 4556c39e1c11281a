package page

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// Bounds of pictures. Models scale bigger ones down, and clients choke on them.
const (
	longestSide  = 1568
	pictureBytes = 800 << 10
	tallest      = 16384 // CSS px; Chrome repeats or blanks what is beyond, see stitch
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

	Pictures  int      `json:"pictures,omitempty"`    // when there are several, from top to bottom
	CSSHeight float64  `json:"pieceHeight,omitempty"` // CSS pixels that each of them shows
	Files     []string `json:"files,omitempty"`       // those that the answer has no room for
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
	if !a.FullPage && !a.Target.given() && a.Scale == 0 {
		if r, err := t.atOnce(ctx, a); r != nil || err != nil {
			return r, err
		}
	}
	v, answer, err := t.measure(ctx)
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
		s.clip = browser.Rect{Width: v.FullWidth, Height: math.Min(v.FullHeight, mostHeight)}
		s.beyond = true
		if v.FullHeight > mostHeight {
			data.Truncated, data.FullHeight = true, v.FullHeight
		}
	}
	s.defaults(a.Scale)
	if p := s.pieces(); a.Scale == 0 && p.count > 1 {
		return t.inPieces(ctx, s, p, data, answer)
	}
	img, err := withMasks(ctx, t, &s, t.take)
	if err != nil {
		return nil, err
	}
	if err := t.Judge(ctx, policy.Read); err != nil { // it may have gone elsewhere meanwhile
		return nil, err
	}
	if !a.Target.given() && !a.FullPage {
		t.scaled(s.scale)
	}
	return pictureResult(img, s, data, answer)
}

// measure asks the page how large it is, and keeps the answer for the next picture.
func (t *Tab) measure(ctx context.Context) (pagefn.Probe, browser.Answer, error) {
	v, answer, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}})
	if err == nil {
		t.mu.Lock()
		t.viewport = browser.Rect{Width: v.Width, Height: v.Height}
		t.mu.Unlock()
	}
	return v, answer, err
}

// scaled notes the scale of the picture that coordinates of clicks are taken from.
func (t *Tab) scaled(scale float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scale = scale
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
	s.fit()
}

func pictureResult(img browser.Image, s shot, data picture, answer browser.Answer) (*Result, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil {
		return nil, unreadable(err)
	}
	data.Width, data.Height, data.Scale, data.MIME = cfg.Width, cfg.Height, s.scale, img.MIME
	data.Bytes, data.Masked = len(img.Data), len(s.masks)
	said := fmt.Sprintf("%d×%d %s", data.Width, data.Height, img.MIME)
	if s.scale != 1 {
		said += fmt.Sprintf(", %.3g pixels per CSS pixel; click takes x and y in pixels of a viewport picture", s.scale)
	}
	said += data.remarks()
	return &Result{Text: said, Data: data, Images: []browser.Image{img}, URL: answer.URL, Origin: answer.Origin}, nil
}

// remarks say what a picture does not show.
func (data picture) remarks() (said string) {
	if data.FullHeight > mostHeight {
		said += fmt.Sprintf("; the page is %.0f high, pictures end at %d", data.FullHeight, mostHeight)
	}
	if data.Masked > 0 {
		said += fmt.Sprintf("; %d frames are painted over: their sites are not allowed", data.Masked)
	}
	return said
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
	r.Height = math.Min(r.Height, mostHeight)
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

// take takes the picture, paints the masks, and makes it smaller until it fits.
func (t *Tab) take(ctx context.Context, s *shot) (browser.Image, error) {
	for {
		img, err := t.drawn(ctx, s)
		if err != nil || len(img.Data) <= pictureBytes || !s.smaller() {
			return img, err
		}
	}
}

func (t *Tab) drawn(ctx context.Context, s *shot) (browser.Image, error) {
	if len(s.masks) == 0 && s.clip.Height <= tallest {
		return t.shoot(ctx, s.options())
	}
	img, err := t.pixels(ctx, s)
	if err != nil {
		return browser.Image{}, err
	}
	return s.encode(img)
}

// pixels takes the picture and leaves it for others to encode.
func (t *Tab) pixels(ctx context.Context, s *shot) (image.Image, error) {
	if s.clip.Height > tallest {
		return t.stitch(ctx, s)
	}
	img, err := t.shoot(ctx, s.options())
	if err != nil {
		return nil, err
	}
	src, _, err := image.Decode(bytes.NewReader(img.Data))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(s.masks) == 0 {
		return src, nil
	}
	return s.paint(src), nil
}

func (s *shot) options() browser.CaptureOptions {
	clip := s.clip
	return browser.CaptureOptions{Format: s.format, Quality: s.quality, Clip: &clip, Scale: s.scale, Beyond: s.beyond}
}

func (t *Tab) shoot(ctx context.Context, o browser.CaptureOptions) (browser.Image, error) {
	return race(ctx, t, func(ctx context.Context) (browser.Image, error) { return t.bt.Capture(ctx, o) })
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
