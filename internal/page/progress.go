package page

import (
	"context"
	"time"
)

type progressKey struct{}

// WithProgress returns a context with which long work says how far it is: bytes of a
// download, parts of a picture. total is 0 where nobody knows it. fn may be nil.
func WithProgress(ctx context.Context, fn func(done, total int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, fn)
}

// progress is the function of the context. It can always be called.
func progress(ctx context.Context) func(done, total int64) {
	if fn, _ := ctx.Value(progressKey{}).(func(done, total int64)); fn != nil {
		return fn
	}
	return func(int64, int64) {}
}

// tellEvery is how often a client hears of a download.
const tellEvery = 200 * time.Millisecond

// seldom calls fn at most every so often. It is for one goroutine.
func seldom(fn func(done, total int64)) func(done, total int64) {
	var last time.Time
	return func(done, total int64) {
		if now := time.Now(); now.Sub(last) >= tellEvery {
			last = now
			fn(done, total)
		}
	}
}
