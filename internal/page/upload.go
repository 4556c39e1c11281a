package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
)

// UploadArgs are those of upload_file.
type UploadArgs struct {
	TabArg
	Target
	Files Strings `json:"files" desc:"Paths of files in the uploads folder." required:"true"`
}

// uploaded is upload_file's structured content.
type uploaded struct {
	Files []pagefn.FileEntry `json:"files"`
}

// chooserBudget is how long a click may take to open a file chooser.
const chooserBudget = 3 * time.Second

// fileInput is an input that takes files, and the frame it is in.
type fileInput struct {
	pagefn.FileInput
	frame browser.Frame
	node  int64 // backend node id
	zone  error // why it is no input; files can only be dropped on it
}

// UploadFile is upload_file. The input may be hidden, behind a label or a button, or made
// by the click that opens the file chooser; no window of the system opens.
func UploadFile(ctx context.Context, t *Tab, a UploadArgs) (*Result, error) {
	list, err := t.s.uploads(a.Files)
	if err != nil {
		return nil, err
	}
	from := t.state.now()
	in, err := t.fileInput(ctx, a.Target)
	if err != nil {
		return nil, err
	}
	if err := in.takes(list); err != nil {
		return nil, err
	}
	give := t.setFiles
	if in.zone != nil {
		give = t.dropFiles
	}
	held, err := give(ctx, in, list)
	if err != nil {
		return nil, err
	}
	e := t.observe(ctx, from)
	e.Chooser = nil // it was answered
	return uploadResult(list, held, in, e, t), nil
}

func uploadResult(list []upload, held []pagefn.FileEntry, in fileInput, e effects, t *Tab) *Result {
	var names []string
	if len(held) == 0 { // pages take the files and clear the input for the next ones
		for _, u := range list {
			held = append(held, pagefn.FileEntry{Name: u.name, Bytes: u.bytes})
		}
		e.Note = strings.TrimPrefix(e.Note+"\nthe page took the files and cleared the input", "\n")
	}
	if list[0].dir {
		e.Note = strings.TrimPrefix(e.Note+"\nthe tab was brought to the front: Chrome opens folders only there", "\n")
	}
	for _, f := range held {
		names = append(names, fmt.Sprintf("%s (%d bytes)", quote(f.Name, 120), f.Bytes))
	}
	if len(names) > 20 {
		names = append(names[:20], fmt.Sprintf("… %d in all", len(held)))
	}
	return &Result{Text: fmt.Sprintf("gave %s to %s", strings.Join(names, ", "), in.Label) + e.words(t), Data: uploaded{Files: held}, Files: e.files()}
}

// fileInput finds the input that a target leads to: by itself, or by the file chooser
// that a click on it opens.
func (t *Tab) fileInput(ctx context.Context, g Target) (fileInput, error) {
	v, h, err := find(ctx, ask[pagefn.FileInput]{tab: t, target: g, fn: "fileInput", budget: actBudget, args: func(l pagefn.Locator, ms int) any {
		return pagefn.FileInputArgs{Target: &l, TimeoutMS: ms}
	}})
	if err != nil {
		return fileInput{}, err
	}
	if v.Found {
		return fileInput{FileInput: v, frame: h.frame, node: h.answer.Node}, nil
	}
	return t.chooser(ctx, g, fileInput{FileInput: v, frame: h.frame, node: h.answer.Node})
}

// chooser clicks the target and catches the file chooser before it opens.
// What opens none may be made to drop files on.
func (t *Tab) chooser(ctx context.Context, g Target, at fileInput) (in fileInput, err error) {
	p, h, err := t.prepare(ctx, g, "click", false)
	if err != nil {
		return in, err
	}
	x, y, err := t.toMain(ctx, h.frame, p.X, p.Y)
	if err != nil {
		return in, err
	}
	opened, stop := t.hearChooser()
	defer stop()
	over, err := t.act(ctx, h.frame.ID, press(x, y, ClickArgs{}))
	defer over()
	if err != nil {
		return in, err
	}
	timer := time.NewTimer(chooserBudget)
	defer timer.Stop()
	select {
	case c := <-opened:
		return t.chosen(ctx, c)
	case <-ctx.Done():
		return in, ended(ctx, "waiting for a file chooser")
	case <-timer.C:
	}
	hint := "the page has no file input"
	if at.Inputs > 0 {
		hint = fmt.Sprintf("the page has %d, which selector \"input[type=file]\" finds, also hidden ones", at.Inputs)
	}
	at.zone = browser.Errorf(browser.UploadFailed, "%s is no file input, takes no dropped files, and a click on it opened no file chooser within %d s; %s", at.Label, int(chooserBudget/time.Second), hint)
	return at, nil
}

// dropFiles drops the files on an element, as from another program.
func (t *Tab) dropFiles(ctx context.Context, in fileInput, list []upload) ([]pagefn.FileEntry, error) {
	held, err := t.sendFiles(ctx, in, list)
	if browser.CodeOf(err) == browser.UploadFailed && strings.Contains(err.Error(), "takes no dropped files") {
		return nil, in.zone
	}
	return held, err
}

// chooserOpened is the event of a file chooser that was caught.
type chooserOpened struct {
	Frame browser.FrameID `json:"frameId"`
	Node  int64           `json:"backendNodeId"`
}

