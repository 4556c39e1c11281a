package nmhost

import (
	"cmp"
	"strconv"
	"strings"

	"chrome-mcp/internal/wire"
)

// What to do when the two sides are of different releases.
const (
	remedyExtension = "press Reload for chrome-mcp at chrome://extensions, or restart the browser"
	remedyHost      = "run `chrome-mcp install` of the newer release"
	remedyBoth      = remedyHost + ", then " + remedyExtension
)

// judge says why this extension is not served, or nil.
func (h *host) judge(ext wire.NativeExt) *refusal {
	if ext.ID != h.ExtensionID {
		return refuse(wire.WrongCaller, "extension %s may not use this host; only %s may", clip(ext.ID, 64), h.ExtensionID)
	}
	if ext.Version == h.Version {
		return nil
	}
	remedy := remedyBoth
	switch compare(ext.Version, h.Version) {
	case -1:
		remedy = remedyExtension
	case 1:
		remedy = remedyHost
	}
	return refuse(wire.VersionMismatch, "the extension is version %s and this host version %s; %s", clip(ext.Version, 64), h.Version, remedy)
}

// compare orders two releases: -1 if a is the older, 1 if b is, and 0 if their numbers
// do not tell.
func compare(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, err1 := strconv.Atoi(x[i])
		n, err2 := strconv.Atoi(y[i])
		if err1 != nil || err2 != nil {
			return 0
		}
		if m != n {
			return cmp.Compare(m, n)
		}
	}
	return 0
}
