package bridge

import (
	"context"
	"time"
)

// Refusal is why somebody who dialled was not welcomed.
type Refusal struct {
	Reason  string // "bad_token", "bad_version", "bad_bundle" or "timeout"
	Message string // with what to do
}

func (r *Refusal) Error() string { return r.Message }

// afterRefusal is how long another browser may still come.
const afterRefusal = 500 * time.Millisecond

// Await waits until a browser is connected, whether or not one ever paired. When one was
// refused and no other came soon, the error is a *Refusal.
func (b *Bridge) Await(ctx context.Context) error {
	var refusal *Refusal
	var late <-chan time.Time
	for {
		list, arrived, _ := b.connected()
		if len(list) > 0 {
			return nil
		}
		select {
		case <-arrived:
		case r := <-b.refused:
			refusal, late = &r, time.After(afterRefusal)
		case <-late:
			return refusal
		case <-ctx.Done():
			if refusal != nil {
				return refusal
			}
			return b.noBackend()
		}
	}
}
