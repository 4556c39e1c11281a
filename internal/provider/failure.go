package provider

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/extproto"
)

// Said is the error of a provider that answered a call with an error of the protocol.
// Its words are the provider's.
type Said struct {
	Code  int64
	Words string
}

func (e *Said) Error() string { return e.Words }

// failure says what became of a call that has no result. After it the provider is probed
// before the next, unless it was the provider that answered.
func (l *link) failure(ctx context.Context, t *Tool, err error, sent bool) error {
	var said *jsonrpc.Error
	if errors.As(err, &said) && ctx.Err() == nil && !l.closed() {
		return &Said{Code: said.Code, Words: said.Message}
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		l.suspect.Store(true)
	}
	label := t.Label()
	unknown := sent && !t.Reads
	var e *browser.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e = browser.Errorf(browser.ExtensionDisconnected, "the call of %s was cancelled", label)
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			e.Message += ": " + reason(cause)
		}
	case ctx.Err() != nil:
		e = browser.Errorf(browser.Timeout, "%s did not answer in time", label)
	case errors.As(err, &e):
		copied := *e
		e = &copied
	case l.closed():
		e = browser.Errorf(browser.ExtensionDisconnected, "the port to %s closed during the call%s", label, l.reason())
	default:
		e = browser.Errorf(browser.ProviderDown, "%s failed: %v", label, err)
	}
	e.Unknown = unknown
	switch {
	case unknown:
		e.Message += "; outcome unknown: it may have happened, so look before you call again"
	case !sent:
		e.Message += "; it was not called, so you can call again"
	default:
		e.Message += "; you can call again"
	}
	return e
}

// reason is why the port was closed, as the end of a sentence.
func (l *link) reason() string {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	for {
		_, err := l.port.Recv(ctx) // what came before the end is nobody's any more
		var closed *extproto.ClosedError
		if errors.As(err, &closed) && closed.Reason != "" {
			return " (" + closed.Reason + ")"
		}
		if err != nil {
			return ""
		}
	}
}

// Probe asks a provider anew whether it can be used, and says how long that took.
func (h *Host) Probe(ctx context.Context, name string) (extproto.Status, time.Duration, error) {
	p, err := h.find(name)
	if err != nil {
		return extproto.Status{}, 0, err
	}
	if p.off() {
		return p.status(), 0, nil
	}
	p.doubt()
	began := time.Now()
	_, err = p.use(ctx)
	if browser.CodeOf(err) == browser.Timeout {
		return extproto.Status{}, 0, err
	}
	return p.status(), time.Since(began), nil
}

// doubt has the next use probe.
func (p *provider) doubt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link != nil {
		p.link.suspect.Store(true)
	}
}
