// Command icongen draws the extension's icons, and the one of the bundles that are
// released: a bridge between two points, one of them hollow, for the server and the
// browser. Run it from the extension's folder after changing the drawing: go run ./icongen.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
	"path/filepath"
)

func main() {
	files := map[string]int{filepath.Join("..", "internal", "release", "icon.png"): 512}
	for _, size := range []int{16, 32, 48, 128} {
		files[filepath.Join("static", "icons", fmt.Sprintf("%d.png", size))] = size
	}
	for path, size := range files {
		if err := write(path, draw(size)); err != nil {
			log.Fatal(err)
		}
	}
}

func write(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, img); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// samples per pixel and axis; the drawing has no other smoothing.
const samples = 8

func draw(size int) image.Image {
	s := shape{stroke: 6.5, node: 15.5, hole: 7}
	if size <= 16 { // thicker, or the parts run together
		s = shape{stroke: 8.5, node: 19, hole: 8, wide: true}
	}
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.SetNRGBA(x, y, s.pixel(x, y, 128/float64(size)))
		}
	}
	return img
}

// shape has the measures that differ between sizes, on a canvas of 128.
type shape struct {
	stroke, node, hole float64
	wide               bool
}

func (s shape) pixel(px, py int, scale float64) color.NRGBA {
	var r, g, b, n float64
	for i := range samples * samples {
		x := (float64(px) + (float64(i%samples)+0.5)/samples) * scale
		y := (float64(py) + (float64(i/samples)+0.5)/samples) * scale
		if c, ok := s.at(x, y); ok {
			r, g, b, n = r+c[0], g+c[1], b+c[2], n+1
		}
	}
	if n == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{uint8(r/n + 0.5), uint8(g/n + 0.5), uint8(b/n + 0.5), uint8(255*n/(samples*samples) + 0.5)}
}

var (
	white = [3]float64{255, 255, 255}
	from  = [3]float64{79, 93, 245} // indigo, top left
	to    = [3]float64{8, 145, 150} // teal, bottom right
)

// at is the colour at a point, or false outside of the tile.
func (s shape) at(x, y float64) ([3]float64, bool) {
	inset, radius := 4.0, 30.0
	if s.wide {
		inset = 0
	}
	if roundRect(x, y, inset, radius) > 0 {
		return white, false
	}
	left, right, base := 36.0, 92.0, 82.0
	if s.wide {
		left, right, base = 32, 96, 86
	}
	hollow := math.Hypot(x-right, y-base)
	switch {
	case hollow < s.hole:
		return ground(x, y), true
	case hollow < s.node, math.Hypot(x-left, y-base) < s.node:
		return white, true
	case onArch(x, y, left, right, base) < s.stroke:
		return white, true
	}
	return ground(x, y), true
}

func ground(x, y float64) [3]float64 {
	t := min(max((x+y-16)/224, 0), 1)
	var c [3]float64
	for i := range c {
		c[i] = from[i] + (to[i]-from[i])*t
	}
	return c
}

// onArch is the distance from the half circle over two feet, with straight legs.
func onArch(x, y, left, right, base float64) float64 {
	mid, radius := (left+right)/2, (right-left)/2
	spring := base - 14 // where the legs end and the half circle begins
	if y < spring {
		return math.Abs(math.Hypot(x-mid, y-spring) - radius)
	}
	if y > base {
		return math.Inf(1)
	}
	return min(math.Abs(x-left), math.Abs(x-right))
}

func roundRect(x, y, inset, radius float64) float64 {
	half := 64 - inset
	dx, dy := math.Abs(x-64)-half+radius, math.Abs(y-64)-half+radius
	return math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - radius
}
