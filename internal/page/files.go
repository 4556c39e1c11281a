package page

import (
	"errors"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/task"
)

// Keep saves what is too long for an answer in the session's task folder and returns the
// path. Reading tools may always do that: the folder is ours.
func (s *Session) Keep(k task.Kind, name string, b []byte) (string, error) {
	if s.cfg.Tasks == nil {
		return "", noTasks()
	}
	f, err := s.cfg.Tasks.Save(k, name, b)
	if err != nil {
		return "", kept(err)
	}
	return f.Path, nil
}

func noTasks() error {
	return browser.Errorf(browser.DownloadFailed, "this server has no data folder to keep files in; the user can set HOME or CHROME_MCP_DATA and restart it")
}

// kept is the error of a file that could not be kept: it says itself what to do.
func kept(err error) error {
	var e *browser.Error
	if errors.As(err, &e) {
		return e
	}
	return browser.Errorf(browser.DownloadFailed, "%v", err)
}
