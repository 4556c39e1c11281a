package state

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// maxLog is the size at which a log starts anew; the old one is kept once.
const maxLog = 1 << 20

// boundedLog appends to a private file and moves it aside when it is full. Several
// processes may append to the same file.
type boundedLog struct {
	mu   sync.Mutex
	path string
	f    *os.File
	size int64
}

// OpenLog opens a log in the data folder: private, appended to, and bounded.
func (s *Store) OpenLog(name string) (io.WriteCloser, error) {
	if err := s.Ensure(); err != nil {
		return nil, err
	}
	l := &boundedLog{path: s.Path(name)}
	return l, l.open()
}

func (l *boundedLog) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cannot open the log: %w", err)
	}
	fi, err := f.Stat()
	if err == nil {
		err = makeFilePrivate(f)
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("cannot keep the log %s: %w", l.path, err)
	}
	l.f, l.size = f, fi.Size()
	return nil
}

func (l *boundedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size+int64(len(b)) > maxLog && l.size > 0 {
		l.f.Close()
		// On Windows another process that has the log open prevents the rename.
		if os.Rename(l.path, l.path+".old") != nil {
			os.Truncate(l.path, 0)
		}
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	n, err := l.f.Write(b)
	l.size += int64(n)
	return n, err
}

func (l *boundedLog) Close() error { return l.f.Close() }
