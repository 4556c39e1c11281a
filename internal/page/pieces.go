package page

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"math"
	"path/filepath"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

// A page that is much higher than wide is shown in several pictures: scaled into one,
// nobody could read it.
const (
	readableWidth = 600 // pixels
	mostPieces    = 7   // in an answer; what is further down is kept in files
)

// pieces says how a picture is cut, from top to bottom.
type pieces struct {
	count  int     // 1: it is not
	scale  float64 // of each
	height float64 // CSS pixels of each; the last may have less
}

// pieces is how the picture is cut so that it can be read.
func (s *shot) pieces() pieces {
	width := math.Min(readableWidth, s.clip.Width)
	if s.clip.Width*s.scale >= width-1 {
		return pieces{count: 1}
	}
	scale := width / s.clip.Width
	n := math.Ceil(s.clip.Height * scale / longestSide)
	if n > mostPieces {
		return pieces{int(n), scale, longestSide / scale}
	}
	// What room the last piece would leave goes to all.
	scale = min(1, longestSide/s.clip.Width, n*longestSide/s.clip.Height)
	return pieces{int(n), scale, s.clip.Height / n}
}

// inPieces takes as many pieces at once as an answer has, so that they fit together, and
// goes on where there are files to keep the others in.
func (t *Tab) inPieces(ctx context.Context, s shot, p pieces, data picture, answer browser.Answer) (*Result, error) {
	r := &Result{URL: answer.URL, Origin: answer.Origin}
	began := time.Now()
	told := progress(ctx)
	ctx = WithProgress(ctx, nil) // stitch would count its own parts
	for done := 0; done < p.count && (done == 0 || t.s.cfg.Tasks != nil); done += mostPieces {
		part := s
		part.scale = p.scale
		part.clip.Y += float64(done) * p.height
		part.clip.Height = math.Min(mostPieces*p.height, s.clip.Height-float64(done)*p.height)
		list, err := withMasks(ctx, t, &part, func(ctx context.Context, s *shot) ([]browser.Image, error) { return t.cut(ctx, s, p.height) })
		if err == nil {
			err = part.lighten(list)
		}
		if err != nil {
			return nil, err
		}
		if err := t.Judge(ctx, policy.Read); err != nil { // it may have gone elsewhere meanwhile
			return nil, err
		}
		data.Masked = max(data.Masked, len(part.masks))
		if done == 0 {
			r.Images = list
		} else if err := t.keepPieces(r, list, done, p.count, began); err != nil {
			return nil, err
		}
		told(int64(done+len(list)), int64(p.count))
	}
	return pieceResult(r, s, p, data)
}

// keepPieces puts pictures into files, counted from the first of the page.
func (t *Tab) keepPieces(r *Result, list []browser.Image, done, of int, began time.Time) error {
	for i, img := range list {
		name := fmt.Sprintf("page %s, %02d of %d%s", began.Format("15.04.05"), done+i+1, of, extension(img.MIME))
		path, err := t.s.Keep(task.Screenshots, name, img.Data)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, path)
	}
	return nil
}

// cut takes a picture as pieces. No more than one of them and one of Chrome's parts is
// held with all its pixels.
func (t *Tab) cut(ctx context.Context, s *shot, height float64) (list []browser.Image, err error) {
	all := s.bounds()
	var open *image.RGBA
	err = t.parts(ctx, s, func(src image.Image, at image.Rectangle) error {
		for {
			if open == nil {
				top, bottom := rowsTo(height, len(list), s.scale), rowsTo(height, len(list)+1, s.scale)
				open = image.NewRGBA(image.Rect(0, top, all.Dx(), bottom).Intersect(all))
			}
			here := at.Intersect(open.Rect)
			draw.Draw(open, here, src, src.Bounds().Min.Add(here.Min.Sub(at.Min)), draw.Src)
			if open.Rect.Max.Y > at.Max.Y { // the next part goes on with it
				return nil
			}
			s.cover(open)
			img, err := s.encode(open)
			if err != nil {
				return err
			}
			list = append(list, img)
			last := open.Rect.Max.Y
			if open = nil; last >= at.Max.Y {
				return nil
			}
		}
	})
	return list, err
}

// rowsTo is how many rows of pixels n pieces have.
func rowsTo(height float64, n int, scale float64) int {
	return int(math.Round(float64(n) * height * scale))
}

// lighten makes the pictures of an answer smaller until all together have no more bytes
// than one may have.
func (s *shot) lighten(list []browser.Image) error {
	out := *s
	for size := sizeOfAll(list); size > pictureBytes && (out.format != "jpeg" || out.quality > 30) && out.smaller(); size = sizeOfAll(list) {
		for i, img := range list {
			whole, _, err := image.Decode(bytes.NewReader(img.Data))
			if err != nil {
				return unreadable(err)
			}
			if list[i], err = out.encode(whole); err != nil {
				return unreadable(err)
			}
		}
	}
	return nil
}

func sizeOfAll(list []browser.Image) (n int) {
	for _, img := range list {
		n += len(img.Data)
	}
	return n
}

func pieceResult(r *Result, s shot, p pieces, data picture) (*Result, error) {
	first, _, err := image.DecodeConfig(bytes.NewReader(r.Images[0].Data))
	if err != nil {
		return nil, unreadable(err)
	}
	data.Width, data.Height, data.Scale, data.MIME = first.Width, first.Height, p.scale, r.Images[0].MIME
	data.Pictures, data.CSSHeight, data.Files = len(r.Images), p.height, r.Files
	data.Bytes = sizeOfAll(r.Images)
	r.Text = fmt.Sprintf("%d pictures from top to bottom, each %d×%d %s and %.0f CSS pixels of the page, %.3g pixels per CSS pixel",
		data.Pictures, data.Width, data.Height, data.MIME, p.height, p.scale)
	switch left := p.count - len(r.Images); {
	case len(r.Files) > 0:
		r.Text += fmt.Sprintf("; the other %d of %d are in %s", len(r.Files), p.count, filepath.Dir(r.Files[0]))
	case left > 0:
		data.Truncated, data.FullHeight = true, math.Max(data.FullHeight, s.clip.Height)
		r.Text += fmt.Sprintf("; they end at %.0f of %.0f: give a target further down, or a scale for one picture of all", float64(len(r.Images))*p.height, s.clip.Height)
	}
	r.Text += data.remarks()
	r.Data = data
	return r, nil
}
