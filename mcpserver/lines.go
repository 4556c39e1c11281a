package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	maxIn  = 64 << 20 // longest line that is taken in
	maxOut = 4 << 20  // longest line that is given out: some clients end at 10 MB
)

var bom = []byte("\xef\xbb\xbf")

// errTooLong comes with a line of more than maxIn bytes. The line has been skipped.
var errTooLong = errors.New("line too long")

// lineReader splits a stream into messages, one a line. It takes LF and CRLF, skips
// blank lines and byte order marks, and also gives out a last line without line end.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next returns the next line that is not blank. On errTooLong the returned bytes are
// the raw id of the skipped message, if it had one; reading can go on.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if err == errTooLong {
			return line, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), bom))
		if len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// line reads up to a line end. The error is errTooLong, or that of the stream.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.max+1 {
			var ids idScanner
			ids.write(line)
			ids.write(part)
			if err == bufio.ErrBufferFull {
				err = l.skip(&ids)
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			return ids.id, errTooLong
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func (l *lineReader) skip(ids *idScanner) error {
	for {
		part, err := l.r.ReadSlice('\n')
		ids.write(part)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// idScanner picks the id out of a JSON-RPC message that is too long to be kept, so
// that the caller gets an answer instead of waiting for one. It looks at the members
// of the outermost object only and keeps at most a few bytes.
type idScanner struct {
	id []byte // raw JSON of the id

	depth    int
	inString bool
	escaped  bool
	value    bool   // behind the colon of a member of the outermost object
	token    []byte // string or scalar being read at depth 1
	key      string
}

const maxScannedID = 128

func (s *idScanner) write(b []byte) {
	for _, c := range b {
		s.step(c)
	}
}

func (s *idScanner) step(c byte) {
	if s.inString {
		s.keep(c)
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = false
		}
		return
	}
	switch c {
	case '"':
		s.inString = true
		s.keep(c)
	case '{', '[':
		s.depth++
		s.token = s.token[:0]
	case '}', ']':
		s.member()
		s.depth--
	case ':':
		if s.depth == 1 && !s.value {
			s.key, s.value = string(s.token), true
			s.token = s.token[:0]
		}
	case ',':
		s.member()
	case ' ', '\t', '\r', '\n':
	default:
		s.keep(c)
	}
}

func (s *idScanner) keep(c byte) {
	if s.depth == 1 && len(s.token) <= maxScannedID {
		s.token = append(s.token, c)
	}
}

// member ends a member of the outermost object.
func (s *idScanner) member() {
	if s.depth != 1 {
		return
	}
	if s.value && s.key == `"id"` && len(s.token) <= maxScannedID {
		s.id = bytes.Clone(s.token)
	}
	s.value, s.token = false, s.token[:0]
}
