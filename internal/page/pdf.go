package page

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

// PDFArgs are those of print_pdf.
type PDFArgs struct {
	TabArg
	Landscape         bool    `json:"landscape,omitempty"`
	PrintBackground   bool    `json:"printBackground,omitempty" desc:"Colours and pictures behind the text, too."`
	Scale             float64 `json:"scale,omitempty" min:"0.1" max:"2" default:"1"`
	PaperWidth        float64 `json:"paperWidth,omitempty" desc:"Inches." min:"0.1" max:"200"`
	PaperHeight       float64 `json:"paperHeight,omitempty" desc:"Inches." min:"0.1" max:"200"`
	PageRanges        string  `json:"pageRanges,omitempty" desc:"As 1-3,5."`
	PreferCSSPageSize *bool   `json:"preferCSSPageSize,omitempty" desc:"The page's own @page size; default: unless a paper size is given."`
}

// printed is print_pdf's structured content.
type printed struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Pages int    `json:"pages"`
}

// ranges is the form of page ranges.
var ranges = regexp.MustCompile(`^\s*\d+\s*(-\s*\d*)?(\s*,\s*\d+\s*(-\s*\d*)?)*\s*$`)

func (a PDFArgs) params() (map[string]any, error) {
	if a.PageRanges != "" && !ranges.MatchString(a.PageRanges) {
		return nil, browser.Errorf(browser.BadArgs, "pageRanges %s is not understood; write it as 1-3,5", quote(a.PageRanges, 80))
	}
	sized := a.PaperWidth > 0 || a.PaperHeight > 0
	css := !sized
	if a.PreferCSSPageSize != nil {
		css = *a.PreferCSSPageSize
	}
	p := map[string]any{"preferCSSPageSize": css, "transferMode": "ReturnAsStream"}
	set := func(name string, on bool, v any) {
		if on {
			p[name] = v
		}
	}
	set("landscape", a.Landscape, true)
	set("printBackground", a.PrintBackground, true)
	set("scale", a.Scale > 0, a.Scale)
	set("paperWidth", a.PaperWidth > 0, a.PaperWidth)
	set("paperHeight", a.PaperHeight > 0, a.PaperHeight)
	set("pageRanges", a.PageRanges != "", a.PageRanges)
	return p, nil
}

// PrintPDF is print_pdf. Frames that may not be read are left blank.
func PrintPDF(ctx context.Context, t *Tab, a PDFArgs) (*Result, error) {
	if t.s.cfg.Tasks == nil {
		return nil, noTasks()
	}
	params, err := a.params()
	if err != nil {
		return nil, err
	}
	v, answer, err := run[pagefn.Probe](ctx, t, browser.RunRequest{Fn: "probe", Args: pagefn.ProbeArgs{}})
	if err != nil {
		return nil, err
	}
	out, err := t.s.cfg.Tasks.Create(task.Results, pdfName(v.Title, answer.URL))
	if err != nil {
		return nil, kept(err)
	}
	hidden, err := t.printVeiled(ctx, params, out)
	if err == nil {
		err = t.Judge(ctx, policy.Read) // it may have gone elsewhere meanwhile
	}
	if err != nil {
		out.Abort()
		return nil, err
	}
	f, err := out.Close()
	if err != nil {
		return nil, kept(err)
	}
	data := printed{Path: f.Path, Bytes: f.Bytes, Pages: countPages(f.Path)}
	said := fmt.Sprintf("printed %d pages, %d bytes\n%s", data.Pages, data.Bytes, data.Path)
	if hidden > 0 {
		said += fmt.Sprintf("\n%d frames are left blank: their sites are not allowed", hidden)
	}
	return &Result{Text: said, Data: data, URL: answer.URL, Files: []string{data.Path}}, nil
}

func pdfName(title, address string) string {
	if title == "" {
		if u, err := url.Parse(address); err == nil {
			title = u.Hostname()
		}
	}
	return Cut(title, 100) + ".pdf"
}

