package browser

import "context"

// Chooser is a Backend that reaches several browsers, of which a session works in one.
type Chooser interface {
	// Use makes the named browser the one that the session opens its tabs in. From then
	// on it is never changed silently: while that browser is away, opening fails.
	Use(ctx context.Context, session, name string) (BrowserStatus, error)
	// Rename gives a browser another name, which it keeps in this and later servers.
	Rename(ctx context.Context, name, to string) error
	// Used is the name of the browser that the session opens tabs in, "" before any.
	Used(session string) string
}

// Wrapper is a Backend over others.
type Wrapper interface {
	Unwrap() []Backend
}

// ChooserOf returns the Chooser that b is or is over, nil for none.
func ChooserOf(b Backend) Chooser {
	if c, ok := b.(Chooser); ok {
		return c
	}
	w, ok := b.(Wrapper)
	if !ok {
		return nil
	}
	for _, inner := range w.Unwrap() {
		if inner == nil {
			continue
		}
		if c := ChooserOf(inner); c != nil {
			return c
		}
	}
	return nil
}
