package cdpfallback

import (
	"context"
	"encoding/json"
	"time"

	"chrome-mcp/internal/browser"
)

// Capture takes a picture. A tab in the background can draw it because it is recorded,
// see recorder.
func (t *Tab) Capture(ctx context.Context, o browser.CaptureOptions) (browser.Image, error) {
	s, err := t.host(ctx, "", "")
	if err != nil {
		return browser.Image{}, err
	}
	params, err := t.captureParams(ctx, s, o)
	if err != nil {
		return browser.Image{}, err
	}
	defer s.drawing.use()()
	data, err := s.draw(ctx, params)
	if err != nil {
		return browser.Image{}, err
	}
	return browser.Image{Data: data, MIME: "image/" + format(o)}, nil
}

// A tab that draws answers in tens of milliseconds. One that does not within drawPatience
// is recorded anew and asked once more; whichever answer comes first is taken.
const (
	drawPatience = 700 * time.Millisecond
	drawTime     = 10 * time.Second
)

func (s *session) draw(ctx context.Context, params map[string]any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, drawTime)
	defer cancel()
	type answer struct {
		data []byte
		err  error
	}
	answers := make(chan answer, 2)
	ask := func() {
		var shot struct {
			Data []byte `json:"data"`
		}
		err := s.tab.b.conn.call(ctx, s.id, "Page.captureScreenshot", params, &shot)
		answers <- answer{shot.Data, err}
	}
	go ask()
	late := time.NewTimer(drawPatience)
	defer late.Stop()
	for {
		select {
		case a := <-answers:
			return a.data, a.err
		case <-late.C:
			s.drawing.again()
			go ask()
		}
	}
}

func format(o browser.CaptureOptions) string {
	if o.Format == "" {
		return "png"
	}
	return o.Format
}

// captureParams turns CSS pixels and a scale relative to them into Chrome's clip,
// whose scale is relative to the screen's pixels.
func (t *Tab) captureParams(ctx context.Context, s *session, o browser.CaptureOptions) (map[string]any, error) {
	clip, ratio, err := t.viewport(ctx, s)
	if err != nil {
		return nil, err
	}
	if o.Clip != nil {
		clip = *o.Clip
	}
	scale := o.Scale
	if scale == 0 {
		scale = 1
	}
	params := map[string]any{"format": format(o), "captureBeyondViewport": o.Beyond, "optimizeForSpeed": true}
	// Without a clip Chrome takes the viewport as it is, and need not lay it out anew.
	if o.Clip != nil || scale != ratio {
		params["clip"] = map[string]any{
			"x": clip.X, "y": clip.Y, "width": clip.Width, "height": clip.Height, "scale": scale / ratio,
		}
	}
	if o.Quality > 0 && format(o) == "jpeg" {
		params["quality"] = o.Quality
	}
	return params, nil
}

// viewport is what is visible of the page, and how many pixels a CSS pixel has. Only
// the page knows the latter while a screen is emulated.
func (t *Tab) viewport(ctx context.Context, s *session) (browser.Rect, float64, error) {
	var metrics struct {
		Visual struct {
			PageX  float64 `json:"pageX"`
			PageY  float64 `json:"pageY"`
			Width  float64 `json:"clientWidth"`
			Height float64 `json:"clientHeight"`
		} `json:"cssVisualViewport"`
	}
	asked, err := t.b.conn.start(s.id, "Page.getLayoutMetrics", nil)
	if err != nil {
		return browser.Rect{}, 0, err
	}
	w, err := enter(ctx, t.b.conn, s.id, browser.FrameID(t.target), t.b.cfg.World)
	if err != nil {
		return browser.Rect{}, 0, err
	}
	o, err := w.function(ctx, `function(){return devicePixelRatio}`, true)
	if err != nil {
		return browser.Rect{}, 0, err
	}
	ratio := 1.0
	if err := json.Unmarshal(o.Value, &ratio); err != nil || ratio <= 0 {
		ratio = 1
	}
	if err := t.b.conn.wait(ctx, asked, &metrics); err != nil {
		return browser.Rect{}, 0, err
	}
	v := metrics.Visual
	return browser.Rect{X: v.PageX, Y: v.PageY, Width: v.Width, Height: v.Height}, ratio, nil
}
