package doctor

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"chrome-mcp/extension"
	"chrome-mcp/internal/version"
	"chrome-mcp/internal/wire"
	"chrome-mcp/nmhost"
)

// hostTime is how long the host has to answer. It takes some 20 ms.
var hostTime = 5 * time.Second

// host starts the installed program as a browser does.
func (e *exam) host(ctx context.Context) {
	path := e.program()
	if e.record.V == 0 || e.found("install.program") || e.found("host.not-executable") {
		return
	}
	if why := quarantined(path); why != "" {
		e.fail("host.quarantined", "macOS keeps the browser from starting the host", path+": "+why, "xattr -d com.apple.quarantine "+e.quote(path))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hostTime)
	defer cancel()
	begin := time.Now()
	ready, err := nmhost.Ask(ctx, path, wire.NativeExt{ID: extension.ID, Version: version.Version, Instance: "doctor"})
	var refused *nmhost.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Code == wire.VersionMismatch:
		e.fail("host.version", "the installed program is of another version", refused.Message, installCommand)
	case errors.Is(err, context.DeadlineExceeded):
		e.fail("host.hangs", "the host does not answer", path+": "+err.Error(), installCommand)
	case errors.Is(err, fs.ErrPermission):
		e.fail("host.not-executable", "the system does not let the host be run", err.Error()+"; the folder may be mounted noexec", "set CHROME_MCP_DATA to a folder where programs may run, and run "+installCommand)
	case err != nil:
		e.fail("host.broken", "the host does not work", path+": "+err.Error(), installCommand)
	case ready.HostVersion != version.Version:
		e.fail("host.version", "the installed program is of another version", "it is "+ready.HostVersion+", this one "+version.Version, installCommand)
	case !same(ready.DataDir, e.Options.Data):
		e.twoFolders("the host looks for servers in another data folder", path+" looks in "+ready.DataDir)
	default:
		e.fine("host", "the host answers as a browser would hear it", "%s, version %s, after %d ms", path, ready.HostVersion, time.Since(begin).Milliseconds())
	}
}
