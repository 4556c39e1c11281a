package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/policy"
)

// BatchArgs are those of batch.
type BatchArgs struct {
	Ops            []BatchOp `json:"ops" desc:"Calls, in order." required:"true"`
	Mode           string    `json:"mode,omitempty" desc:"In parallel, ops on a tab must name it; those of one tab keep their order." enum:"serial,parallel" default:"serial"`
	StopOnError    *bool     `json:"stopOnError,omitempty" desc:"Default: true in serial mode."`
	MaxConcurrency int       `json:"maxConcurrency,omitempty" min:"1" max:"16" default:"6"`
	MaxResultBytes int       `json:"maxResultBytes,omitempty" min:"1" default:"1000000"`
}

// BatchOp is one call.
type BatchOp struct {
	Tool string  `json:"tool" required:"true"`
	Args rawArgs `json:"args,omitempty"`
}

// rawArgs are the arguments of a call as they came. Its tool decodes them.
type rawArgs struct{ raw json.RawMessage }

// UnmarshalJSON keeps the text.
func (a *rawArgs) UnmarshalJSON(b []byte) error {
	a.raw = bytes.Clone(b)
	return nil
}

const (
	maxOps     = 200
	leastTotal = 10_000    // bytes that maxResultBytes is at least,
	mostTotal  = 3_000_000 // and at most: an answer has to fit into a message
	batchName  = "batch"
	minOpText  = 600 // bytes that each op may say, however many there are
	leastCut   = 50  // characters that are left of a text at least
	opOverhead = 200 // bytes of marks and remarks around a text
	linkSize   = 400 // about the bytes of a link
)

// batchTool is the row of batch. It stands for the ops, so it is as destructive as they
// can be; each of them passes the whole pipeline by itself.
func batchTool() *tool {
	t := newTool[BatchArgs](batchName, policy.Read, "Run many calls in one: same checks, one text per op, in order.", []option{inOrder, destructive, long})
	t.onBatch = (*session).batch
	return t
}

// op is one call of a batch.
type op struct {
	call  *call
	group string // ops of one group run one after the other
	said  outcome
	res   *mcp.CallToolResult // nil: it was not run
	took  time.Duration
	why   string // why it was not run

	pictures []*mcp.ImageContent
	leftOut  int // pictures
}

// batch runs the ops and puts their answers together.
func (s *session) batch(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	a := c.args.(*BatchArgs)
	ops, err := s.plan(a)
	if err != nil {
		return nil, err
	}
	for _, o := range ops {
		o.call.links = c.links
	}
	b := &batchRun{s: s, ops: ops, progress: c.progress, slots: make(chan struct{}, a.MaxConcurrency), stopOnError: a.Mode == "serial"}
	if a.StopOnError != nil {
		b.stopOnError = *a.StopOnError
	}
	if a.Mode == "serial" {
		for i := range ops {
			b.run(ctx, i)
		}
	} else {
		b.parallel(ctx)
	}
	return b.answer(min(max(a.MaxResultBytes, leastTotal, len(ops)*minOpText), mostTotal)), nil
}

// plan checks all ops before the first is run: a batch that cannot be right does nothing.
func (s *session) plan(a *BatchArgs) ([]*op, error) {
	if n := len(a.Ops); n == 0 || n > maxOps {
		return nil, browser.Errorf(browser.BadArgs, "ops has %d calls; from 1 to %d are taken", n, maxOps)
	}
	var ops []*op
	var wrong []string
	for i, o := range a.Ops {
		p, err := s.planOp(i, o, a.Mode == "parallel")
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("ops[%d] %s: %s", i, clip(o.Tool, 40), asError(err).Message))
			continue
		}
		ops = append(ops, p)
	}
	if wrong != nil {
		more := ""
		if n := len(wrong) - maxWrong; n > 0 {
			wrong, more = wrong[:maxWrong], fmt.Sprintf("; and %d more", n)
		}
		return nil, browser.Errorf(browser.BadArgs, "nothing was run: %s%s", strings.Join(wrong, "; "), more)
	}
	return ops, nil
}

