//go:build unix

package cdpfallback

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// pipe is the transport of --remote-debugging-pipe: each message ends in a zero byte.
// The browser ends when the pipe closes, so it cannot outlive this process.
type pipe struct {
	in  *bufio.Reader
	out io.WriteCloser
	src io.Closer
	mu  sync.Mutex
}

func newPipe(in io.ReadCloser, out io.WriteCloser) *pipe {
	return &pipe{in: bufio.NewReaderSize(in, 1<<16), out: out, src: in}
}

func (p *pipe) send(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.out.Write(append(message, 0))
	return err
}

func (p *pipe) receive() ([]byte, error) {
	message, err := p.in.ReadBytes(0)
	return bytes.TrimSuffix(message, []byte{0}), err
}

func (p *pipe) close() error {
	err := p.out.Close()
	if e := p.src.Close(); err == nil {
		err = e
	}
	return err
}
