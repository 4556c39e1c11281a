package policy

import "sync"

// memo remembers the results of a pure function. It forgets all when it is full: what
// is in use is soon back.
type memo[K comparable, V any] struct {
	most int

	mu    sync.RWMutex
	known map[K]V
}

func (m *memo[K, V]) get(key K) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.known[key]
	return v, ok
}

func (m *memo[K, V]) put(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= m.most {
		m.known = make(map[K]V)
	}
	m.known[key] = v
}