func (s *session) planOp(i int, o BatchOp, parallel bool) (*op, error) {
	row := s.row(o.Tool)
	switch {
	case o.Tool == batchName:
		return nil, browser.Errorf(browser.BadArgs, "a batch takes no batch; put its ops here")
	case row == nil:
		return nil, browser.Errorf(browser.BadArgs, "unknown tool%s", s.suggest(o.Tool))
	}
	p := &op{call: &call{row: row, raw: o.Args.raw}, group: fmt.Sprint("op ", i)}
	if s.srv.refusal(row) != nil {
		return p, nil // it is refused in its place
	}
	args, err := row.decode(o.Args.raw)
	if err != nil {
		return nil, err
	}
	tab := row.tabOf(args)
	if parallel && tab == "" && row.spec.byName["tabId"] != nil {
		return nil, browser.Errorf(browser.BadArgs, "in parallel mode it must name its tab; give tabId")
	}
	if tab != "" {
		p.group = string(tab)
	}
	return p, nil
}

// batchRun is a batch under way.
type batchRun struct {
	s           *session
	ops         []*op
	slots       chan struct{} // taken by ops that run
	stopOnError bool
	progress    func(done, total int64)

	failed atomic.Int64 // 1 + index of an op that ended it
	done   atomic.Int64
}

// parallel runs the groups side by side. The current tab stays what it was: which op
// ends last is chance.
func (b *batchRun) parallel(ctx context.Context) {
	pages := b.s.pages()
	before := pages.Current()
	var names []string
	groups := map[string][]int{}
	for i, o := range b.ops {
		if groups[o.group] == nil {
			names = append(names, o.group)
		}
		groups[o.group] = append(groups[o.group], i)
	}
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			for _, i := range groups[name] {
				b.run(ctx, i)
			}
		})
	}
	all.Wait()
	if before != "" && pages.Owns(before) {
		_, _ = pages.Resolve(ctx, before, policy.Read)
	}
}

// run does one op, unless the batch has ended.
func (b *batchRun) run(ctx context.Context, i int) {
	o := b.ops[i]
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
	}
	switch n := b.failed.Load(); {
	case ctx.Err() != nil:
		o.why = whyEnded(ctx)
		return
	case n > 0:
		o.why = fmt.Sprintf("op %d failed", n-1)
		return
	}
	begin := time.Now()
	o.call.began = begin
	if err := b.s.srv.refusal(o.call.row); err != nil {
		o.said = outcome{err: err, row: o.call.row}
		o.res = errorResult(err)
		b.s.audit(o.call, nil, err, o.res)
	} else {
		o.said = b.s.perform(ctx, o.call)
		o.res = o.said.build()
		b.s.audit(o.call, o.said.result, o.said.err, o.res)
	}
	o.took = time.Since(begin)
	if o.res.IsError && b.stopOnError {
		b.failed.CompareAndSwap(0, int64(i)+1)
	}
	b.progress(b.done.Add(1), int64(len(b.ops)))
}

func whyEnded(ctx context.Context) string {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return asError(cause).Message
	}
	return "the call was cancelled"
}

