package page

// ring keeps the newest of what comes, bounded in number and bytes.
type ring[T any] struct {
	items   []T
	sizes   []int
	bytes   int
	last    int // number of the last one that came
	dropped int // how many went since the last clear
}

// next is the number of what comes next.
func (r *ring[T]) next() int {
	r.last++
	return r.last
}

// add keeps v and drops the oldest that are too many.
func (r *ring[T]) add(v T, size, maxItems, maxBytes int) {
	r.items, r.sizes = append(r.items, v), append(r.sizes, size)
	r.bytes += size
	n := 0
	for len(r.items)-n > 1 && (len(r.items)-n > maxItems || r.bytes > maxBytes) {
		r.bytes -= r.sizes[n]
		n++
	}
	r.drop(n)
	r.dropped += n
}

// grow says that the newest has become bigger.
func (r *ring[T]) grow(by int) {
	if n := len(r.sizes); n > 0 {
		r.sizes[n-1] += by
		r.bytes += by
	}
}

func (r *ring[T]) drop(n int) {
	if n == 0 {
		return
	}
	clear(r.items[:n]) // for the collector
	r.items, r.sizes = r.items[n:], r.sizes[n:]
}

// clear forgets everything but the numbering.
func (r *ring[T]) clear() {
	r.items, r.sizes, r.bytes, r.dropped = nil, nil, 0, 0
}
