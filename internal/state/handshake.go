package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Handshake is one live server as it tells the extension, through a private file and
// the native messaging host, where and with which token to dial.
type Handshake struct {
	V                   int    `json:"v"`
	Port                int    `json:"port"`
	Token               string `json:"token"`
	PID                 int    `json:"pid"`
	TS                  int64  `json:"ts"` // start, milliseconds since the epoch
	SessionID           string `json:"sessionId"`
	Client              string `json:"client,omitempty"`
	ExpectedExtensionID string `json:"expectedExtensionId,omitempty"`
	Version             string `json:"version,omitempty"` // of the server
	// Proc tells this process from a later one with the same pid. It is opaque.
	Proc string `json:"proc,omitempty"`
	// Path is the file, when it was read from or written to one.
	Path string `json:"-"`
}

// handshakeVersion is the value of "v" in a handshake file.
const handshakeVersion = 1

// MaxHandshake is the largest handshake file that is read. A real one has 400 bytes.
const MaxHandshake = 16 << 10

// Fault is what is wrong with a file that should have been ours and private.
type Fault string

// The faults. Each has its own remedy in FileError.Error.
const (
	FaultMode       Fault = "mode"       // others may read or write it
	FaultOwner      Fault = "owner"      // it belongs to somebody else
	FaultSymlink    Fault = "symlink"    // it is a link
	FaultKind       Fault = "kind"       // it is a folder, pipe or device
	FaultSize       Fault = "size"       // larger than MaxHandshake
	FaultSyntax     Fault = "syntax"     // not the JSON object that it should be
	FaultVersion    Fault = "version"    // written by a release with another format
	FaultUnreadable Fault = "unreadable" // the OS refused
)

// FileError says what is wrong with which file, and how to mend it.
type FileError struct {
	Path   string
	Fault  Fault
	Detail string
	Err    error
}

func (e *FileError) Error() string {
	remedy := "delete it; the server writes a new one at its next start"
	switch e.Fault {
	case FaultMode:
		remedy = "delete it and restart the MCP client, because its token may have been read by others"
	case FaultOwner, FaultSymlink:
		remedy = "delete it, and find out who put it there"
	case FaultVersion:
		remedy = "install the same release of chrome-mcp everywhere: run `chrome-mcp install`, restart the MCP client"
	}
	detail := e.Detail
	if e.Err != nil {
		detail += ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s: %s; %s", e.Path, detail, remedy)
}

func (e *FileError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, &FileError{Fault: f}) compare faults.
func (e *FileError) Is(target error) bool {
	var t *FileError
	return errors.As(target, &t) && t.Fault == e.Fault && (t.Path == "" || t.Path == e.Path)
}

// parseHandshake decodes and checks a handshake file's text. Unknown fields are let
// through, so that a later release can add some. Errors never quote the content.
func parseHandshake(b []byte) (Handshake, *FileError) {
	var h Handshake
	syntax := func(detail string) *FileError { return &FileError{Fault: FaultSyntax, Detail: detail} }
	if len(b) > MaxHandshake {
		return h, &FileError{Fault: FaultSize, Detail: fmt.Sprintf("is larger than %d bytes", MaxHandshake)}
	}
	if !utf8.Valid(b) {
		return h, syntax("is not UTF-8")
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&h); err != nil {
		return Handshake{}, syntax("is not a JSON object of a handshake" + where(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return Handshake{}, syntax("has something after its JSON object")
	}
	switch {
	case h.V != handshakeVersion:
		return Handshake{}, &FileError{Fault: FaultVersion, Detail: fmt.Sprintf("has format %d where this chrome-mcp reads %d", h.V, handshakeVersion)}
	case h.Port < 1 || h.Port > 65535:
		return Handshake{}, syntax(fmt.Sprintf("names port %d", h.Port))
	case h.PID < 1 || h.PID > 1<<31-1:
		return Handshake{}, syntax(fmt.Sprintf("names process %d", h.PID))
	case h.SessionID == "":
		return Handshake{}, syntax("has no sessionId")
	case !validToken(h.Token):
		return Handshake{}, syntax("has no valid token")
	}
	return h, nil
}

// where tells the position of a JSON error without the text around it, which may be
// the token.
func where(err error) string {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn):
		return fmt.Sprintf(" (at byte %d)", syn.Offset)
	case errors.As(err, &typ) && typ.Field != "":
		return fmt.Sprintf(" (field %s)", typ.Field)
	}
	return ""
}