// opData is an op in batch's structured content.
type opData struct {
	Tool string          `json:"tool"`
	OK   bool            `json:"ok"`
	Run  bool            `json:"run"`
	Code browser.Code    `json:"code,omitempty"`
	MS   float64         `json:"ms,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// answer puts the results together: for each op one text, and its pictures behind it.
// Pictures get at most half of the room.
func (b *batchRun) answer(limit int) *mcp.CallToolResult {
	res := &mcp.CallToolResult{IsError: true}
	var list []opData
	pictures := b.fitPictures(limit / 2)
	most := fair(b.sizes(), limit-pictures)
	for i, o := range b.ops {
		res.Content = append(res.Content, &mcp.TextContent{Text: o.text(i, len(b.ops), most-o.besides())})
		for _, img := range o.pictures {
			res.Content = append(res.Content, img)
		}
		for _, l := range o.said.links {
			res.Content = append(res.Content, l)
		}
		d := o.data()
		res.IsError = res.IsError && !d.OK
		list = append(list, d)
	}
	res.Meta = mcp.Meta{metaData: resultsData(list)}
	return res
}

// fitPictures keeps the pictures that fit into room, and returns what they take.
func (b *batchRun) fitPictures(room int) (taken int) {
	for _, o := range b.ops {
		for _, img := range o.images() {
			if size := base64Len(len(img.Data)); taken+size <= room {
				taken += size
				o.pictures = append(o.pictures, img)
				continue
			}
			o.leftOut++
		}
	}
	return taken
}

func (o *op) data() opData {
	d := opData{Tool: o.call.row.name, Run: o.res != nil, MS: float64(o.took.Microseconds()) / 1000}
	if o.res != nil {
		d.OK, d.Data = !o.res.IsError, structured(o.res)
	}
	if o.said.err != nil {
		d.Code = asError(o.said.err).Code
	}
	return d
}

// sizes are how much the ops have to say.
func (b *batchRun) sizes() []int {
	var sizes []int
	for _, o := range b.ops {
		sizes = append(sizes, len(o.words())+opOverhead+o.besides())
	}
	return sizes
}

// besides is what an op's answer takes beside its text and pictures.
func (o *op) besides() int { return len(o.said.links) * linkSize }

// fair is the most that each may have so that all together have no more than room:
// what says little leaves its part to the others.
func fair(sizes []int, room int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, size := range sizes {
		share := room / (len(sizes) - i)
		if size > share {
			return max(share, minOpText)
		}
		room -= size
	}
	return max(room, minOpText) + sizes[len(sizes)-1]
}

// words is the text of an op's answer.
func (o *op) words() string {
	if o.res == nil {
		return ""
	}
	var parts []string
	for _, c := range o.res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (o *op) images() (list []*mcp.ImageContent) {
	if o.res == nil {
		return nil
	}
	for _, c := range o.res.Content {
		if img, ok := c.(*mcp.ImageContent); ok {
			list = append(list, img)
		}
	}
	return list
}

// text is the op's answer in at most so many bytes, with a line that says which it is.
func (o *op) text(i, of, most int) string {
	head := fmt.Sprintf("op %d of %d, %s", i, of, o.call.row.name)
	tail := ""
	if o.leftOut > 0 {
		tail = fmt.Sprintf("\n[%d pictures left out: they do not fit into maxResultBytes; take them by themselves]", o.leftOut)
	}
	room := most - len(head) - len(": error\n") - len(tail)
	switch {
	case o.res == nil:
		return fmt.Sprintf("%s: not run, because %s", head, clip(o.why, opOverhead))
	case o.res.IsError:
		return fmt.Sprintf("%s: error\n%s", head, clip(o.words(), room-len("…")))
	}
	return fmt.Sprintf("%s: ok\n%s%s", head, o.cut(room), tail)
}

// cut is the op's words in at most room bytes. They are built anew, so that the marks
// around the text of a page stay whole.
func (o *op) cut(room int) string {
	words := o.words()
	n := utf8.RuneCountInString(words)
	for len(words) > room && n > leastCut {
		n = max(leastCut, min(n-1, n*(room-opOverhead/4)/len(words)))
		short := o.said
		short.limit = n
		o.res = short.build()
		words = o.words()
	}
	return words
}

// structured is the data of an answer, wherever it went.
func structured(res *mcp.CallToolResult) json.RawMessage {
	for _, v := range []any{res.StructuredContent, res.Meta[metaData]} {
		if raw, ok := v.(json.RawMessage); ok {
			return raw
		}
	}
	return nil
}

// resultsData encodes the list, without the data of the ops where that is too much.
func resultsData(list []opData) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"results": list})
	if err == nil && len(raw) <= maxData {
		return raw
	}
	for i := range list {
		list[i].Data = nil
	}
	raw, _ = json.Marshal(map[string]any{"results": list})
	return raw
}
