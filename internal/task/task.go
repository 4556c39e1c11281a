// Package task keeps what a session produces as files, in a folder for each task:
//
//	<data>/tasks/<name>/downloads     files that came from sites
//	<data>/tasks/<name>/results       what was too long for an answer, printed pages, logs
//	<data>/tasks/<name>/screenshots   pictures that were too big for an answer
//	<data>/tasks/<name>/history.jsonl one line a call, without what was typed
//
// Nothing is written before the first file is kept or a task is begun by name. Names
// that pages and servers suggest are made safe, no file is replaced, and no file leaves
// its folder. The package knows no browser and no tool.
package task

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chrome-mcp/internal/state"
)

// Kind is the folder in a task that a file goes to.
type Kind string

// The folders of a task.
const (
	Downloads   Kind = "downloads"
	Results     Kind = "results"
	Screenshots Kind = "screenshots"
)

// Kinds lists them.
var Kinds = []Kind{Downloads, Results, Screenshots}

const history = "history.jsonl"

// DefaultMax is the largest file that is kept unless the user says otherwise.
const DefaultMax = 512 << 20

// Errors that callers tell apart.
var (
	ErrTooBig   = errors.New("too big")
	ErrDiskFull = errors.New("disk full")
)

// Work is the tasks of one session: the one it works on, and the earlier ones beside it.
// Its methods are safe for concurrent use.
type Work struct {
	data  *state.Store
	title string
	max   int64

	mu      sync.Mutex
	name    string   // of the current task; "" before the first
	own     []string // names of the tasks of this session
	kept    func()   // see OnKept
	pending []Line   // history of the time before the first task
	running []*running
}

// Open returns the work of a session in a data folder. It does no I/O. title goes into
// the names of tasks that nobody named; max is the most bytes of a file, 0 is DefaultMax.
func Open(dataDir, title string, max int64) *Work {
	return &Work{data: state.Open(dataDir), title: title, max: cmp.Or(max, DefaultMax)}
}

// Max is the most bytes that a file may have.
func (w *Work) Max() int64 { return w.max }

// New begins a task and makes it the current one. A name that is taken gets a number.
func (w *Work) New(name string) (Info, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin(name); err != nil {
		return Info{}, err
	}
	return w.info(w.name)
}

// Name is the current task's, "" before the first.
func (w *Work) Name() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.name
}

// Dir is a folder of the current task, which is made if there is none.
func (w *Work) Dir(k Kind) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dir(k)
}

// dir is Dir with w.mu held.
func (w *Work) dir(k Kind) (string, error) {
	if w.name == "" {
		name := time.Now().Format("2006-01-02 15.04.05")
		if w.title != "" {
			name += " " + w.title
		}
		if err := w.begin(name); err != nil {
			return "", err
		}
	}
	dir := w.data.Path("tasks", w.name, string(k))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", cannot("make the folder", dir, err)
	}
	return dir, nil
}

// slashes in a task's name are words of its author, not a path.
var slashes = strings.NewReplacer("/", "-", `\`, "-")

// begin makes a task's folder and puts down what happened before. w.mu is held.
func (w *Work) begin(name string) error {
	if err := w.data.Ensure(); err != nil {
		return err
	}
	root := w.data.Path("tasks")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return cannot("make the folder", root, err)
	}
	made, err := free(root, Base(slashes.Replace(name)), func(path string) error { return os.Mkdir(path, 0o700) })
	if err != nil {
		return cannot("make a folder in", root, err)
	}
	earlier := w.pending
	if w.name != "" {
		earlier = nil
	}
	w.name, w.pending = filepath.Base(made), nil
	w.own = append(w.own, w.name)
	for _, l := range earlier {
		if err := w.append(l); err != nil {
			return err
		}
	}
	return nil
}

// cannot names what failed and what to do about it.
func cannot(what, path string, err error) error {
	if isDiskFull(err) {
		return fmt.Errorf("cannot %s %s: %w; free space there, or move the data folder with %s", what, path, ErrDiskFull, state.DataEnv)
	}
	return fmt.Errorf("cannot %s %s: %w; make it writable, or move the data folder with %s", what, path, err, state.DataEnv)
}
