// Package nmhost is the native messaging host: a process that the browser starts to
// ask which servers run, and that tells at once when another one starts.
//
// It is the only package that writes stdout in that role, and writes nothing there but
// frames. It listens on no port, reads nothing but the data folder, and answers only
// the extension that it belongs to.
package nmhost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

// Config says who calls, whom to answer and from where.
type Config struct {
	In          io.Reader    // the browser's end; stdin
	Out         io.Writer    // the browser's end; stdout
	Caller      string       // origin of the caller: argv[1]
	ExtensionID string       // the only extension that is answered
	Version     string       // ours; the extension's has to be the same
	Store       *state.Store // the data folder
	Log         *slog.Logger // nil discards
}

// host is one conversation.
type host struct {
	Config
	out frameWriter

	mu     sync.Mutex
	ready  bool     // hello was accepted; pushes are wanted
	wrong  *refusal // hello was refused for good
	probed bool     // hello came from no browser
	sent   string   // last list of servers, encoded, to send changes only
	faults string   // last complaint about files, likewise
}

// Run holds the conversation until the browser closes its end, which is the normal end
// and no error.
func Run(ctx context.Context, c Config) error {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	h := &host{Config: c, out: frameWriter{w: c.Out}}
	if want := "chrome-extension://" + c.ExtensionID + "/"; c.Caller != want {
		r := refuse(wire.WrongCaller, "%s may not use this host; only %s may", clip(c.Caller, 200), want)
		h.send(r)
		return errors.New(r.text)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go c.Store.Watch(ctx, h.push)
	return h.listen()
}

// listen answers messages in order.
func (h *host) listen() error {
	for {
		b, err := readFrame(h.In)
		switch {
		case errors.Is(err, io.EOF):
			h.left("")
			return nil
		case errors.Is(err, errTooLong):
			err = h.send(refuse(wire.BadMessage, "%v", err))
		case err != nil:
			h.send(refuse(wire.BadMessage, "%v", err))
			return err
		default:
			err = h.answer(b)
		}
		if errors.Is(err, errBye) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the browser no longer listens: %w", err)
		}
	}
}

// errBye is the extension's farewell: it closes the port next.
var errBye = errors.New("bye")

// answer handles one message. Its error is that of the pipe.
func (h *host) answer(b []byte) error {
	r, bad := parse(b)
	if bad != nil {
		return h.send(bad)
	}
	switch r.Type {
	case wire.NativeHelloType:
		return h.hello(*r.Ext)
	case wire.NativeGetType:
		return h.handshakes()
	case wire.NativeByeType:
		h.left(clip(r.Reason, 64))
		return errBye
	}
	return h.send(refuse(wire.BadMessage, "unknown message type %q; this host knows %s and %s", clip(r.Type, 100), wire.NativeHelloType, wire.NativeGetType))
}

func (h *host) hello(ext wire.NativeExt) error {
	wrong := h.judge(ext)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.probed = ext.Probe; !h.probed {
		h.remember(ext, wrong)
	}
	h.wrong = wrong
	h.ready = wrong == nil
	if wrong != nil {
		return h.send(wrong)
	}
	return h.tell(func(servers []wire.Server) any {
		return wire.NativeReady{Header: header(wire.NativeReadyType), HostVersion: h.Version, DataDir: h.Store.Dir(), Servers: servers}
	})
}

func (h *host) handshakes() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong != nil {
		return h.send(h.wrong)
	}
	return h.tell(list)
}

// push tells of a change, if there is one and somebody wants to hear it.
func (h *host) push() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ready {
		return
	}
	servers, faults := h.look()
	if encode(servers) != h.sent {
		if err := h.tellServers(servers, list); err != nil {
			h.Log.Warn("push failed", "err", err)
		}
	}
	if faults != h.faults {
		h.tellFaults(faults)
	}
}

func list(servers []wire.Server) any {
	return wire.NativeHandshakes{Header: header(wire.NativeHandshakesType), Servers: servers}
}

