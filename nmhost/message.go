package nmhost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"chrome-mcp/internal/wire"
)

// refusal is an answer of type error.
type refusal struct {
	code wire.NativeCode
	text string
}

func refuse(code wire.NativeCode, format string, a ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, a...)}
}

// request is any message of the extension.
type request struct {
	V    *int            `json:"v"`
	Type string          `json:"type"`
	Ext  *wire.NativeExt `json:"ext"`

	Reason string `json:"reason"` // of bye
}

// parse decodes a message, or says why it cannot be one.
func parse(b []byte) (request, *refusal) {
	var r request
	if !utf8.Valid(b) {
		return r, refuse(wire.BadMessage, "the message is not UTF-8")
	}
	if t := bytes.TrimLeft(b, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return r, refuse(wire.BadMessage, "the message is not a JSON object")
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, refuse(wire.BadMessage, "the message is not the JSON that it should be: %v", err)
	}
	switch {
	case r.V == nil:
		return r, refuse(wire.BadMessage, `the message has no "v"`)
	case *r.V != wire.Protocol:
		return r, refuse(wire.VersionMismatch, "the extension speaks protocol %d and this host protocol %d; %s", *r.V, wire.Protocol, remedyBoth)
	case r.Type == wire.NativeHelloType && (r.Ext == nil || r.Ext.ID == "" || r.Ext.Version == ""):
		return r, refuse(wire.BadMessage, `hello has no "ext" with id and version`)
	}
	return r, nil
}

// maxText bounds the text of an error message; file names and the extension's words
// may be long.
const maxText = 8 << 10

// clip cuts s to at most max bytes without cutting a character.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max] + "…"
}
