package browser

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Code is the machine-readable half of an error. The list only grows.
type Code string

// All codes, on the wire and in tool results.
const (
	NoBackend             Code = "NO_BACKEND"
	ExtensionDisconnected Code = "EXTENSION_DISCONNECTED"
	Timeout               Code = "TIMEOUT"
	TabNotFound           Code = "TAB_NOT_FOUND"
	StaleTab              Code = "STALE_TAB"
	TabOwned              Code = "TAB_OWNED"
	SelectorNotFound      Code = "SELECTOR_NOT_FOUND"
	RefExpired            Code = "REF_EXPIRED"
	Ambiguous             Code = "AMBIGUOUS"
	NotActionable         Code = "NOT_ACTIONABLE"
	EvalThrew             Code = "EVAL_THREW"
	NavigationFailed      Code = "NAVIGATION_FAILED"
	LaunchFailed          Code = "LAUNCH_FAILED"
	Detached              Code = "DETACHED"
	TargetGone            Code = "TARGET_GONE"
	DevtoolsOpen          Code = "DEVTOOLS_OPEN"
	PolicyDenied          Code = "POLICY_DENIED"
	AuthRequired          Code = "AUTH_REQUIRED"
	DialogOpen            Code = "DIALOG_OPEN"
	DownloadFailed        Code = "DOWNLOAD_FAILED"
	UploadFailed          Code = "UPLOAD_FAILED"
	Backpressure          Code = "BACKPRESSURE"
	BadArgs               Code = "BAD_ARGS"
	UnknownMethod         Code = "UNKNOWN_METHOD"
	CDPError              Code = "CDP_ERROR"
	RateLimited           Code = "RATE_LIMITED"
	NotApproved           Code = "NOT_APPROVED"
	ProviderDown          Code = "PROVIDER_UNAVAILABLE"
)

// Codes lists every code, for the generator and the tests that compare both sides.
var Codes = []Code{
	NoBackend, ExtensionDisconnected, Timeout, TabNotFound, StaleTab, TabOwned, SelectorNotFound,
	RefExpired, Ambiguous, NotActionable, EvalThrew, NavigationFailed, LaunchFailed, Detached,
	TargetGone, DevtoolsOpen, PolicyDenied, AuthRequired, DialogOpen, DownloadFailed, UploadFailed,
	Backpressure, BadArgs, UnknownMethod, CDPError, RateLimited, NotApproved, ProviderDown,
}

// Error is the error of everything at and above the waist. Message says what
// happened, to what, and what to do next.
type Error struct {
	Code    Code            `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Unknown is set when a command that acts was sent and its answer was lost: it may
	// or may not have happened, and must not be sent again by itself.
	Unknown bool `json:"unknown,omitempty"`
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf makes an *Error.
func Errorf(code Code, format string, a ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, a...)}
}

// CodeOf returns the code of err, or "" if it carries none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
