package cdpfallback

import (
	"encoding/json"
	"errors"
	"strings"

	"chrome-mcp/internal/browser"
)

// Reasons in the data of TARGET_GONE.
const (
	navigated = "navigated"
	crashed   = "crashed"
)

func gone(reason, text string) *browser.Error {
	data, _ := json.Marshal(map[string]string{"reason": reason})
	return &browser.Error{Code: browser.TargetGone, Message: text, Data: data}
}

func documentGone() error {
	return gone(navigated, "the document went away while it was being worked on; look again with snapshot")
}

func tabCrashed() error {
	return gone(crashed, "the page crashed; reload it with reload or navigate elsewhere")
}

func tabClosed() error {
	return browser.Errorf(browser.TabNotFound, "the tab was closed; see tabs_list")
}

// navigatedAway are Chrome's ways to say that a document, frame or context has gone.
var navigatedAway = []string{
	"Cannot find context with specified id",
	"Execution context was destroyed",
	"Inspected target navigated or closed",
	"No frame for given id found",
	"No frame with given id found",
	"Frame with the given id was not found",
	"Promise was collected",
	"uniqueContextId not found",
	"Frame is not ready",
	"Cannot find default execution context",
}

// refusal turns an error answer into one of ours.
func refusal(method, text, data string) error {
	if strings.Contains(text, "Target crashed") {
		return tabCrashed()
	}
	if strings.Contains(text, "Session with given id not found") {
		return gone(navigated, "the frame went away; look again with snapshot")
	}
	for _, known := range navigatedAway {
		if strings.Contains(text, known) {
			return documentGone()
		}
	}
	if data != "" {
		text += " (" + data + ")"
	}
	return browser.Errorf(browser.CDPError, "%s: %s", method, text)
}

// lost marks an error as of unknown outcome when the command may have acted already.
func lost(method string, err error) error {
	var e *browser.Error
	if !strings.HasPrefix(method, "Input.") || !errors.As(err, &e) {
		return err
	}
	unknown := *e
	unknown.Unknown = true
	return &unknown
}
