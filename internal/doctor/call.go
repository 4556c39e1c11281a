package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"chrome-mcp/bridge"
	"chrome-mcp/extension"
	"chrome-mcp/installer"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/state"
)

// trial is a server of our own that the extension is to find and dial, and one command
// to the browser behind it.
type trial struct {
	cancel context.CancelFunc
	done   chan struct{}
	answer Answer
	err    error
}

// tryCall starts the trial. A server makes a data folder where there is none, and takes
// one away from others; a walk does not.
func (e *exam) tryCall(ctx context.Context) {
	if !exists(e.Options.Data) || e.faulty("data") {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &trial{cancel: cancel, done: make(chan struct{})}
	e.trial = t
	go func() {
		defer close(t.done)
		t.answer, t.err = Try(ctx, e.Options.Data, "chrome-mcp doctor")
	}()
}

// call waits for the trial and says how it went, and if it went wrong, why.
func (e *exam) call() (works bool) {
	t := e.trial
	if t == nil {
		return false
	}
	wait := e.Wait
	if e.mended && e.couldDial() {
		wait = max(wait, e.Patience)
	}
	select {
	case <-t.done:
	case <-time.After(wait):
	}
	t.cancel()
	<-t.done
	var none *StartError
	if errors.As(t.err, &none) {
		e.notStarted(none.Err)
		return false
	}
	e.fine("port", "servers can listen on this machine", "127.0.0.1")
	if t.err != nil {
		e.diagnose(t.err)
		return false
	}
	var names []string
	for _, b := range t.answer.Browsers {
		names = append(names, b.Name+" (Chrome "+b.Version+")")
	}
	e.fine("call", "a browser answered a command", "%s, %d tabs, %d ms after the server started", few(names), len(t.answer.Tabs), t.answer.Took.Milliseconds())
	return true
}

// notStarted tells a folder that cannot be written from a port that cannot be opened.
func (e *exam) notStarted(err error) {
	var network *net.OpError
	if !errors.As(err, &network) {
		e.fail("data.unwritable", "servers cannot leave word for browsers", err.Error(), "set "+state.DataEnv+" to a folder that you can write")
		return
	}
	e.fail("port.blocked", "servers cannot listen on this machine", err.Error(), "allow "+e.quote(e.program())+" to open a port on 127.0.0.1, in the firewall or sandbox that forbids it")
}

// couldDial reports whether an extension may be there that tries again by itself. That
// profiles do not name it proves little: browsers write them late.
func (e *exam) couldDial() bool {
	return slices.ContainsFunc(e.views, func(v installer.View) bool { return v.Chosen && Running(v.UserData) })
}

// diagnose says why no extension dialled, or why what dialled did not work. It gives one
// reason, the first on the path.
func (e *exam) diagnose(err error) {
	var refusal *bridge.Refusal
	seen, seenErr := e.store.LastSeen()
	switch {
	case seenErr != nil:
		e.fail("host.record", "what the host noted cannot be read", seenErr.Error(), "rm "+e.quote(e.store.Path("lastseen.json")))
	case errors.As(err, &refusal):
		e.refused(refusal)
	case browser.CodeOf(err) == browser.Detached, seen.Left == "stopped":
		evidence := err.Error()
		if seen.Left != "" {
			evidence = "the extension said so at " + seen.Ended.Local().Format(time.DateTime)
		}
		e.fail("extension.stopped", "the user stopped chrome-mcp in the browser", evidence, "press Resume in the extension's popup")
	case seen.Problem != "" && seen.Open():
		e.fail("extension.version", "extension and host do not fit together", seen.Problem, reloadHint(e))
	case browser.CodeOf(err) != browser.NoBackend:
		e.fail("call.failed", "the browser was there, but did not answer a command", err.Error(), "press Reload for chrome-mcp at chrome://extensions, or restart the browser")
	default:
		e.absent(seen, err)
	}
}

func (e *exam) refused(r *bridge.Refusal) {
	switch r.Reason {
	case "bad_version":
		e.fail("extension.version", "the extension in the browser is of another version", r.Message, reloadHint(e))
	case "bad_bundle":
		e.fail("extension.bundle", "the extension in the browser is of another build", r.Message, reloadHint(e))
	default:
		e.fail("extension.refused", "what dialled was not our extension", r.Message, reloadHint(e))
	}
}

func reloadHint(e *exam) string {
	return installCommand + ", then press Reload for chrome-mcp at chrome://extensions (folder " + e.Options.Extension(e.System) + ")"
}

// absent says why nobody dialled, by what browsers' files and the host's notes tell.
func (e *exam) absent(seen state.LastSeen, err error) {
	on, off, all := e.withExtension()
	heard := "the host never heard the extension"
	if !seen.Time.IsZero() {
		heard = "the host heard it last at " + seen.Time.Local().Format(time.DateTime)
	}
	unloaded := "open chrome://extensions, switch Developer mode on, press Load unpacked, choose " + e.Options.Extension(e.System)
	switch {
	case seen.Open():
		e.fail("extension.silent", "the extension is there and does not dial", fmt.Sprintf("host process %d holds its port; %v", seen.PID, err), "press Reload for chrome-mcp at chrome://extensions")
	case len(on)+len(off) == 0:
		e.fail("extension.missing", "the extension is loaded in no profile", fmt.Sprintf("looked into %d, which browsers write some 10 s late; %s", all, heard), unloaded)
	case len(on) == 0:
		e.fail("extension.disabled", "the extension is switched off", off[0].String(), "switch chrome-mcp on at chrome://extensions")
	case e.wrongProfile(on):
	case seen.Time.IsZero() && !e.faulty("host", "manifest"):
		page := extension.Origin + "options.html"
		e.fail("extension.unpaired", "the extension has not been paired", on[0].String()+"; "+heard, cmp.Or(e.start(on[0], page), "open "+page)+"  and press Pair")
	default:
		e.fail("extension.silent", "the extension is switched on and does not dial", on[0].String()+"; "+heard, "press Reload for chrome-mcp at chrome://extensions")
	}
}

// wrongProfile reports whether the extension is only where nobody is.
func (e *exam) wrongProfile(on []profile) bool {
	running := false
	for _, p := range on {
		if p.open {
			return false
		}
		running = running || p.running
	}
	p := on[0]
	if !running {
		e.fail("browser.closed", "the browser with the extension does not run", p.String(), cmp.Or(e.start(p, ""), "start "+p.view.Title))
		return true
	}
	e.fail("extension.profile", "the browser runs with a profile that has no extension", "it is in "+p.String()+", which has no window", cmp.Or(e.start(p, ""), "open the profile "+cmp.Or(p.name, p.dir)))
	return true
}

// withExtension sorts the profiles, and counts them.
func (e *exam) withExtension() (on, off []profile, all int) {
	for _, p := range e.profiles {
		switch {
		case p.loaded && p.on:
			on = append(on, p)
		case p.loaded:
			off = append(off, p)
		}
	}
	return on, off, len(e.profiles)
}