// hearChooser tells of file choosers that are caught.
func (t *Tab) hearChooser() (<-chan chooserOpened, func()) {
	opened := make(chan chooserOpened, 1)
	leave := t.bt.Subscribe(func(ev browser.Event) {
		var c chooserOpened
		if ev.Method == "Page.fileChooserOpened" && json.Unmarshal(ev.Params, &c) == nil {
			select {
			case opened <- c:
			default:
			}
		}
	})
	return opened, leave
}

// chosen describes the input that opened a file chooser. It need not be in the document.
func (t *Tab) chosen(ctx context.Context, c chooserOpened) (in fileInput, err error) {
	if c.Node == 0 {
		return in, browser.Errorf(browser.UploadFailed, "the page asks for files without a file input (showOpenFilePicker), where only the user can choose; look for another way to upload on the page")
	}
	f, err := t.frame(ctx, c.Frame)
	if err != nil {
		return in, err
	}
	v, _, err := run[pagefn.FileInput](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "fileInput", Args: pagefn.FileInputArgs{}, Nodes: []int64{c.Node}})
	return fileInput{FileInput: v, frame: f, node: c.Node}, err
}

// takes says why the input does not take these files, or nil.
func (in fileInput) takes(list []upload) error {
	switch {
	case in.zone != nil && list[0].dir:
		return in.zone
	case in.zone != nil:
		return nil
	case in.Disabled:
		return browser.Errorf(browser.UploadFailed, "%s is disabled; the page has to enable it first: look with snapshot", in.Label)
	case len(list) > 1 && !in.Multiple && !in.Directory:
		return browser.Errorf(browser.UploadFailed, "%s takes one file, not %d; upload them one after the other", in.Label, len(list))
	}
	for _, u := range list {
		switch {
		case in.Directory && !u.dir:
			return browser.Errorf(browser.UploadFailed, "%s takes a folder, and %s is a file; name the folder that it is in", in.Label, u.path)
		case u.dir && !in.Directory:
			return browser.Errorf(browser.UploadFailed, "%s is a folder, and %s takes files only; name the files in it", u.path, in.Label)
		case u.dir && len(list) > 1:
			return browser.Errorf(browser.UploadFailed, "%s takes one folder; give that alone", in.Label)
		case !u.dir && !accepts(in.Accept, u.name):
			return browser.Errorf(browser.UploadFailed, "%s takes %s only, and %s is none of these; give a file of that kind", in.Label, quote(in.Accept, 120), u.path)
		}
	}
	return nil
}

// setFiles puts the files into the input and returns what it holds then. A browser that
// may not open them by their path is handed the bytes.
func (t *Tab) setFiles(ctx context.Context, in fileInput, list []upload) ([]pagefn.FileEntry, error) {
	paths := make([]string, len(list))
	for i, u := range list {
		paths[i] = u.path
	}
	if list[0].dir {
		if err := t.show(ctx); err != nil {
			return nil, err
		}
	} else if held, err := t.heldFiles(ctx, in); err != nil || holdsAlready(list, held) {
		if err != nil {
			return nil, err
		}
		return t.sendFiles(ctx, in, list) // Chrome tells the page nothing when the paths are the old ones
	}
	err := t.call(ctx, in.frame.ID, "DOM.setFileInputFiles", map[string]any{"files": paths, "backendNodeId": in.node}, nil)
	if err == nil {
		held, err := t.heldFiles(ctx, in)
		for end := time.Now().Add(folderBudget); list[0].dir && err == nil && len(held) == 0 && time.Now().Before(end); held, err = t.heldFiles(ctx, in) {
			t.pause(ctx, slice)
		}
		if err != nil || len(held) == 0 || reached(list, held) {
			return held, err
		}
	} else if browser.CodeOf(err) != browser.CDPError || !strings.Contains(err.Error(), "Not allowed") {
		return nil, err
	}
	return t.sendFiles(ctx, in, list)
}

// folderBudget is how long Chrome may take to look through a folder.
const folderBudget = 3 * time.Second

// show brings the tab to the front. Chrome looks through a folder only for a tab that is
// shown, and else tells the page that the user cancelled (Chromium 156).
func (t *Tab) show(ctx context.Context) error {
	if info, err := t.bt.Info(ctx); err == nil && info.Active {
		return nil
	}
	return t.backend.Activate(t.s.caller(ctx), t.ID())
}

// reached says whether the browser found the files where we did: one on another machine
// sees empty ones.
func reached(list []upload, held []pagefn.FileEntry) bool {
	return list[0].dir || slices.EqualFunc(list, held, func(u upload, f pagefn.FileEntry) bool { return u.bytes == f.Bytes })
}

// holdsAlready says whether the input holds files of these names already.
func holdsAlready(list []upload, held []pagefn.FileEntry) bool {
	return slices.EqualFunc(list, held, func(u upload, f pagefn.FileEntry) bool { return u.name == f.Name })
}

// heldFiles is what the input holds. A page that has left, or put the input away, has
// taken them.
func (t *Tab) heldFiles(ctx context.Context, in fileInput) ([]pagefn.FileEntry, error) {
	v, _, err := run[pagefn.Files](ctx, t, browser.RunRequest{Frame: in.frame.ID, Fn: "files", Args: pagefn.FilesArgs{}, Nodes: []int64{in.node}})
	if browser.CodeOf(err) == browser.PolicyDenied {
		return nil, err
	}
	return v.Files, nil
}
