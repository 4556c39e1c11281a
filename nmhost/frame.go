package nmhost

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"chrome-mcp/internal/wire"
)

// maxMessage is the largest message whose content is looked at. The extension's own
// have a few hundred bytes; larger ones, up to Chrome's limit, are read past.
const maxMessage = 1 << 20

// errTooLong is a message that was read past; the next one can be read.
var errTooLong = errors.New("message too long")

// readFrame reads one message: a length of four bytes in native order, then so many
// bytes. It answers io.EOF at the end between messages and errTooLong for a message
// that it read past. After any other error the stream cannot be followed.
//
// Memory grows with the bytes that arrive, not with the length that is claimed: text
// that got into the stream reads as a length of gigabytes.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("input ended after %d of the 4 bytes of a length: %w", n, err)
	}
	size := int64(binary.NativeEndian.Uint32(head[:]))
	if size > wire.MaxHostIn {
		return nil, fmt.Errorf("the length %d (bytes % x) is over the limit of %d: this is not native messaging; start me through the browser", size, head, wire.MaxHostIn)
	}
	if size > maxMessage {
		if n, err := io.CopyN(io.Discard, r, size); err != nil {
			return nil, cut(n, size, err)
		}
		return nil, fmt.Errorf("%w: %d bytes, at most %d are taken", errTooLong, size, maxMessage)
	}
	var b bytes.Buffer
	if n, err := io.CopyN(&b, r, size); err != nil {
		return nil, cut(n, size, err)
	}
	return b.Bytes(), nil
}

func cut(n, size int64, err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("input ended after %d of the %d bytes of a message: %w", n, size, err)
}

// frameWriter writes whole messages from several goroutines.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// write sends one message. Chrome drops the whole port for one over its limit, so that
// is an error here and nothing is sent.
func (f *frameWriter) write(b []byte) error {
	if len(b) > wire.MaxHostOut {
		return fmt.Errorf("%w: %d bytes, Chrome takes %d", errTooLong, len(b), wire.MaxHostOut)
	}
	frame := binary.NativeEndian.AppendUint32(make([]byte, 0, 4+len(b)), uint32(len(b)))
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.w.Write(append(frame, b...))
	return err
}