// printVeiled prints while the frames that may not be read are hidden. A print during
// which such frames came is not used.
func (t *Tab) printVeiled(ctx context.Context, params map[string]any, out *task.Writer) (hidden int, err error) {
	var unveil []func()
	defer func() {
		for _, f := range unveil {
			f()
		}
	}()
	for range 3 {
		denied, err := t.deniedFrames(ctx)
		if err != nil {
			return 0, err
		}
		for _, f := range denied {
			undo, err := t.veil(ctx, f)
			if err != nil {
				return 0, err
			}
			unveil = append(unveil, undo)
		}
		before := t.state.frameChanges()
		stream, err := t.print(ctx, params)
		if err != nil {
			return 0, err
		}
		now, err := t.deniedFrames(ctx)
		if err != nil {
			return 0, err
		}
		if t.state.frameChanges() == before || slices.Equal(now, denied) {
			return len(denied), t.readStream(ctx, stream, out)
		}
		_ = t.call(ctx, "", "IO.close", map[string]any{"handle": stream.Stream}, nil)
	}
	return 0, browser.Errorf(browser.Timeout, "frames of sites that are not allowed come and go all the time; print the page later")
}

// deniedFrames are the outermost frames that may not be read.
func (t *Tab) deniedFrames(ctx context.Context) ([]browser.Frame, error) {
	frames, err := t.frames(ctx)
	if err != nil {
		return nil, err
	}
	var list []browser.Frame
	covered := map[browser.FrameID]bool{}
	for _, f := range frames[1:] {
		switch {
		case covered[f.Parent]:
			covered[f.ID] = true
		case t.judgeFrame(f, policy.Read) != nil:
			covered[f.ID] = true
			list = append(list, f)
		}
	}
	return list, nil
}

// veil hides a frame in the page around it.
func (t *Tab) veil(ctx context.Context, f browser.Frame) (undo func(), err error) {
	var o struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := t.call(ctx, f.Parent, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &o); err != nil {
		return nil, err
	}
	set := func(ctx context.Context, on bool) error {
		r := browser.RunRequest{Frame: f.Parent, Fn: "veil", Args: pagefn.VeilArgs{On: on}}
		if on {
			r.Nodes = []int64{o.Node}
		}
		_, _, err := run[pagefn.Veiled](ctx, t, r)
		return err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = set(ctx, false)
	}, set(ctx, true)
}

// pdf is the answer of Page.printToPDF: a stream, or all of it.
type pdf struct {
	Data   string `json:"data"`
	Stream string `json:"stream"`
}

func (t *Tab) print(ctx context.Context, params map[string]any) (pdf, error) {
	var p pdf
	err := t.call(ctx, "", "Page.printToPDF", params, &p)
	if browser.CodeOf(err) == browser.CDPError {
		return p, browser.Errorf(browser.BadArgs, "the page cannot be printed so: %s; check pageRanges and the paper size", message(err))
	}
	return p, err
}

// readStream copies what was printed.
func (t *Tab) readStream(ctx context.Context, p pdf, out io.Writer) error {
	if p.Stream == "" {
		return writeBase64(out, p.Data)
	}
	defer func() { _ = t.call(ctx, "", "IO.close", map[string]any{"handle": p.Stream}, nil) }()
	for {
		var chunk struct {
			Base64 bool   `json:"base64Encoded"`
			Data   string `json:"data"`
			EOF    bool   `json:"eof"`
		}
		if err := t.call(ctx, "", "IO.read", map[string]any{"handle": p.Stream, "size": 1 << 20}, &chunk); err != nil {
			return err
		}
		if err := writeBase64(out, chunk.Data); err != nil {
			return err
		}
		if chunk.EOF {
			return nil
		}
	}
}

func writeBase64(out io.Writer, data string) error {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return browser.Errorf(browser.CDPError, "the browser sent a PDF that cannot be decoded: %v; try again", err)
	}
	if _, err := out.Write(b); err != nil {
		return kept(err)
	}
	return nil
}

// pageObject is how Chrome writes a page of a PDF, which it does not compress.
var pageObject = regexp.MustCompile(`/Type\s*/Page[^s]`)

// countPages looks through the file in parts: printed pages can be large.
func countPages(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	const overlap = 64
	b := make([]byte, 0, 1<<20)
	for pages := 0; ; {
		n, err := io.ReadFull(f, b[len(b):cap(b)])
		b = b[:len(b)+n]
		end := len(b)
		if err == nil {
			end -= overlap
		}
		for _, m := range pageObject.FindAllIndex(b, -1) {
			if m[0] < end {
				pages++
			}
		}
		if err != nil {
			return pages
		}
		b = append(b[:0], b[end:]...)
	}
}
