package mcpserver

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"chrome-mcp/internal/task"
)

// artifact is the address of a kept file, or of a part of one, as clients write it:
//
//	chrome-mcp://task/<task>/<kind>/<name>?offset=<byte>&bytes=<count>
//
// It holds names, never a path: whether there is such a file package task decides.
type artifact struct {
	task string
	kind task.Kind
	name string
	// A part is asked for when bytes is not 0.
	offset, bytes int64
}

const (
	artifactPrefix   = "chrome-mcp://task/"
	artifactTemplate = artifactPrefix + "{task}/{kind}/{name}{?offset,bytes}"
)

func artifactOf(e task.Entry) artifact {
	return artifact{task: e.Task, kind: e.Kind, name: e.Name()}
}

func (a artifact) String() string {
	s := artifactPrefix + escapeName(a.task) + "/" + escapeName(string(a.kind)) + "/" + escapeName(a.name)
	if a.bytes > 0 {
		s += fmt.Sprintf("?offset=%d&bytes=%d", a.offset, a.bytes)
	}
	return s
}

// part is the address of a part of the same file.
func (a artifact) part(offset, bytes int64) artifact {
	a.offset, a.bytes = offset, bytes
	return a
}

// escapeName leaves only what URI templates take for a name: url.PathEscape leaves more.
func escapeName(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

var errNoArtifact = errors.New("is no address of a file; it is " + artifactTemplate)

// parseArtifact reads an address. Nothing in it can name more than one file of one folder.
func parseArtifact(uri string) (a artifact, err error) {
	path, query, _ := strings.Cut(uri, "?")
	path, ok := strings.CutPrefix(path, artifactPrefix)
	parts := strings.Split(path, "/")
	if !ok || len(parts) != 3 {
		return a, errNoArtifact
	}
	for i, p := range parts {
		if parts[i], err = url.PathUnescape(p); err != nil || badName(parts[i]) {
			return a, errNoArtifact
		}
	}
	a = artifact{task: parts[0], kind: task.Kind(parts[1]), name: parts[2]}
	return a, a.parseRange(query)
}

// parseRange reads which part of the file is asked for.
func (a *artifact) parseRange(query string) error {
	if query == "" {
		return nil
	}
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err == nil && key == "offset" && n >= 0:
			a.offset = n
		case err == nil && key == "bytes" && n > 0:
			a.bytes = n
		default:
			return errors.New("has a part that is not understood; a part is ?offset=BYTE&bytes=COUNT")
		}
	}
	if a.bytes == 0 {
		a.bytes = mostRead
	}
	return nil
}

// badName says whether a name could mean something else than itself in a path.
func badName(s string) bool {
	return s == "" || s == "." || s == ".." || strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f || strings.ContainsRune(`/\:`, r)
	})
}
