package page

import "context"

type queuedKey struct{}

// WithQueued returns a context with which Tab.Lock calls fn as soon as the call has
// its place in the queue of the tab. So a server can let the next call come after it.
func WithQueued(ctx context.Context, fn func()) context.Context {
	return context.WithValue(ctx, queuedKey{}, fn)
}

func queued(ctx context.Context) {
	if fn, ok := ctx.Value(queuedKey{}).(func()); ok {
		fn()
	}
}
