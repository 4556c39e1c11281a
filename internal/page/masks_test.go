package page_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// TestMaskedFrames takes pictures of pages with a frame that may not be read. The frame
// is red all over, and no picture may show a red pixel, wherever the frame is.
func TestMaskedFrames(t *testing.T) {
	red := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html><body style='margin:0;background:#f00;height:3000px'>")
	}))
	t.Cleanup(red.Close)
	_, port, _ := net.SplitHostPort(red.Listener.Addr().String())
	same, cross := "http://127.0.0.1:"+port, "http://localhost:"+port // of the page's process, and of another
	site := func(base string) string { return strings.TrimPrefix(base, "http://") }
	tall := `<div style="height:2000px;background:#eee">above</div>`
	inner := func(frame string) string { return `<body style="margin:20px">` + tall + frame + tall }
	quoted := strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace
	for _, src := range []string{same, cross} {
		frame := func(style string) string {
			return `<iframe id=red style="width:200px;height:150px;` + style + `" src="` + src + `"></iframe>`
		}
		for name, markup := range map[string]string{
			"plain":             frame(""),
			"border":            frame("border:7px solid #0a0;padding:9px;margin:30px"),
			"rotated":           `<div style="transform:rotate(30deg) scale(1.3);margin:150px;width:200px">` + frame("") + `</div>`,
			"zoomed":            `<div style="zoom:1.7">` + frame("") + `</div>`,
			"page scrolled":     tall + frame("") + tall + `<script>onload=()=>scrollTo(0,1900)</script>`,
			"box scrolled":      `<div id=s style="height:300px;overflow:auto">` + tall + frame("") + tall + `</div><script>onload=()=>s.scrollTop=1950</script>`,
			"fixed at bottom":   tall + frame("position:fixed;bottom:0;right:0"),
			"as high as window": frame("width:60vw;height:100vh") + tall,
			"sticky":            `<div style="height:4000px">` + tall + frame("position:sticky;top:10px") + `</div>`,
			"absolute, vh":      tall + frame("position:absolute;top:50vh;left:10vw"),
			"in a srcdoc":       `<iframe style="width:500px;height:400px" srcdoc="` + quoted(inner(frame(""))+`<script>onload=()=>scrollTo(0,1900)</script>`) + `"></iframe>`,
			"in a frame elsewhere": tall + `<iframe style="width:500px;height:400px;margin-left:77px" src="` + shared.alt + "/t?html=" +
				escape(inner(frame(""))+`<script>onload=()=>scrollTo(0,1900)</script>`) + `"></iframe><script>onload=()=>scrollTo(0,1800)</script>`,
			"in two elsewhere": `<iframe style="width:600px;height:500px" src="` + shared.alt + "/t?html=" + escape(
				`<iframe style="width:500px;height:400px;transform:translate(20px,30px)" src="`+shared.base+"/t?html="+escape(frame("margin-top:60px"))+`"></iframe>`) + `"></iframe>`,
			"beyond 16,384 px": `<div style="height:17000px">above</div>` + frame("") + tall,
			"hidden":           frame("visibility:hidden"),
			"not displayed":    "words" + frame("display:none"),
			"moving":           `<p style="height:200px">words</p>` + frame("position:absolute") + `<script>let x=0;onload=()=>requestAnimationFrame(function f(){if(x<600){red.style.left=(x+=4)+'px';requestAnimationFrame(f)}})</script>`,
			"without end":      `<p style="height:200px">words</p>` + frame("position:absolute") + `<script>let x=0;onload=()=>requestAnimationFrame(function f(){red.style.left=(x=(x+4)%600)+'px';requestAnimationFrame(f)})</script>`,
			"object":           `<object id=red style="width:200px;height:150px" data="` + src + `" type="text/html"></object>`,
		} {
			t.Run(name+" "+site(src), func(t *testing.T) {
				o := session(t, policy.Policy{AllowDomains: []string{site(shared.base), site(shared.alt)}})
				o.navigate(html(`<body style="margin:10px">` + markup))
				pictures := map[string]page.ScreenshotArgs{"the window": {Format: "png"}, "the page": {Format: "png", FullPage: true}}
				if !testing.Short() {
					maps.Copy(pictures, map[string]page.ScreenshotArgs{
						"jpeg": {}, "an element": {Format: "png", Target: page.Target{Selector: "body"}}, "small": {Format: "png", Scale: 0.31},
					})
				}
				for what, a := range pictures {
					r, err := do(o, page.Screenshot, a)
					if err != nil {
						if name != "without end" && name != "moving" {
							t.Errorf("%s: %v", what, err)
						}
						refused(t, err, browser.PolicyDenied, "move, come and go")
						continue
					}
					for _, img := range r.Images {
						if at := redAt(t, img.Data); at != "" {
							t.Errorf("%s shows the frame at %s", what, at)
						}
					}
				}
			})
		}
	}
}

// redAt is where a picture has a pixel of the frame, "" for nowhere.
func redAt(t *testing.T, data []byte) string {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	plain := image.NewRGBA(b)
	draw.Draw(plain, b, img, b.Min, draw.Src)
	for i := 0; i < len(plain.Pix); i += 4 {
		if p := plain.Pix[i : i+3]; p[0] > 0xb0 && p[1] < 0x60 && p[2] < 0x60 {
			return fmt.Sprintf("%d,%d of %d×%d", i%plain.Stride/4, i/plain.Stride, b.Dx(), b.Dy())
		}
	}
	return ""
}
