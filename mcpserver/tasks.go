package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

func sessionTools() []*tool {
	return []*tool{
		onServer("profile_use", "Choose the browser for new tabs.", profileUse, changes, idempotent, inOrder),
		onServer("profile_rename", "Give a browser another name.", profileRename, idempotent, acting),
		onServer("task_new", "Begin a task: a folder of its own for files.", taskNew, withFiles),
		onServer("tasks_list", "List the tasks and their folders.", tasksList, readOnly, idempotent, withFiles),
		onServer("task_status", "Files of this task, and downloads under way.", taskStatus, readOnly, idempotent, withFiles),
	}
}

// acting offers a tool only where the agent may change things.
func acting(t *tool) { t.access = policy.Act }

// withFiles offers a tool only where there are files to speak of.
func withFiles(t *tool) { t.access = policy.Download }

// ProfileUseArgs are those of profile_use.
type ProfileUseArgs struct {
	Name string `json:"name" required:"true"`
}

// ProfileRenameArgs are those of profile_rename.
type ProfileRenameArgs struct {
	Name string `json:"name" required:"true"`
	To   string `json:"to" required:"true"`
}

// TaskNewArgs are those of task_new.
type TaskNewArgs struct {
	Name string `json:"name" required:"true"`
}

// TasksListArgs are those of tasks_list.
type TasksListArgs struct{}

// TaskStatusArgs are those of task_status.
type TaskStatusArgs struct{}

func (s *session) chooser(ctx context.Context) (browser.Chooser, error) {
	b, err := s.backend(ctx)
	if err != nil {
		return nil, err
	}
	c := browser.ChooserOf(b)
	if c == nil {
		return nil, browser.Errorf(browser.BadArgs, "this server works in a browser of its own; profiles are of the user's browsers, which connect through the extension")
	}
	return c, nil
}

func profileUse(ctx context.Context, s *session, a ProfileUseArgs) (*page.Result, error) {
	c, err := s.chooser(ctx)
	if err != nil {
		return nil, err
	}
	st, err := c.Use(ctx, s.id, a.Name)
	if err != nil {
		return nil, err
	}
	return &page.Result{Text: fmt.Sprintf("new tabs open in %s%s; tabs that are open stay where they are", st.Name, details(st)), Data: st}, nil
}

func profileRename(ctx context.Context, s *session, a ProfileRenameArgs) (*page.Result, error) {
	c, err := s.chooser(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Rename(ctx, a.Name, a.To); err != nil {
		return nil, err
	}
	return &page.Result{Text: fmt.Sprintf("%s is now called %s", a.Name, a.To), Data: map[string]string{"name": strings.TrimSpace(a.To)}}, nil
}

// tasks is the session's work, nil when the server has no data folder.
func (s *session) tasks() *task.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work == nil && s.srv.cfg.DataDir != "" {
		s.work = task.Open(s.srv.cfg.DataDir, s.project(), s.srv.cfg.MaxFile)
		if s.mcp != nil && s.shows() {
			s.work.OnKept(s.offerFiles)
		}
	}
	return s.work
}

// project is what the session's files are kept under.
func (s *session) project() string {
	if s.caller != nil {
		return "extension " + s.caller.port.Peer().Extension
	}
	return s.srv.cfg.Project
}

func (s *session) needTasks() (*task.Work, error) {
	if w := s.tasks(); w != nil {
		return w, nil
	}
	return nil, browser.Errorf(browser.DownloadFailed, "this server has no data folder to keep files in; the user can set HOME or CHROME_MCP_DATA and restart it")
}

func taskNew(_ context.Context, s *session, a TaskNewArgs) (*page.Result, error) {
	w, err := s.needTasks()
	if err != nil {
		return nil, err
	}
	i, err := w.New(a.Name)
	if err != nil {
		return nil, browser.Errorf(browser.DownloadFailed, "%v", err)
	}
	return &page.Result{Text: fmt.Sprintf("task %s: %s", i.Name, i.Path), Data: i}, nil
}

// maxTasks bounds what is listed.
const maxTasks = 50

