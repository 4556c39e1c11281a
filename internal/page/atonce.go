package page

import (
	"bytes"
	"context"
	"image"
	"math"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
)

// atOnce is a picture of the viewport for which the page is asked how large it is while
// it is drawn: a frame takes 16 ms, and one goes by with each question. It guesses that
// the viewport is as it was at the last picture. It is nil when that was wrong, or when
// there is more to do than to take the picture.
func (t *Tab) atOnce(ctx context.Context, a ScreenshotArgs) (*Result, error) {
	t.mu.Lock()
	s := shot{format: a.Format, quality: a.Quality, clip: t.viewport}
	vain := t.viewport == t.unlike
	t.mu.Unlock()
	if vain {
		return nil, nil
	}
	s.defaults(0)
	changes := t.state.frameChanges()
	if denied, err := t.deniedFrames(ctx); s.scale != 1 || err != nil || len(denied) > 0 {
		return nil, nil // the long way says what is wrong
	}
	img, v, answer, err := t.shootAndMeasure(ctx, browser.CaptureOptions{Format: s.format, Quality: s.quality, Scale: 1})
	if err != nil {
		return nil, err
	}
	if !s.shows(img, v) {
		t.mu.Lock()
		t.unlike = s.clip
		t.mu.Unlock()
		return nil, nil
	}
	if t.state.frameChanges() != changes {
		return nil, nil
	}
	if err := t.Judge(ctx, policy.Read); err != nil { // it may have gone elsewhere meanwhile
		return nil, err
	}
	t.scaled(s.scale)
	return pictureResult(img, s, picture{}, answer)
}

func (t *Tab) shootAndMeasure(ctx context.Context, o browser.CaptureOptions) (browser.Image, pagefn.Probe, browser.Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		img browser.Image
		err error
	}
	taken := make(chan outcome, 1)
	go func() {
		img, err := t.shoot(ctx, o)
		taken <- outcome{img, err}
	}()
	v, answer, err := t.measure(ctx)
	if err != nil {
		return browser.Image{}, v, answer, err
	}
	shot := <-taken
	return shot.img, v, answer, shot.err
}

// shows reports whether the picture is one of the viewport, and small enough. Scroll bars
// are no part of the viewport; pictures of windows have them.
func (s *shot) shows(img browser.Image, v pagefn.Probe) bool {
	if v.Width != s.clip.Width || v.Height != s.clip.Height || len(img.Data) > pictureBytes {
		return false
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	return err == nil && cfg.Width == int(math.Round(v.Width)) && cfg.Height == int(math.Round(v.Height))
}
