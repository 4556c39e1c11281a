package cdpfallback

import (
	"context"
	"sync"
	"time"
)

// endTime is how long a browser that was told to end may take.
const endTime = 2 * time.Second

// Shutdown ends a started browser; its temporary profile is removed. An attached one it
// leaves, and closes the tabs there that it opened itself.
//
// When the context ends first, a browser with a profile that is kept goes on to write it
// and ends by itself, see tether.
func (b *Backend) Shutdown(ctx context.Context) error {
	b.end.Do(func() {
		if b.attached() {
			b.leave(ctx)
		} else {
			b.quit(ctx)
		}
	})
	return nil
}

func (b *Backend) quit(ctx context.Context) {
	short, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	_ = b.conn.call(short, "", "Browser.close", nil, nil)
	_ = b.conn.t.close()
	select {
	case <-b.process.exited:
		return
	case <-short.Done():
	}
	if ctx.Err() == nil || b.process.temporary || !b.process.tethered {
		b.process.kill()
	}
}

// leave disconnects.
func (b *Backend) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	var group sync.WaitGroup
	for _, t := range b.toClose() {
		group.Go(func() { _ = t.close(ctx) })
	}
	group.Wait()
	_ = b.conn.t.close()
	select {
	case <-b.conn.done:
	case <-ctx.Done():
	}
}

// toClose lists the tabs that were opened here, but never the browser's last one.
func (b *Backend) toClose() (list []*Tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tabs {
		if t.ours {
			list = append(list, t)
		}
	}
	if len(list) == len(b.tabs) && len(list) > 0 {
		list = list[1:]
	}
	return list
}