func tasksList(_ context.Context, s *session, _ TasksListArgs) (*page.Result, error) {
	w, err := s.needTasks()
	if err != nil {
		return nil, err
	}
	list, err := w.List()
	if err != nil {
		return nil, browser.Errorf(browser.DownloadFailed, "%v", err)
	}
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("no tasks yet: the first file makes one, or task_new\n")
	}
	total := len(list)
	list = list[:min(total, maxTasks)]
	for _, i := range list {
		current := ""
		if i.Current {
			current = " (current)"
		}
		fmt.Fprintf(&b, "%s%s: %d files, %d bytes, %s\n  %s\n", i.Name, current, i.Files, i.Bytes, i.Changed.Format(time.DateTime), i.Path)
	}
	if total > len(list) {
		fmt.Fprintf(&b, "%d older ones are not listed\n", total-len(list))
	}
	return &page.Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: map[string]any{"tasks": list}}, nil
}

// taskState is task_status's structured content.
type taskState struct {
	Task    *task.Info     `json:"task,omitempty"` // absent before the first file
	Files   []task.Entry   `json:"files"`
	Running []task.Running `json:"running"`
}

func taskStatus(_ context.Context, s *session, _ TaskStatusArgs) (*page.Result, error) {
	w, err := s.needTasks()
	if err != nil {
		return nil, err
	}
	i, files, err := w.Current()
	if err != nil {
		return nil, browser.Errorf(browser.DownloadFailed, "%v", err)
	}
	st := taskState{Files: files[:min(len(files), maxTasks)], Running: w.Running()}
	if st.Files == nil {
		st.Files = []task.Entry{}
	}
	var b strings.Builder
	if i.Name == "" {
		b.WriteString("no task yet: the first file makes one, or task_new\n")
	} else {
		st.Task = &i
		fmt.Fprintf(&b, "task %s: %d files, %d bytes\n%s\n", i.Name, i.Files, i.Bytes, i.Path)
	}
	for _, r := range st.Running {
		fmt.Fprintf(&b, "under way for %d s: %s, %s\n", int(time.Since(r.Since).Seconds()), r.Name, progressText(r))
	}
	for _, f := range st.Files {
		fmt.Fprintf(&b, "%s, %d bytes\n", f.Path, f.Bytes)
	}
	if len(files) > len(st.Files) {
		fmt.Fprintf(&b, "%d older files are not listed\n", len(files)-len(st.Files))
	}
	return &page.Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: st}, nil
}

func progressText(r task.Running) string {
	if r.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", r.Done, r.Total)
	}
	return fmt.Sprintf("%d bytes", r.Done)
}

// history adds a call to the history of the task.
func (s *session) history(c *call, r *page.Result, err error) {
	w := s.tasks()
	if w == nil || c.row.onServer != nil {
		return
	}
	l := task.Line{Time: c.began, Tool: c.row.name, Tab: string(c.tab), Outcome: "ok", MS: float64(time.Since(c.began).Microseconds()) / 1000}
	if r != nil {
		l.Origin = originOf(r)
	}
	if err != nil {
		l.Outcome = string(asError(err).Code)
	}
	if err := w.Log(l); err != nil {
		s.srv.log.Warn("history", "error", err)
	}
}

// keepWhole puts aside what an answer leaves out of the page's text and says where.
func (s *session) keepWhole(c *call, r *page.Result) *page.Result {
	if r == nil {
		return r
	}
	whole := r.Whole
	if _, n := cutRunes(r.Page, c.limit()); whole == "" && n > c.limit() {
		whole = r.Page
	}
	w := s.tasks()
	if whole == "" || w == nil {
		return r
	}
	told := *r
	f, err := w.Save(task.Results, fmt.Sprintf("%s %s.txt", c.row.name, time.Now().Format("15.04.05")), []byte(whole))
	if err != nil {
		s.srv.log.Warn("the whole text was not kept", "error", err)
		return r
	}
	told.Files = append(slices.Clone(r.Files), f.Path)
	what := fmt.Sprintf("all of the text, %d bytes, is in", f.Bytes)
	if r.Part {
		what = fmt.Sprintf("the first %d bytes of the text are in", f.Bytes)
	}
	told.Text = strings.TrimPrefix(fmt.Sprintf("%s\n%s %s", r.Text, what, f.Path), "\n")
	return &told
}