// tell answers with the servers that run, then complains about files that it could not
// trust. The host's lock is held.
func (h *host) tell(message func([]wire.Server) any) error {
	servers, faults := h.look()
	if err := h.tellServers(servers, message); err != nil {
		return err
	}
	return h.tellFaults(faults)
}

func (h *host) tellServers(servers []wire.Server, message func([]wire.Server) any) error {
	h.sent = encode(servers)
	kept, err := h.fit(servers, message)
	if err != nil || len(kept) == len(servers) {
		return err
	}
	return h.send(refuse(wire.HandshakeUnreadable, "%d servers run, too many for one message; the oldest %d are left out; close some MCP clients", len(servers), len(servers)-len(kept)))
}

// fit sends as many of the newest servers as Chrome's limit allows, and returns them.
func (h *host) fit(servers []wire.Server, message func([]wire.Server) any) ([]wire.Server, error) {
	for {
		b, err := json.Marshal(message(servers))
		if err != nil {
			return servers, err
		}
		err = h.out.write(b)
		if !errors.Is(err, errTooLong) || len(servers) == 0 {
			h.Log.Debug("sent servers", "count", len(servers))
			return servers, err
		}
		drop := 1 + len(servers)*(len(b)-wire.MaxHostOut)/len(b)
		servers = servers[min(drop, len(servers)):]
	}
}

func (h *host) tellFaults(faults string) error {
	h.faults = faults
	if faults == "" {
		return nil
	}
	return h.send(refuse(wire.HandshakeUnreadable, "%s", faults))
}

// look reads the folder.
func (h *host) look() (servers []wire.Server, faults string) {
	live, errs := h.Store.Live()
	servers = make([]wire.Server, 0, len(live))
	for _, l := range live {
		if l.ExpectedExtensionID != "" && l.ExpectedExtensionID != h.ExtensionID {
			continue // that server waits for another extension
		}
		servers = append(servers, wire.Server{
			SessionID: l.SessionID, Port: l.Port, Token: l.Token, PID: l.PID, TS: l.TS, Client: clip(l.Client, 200),
		})
	}
	if err := errors.Join(errs...); err != nil {
		faults = err.Error()
	}
	return servers, faults
}

func (h *host) send(r *refusal) error {
	h.Log.Warn("refused", "code", r.code, "why", clip(r.text, maxText))
	b, err := json.Marshal(wire.NativeError{Header: header(wire.NativeErrorType), Code: r.code, Message: clip(r.text, maxText)})
	if err != nil {
		return err
	}
	return h.out.write(b)
}

// left notes that the browser is gone, and why.
func (h *host) left(why string) {
	h.Log.Info("the browser closed the port", "why", why)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.probed {
		return
	}
	if err := h.Store.SetLeft(why); err != nil {
		h.Log.Warn("cannot note that the browser left", "err", err)
	}
}

// remember notes what the extension said, for `chrome-mcp status` and `doctor`.
func (h *host) remember(ext wire.NativeExt, wrong *refusal) {
	h.Log.Info("hello", "extension", clip(ext.ID, 64), "version", clip(ext.Version, 64), "instance", clip(ext.Instance, 64))
	seen := state.LastSeen{
		Time: time.Now().UTC().Truncate(time.Millisecond), PID: os.Getpid(), HostVersion: h.Version,
		Extension: clip(ext.ID, 64), Version: clip(ext.Version, 64), Instance: clip(ext.Instance, 64),
	}
	if wrong != nil {
		seen.Problem = string(wrong.code) + ": " + wrong.text
	}
	if err := h.Store.SetLastSeen(seen); err != nil {
		h.Log.Warn("cannot note what was seen", "err", err)
	}
}

func header(kind string) wire.Header { return wire.Header{V: wire.Protocol, Type: kind} }

func encode(servers []wire.Server) string {
	b, _ := json.Marshal(servers) // numbers and strings
	return string(b)
}
